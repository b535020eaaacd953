// All PodGroups of Volcano: what the JSON says, and the watch against a server that plays the API server.
#include "k8s/group/pod_group_watch.hpp"

#include "tests/k8s/fake_server.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

using namespace k8s;

namespace {

std::string pod_group_json(const std::string& name, const std::string& phase) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"etl","uid":"u-)" + name +
           R"(","creationTimestamp":"2026-01-01T00:00:10Z","annotations":{"sla-waiting-time":"1h"}},)" +
           R"("spec":{"minMember":3,"queue":"q1","minResources":{"cpu":"3"}},"status":{"phase":")" +
           phase + R"("}})";
}

struct PodGroupRig {
    PodGroupRig()
        : server([this](fake::Peer& peer, const fake::Request& request) { handle(peer, request); }) {
        PodGroupWatchOptions options;
        options.pause_ms_min = 1;
        options.pause_ms_max = 5;
        options.pause_ms_denied = 5;
        options.changed = [this] { ++changes; };
        options.denied = [this](const std::string& why) { denials.push_back(why); };
        watch = std::make_unique<PodGroupWatch>(io, server.endpoint(), options);
    }
    ~PodGroupRig() {
        watch.reset();
        io.restart();
        io.run_for(std::chrono::seconds(1));
        CHECK(io.stopped());
    }
    void handle(fake::Peer& peer, const fake::Request& request) {
        if (refusal != 0) return peer.reply(refusal, fake::status_body(refusal, "No", "not yours"));
        CHECK(request.target.starts_with("/apis/scheduling.volcano.sh/v1beta1/podgroups?"));
        if (request.target.find("watch=true") == std::string::npos) {
            return peer.reply(
                200,
                R"({"metadata":{"resourceVersion":"1"},"items":[)" + pod_group_json("a", "Pending") +
                    "," + pod_group_json("b", "Running") + "]}");
        }
        peer.begin_chunks();
        peer.chunk(R"({"type":"MODIFIED","object":)" + pod_group_json("a", "Inqueue") + "}\n");
        peer.chunk(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}})" "\n");
        peer.chunk(R"({"type":"DELETED","object":)" + pod_group_json("b", "Running") + "}\n");
        if (!ends) return peer.hold();
        peer.end_chunks();
    }

    std::atomic<int> refusal = 0;
    std::atomic<bool> ends = false;  ///< each watch
    int changes = 0;
    std::vector<std::string> denials;
    boost::asio::io_context io;
    fake::Server server;
    std::unique_ptr<PodGroupWatch> watch;
};

}  // namespace

TEST_CASE("pod group watch: what there is, what changes and what goes") {
    PodGroupRig rig;
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.changes == 3; });
    REQUIRE(rig.watch->groups().size() == 1);
    const SeenPodGroup& seen = rig.watch->groups().at("etl/a");
    CHECK(seen.namespace_name == "etl");
    CHECK(seen.name == "a");
    CHECK(seen.created == 1'767'225'610);
    CHECK(seen.object.uid == "u-a");
    CHECK(seen.object.group.queue == "q1");
    CHECK(seen.object.group.min_resources.cpu_milli == 3'000);
    CHECK(seen.object.group.max_wait == "1h");
    CHECK(seen.object.status.phase == core::GroupPhase::inqueue);
}

TEST_CASE("pod group watch: who may not list is told once; a kind that goes takes its groups with it") {
    PodGroupRig rig;
    rig.refusal = 403;
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.server.count("GET", "") >= 3; });
    CHECK(rig.denials == std::vector<std::string>{"not yours"});
    rig.ends = true;
    rig.refusal = 0;
    fake::run_until(rig.io, [&] { return rig.changes >= 3; });
    CHECK_FALSE(rig.watch->groups().empty());
    rig.refusal = 404;
    fake::run_until(rig.io, [&] { return rig.watch->groups().empty(); });
}

TEST_CASE("pod group watch: a cluster without the kind is asked again, and nobody is told") {
    PodGroupRig rig;
    rig.refusal = 404;
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.server.count("GET", "") >= 3; });
    CHECK(rig.denials.empty());
    rig.refusal = 0;
    fake::run_until(rig.io, [&] { return !rig.watch->groups().empty(); });
}

TEST_CASE("codec: a list of pod groups with one that makes no sense, and lines that are none") {
    const auto page = decode_pod_groups(
        R"({"metadata":{"resourceVersion":"7"},"items":[)" + pod_group_json("a", "Pending") +
        R"(,{"metadata":{"name":"b","namespace":"etl"},"spec":{"minMember":"many"}},)"
        R"({"metadata":{"name":"c","namespace":"etl"}}]})");
    REQUIRE(page);
    REQUIRE(page->groups.size() == 3);
    CHECK(page->groups[0].object.group.problem.empty());
    CHECK_FALSE(page->groups[1].object.group.problem.empty());
    CHECK(page->groups[2].object.group.problem.empty());
    CHECK(page->groups[2].created == 0);
    CHECK_FALSE(decode_pod_groups(R"({"items":[]})"));
    CHECK_FALSE(decode_pod_groups("[]"));
    CHECK_FALSE(decode_pod_group_line(R"({"type":"ADDED"})"));
    const auto error = decode_pod_group_line(R"({"type":"ERROR","object":{"message":"too old"}})");
    REQUIRE(error);
    CHECK(error->type == PodGroupLine::Type::error);
    CHECK(error->message == "too old");
}
