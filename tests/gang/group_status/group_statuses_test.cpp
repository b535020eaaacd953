// What is written into the status of PodGroup objects: by rule, and through the whole scheduler.
#include "gang/group_status/status_rules.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using core::GroupCondition;
using core::GroupDialect;
using core::GroupPhase;
using gang::GroupFacts;
using gang::GroupStatusOutcome;
using tests::World;

namespace {

GroupFacts facts(GroupDialect dialect, const char* version = "scheduling.volcano.sh/v1beta1") {
    GroupFacts made;
    made.dialect = dialect;
    made.api_version = version;
    made.minimum = 3;
    return made;
}

core::Pod coscheduled(const std::string& name, const std::string& group) {
    core::Pod pod = tests::pod(name, 1000, 256);
    pod.labels = {{"scheduling.x-k8s.io/pod-group", group}};
    return pod;
}

std::vector<std::string> add_members(World& world, const std::string& group, int count) {
    std::vector<std::string> uids;
    for (int i = 0; i < count; ++i) {
        uids.push_back(world.create(coscheduled(group + "-" + std::to_string(i), group)));
    }
    return uids;
}

struct GroupWorld : World {
    explicit GroupWorld(std::int64_t cpu, std::int64_t minimum = 3) {
        group_version = "scheduling.x-k8s.io/v1alpha1";
        groups["etl/g"] = core::PodGroup{minimum, {}, {}};
        add_node(tests::node("n1", cpu, 64 * 1024));
        settle();
    }
    void pass(std::int64_t ms) {
        advance(ms);
        settle();
    }
    core::PodGroupStatus status(const std::string& name = "g") {
        return group_statuses["etl/" + name];
    }
};

}  // namespace

TEST_CASE("group status rules: coscheduling, as its controller has it") {
    GroupFacts now = facts(GroupDialect::coscheduling);
    core::PodGroupStatus stored;
    const auto phase = [&] {
        stored = gang::status_of(now, stored);
        return stored.phase;
    };
    now.pods = 2;
    now.is_waiting = true;
    CHECK(phase() == GroupPhase::pending);
    now.pods = 3;
    now.occupied_by = "etl/job";
    CHECK(phase() == GroupPhase::scheduling);
    CHECK(stored.occupied_by == "etl/job");
    now.scheduled = 3;
    now.running = 2;
    now.occupied_by = {};
    CHECK(phase() == GroupPhase::scheduling);
    CHECK(stored.occupied_by == "etl/job");  // who owned it is not forgotten with its pods
    now.running = 3;
    CHECK(phase() == GroupPhase::running);
    CHECK(stored.running == 3);
    SUBCASE("one fails") {
        now.running = 2;
        now.failed = 1;
        CHECK(phase() == GroupPhase::failed);
        now.running = 3;
        now.failed = 0;
        CHECK(phase() == GroupPhase::failed);  // for good
    }
    SUBCASE("it ends") {
        now.running = 1;
        now.succeeded = 2;
        CHECK(phase() == GroupPhase::running);
        now.running = 0;
        now.succeeded = 3;
        CHECK(phase() == GroupPhase::finished);
        now = facts(GroupDialect::coscheduling);
        CHECK(phase() == GroupPhase::finished);
    }
    SUBCASE("pods go") {
        now.pods = 2;
        CHECK(phase() == GroupPhase::pending);
    }
    SUBCASE("its object makes no sense") {
        now.is_sound = false;
        CHECK(phase() == GroupPhase::pending);
    }
}

