#pragma once
// An API server without sockets, a clock that stands still, and short ways to call it.

#include "k8s/embedded/http/api_server.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace rig {

using k8s::embedded::Json;
using k8s::embedded::Limits;
using k8s::embedded::Request;
using k8s::embedded::Response;

/// The value at a path, null when there is none, so that a failing test goes on.
inline Json at(const Json& object, std::initializer_list<std::string_view> path) {
    const Json* found = object.find_path(path);
    return found == nullptr ? Json() : *found;
}

inline Json item(const Json& list, std::size_t index) {
    return index < list.items().size() ? list.items()[index] : Json();
}

struct Answer {
    int status = 0;
    Json body;
    std::string message() const { return body.text({"message"}); }
    std::string version() const { return body.text({"metadata", "resourceVersion"}); }
};

inline Json json(const std::string& text) {
    auto parsed = Json::parse(text);
    REQUIRE_MESSAGE(static_cast<bool>(parsed), text);
    return *parsed;
}

class Server {
public:
    explicit Server(Limits limits = {})
        : api({.limits = limits, .now_ms = [this] { return now_ms; }, .defer = {}}) {}

    Answer call(
        const std::string& method,
        const std::string& target,
        const std::string& body = {},
        const std::string& type = "application/json") {
        Request request{method, target};
        request.body = body;
        request.content_type = type;
        auto response = api.handle(request);
        REQUIRE(response.watch == nullptr);
        auto parsed = Json::parse(response.body);
        return {response.status, parsed ? *parsed : Json(response.body)};
    }
    Answer get(const std::string& target) { return call("GET", target); }
    Answer post(const std::string& target, const std::string& body) {
        return call("POST", target, body);
    }
    Answer merge(const std::string& target, const std::string& body) {
        return call("PATCH", target, body, "application/merge-patch+json");
    }
    Answer apply(const std::string& target, const std::string& body) {
        return call("PATCH", target, body, "application/apply-patch+yaml");
    }
    Answer remove(const std::string& target, const std::string& body = {}) {
        return call("DELETE", target, body);
    }
    std::unique_ptr<k8s::embedded::WatchStream> watch(const std::string& target) {
        auto response = api.handle(Request{"GET", target});
        REQUIRE(response.watch != nullptr);
        return std::move(response.watch);
    }

    /// A pod of one container in namespace default; `more` is put into its metadata.
    Answer pod(const std::string& name, const std::string& more = {}) {
        return post(
            pods,
            R"({"metadata":{"name":")" + name + "\"" + (more.empty() ? "" : "," + more) +
                R"(},"spec":{"containers":[{"name":"c","image":"x"}]}})");
    }
    /// `meta` is what the Binding's metadata has besides the name.
    Answer bind(const std::string& name, const std::string& node, const std::string& meta = "{}") {
        const std::string more = meta == "{}" ? "}" : "," + meta.substr(1);
        return post(
            pods + "/" + name + "/binding",
            R"({"metadata":{"name":")" + name + "\"" + more +
                R"(,"target":{"kind":"Node","name":")" + node + "\"}}");
    }
    Answer config_map(const std::string& name, const std::string& more = {}) {
        return post(
            maps,
            R"({"metadata":{"name":")" + name + "\"" + (more.empty() ? "" : "," + more) +
                R"(},"data":{"k":"v"}})");
    }

    const std::string pods = "/api/v1/namespaces/default/pods";
    const std::string maps = "/api/v1/namespaces/default/configmaps";
    std::int64_t now_ms = 1'800'000'000'000;
    k8s::embedded::ApiServer api;
};

/// Events that are there now: "ADDED one", "BOOKMARK ", ...
inline std::vector<std::string> events(k8s::embedded::WatchStream& watch) {
    std::vector<std::string> result;
    while (auto line = watch.next()) {
        const auto event = json(*line);
        result.push_back(event.text({"type"}) + " " + event.text({"object", "metadata", "name"}));
    }
    return result;
}

using Lines = std::vector<std::string>;

inline std::string owned_by(const std::string& uid) {
    return R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"o","uid":")" + uid +
           "\"}]";
}

}  // namespace rig
