// The watch of CSIStorageCapacities against a server that plays the API server.
#include "k8s/volume/csi_watch.hpp"

#include "tests/k8s/fake_server.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

using namespace k8s;

namespace {

std::string capacity_json(const std::string& name, const std::string& amounts) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"ns"},"storageClassName":"fast",)" +
           R"("nodeTopology":{"matchLabels":{"zone":"a"}},)" + amounts + "}";
}

struct StorageRig {
    StorageRig()
        : server([this](fake::Peer& peer, const fake::Request& request) { handle(peer, request); }) {
        StorageWatchOptions options;
        options.pause_ms_min = 1;
        options.pause_ms_max = 5;
        options.pause_ms_denied = 5;
        options.listed = [this](std::vector<core::StorageSegment> all) {
            lists.push_back(std::move(all));
        };
        options.changed = [this](core::StorageSegment one) { changes.push_back(std::move(one)); };
        options.denied = [this](const std::string& why) { denials.push_back(why); };
        watch = std::make_unique<StorageWatch>(io, server.endpoint(), options);
    }
    ~StorageRig() {
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
                    capacity_json(is_first ? "b" : "a", R"("capacity":"1Gi")") + "]}");
        }
        peer.begin_chunks();
        peer.chunk(
            R"({"type":"MODIFIED","object":)" + capacity_json("a", R"("capacity":"2Gi")") + "}\n");
        peer.chunk(R"({"type":"DELETED","object":)" + capacity_json("b", R"("capacity":"1Gi")") + "}\n");
        peer.hold();
    }

    std::atomic<bool> is_denied = false;
    std::vector<std::vector<core::StorageSegment>> lists;
    std::vector<core::StorageSegment> changes;
    std::vector<std::string> denials;
    boost::asio::io_context io;
    fake::Server server;
    std::unique_ptr<StorageWatch> watch;
};

}  // namespace

TEST_CASE("storage watch: all pages, then what changes") {
    StorageRig rig;
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.changes.size() >= 2; });
    REQUIRE(rig.lists.size() == 1);
    REQUIRE(rig.lists[0].size() == 2);
    CHECK(rig.lists[0][0].name == "ns/a");
    CHECK(rig.lists[0][1].name == "ns/b");
    CHECK(rig.changes[0].bytes == std::int64_t{2} << 30);
    CHECK(rig.changes[0].nodes.is_set);
    CHECK(rig.changes[1].name == "ns/b");
    CHECK(rig.changes[1].storage_class == "fast");
    CHECK_FALSE(rig.changes[1].nodes.is_set);
}

TEST_CASE("storage watch: who may not list is told once, and it is tried again") {
    StorageRig rig;
    rig.is_denied = true;
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.server.count("GET", "") >= 3; });
    CHECK(rig.denials == std::vector<std::string>{"not yours"});
    rig.is_denied = false;
    fake::run_until(rig.io, [&] { return !rig.lists.empty(); });
}