TEST_CASE("group status rules: Volcano and kube-batch") {
    for (const bool is_volcano : {true, false}) {
        CAPTURE(is_volcano);
        GroupFacts now = facts(
            GroupDialect::volcano,
            is_volcano ? "scheduling.volcano.sh/v1beta1"
                       : "scheduling.incubator.k8s.io/v1alpha1");
        core::PodGroupStatus stored;
        const auto look = [&] {
            stored = gang::status_of(now, stored);
            return stored;
        };
        now.pods = 2;
        now.is_waiting = true;
        now.code = gang::ReasonCode::waiting_for_pod_group;
        now.text = "has 2 of 3";
        const GroupPhase waits = is_volcano ? GroupPhase::inqueue : GroupPhase::pending;
        CHECK(look().phase == waits);
        CHECK(stored.condition == GroupCondition::unschedulable);
        CHECK(stored.reason == "NotEnoughTasks");
        CHECK(stored.message == "3/2 tasks in gang unschedulable: has 2 of 3");
        now.pods = 4;
        CHECK(look().reason == "NotEnoughPodsOfTask");
        now.code = gang::ReasonCode::waiting_for_capacity;
        CHECK(look().reason == "NotEnoughResources");
        CHECK(stored.phase == waits);
        now.scheduled = 3;
        now.is_waiting = false;
        CHECK(look().phase == GroupPhase::running);
        CHECK(
            stored.condition == (is_volcano ? GroupCondition::scheduled : GroupCondition::none));
        now.scheduled = 2;
        now.running = 2;
        now.is_waiting = true;
        CHECK(look().phase == GroupPhase::unknown);
        now.scheduled = 3;
        now.running = 0;
        now.succeeded = 2;
        now.failed = 1;
        CHECK(look().phase == (is_volcano ? GroupPhase::finished : GroupPhase::running));
        now.is_sound = false;
        CHECK(look().phase == GroupPhase::pending);
    }
}

TEST_CASE("group status rules: Kubernetes' condition is not taken back") {
    GroupFacts now = facts(GroupDialect::kubernetes, "scheduling.k8s.io/v1alpha2");
    core::PodGroupStatus stored;
    now.pods = 3;
    now.is_waiting = true;
    CHECK(gang::status_of(now, stored) == stored);  // nothing is known yet
    now.text = "no room";
    stored = gang::status_of(now, stored);
    CHECK(stored.condition == GroupCondition::unschedulable);
    CHECK(stored.reason == "Unschedulable");
    CHECK(stored.message == "no room");
    CHECK(stored.phase == GroupPhase::none);
    now.scheduled = 3;
    stored = gang::status_of(now, stored);
    CHECK(stored.condition == GroupCondition::scheduled);
    CHECK(stored.message.empty());
    now.scheduled = 1;
    CHECK(gang::status_of(now, stored) == stored);
}

TEST_CASE("group status rules: of a Spark application the driver decides") {
    for (const auto dialect : {GroupDialect::volcano, GroupDialect::coscheduling}) {
        CAPTURE(static_cast<int>(dialect));
        const bool is_volcano = dialect == GroupDialect::volcano;
        GroupFacts now = facts(dialect);
        now.is_application = true;
        now.minimum = 1;
        core::PodGroupStatus stored;
        const auto look = [&] {
            stored = gang::status_of(now, stored);
            return stored.phase;
        };
        now.pods = 4;
        now.is_waiting = true;
        now.code = gang::ReasonCode::waiting_for_capacity;
        now.text = "no room";
        CHECK(look() == (is_volcano ? GroupPhase::inqueue : GroupPhase::scheduling));
        if (is_volcano) {
            CHECK(stored.message == "4/4 tasks in gang unschedulable: no room");
        }
        now.is_waiting = false;
        now.pods = 1;
        now.scheduled = 1;
        CHECK(look() == (is_volcano ? GroupPhase::running : GroupPhase::scheduling));
        CHECK((stored.condition == GroupCondition::scheduled) == is_volcano);
        now.pods = 4;
        now.scheduled = 4;
        now.running = 3;
        now.failed = 1;  // an executor, which Spark makes anew
        CHECK(look() == GroupPhase::running);
        now.running = 1;
        now.succeeded = 2;
        CHECK(look() == GroupPhase::running);
        // From here on its driver has ended, and an executor lingers.
        SUBCASE("its driver is done") {
            now.end = gang::ApplicationEnd::succeeded;
            CHECK(look() == GroupPhase::finished);
        }
        SUBCASE("its driver fails") {
            now.end = gang::ApplicationEnd::failed;
            CHECK(look() == (is_volcano ? GroupPhase::finished : GroupPhase::failed));
        }
    }
}

