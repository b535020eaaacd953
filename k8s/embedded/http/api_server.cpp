#include "k8s/embedded/http/api_server.hpp"

#include "k8s/base/time.hpp"
#include "k8s/embedded/discovery/discovery.hpp"
#include "k8s/embedded/discovery/openapi.hpp"
#include "k8s/embedded/store/kinds.hpp"

#include <array>
#include <optional>
#include <utility>

namespace k8s::embedded {

namespace {

Response to_response(const Failure& failure) {
    Response response;
    response.status = failure.code;
    response.body = failure.status().dump();
    if (const Json* seconds = failure.details.find("retryAfterSeconds")) {
        response.headers.emplace_back("Retry-After", seconds->dump());
    }
    return response;
}

bool is_health(const Target& target) {
    constexpr std::array names = {"livez", "readyz", "healthz"};
    for (const auto* name : names) {
        if (!target.segments.empty() && target.segments[0] == name) {
            return true;
        }
    }
    return false;
}

/// Outside the groups that exist the real server's router answers, not its API.
bool is_of_served_group(const Target& target) {
    const auto& path = target.segments;
    if (path.empty() || (path[0] != "api" && path[0] != "apis")) {
        return path.empty() || path[0] == "version" || path[0] == "openapi";
    }
    if (path[0] == "api" || path.size() < 2) {
        return true;
    }
    for (const auto& kind : all_kinds()) {
        if (kind.group == path[1]) {
            return true;
        }
    }
    return false;
}

Response healthy() {
    Response response;
    response.body = "ok";
    response.content_type = "text/plain; charset=utf-8";
    return response;
}

/// Paths that tell about the server itself; they are only read.
std::optional<Response> answer_about_server(const Request& request, const Target& target) {
    if (is_health(target)) {
        return healthy();
    }
    if (auto response = answer_discovery(target.path, request.accept)) {
        return response;
    }
    return answer_openapi(target.path);
}

}  // namespace

ApiServer::ApiServer(ServerOptions options)
    : now_ms_(options.now_ms ? std::move(options.now_ms) : k8s::unix_ms),
      defer_(std::move(options.defer)),
      store_(options.limits),
      removal_(store_, now_ms_, [this] { schedule(); }),
      writes_(store_, removal_, now_ms_),
      verbs_(store_, writes_, removal_, now_ms_) {
    for (const auto* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
        make_namespace(name);
    }
}

void ApiServer::make_namespace(const std::string& name) {
    Json space{Json::Object()};
    space["metadata"].set("name", name);
    const auto made = writes_.create(core_kind("namespaces"), "", std::move(space), {});
    ENSURE(static_cast<bool>(made));
}

void ApiServer::schedule() {
    if (is_scheduled_ || !defer_) {
        return;
    }
    is_scheduled_ = true;
    defer_([this, is_alive = std::weak_ptr<bool>(is_alive_)] {
        if (!is_alive.expired()) {
            is_scheduled_ = false;
            removal_.run();
        }
    });
}

Response ApiServer::handle(const Request& request) {
    auto response = route(request);
    if (!defer_) {
        removal_.run();
    }
    return response;
}

Response ApiServer::route(const Request& request) {
    auto target = parse_target(request.target);
    const auto& method = request.method;
    if (method == "GET" || method == "HEAD") {
        if (auto response = answer_about_server(request, target)) {
            return std::move(*response);
        }
    }
    if (!is_of_served_group(target)) {
        Response response = healthy();
        response.status = 404;
        response.body = "404 page not found\n";
        return response;
    }
    const auto call = parse_call(request, std::move(target));
    if (!call) {
        return to_response(call.failure());
    }
    auto outcome = verbs_.run(*call);
    if (!outcome) {
        return to_response(outcome.failure());
    }
    return std::move(*outcome);
}

}  // namespace k8s::embedded
