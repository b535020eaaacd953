#pragma once
// A watcher of pods on a scripted server, and what a receiver of its events would know.

#include "k8s/protocol/version.hpp"
#include "k8s/watch/watcher.hpp"
#include "tests/k8s/fake_server.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace watching {

using namespace k8s;

inline std::string pod(
    const std::string& name, const std::string& uid, const std::string& version) {
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
           R"(","namespace":"ns","uid":")" + uid + R"(","resourceVersion":")" + version +
           R"("},"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Pending"}})";
}

inline std::string event(const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

inline std::string list(
    const std::string& version,
    const std::vector<std::string>& items,
    const std::string& token = "") {
    std::string body = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" +
                       version + R"(","continue":")" + token + R"("},"items":[)";
    for (const std::string& item : items) body += (item == items.front() ? "" : ",") + item;
    return body + "]}";
}

inline bool is_watch(const fake::Request& request) {
    return request.target.find("watch=true") != std::string::npos;
}

// What a receiver of the events would know, and how it came to know it.
struct Seen {
    std::vector<std::string> log;
    std::map<std::string, std::string> pods;  // uid -> version

    void take(const WatchEvent& event) {
        if (const auto* upserted = std::get_if<PodUpserted>(&event)) {
            // Rule A2, in every test: no object goes back to an older state.
            const auto known = pods.find(upserted->pod.uid);
            const std::string& version = upserted->pod.resource_version;
            if (known != pods.end()) {
                const auto order = protocol::compare_versions(version, known->second);
                CHECK_FALSE(order == std::partial_ordering::less);
            }
            pods[upserted->pod.uid] = upserted->pod.resource_version;
            log.push_back("+" + upserted->pod.uid + "@" + upserted->pod.resource_version);
        } else if (const auto* deleted = std::get_if<PodDeleted>(&event)) {
            CHECK(pods.erase(deleted->uid) == 1);
            log.push_back("-" + deleted->uid);
        } else {
            log.push_back(std::holds_alternative<RelistBegun>(event) ? "begin" : "end");
        }
    }
};

struct Rig {
    explicit Rig(fake::Handler handler) : server(std::move(handler)), watcher(make()) {
        watcher->start();
    }
    std::unique_ptr<Watcher> make() {
        WatcherOptions options;
        options.sink = [this](WatchEvent event) { seen.take(event); };
        options.backoff_ms_min = 1;
        options.backoff_ms_max = 20;
        return std::make_unique<Watcher>(io, server.endpoint(), options);
    }
    void until_log(const std::vector<std::string>& expected) {
        fake::run_until(io, [&] { return seen.log.size() >= expected.size(); });
        CHECK(seen.log == expected);
    }
    ~Rig() {
        watcher->stop();
        io.restart();
        io.run_for(std::chrono::seconds(1));
        CHECK(io.stopped());
    }

    boost::asio::io_context io;
    Seen seen;
    fake::Server server;
    std::unique_ptr<Watcher> watcher;
};

using Log = std::vector<std::string>;

}  // namespace watching