TEST_CASE("group statuses: COS-8: from too few pods to the end, a write for each phase") {
    GroupWorld world(3);
    auto pods = add_members(world, "g", 2);
    world.pass(3'000);
    REQUIRE(world.group_writes.size() == 1);
    CHECK(world.group_writes[0].uid == "uid-of-g");
    CHECK(world.group_writes[0].api_version == "scheduling.x-k8s.io/v1alpha1");
    CHECK(world.status().phase == GroupPhase::pending);
    pods.push_back(world.create(coscheduled("late", "g")));
    world.pass(3'000);
    CHECK(world.bound_count(pods) == 3);
    CHECK(world.status().phase == GroupPhase::scheduling);
    for (const auto& uid : pods) world.set_phase(uid, core::PodPhase::running);
    world.pass(3'000);
    CHECK(world.status().phase == GroupPhase::running);
    CHECK(world.status().running == 3);
    for (const auto& uid : pods) world.set_phase(uid, core::PodPhase::succeeded);
    world.pass(3'000);
    CHECK(world.status().phase == GroupPhase::finished);
    CHECK(world.status().succeeded == 3);
    const std::size_t writes = world.group_writes.size();
    CHECK(writes <= 4);
    world.pass(600'000);
    CHECK(world.group_writes.size() == writes);
    SUBCASE("another leader reads it, and has nothing to write") {
        world.restart();
        world.pass(60'000);
        CHECK(world.group_writes.size() == writes);
    }
}

TEST_CASE("group statuses: a gang that starts at once is written once, and only what changed") {
    GroupWorld world(3);
    const auto pods = add_members(world, "g", 3);
    world.settle();
    for (const auto& uid : pods) world.set_phase(uid, core::PodPhase::running);
    world.pass(3'000);
    CHECK(world.group_writes.size() == 1);
    CHECK(world.status().phase == GroupPhase::running);
}

TEST_CASE("group statuses: who else writes it is left alone; who may not write tries seldom") {
    GroupWorld world(9);
    SUBCASE("a controller of its own") {
        world.group_write_outcome = GroupStatusOutcome::others;
        auto pods = add_members(world, "g", 2);
        world.pass(120'000);
        pods.push_back(world.create(coscheduled("late", "g")));
        for (const auto& uid : pods) world.set_phase(uid, core::PodPhase::running);
        world.pass(120'000);
        CHECK(world.group_writes.size() == 1);
        // Another group is nobody's yet.
        world.group_write_outcome = GroupStatusOutcome::written;
        world.groups["etl/h"] = core::PodGroup{2, {}, {}};
        add_members(world, "h", 1);
        world.pass(5'000);
        CHECK(world.status("h").phase == GroupPhase::pending);
    }
    SUBCASE("no right: one of its dialect is tried a minute, and all once it is there") {
        world.group_write_outcome = GroupStatusOutcome::forbidden;
        add_members(world, "g", 2);
        world.pass(5'000);
        world.groups["etl/h"] = core::PodGroup{2, {}, {}};
        add_members(world, "h", 1);
        world.pass(120'000);
        CHECK(world.group_writes.size() >= 2);
        CHECK(world.group_writes.size() <= 4);
        world.group_write_outcome = GroupStatusOutcome::written;
        SUBCASE("the same leader") {}
        SUBCASE("another") {
            world.restart();
        }
        world.pass(130'000);
        CHECK(world.status("g").phase == GroupPhase::pending);
        CHECK(world.status("h").phase == GroupPhase::pending);
    }
    SUBCASE("no answer: again, with pauses that grow") {
        world.group_write_outcome = GroupStatusOutcome::failed;
        add_members(world, "g", 2);
        world.pass(60'000);
        const std::size_t tries = world.group_writes.size();
        CHECK(tries > 3);
        CHECK(tries < 12);
        world.group_write_outcome = GroupStatusOutcome::written;
        world.pass(300'000);
        CHECK(world.status().phase == GroupPhase::pending);
    }
    SUBCASE("no answer for long: every five minutes, and soon again once one was written") {
        world.group_write_outcome = GroupStatusOutcome::failed;
        add_members(world, "g", 2);
        world.pass(30 * 60'000);
        const std::size_t before = world.group_writes.size();
        world.pass(60 * 60'000);
        CHECK(world.group_writes.size() >= before + 11);
        CHECK(world.group_writes.size() <= before + 13);
        world.group_write_outcome = GroupStatusOutcome::written;
        world.pass(6 * 60'000);
        REQUIRE(world.status().phase == GroupPhase::pending);
        world.group_write_outcome = GroupStatusOutcome::failed;
        world.create(coscheduled("g-2", "g"));
        world.pass(10'000);
        world.group_write_outcome = GroupStatusOutcome::written;
        world.pass(30'000);
        CHECK(world.status().phase != GroupPhase::pending);
    }
    SUBCASE("the object is gone: nothing more until something changes") {
        world.group_write_outcome = GroupStatusOutcome::gone;
        add_members(world, "g", 2);
        world.groups.erase("etl/g");
        world.pass(120'000);
        CHECK(world.group_writes.size() <= 2);
    }
}

TEST_CASE("group statuses: of members that start one by one, one that waits speaks for the group") {
    GroupWorld world(2);
    world.group_version = "scheduling.k8s.io/v1beta1";
    world.groups["etl/b"] = core::PodGroup{0, {}, {}};
    const auto add = [&](const std::string& name, std::int64_t cpu_milli) {
        core::Pod pod = tests::pod(name, cpu_milli, 256);
        pod.pod_group = "b";
        return world.create(std::move(pod));
    };
    const auto first = add("first", 8000);
    const auto second = add("second", 4000);
    world.pass(3'000);
    CHECK(world.status("b").condition == GroupCondition::unschedulable);
    CHECK(world.status("b").message.find("needs 8 cpu") != std::string::npos);
    const std::size_t before = world.group_writes.size();
    world.pass(60'000);
    CHECK(world.group_writes.size() == before);
    // The other one speaks when the first has gone.
    world.remove_pod(first);
    world.pass(60'000);
    CHECK(world.status("b").message.find("needs 4 cpu") != std::string::npos);
    world.add_node(tests::node("n2", 8, 64 * 1024));
    world.pass(60'000);
    CHECK(world.is_bound(second));
    CHECK(world.status("b").condition == GroupCondition::scheduled);
}

TEST_CASE("group statuses: a bad group has an event on its object, once") {
    GroupWorld world(9, 1'000'000'000);
    std::vector<gang::RecordEvent> events;
    world.on_decision = [&](const gang::Decision& decision) {
        const auto* event = std::get_if<gang::RecordEvent>(&decision);
        if (event != nullptr && !event->group_api_version.empty()) events.push_back(*event);
    };
    add_members(world, "g", 2);
    const auto other = world.create(tests::pod("other", 1000, 256));
    world.pass(120'000);
    REQUIRE(events.size() == 1);
    CHECK(events[0].warning);
    CHECK(events[0].pod.name == "g");
    CHECK(events[0].pod.namespace_name == "etl");
    CHECK(events[0].message.find("its minimum of 1000000000 pods") != std::string::npos);
    CHECK(world.status().phase == GroupPhase::pending);
    CHECK(world.is_bound(other));
}

TEST_CASE("group statuses: many at once keep to a rate, and all are written") {
    GroupWorld world(400);
    for (int i = 0; i < 100; ++i) {
        const std::string name = "m" + std::to_string(i);
        world.groups["etl/" + name] = core::PodGroup{2, {}, {}};
        add_members(world, name, 1);
    }
    world.pass(1'900);
    CHECK(world.group_writes.size() <= 40);
    world.pass(20'000);
    CHECK(world.group_writes.size() == 100);
}

TEST_CASE("group statuses: a follower and groups without an object write nothing") {
    GroupWorld world(9);
    SUBCASE("labels alone") {
        core::Pod pod = tests::pod("own", 1000, 256);
        pod.annotations = {
            {"gang-scheduler/min-members", "2"}, {"gang-scheduler/pod-group", "o"}};
        world.create(std::move(pod));
    }
    SUBCASE("a follower") {
        world.restart(false);
        add_members(world, "g", 2);
    }
    world.pass(60'000);
    CHECK(world.group_writes.empty());
}

namespace {

/// As Spark's step for Volcano makes it: the driver names it, and so do executors.
core::Pod volcano_driver(const std::string& name) {
    core::Pod driver = tests::driver(name);
    driver.annotations = {{"scheduling.k8s.io/group-name", "g"}};
    return driver;
}

struct ApplicationWorld : GroupWorld {
    explicit ApplicationWorld(std::int64_t cpu) : GroupWorld(cpu, 1) {
        group_version = "scheduling.volcano.sh/v1beta1";
    }
    std::string submit_in_group(const std::string& name, std::int64_t executors) {
        return submit(volcano_driver(name), tests::conf(executors));
    }
};

}  // namespace

TEST_CASE("group statuses: a Spark driver's own group, from its first wait to its end") {
    ApplicationWorld world(2);
    const auto driver = world.submit_in_group("d", 2);
    world.pass(3'000);
    REQUIRE(!world.is_bound(driver));
    CHECK(world.status().phase == GroupPhase::inqueue);
    CHECK(world.status().condition == GroupCondition::unschedulable);
    CHECK(world.status().reason == "NotEnoughResources");
    CHECK(
        world.status().message.find("3/3 tasks in gang unschedulable: 0/1 nodes") !=
        std::string::npos);
    world.add_node(tests::node("n2", 2, 64 * 1024));
    world.pass(3'000);
    REQUIRE(world.is_bound(driver));
    CHECK(world.status().phase == GroupPhase::running);
    CHECK(world.status().condition == GroupCondition::scheduled);
    CHECK(world.status().running == 0);
    world.set_phase(driver, core::PodPhase::running);
    const auto executors = world.create_executors(driver, 2);
    world.settle();
    for (const auto& uid : executors) world.set_phase(uid, core::PodPhase::running);
    world.pass(6'000);
    CHECK(world.status().running == 3);
    SUBCASE("an executor fails and its driver makes another") {
        world.set_phase(executors[0], core::PodPhase::failed);
        world.pass(6'000);
        CHECK(world.status().phase == GroupPhase::running);
        CHECK(world.status().running == 2);
        CHECK(world.status().failed == 1);
        world.remove_pod(executors[0]);
        world.pass(6'000);
        CHECK(world.status().failed == 0);
    }
    SUBCASE("it ends") {
        for (const auto& uid : executors) world.remove_pod(uid);
        world.set_phase(driver, core::PodPhase::succeeded);
        world.pass(6'000);
        CHECK(world.status().phase == GroupPhase::finished);
        CHECK(world.status().succeeded == 1);
        CHECK(world.status().running == 0);
        const std::size_t writes = world.group_writes.size();
        world.restart();
        world.pass(60'000);
        CHECK(world.group_writes.size() == writes);
    }
    SUBCASE("another leader goes on") {
        world.restart();
        world.pass(6'000);
        world.set_phase(driver, core::PodPhase::failed);
        world.pass(6'000);
        CHECK(world.status().phase == GroupPhase::finished);
        CHECK(world.status().failed == 1);
    }
    world.remove_application(driver);
    world.pass(1'200'000);  // timers of pods that are gone run out
    CHECK(world.scheduler->remembered() == 0);
}

TEST_CASE("group statuses: a driver's group that is named late, or made late") {
    ApplicationWorld world(9);
    const core::PodGroup object = world.groups["etl/g"];
    SUBCASE("named when it runs") {
        const auto driver = world.submit(tests::driver("d"), tests::conf(2));
        world.pass(3'000);
        REQUIRE(world.is_bound(driver));
        CHECK(world.group_fetches == 0);
        world.change_pod(driver, [](core::Pod& pod) {
            pod.annotations.push_back({"scheduling.k8s.io/group-name", "g"});
            std::sort(pod.annotations.begin(), pod.annotations.end());
        });
        world.pass(3'000);
        CHECK(world.status().phase == GroupPhase::running);
    }
    SUBCASE("made later: asked again, and nobody waits for it") {
        world.groups.clear();
        const auto driver = world.submit_in_group("d", 2);
        world.pass(3'000);
        REQUIRE(world.is_bound(driver));
        world.pass(10 * 60'000);
        CHECK(world.group_fetches == 2);
        world.groups["etl/g"] = object;
        world.set_phase(driver, core::PodPhase::running);
        world.pass(3'000);
        CHECK(world.status().phase == GroupPhase::running);
        CHECK(world.status().running == 1);
    }
}

TEST_CASE("group statuses: what a driver's group asks makes no sense: its application starts") {
    ApplicationWorld world(9);
    world.groups["etl/g"] = core::PodGroup{1'000'000'000, {}, {}};
    const auto driver = world.submit_in_group("d", 2);
    world.pass(3'000);
    CHECK(world.is_bound(driver));
    CHECK(world.status().phase == GroupPhase::running);
}

TEST_CASE("group statuses: two applications of one group: it has ended when both have") {
    ApplicationWorld world(9);
    const auto first = world.submit_in_group("d", 2);
    const auto second = world.submit_in_group("e", 1);
    world.pass(3'000);
    for (const auto& uid : {first, second}) world.set_phase(uid, core::PodPhase::running);
    world.pass(6'000);
    CHECK(world.status().running == 2);
    world.set_phase(first, core::PodPhase::succeeded);
    world.pass(6'000);
    CHECK(world.status().phase == GroupPhase::running);
    world.set_phase(second, core::PodPhase::succeeded);
    world.pass(6'000);
    CHECK(world.status().phase == GroupPhase::finished);
    CHECK(world.status().succeeded == 2);
}
