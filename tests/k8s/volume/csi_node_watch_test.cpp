// The watch of CSINodes against a server that plays the API server.
#include "k8s/volume/csi_watch.hpp"

#include "tests/k8s/fake_server.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

using namespace k8s;

namespace {

std::string csi_node(const std::string& name, int count) {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"drivers":[{"name":"d","allocatable":)" +
           R"({"count":)" + std::to_string(count) + "}}]}}";
}

struct WatchRig {
    WatchRig()
        : server([this](fake::Peer& peer, const fake::Request& request) { handle(peer, request); }) {
        CsiNodeWatchOptions options;
        options.pause_ms_min = 1;
        options.pause_ms_max = 5;
        options.pause_ms_denied = 5;
        options.listed = [this](std::vector<core::NodeVolumeLimits> nodes) {
            lists.push_back(std::move(nodes));
        };
        options.changed = [this](core::NodeVolumeLimits node) { changes.push_back(node); };
        options.denied = [this](const std::string& why) { denials.push_back(why); };
        watch = std::make_unique<CsiNodeWatch>(io, server.endpoint(), options);
    }
    ~WatchRig() {
        watch.reset();
        io.restart();
        io.run_for(std::chrono::seconds(1));
        CHECK(io.stopped());
    }
    void handle(fake::Peer& peer, const fake::Request& request) {
        if (is_denied) return peer.reply(403, fake::status_body(403, "Forbidden", "not yours"));
        if (request.target.find("watch=true") == std::string::npos) {
            const bool is_first = request.target.find("continue=") == std::string::npos;
            return peer.reply(
                200,
                R"({"metadata":{"resourceVersion":"1","continue":")" +
                    std::string(is_first ? "more" : "") + R"("},"items":[)" +
                    (is_first ? csi_node("n2", 2) : csi_node("n1", 1)) + "]}");
        }
        peer.begin_chunks();
        peer.chunk(R"({"type":"MODIFIED","object":)" + csi_node("n1", 5) + "}\n");
        if (is_garbled) {
            peer.chunk("garbage\n");
            return peer.end_chunks();
        }
        peer.hold();
    }

    std::atomic<bool> is_denied = false;
    std::atomic<bool> is_garbled = false;
    std::vector<std::vector<core::NodeVolumeLimits>> lists;
    std::vector<core::NodeVolumeLimits> changes;
    std::vector<std::string> denials;
    boost::asio::io_context io;
    fake::Server server;
    std::unique_ptr<CsiNodeWatch> watch;
};

}  // namespace

TEST_CASE("csi node watch: all pages, then what changes") {
    WatchRig rig;
    rig.watch->start();
    rig.watch->start();  // changes nothing
    fake::run_until(rig.io, [&] { return !rig.changes.empty(); });
    REQUIRE(rig.lists.size() == 1);
    CHECK(
        rig.lists[0] ==
        std::vector<core::NodeVolumeLimits>{{"n1", {{"d", 1}}}, {"n2", {{"d", 2}}}});
    CHECK(rig.changes[0] == core::NodeVolumeLimits{"n1", {{"d", 5}}});
}

TEST_CASE("csi node watch: who may not list is told once, and it is tried again") {
    WatchRig rig;
    rig.is_denied = true;
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.server.count("GET", "") >= 3; });
    CHECK(rig.denials == std::vector<std::string>{"not yours"});
    rig.is_denied = false;
    fake::run_until(rig.io, [&] { return !rig.lists.empty(); });
}

TEST_CASE("csi node watch: after a watch that is no watch there is another list") {
    WatchRig rig;
    rig.is_garbled = true;
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.lists.size() >= 2; });
}
