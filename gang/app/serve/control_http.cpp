#include "gang/app/serve/control_http.hpp"

#include "gang/app/base/json_text.hpp"
#include "gang/app/serve/query.hpp"
#include "k8s/base/http.hpp"

#include <fmt/format.h>

#include <optional>

namespace gang::app {
namespace {

constexpr std::string_view explain_path = "/explain";

HttpReply error(int status, std::string_view message) {
    return HttpReply{status, fmt::format("{{\"error\":{}}}", json_string(message))};
}

HttpReply explain(std::string_view query, const ControlSource& source) {
    const auto question = find_parameter(query, "q");
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

bool is_own_host(std::string_view host) {
    if (host.starts_with("[::1]")) {
        return true;
    }
    const std::string_view name = host.substr(0, host.find(':'));
    return name == "localhost" || config::parse_loopback(fmt::format("{}:0", name)).has_value();
}

HttpLimits control_limits() {
    HttpLimits limits;
    limits.connections_max = 16;
    return limits;
}

HttpReply control_reply(const HttpAsk& ask, const ControlSource& source) {
    if (!is_own_host(ask.host)) {
        return error(403, "only requests to a loopback host are answered");
    }
    const auto [path, query] = split_target(ask.target);
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
