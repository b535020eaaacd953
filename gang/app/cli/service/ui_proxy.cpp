#include "gang/app/cli/service/ui_proxy.hpp"

#include "gang/app/api/answers.hpp"
#include "gang/app/page/assets.hpp"
#include "gang/app/serve/query.hpp"
#include "k8s/base/sleep.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/net/connection.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <variant>

namespace gang::app {
namespace {

namespace asio = boost::asio;

constexpr std::string_view api_base = "/api/v1/";
constexpr std::int64_t call_ms = 20'000;
constexpr std::size_t answer_bytes_max = 64 * 1024 * 1024;
/// Of two replicas, so many in a row are standbys once in a thousand times.
constexpr int tries_max = 10;
constexpr std::int64_t between_tries_ms = 100;
/// The scheduler says something every five seconds.
constexpr std::int64_t silence_ms_max = 20'000;
constexpr std::size_t unread_bytes_max = 1024 * 1024;

bool is_of_standby(const k8s::Response& response) {
    return response.status == 503 && response.body.find(R"("from":"standby")") != std::string::npos;
}

k8s::Request request_for(const PageService& service, const std::string& target) {
    k8s::Request request("GET", proxy_path(service) + target.substr(1));
    request.more_fields = fmt::format("{}: ui\r\n", passed_on_field);
    return request;
}

/// A snapshot's, and nothing else that a browser may say.
bool is_id(const std::string& text) {
    return text.size() == 16 &&
           text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// What has come of the scheduler's events and not been sent to the browser yet.
struct Passage {
    std::string unread;
    bool is_over = false;  ///< the scheduler's side
    bool is_left = false;  ///< the browser's
};

class PassedStream : public HttpStream {
public:
    explicit PassedStream(std::shared_ptr<Passage> passage) : passage_(std::move(passage)) {}
    ~PassedStream() override { passage_->is_left = true; }
    std::string next() override { return std::exchange(passage_->unread, {}); }
    bool is_over() const override { return passage_->is_over; }

private:
    std::shared_ptr<Passage> passage_;
};

asio::awaitable<void> read_on(
    std::shared_ptr<k8s::Connection> connection, std::shared_ptr<Passage> passage) {
    while (!passage->is_left && passage->unread.size() < unread_bytes_max) {
        k8s::StreamPart part = co_await connection->read(silence_ms_max);
        auto* bytes = std::get_if<std::string>(&part);
        if (bytes == nullptr) {
            break;
        }
        passage->unread += *bytes;
    }
    passage->is_over = true;
    connection->close();
}

}  // namespace

bool is_of_scheduler(const std::string& body) {
    return body.starts_with(fmt::format(R"({{"apiVersion":"{}")", api_version));
}

std::string proxy_path(const PageService& service) {
    return fmt::format(
        "/api/v1/namespaces/{}/services/http:{}:{}/proxy/",
        k8s::percent_encode(service.namespace_name),
        k8s::percent_encode(service.name),
        k8s::percent_encode(service.port));
}

bool is_passed_on(std::string_view target) {
    const std::string_view path = split_target(target).path;
    // What is decoded somewhere on the way must not lead elsewhere, either.
    const auto decoded = percent_decode(path);
    if (!path.starts_with(api_base) || !decoded) {
        return false;
    }
    const bool is_plain = std::all_of(
        target.begin(), target.end(), [](char c) { return c > ' ' && c < '\x7f' && c != '\\'; });
    const std::string closed = *decoded + "/";
    return is_plain && closed.find("/../") == std::string::npos &&
           closed.find("/./") == std::string::npos &&
           decoded->find("//") == std::string::npos && decoded->find('\\') == std::string::npos &&
           decoded->find('%') == std::string::npos;
}

UiProxy::UiProxy(
    asio::io_context& io, std::shared_ptr<k8s::Endpoint> endpoint, PageService service)
    : io_(io), endpoint_(std::move(endpoint)), service_(std::move(service)), hosts_({}) {}

void UiProxy::answer(HttpAsk ask, HttpAnswer take) {
    ask.passed_on_by.clear();  // nobody stands before us
    if (const auto refusal = hosts_.refuse(ask)) {
        take(HttpReply{refusal->status, error_json(refusal->status, refusal->why)});
        return;
    }
    const std::string_view path = split_target(ask.target).path;
    for (const Asset& asset : page_assets()) {
        if (asset.path == path) {
            take(HttpReply{200, std::string(asset.text), asset.content_type});
            return;
        }
    }
    if (!is_passed_on(ask.target)) {
        take(HttpReply{404, error_json(404, "there is a page at / and JSON under /api/v1/")});
        return;
    }
    auto work = path == "/api/v1/events"
                    ? follow(std::move(ask.target), std::move(ask.last_event_id))
                    : this->ask(std::move(ask.target));
    asio::co_spawn(
        io_, std::move(work), [this, take = std::move(take)](std::exception_ptr e, HttpReply got) {
            take(e ? unreachable("an error of this program") : std::move(got));
        });
}

HttpReply UiProxy::unreachable(const std::string& why) const {
    return HttpReply{502, error_json(502, "the API server was asked: " + why)};
}

/// What the API server says of its own is told as an error of ours: the page knows no other.
HttpReply UiProxy::told(int status, const std::string& body) const {
    if (status == 200 || is_of_scheduler(body)) {
        return HttpReply{status, body};
    }
    std::string why = k8s::decode_status(status, body).message;
    if (status == 403) {
        why += "; `get` of services/proxy is needed (docs/reference/api.md)";
    } else if (status == 404 || status == 503) {
        why += fmt::format(
            "; is there a Service {} with a port {} in namespace {}, and api.enabled set?",
            service_.name,
            service_.port,
            service_.namespace_name);
    }
    return HttpReply{status, error_json(status, why)};
}

asio::awaitable<k8s::Reply> UiProxy::fetch(std::string target, std::int64_t try_ms) {
    k8s::Connection connection(io_, endpoint_);
    asio::steady_timer pause(io_);
    k8s::Reply reply = k8s::Failure();
    for (int tried = 0; tried < tries_max; ++tried) {
        k8s::Request request = request_for(service_, target);
        reply =
            co_await connection.call(std::move(request), k8s::CallLimits(try_ms, answer_bytes_max));
        const auto* response = std::get_if<k8s::Response>(&reply);
        if (response == nullptr || !is_of_standby(*response)) {
            break;
        }
        co_await k8s::sleep_ms(pause, between_tries_ms);
    }
    co_return reply;
}

asio::awaitable<HttpReply> UiProxy::ask(std::string target) {
    const k8s::Reply reply = co_await fetch(target, call_ms);
    if (const auto* failure = std::get_if<k8s::Failure>(&reply)) {
        co_return unreachable(failure->message);
    }
    const k8s::Response& last = std::get<k8s::Response>(reply);
    HttpReply out = told(last.status, last.body);
    if (last.status == 200 && target.find("format=text") != std::string::npos) {
        out.content_type = plain_text;
    }
    co_return out;
}

asio::awaitable<HttpReply> UiProxy::follow(std::string target, std::string seen) {
    asio::steady_timer pause(io_);
    k8s::Response last;
    for (int tried = 0; tried < tries_max; ++tried) {
        auto connection = std::make_shared<k8s::Connection>(io_, endpoint_);
        k8s::Request request = request_for(service_, target);
        if (is_id(seen)) {
            request.more_fields += fmt::format("Last-Event-ID: {}\r\n", seen);
        }
        k8s::Reply reply = co_await connection->open_stream(
            std::move(request), k8s::CallLimits(call_ms, answer_bytes_max));
        if (const auto* failure = std::get_if<k8s::Failure>(&reply)) {
            co_return unreachable(failure->message);
        }
        last = std::get<k8s::Response>(std::move(reply));
        if (last.status == 200) {
            const auto passage = std::make_shared<Passage>();
            asio::co_spawn(io_, read_on(connection, passage), [passage](std::exception_ptr) {
                passage->is_over = true;
            });
            HttpReply out;
            out.content_type = "text/event-stream";
            out.stream = std::make_shared<PassedStream>(passage);
            co_return out;
        }
        if (!is_of_standby(last)) {
            break;
        }
        co_await k8s::sleep_ms(pause, between_tries_ms);
    }
    co_return told(last.status, last.body);
}

}  // namespace gang::app
