#include "gang/app/serve/control_http.hpp"

#include "gang/app/base/json_text.hpp"
#include "k8s/base/http.hpp"

#include <fmt/format.h>

#include <optional>

namespace gang::app {
namespace {

constexpr std::string_view explain_path = "/explain";

HttpReply error(int status, std::string_view message) {
    return HttpReply{status, fmt::format("{{\"error\":{}}}", json_string(message))};
}

/// Any port is fine: a port-forward or a tunnel may have changed it.
bool is_own_host(std::string_view host) {
    if (host.starts_with("[::1]")) {
        return true;
    }
    const std::string_view name = host.substr(0, host.find(':'));
    return name == "localhost" || config::parse_loopback(fmt::format("{}:0", name)).has_value();
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> percent_decode(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

/// The value of q in "q=..." among other parameters.
std::optional<std::string> question_of(std::string_view query) {
    while (!query.empty()) {
        const auto end = query.find('&');
        const std::string_view pair = query.substr(0, end);
        if (pair.starts_with("q=")) {
            return percent_decode(pair.substr(2));
        }
        query = end == std::string_view::npos ? "" : query.substr(end + 1);
    }
    return std::nullopt;
}

HttpReply explain(std::string_view query, const ControlSource& source) {
    const auto question = question_of(query);
    if (!question || question->empty()) {
        return error(400, "ask with ?q= and a pod, namespace/pod or application id");
    }
    auto answer = source.explain(*question);
    if (!answer) {
        return error(404, "no gang of ours has a pod or an application of this name");
    }
    return HttpReply{200, *std::move(answer)};
}

}  // namespace

HttpLimits control_limits() {
    HttpLimits limits;
    limits.connections_max = 16;
    return limits;
}

HttpReply control_reply(const HttpAsk& ask, const ControlSource& source) {
    if (!is_own_host(ask.host)) {
        return error(403, "only requests to a loopback host are answered");
    }
    const std::string_view target = ask.target;
    const auto mark = target.find('?');
    const std::string_view path = target.substr(0, mark);
    const std::string_view query = mark == std::string_view::npos ? "" : target.substr(mark + 1);
    if (path == "/gangs") {
        return HttpReply{200, source.gangs()};
    }
    if (path == explain_path) {
        return explain(query, source);
    }
    if (path == "/ledger") {
        return HttpReply{200, source.ledger(query == "audit=now")};
    }
    if (path == "/queues") {
        return HttpReply{200, source.queues()};
    }
    return error(404, "there are /gangs, /explain?q=, /ledger and /queues");
}

std::string explain_target(std::string_view question) {
    return fmt::format("{}?q={}", explain_path, k8s::percent_encode(std::string(question)));
}

}  // namespace gang::app
