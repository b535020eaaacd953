// The pod that bears its group's reservation ends while others run: another one bears it.
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using tests::World;

namespace {

core::Pod pod_of_group(const std::string& name, const std::string& group, std::int64_t created) {
    core::Pod pod = tests::pod(name, 1000, 256);
    pod.labels = {{"scheduling.x-k8s.io/pod-group", group}};
    pod.created = created;
    return pod;
}

/// A group of so many running pods, a node that has room for no more, and one that waits for room.
struct FullGroupNode {
    explicit FullGroupNode(int count, config::Schema schema = World::sealed_schema())
        : world(std::move(schema)) {
        world.add_node(tests::node("n1", count, 64 * 1024));
        world.groups["etl/g"] = core::PodGroup{count, {}, {}};
        for (int i = 0; i < count; ++i) {
            pods.push_back(world.create(pod_of_group("g-" + std::to_string(i), "g", 1'000 + i)));
        }
        other = world.create(tests::pod("other", 1000, 256));
        world.settle();
        for (const std::string& uid : pods) {
            world.set_phase(uid, core::PodPhase::running);
        }
        world.settle();
        REQUIRE(world.bound_count(pods) == count);
        REQUIRE(world.reservation(pods[0]));
        REQUIRE_FALSE(world.is_bound(other));
    }

    void end(std::size_t member, core::PodPhase phase) {
        world.set_phase(pods[member], phase);
        world.settle();
    }

    World world;
    std::vector<std::string> pods;
    std::string other;
};

}  // namespace

TEST_CASE("anchors: COS-11: the anchor has done its work: what runs stays, its room is free") {
    FullGroupNode full(3);
    World& world = full.world;
    full.end(0, core::PodPhase::succeeded);
    CHECK(world.is_bound(full.other));
    const auto text = world.reservation(full.pods[1]);
    REQUIRE(text);
    CHECK(text->anchor == full.pods[1]);
    CHECK(slot_count(*text) == 1);
    CHECK(world.view(full.pods[1]).state == gang::GangState::running);
    world.restart();
    world.settle();
    CHECK(world.view(full.pods[1]).slots_bound == 1);
    const auto late = world.create(tests::pod("late", 1000, 256));
    world.settle();
    CHECK_FALSE(world.is_bound(late));
    full.end(1, core::PodPhase::succeeded);
    CHECK(world.is_bound(late));
    CHECK(world.reservation(full.pods[2]));
    full.end(2, core::PodPhase::succeeded);
    for (const std::string& uid : full.pods) {
        world.remove_pod(uid);
    }
    world.settle();
    world.check_accounts();
    CHECK(world.violations.empty());
}

TEST_CASE(
    "anchors: COS-11: the slot of one that failed outlives the anchor, whoever dies on the way") {
    FullGroupNode full(4);
    World& world = full.world;
    full.end(2, core::PodPhase::failed);
    REQUIRE_FALSE(world.is_bound(full.other));  // its room is kept for who comes in its place
    SUBCASE("nobody") {
        full.end(0, core::PodPhase::succeeded);
    }
    SUBCASE("the leader, before its write") {
        world.fail_status_writes = true;
        full.end(0, core::PodPhase::succeeded);
        REQUIRE_FALSE(world.reservation(full.pods[1]));
        world.restart();
        world.fail_status_writes = false;
        world.settle();
    }
    SUBCASE("the leader, after its write") {
        world.hold_status_answers = true;
        full.end(0, core::PodPhase::succeeded);
        REQUIRE(world.reservation(full.pods[1]));
        world.restart();
        world.release_answers();
        world.settle();
    }
    SUBCASE("the leader, and one that followed goes on") {
        world.restart(false);
        full.end(0, core::PodPhase::succeeded);
        world.lead();
        world.settle();
    }
    CHECK(world.is_bound(full.other));  // in the room of the anchor
    const auto second = world.create(tests::pod("second", 1000, 256));
    world.settle();
    CHECK_FALSE(world.is_bound(second));
    const auto text = world.reservation(full.pods[1]);
    REQUIRE(text);
    CHECK(slot_count(*text) == 2);
    const auto successor = world.create(pod_of_group("again", "g", 5'000));
    world.settle();
    CHECK(world.is_bound(successor));
    CHECK_FALSE(world.is_bound(second));
    world.restart();
    world.settle();
    CHECK(world.view(full.pods[1]).slots_bound == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("anchors: no slot is filled before the new anchor bears the text (seed 336)") {
    FullGroupNode full(4);
    World& world = full.world;
    SUBCASE("one that was open") {
        full.end(2, core::PodPhase::failed);
    }
    SUBCASE("one that opens meanwhile") {}
    world.fail_status_writes = true;
    full.end(0, core::PodPhase::succeeded);
    full.end(3, core::PodPhase::failed);
    const auto successor = world.create(pod_of_group("again", "g", 5'000));
    world.settle();
    CHECK_FALSE(world.is_bound(successor));
    world.fail_status_writes = false;
    world.advance(5'000);
    CHECK(world.reservation(full.pods[1]));
    CHECK(world.is_bound(successor));
}

TEST_CASE("anchors: an anchor that fails, or is deleted, has its place kept for a successor") {
    FullGroupNode full(3);
    World& world = full.world;
    SUBCASE("fails") {
        full.end(0, core::PodPhase::failed);
    }
    SUBCASE("is deleted at once") {
        world.remove_pod(full.pods[0]);
        world.settle();
    }
    SUBCASE("is deleted, and runs a little yet") {
        world.change_pod(full.pods[0], [](core::Pod& pod) { pod.deleting = true; });
        world.settle();
        REQUIRE(world.reservation(full.pods[1]));
        CHECK(world.reservation(full.pods[1])->shapes.front().unplaced == 1);
        world.restart();
        world.settle();
        world.end_deleted();
        world.settle();
    }
    CHECK_FALSE(world.is_bound(full.other));
    const auto text = world.reservation(full.pods[1]);
    REQUIRE(text);
    CHECK(slot_count(*text) == 2);
    const auto successor = world.create(pod_of_group("again", "g", 5'000));
    world.settle();
    CHECK(world.is_bound(successor));
    CHECK_FALSE(world.is_bound(full.other));
    CHECK(world.violations.empty());
}

TEST_CASE(
    "anchors: an older text that its tenant puts back, or that comes late, counts for nothing") {
    FullGroupNode full(4);
    World& world = full.world;
    const auto before = world.pod(full.pods[0]).annotations;
    full.end(2, core::PodPhase::failed);
    full.end(0, core::PodPhase::succeeded);
    REQUIRE(world.reservation(full.pods[1]));
    SUBCASE("after a restart") {
        world.restart();
    }
    SUBCASE("while it leads") {
        world.change_pod(full.pods[0], [&before](core::Pod& pod) { pod.annotations = before; });
    }
    SUBCASE("while it follows") {
        world.restart(false);
        world.settle();
        world.change_pod(full.pods[0], [&before](core::Pod& pod) { pod.annotations = before; });
        world.settle();
        world.lead();
    }
    world.settle();
    std::size_t running = 0;
    for (const gang::GangView& view : world.scheduler->gangs()) {
        running += view.state == gang::GangState::running && view.slots_open + view.slots_bound > 0
                       ? 1
                       : 0;
    }
    CHECK(running == 1);
    CHECK(world.view(full.pods[1]).slots_open == 1);
    CHECK(world.view(full.pods[1]).slots_bound == 1);
    CHECK(world.violations.empty());
}

TEST_CASE("anchors: a group that starts anew has a newer text than its ended anchor") {
    FullGroupNode full(2);
    World& world = full.world;
    const std::int64_t before = world.reservation(full.pods[0])->generation;
    // Both at once: nobody is left to go on with it.
    world.set_phase(full.pods[0], core::PodPhase::failed);
    world.set_phase(full.pods[1], core::PodPhase::failed);
    world.settle();
    REQUIRE(world.is_bound(full.other));
    world.remove_pod(full.other);
    world.settle();
    std::vector<std::string> anew;
    for (const char* name : {"anew-0", "anew-1"}) {
        anew.push_back(world.create(pod_of_group(name, "g", 9'000)));
    }
    world.settle();
    REQUIRE(world.bound_count(anew) == 2);
    REQUIRE(world.reservation(anew[0]));
    CHECK(world.reservation(anew[0])->generation > before);
    world.restart();
    world.settle();
    CHECK(world.view(anew[0]).slots_bound == 1);
}

TEST_CASE("anchors: without a key the leader hands over, and the next one counts who runs") {
    FullGroupNode full(3, config::Schema{});
    World& world = full.world;
    full.end(2, core::PodPhase::failed);
    full.end(0, core::PodPhase::succeeded);
    CHECK(world.reservation(full.pods[1]));
    const auto successor = world.create(pod_of_group("again", "g", 5'000));
    world.settle();
    CHECK(world.is_bound(successor));
    world.restart();
    world.settle();
    CHECK(world.bound_count({full.pods[1], successor}) == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("anchors: those that were asked to go bear no reservation") {
    FullGroupNode full(3);
    World& world = full.world;
    for (const std::string& uid : full.pods) {
        world.change_pod(uid, [](core::Pod& pod) { pod.deleting = true; });
    }
    world.settle();
    CHECK_FALSE(world.reservation(full.pods[1]));
    CHECK_FALSE(world.reservation(full.pods[2]));
    world.end_deleted();
    world.settle();
    CHECK(world.is_bound(full.other));
    world.check_accounts();
}

TEST_CASE("anchors: who is left of a gang that its group had before takes no slot of the new one") {
    World world(World::sealed_schema());
    for (const char* node : {"n1", "n2", "n3"}) {
        world.add_node(tests::node(node, 1, 64 * 1024));
    }
    world.groups["etl/g"] = core::PodGroup{3, {}, {}};
    std::vector<std::string> pods;
    for (int i = 0; i < 3; ++i) {
        pods.push_back(world.create(pod_of_group("g-" + std::to_string(i), "g", 1'000 + i)));
    }
    world.settle();
    for (const std::string& uid : pods) {
        world.set_phase(uid, core::PodPhase::running);
    }
    world.settle();
    REQUIRE(world.reservation(pods[0]));
    // Nobody leads while its anchor ends, and one more.
    world.restart(false);
    world.set_phase(pods[0], core::PodPhase::failed);
    world.remove_pod(pods[0]);
    world.remove_pod(pods[2]);
    const auto anchor = world.create(pod_of_group("g-3", "g", 2'000));
    const auto other = world.create(pod_of_group("g-4", "g", 2'001));
    world.lead();
    world.settle();
    REQUIRE(world.bound_count({pods[1], anchor, other}) == 3);
    const auto before = world.reservation(anchor);
    REQUIRE(before);
    REQUIRE(slot_count(*before) == 1);
    for (const bool leads_at_once : {true, false}) {
        world.restart(leads_at_once);
        world.settle();
        world.lead();
        world.settle();
        CHECK(world.reservation(anchor) == before);
        CHECK(world.view(anchor).slots_bound == 1);
    }
    // Nor one that is kept for a successor.
    world.remove_pod(other);
    world.settle();
    world.restart();
    world.settle();
    REQUIRE(world.reservation(anchor));
    CHECK(slot_count(*world.reservation(anchor)) == 1);
    CHECK(world.view(anchor).slots_bound == 0);
    CHECK(world.violations.empty());
    world.check_accounts();
}

TEST_CASE("anchors: after a takeover each member sits in a slot of its own size (seed 11046)") {
    World world(World::sealed_schema());
    world.add_node(tests::node("n1", 8, 64 * 1024));
    world.groups["etl/g"] = core::PodGroup{4, {}, {}};
    std::vector<std::string> pods;
    for (const std::int64_t memory : {256, 256, 1024, 256}) {
        core::Pod pod = pod_of_group("g-" + std::to_string(pods.size()), "g", 1'000);
        pod.created += static_cast<std::int64_t>(pods.size());
        pod.requests = tests::pod("size", 1000, memory).requests;
        pods.push_back(world.create(pod));
    }
    world.settle();
    for (const std::string& uid : pods) {
        world.set_phase(uid, core::PodPhase::running);
    }
    world.settle();
    world.restart();
    world.settle();
    // What the last member had is given up: a slot of its size, whatever numbers there are.
    world.set_phase(pods[3], core::PodPhase::succeeded);
    world.settle();
    const auto text = world.reservation(pods[0]);
    REQUIRE(text);
    std::vector<std::int64_t> sizes;
    for (const gang::ReservedShape& shape : text->shapes) {
        for (const auto& [node, count] : shape.slots_per_node) {
            sizes.insert(
                sizes.end(), static_cast<std::size_t>(count), shape.requests.memory_bytes >> 20U);
        }
    }
    std::sort(sizes.begin(), sizes.end());
    CHECK(sizes == std::vector<std::int64_t>{256, 1024});
    CHECK(world.violations.empty());
    world.check_accounts();
}

TEST_CASE(
    "anchors: who sits in a slot is seen behind the fence, too, when the anchor is another (seed "
    "13785)") {
    FullGroupNode full(3);
    World& world = full.world;
    world.remove_pod(full.other);
    full.end(0, core::PodPhase::failed);
    world.remove_pod(full.pods[0]);
    world.settle();
    REQUIRE(world.reservation(full.pods[1]));
    world.hold_bind_answers = true;  // and this one is not carried out yet
    world.on_bind = [](const gang::BindPod&) { return std::optional(gang::BindOutcome::bound); };
    world.create(pod_of_group("late", "g", 5'000));
    world.settle();
    const gang::BindPod held = world.binds.back();
    REQUIRE(held.pod.name == "late");
    REQUIRE(held.annotations.front().second.starts_with(full.pods[0] + "/"));
    world.hold_bind_answers = false;
    world.on_bind = nullptr;
    // It arrives when the next leader has listed the pods, and is shown to it behind its fence.
    world.restart(false);
    world.settle();
    world.lead();
    REQUIRE(world.arrive(held) == gang::BindOutcome::bound);
    REQUIRE(world.deliver_one());
    world.step(gang::Tick{});
    world.settle();
    CHECK(world.view(full.pods[1]).slots_bound == 2);
    CHECK(world.violations.empty());
    world.check_accounts();
}
