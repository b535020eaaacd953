// Which PodGroups of Volcano are let in.
#include "gang/app/daemon/volcano/enqueuer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using core::GroupPhase;
using gang::app::Enqueuer;
using gang::app::EnqueueView;
using k8s::ObjectStatusOutcome;

namespace {

constexpr std::int64_t cpu = 1'000;
constexpr std::int64_t start_s = 1'800'000'000;

struct EnqueueRig {
    EnqueueRig() {
        view.overcommit_percent = 120;
        view.now_s = start_s;
        view.pods_within_s = 600;
        view.has_pods = [this](const k8s::SeenPodGroup& seen) { return with_pods.contains(seen.name); };
    }
    void add_node(std::int64_t cpus, std::int64_t used) {
        view.nodes.allocatable.cpu_milli += cpus * cpu;
        view.nodes.free.cpu_milli += (cpus - used) * cpu;
    }
    gang::QueueView& add_queue(const std::string& name, std::int64_t used, std::int64_t limit) {
        gang::QueueView queue;
        queue.name = "root." + name;
        queue.parent = "root";
        queue.usage.cpu_milli = used * cpu;
        if (limit > 0) queue.limit = {{"cpu", limit * cpu}};
        return view.queues.emplace_back(queue);
    }
    k8s::SeenPodGroup& add(
        const std::string& name, std::int64_t cpus, GroupPhase phase = GroupPhase::pending) {
        k8s::SeenPodGroup& seen = groups["etl/" + name];
        seen.namespace_name = "etl";
        seen.name = name;
        seen.created = start_s - 100 + static_cast<std::int64_t>(groups.size());
        seen.object.uid = "uid-" + name;
        seen.resource_version = "rv-" + name;
        seen.object.group.min_resources.cpu_milli = cpus * cpu;
        seen.object.status.phase = phase;
        return seen;
    }
    /// "a b": in the order in which they are let in; all are written.
    std::string let_in(ObjectStatusOutcome outcome = ObjectStatusOutcome::written) {
        std::string names;
        for (const k8s::GroupStatusWrite& write : enqueuer.choose(groups, view)) {
            CHECK(write.status.phase == GroupPhase::inqueue);
            CHECK(write.api_version == "scheduling.volcano.sh/v1beta1");
            CHECK(write.uid == "uid-" + write.name);
            CHECK(write.resource_version == "rv-" + write.name);
            CHECK(write.is_forced);
            names += (names.empty() ? "" : " ") + write.name;
            const std::string said = enqueuer.answered(write, {outcome, "because"}, view.now_s);
            if (!said.empty()) log.push_back(said);
            if (outcome == ObjectStatusOutcome::written) {
                groups.at("etl/" + write.name).object.status.phase = GroupPhase::inqueue;
            }
        }
        return names;
    }

    Enqueuer enqueuer;
    Enqueuer::Groups groups;
    /// "a: text" of each thing that the log is to say.
    std::vector<std::string> news() {
        std::vector<std::string> all;
        for (const gang::app::EnqueueNews& one : enqueuer.take_news()) all.push_back(one.group + ": " + one.text);
        return all;
    }

    EnqueueView view;
    std::set<std::string> with_pods;  ///< groups whose pods are there
    std::vector<std::string> log;
};

}  // namespace

TEST_CASE("enqueuer: KB-10: total 10, used 8, inqueue 2, factor 1.2: 2 are let in, 3 wait") {
    for (const std::int64_t asked : {2, 3}) {
        CAPTURE(asked);
        EnqueueRig rig;
        rig.add_node(10, 8);
        rig.add("before", 2, GroupPhase::inqueue);
        rig.add("g", asked);
        CHECK(rig.let_in() == (asked == 2 ? "g" : ""));
        CHECK(Enqueuer::has_pending(rig.groups) == (asked == 3));
    }
}

TEST_CASE("enqueuer: the oldest first, and one that does not fit holds nobody up") {
    EnqueueRig rig;
    rig.add_node(10, 2);
    rig.add("a", 12);
    rig.add("b", 6);
    rig.add("c", 5);
    rig.add("d", 4);
    rig.add("without", 0);
    CHECK(rig.let_in() == "b d without");
    CHECK(rig.let_in().empty());
    rig.groups.at("etl/b").object.status.phase = GroupPhase::running;  // counted as used from here on
    rig.view.nodes.free.cpu_milli = 8 * cpu;
    CHECK(rig.let_in() == "c");
}

TEST_CASE("enqueuer: a resource that no node has is never free") {
    EnqueueRig rig;
    rig.add_node(10, 0);
    rig.add("g", 1).object.group.min_resources.extended = {{"nvidia.com/gpu", 1}};
    CHECK(rig.let_in().empty());
    rig.view.nodes.allocatable.extended = {{"nvidia.com/gpu", 1}};
    rig.view.nodes.free.extended = {{"nvidia.com/gpu", 1}};
    CHECK(rig.let_in() == "g");
}

TEST_CASE("enqueuer: within the limits of its queue and of those above it") {
    EnqueueRig rig;
    rig.add_node(100, 10);
    gang::QueueView root;
    root.name = "root";
    root.usage.cpu_milli = 10 * cpu;
    root.limit = {{"cpu", 16 * cpu}};
    rig.view.queues.push_back(root);
    rig.add_queue("etl", 4, 8);
    rig.add_queue("ml", 6, 0).object = "research";
    rig.add("too-much", 5).object.group.queue = "etl";
    rig.add("fits", 4).object.group.queue = "root.etl";
    rig.add("above", 3).object.group.queue = "research";
    rig.add("below", 2).object.group.queue = "research";
    rig.add("lost", 1).object.group.queue = "nobody";
    rig.add("nowhere", 1);
    rig.view.is_queue_required = true;
    CHECK(rig.let_in() == "fits below nowhere");
    rig.view.queues[1].is_stopped = true;
    rig.add("stopped", 0).object.group.queue = "etl";
    CHECK(rig.let_in().empty());
}

TEST_CASE("enqueuer: where no queue must be there, a name that no queue has says nothing") {
    EnqueueRig rig;
    rig.add_node(10, 0);
    rig.add("without-queues", 1).object.group.queue = "research";
    CHECK(rig.let_in() == "without-queues");
    rig.add_queue("etl", 0, 0);
    rig.add("of-the-default", 1).object.group.queue = "default";
    CHECK(rig.let_in() == "of-the-default");
}

TEST_CASE("enqueuer: who asks for more than a number can say is not let in, and spoils nothing") {
    EnqueueRig rig;
    rig.add_node(10, 5);
    rig.add("before", 1, GroupPhase::inqueue);
    rig.add("huge", 0).object.group.min_resources = {INT64_MAX, INT64_MAX, INT64_MAX, {{"a/b", INT64_MAX}}};
    rig.add("overdue", 0).object.group.min_resources = {0, INT64_MAX, 0, {}};
    rig.groups.at("etl/overdue").object.group.max_wait = "1s";
    rig.add("overdue-too", 0).object.group = rig.groups.at("etl/overdue").object.group;
    rig.add("small", 1);
    CHECK(rig.let_in() == "overdue overdue-too small");
}

TEST_CASE("enqueuer: who is overdue is let in first, whatever is in use, within its queue") {
    EnqueueRig rig;
    rig.add_node(10, 10);
    rig.add_queue("etl", 4, 8);
    rig.add_queue("ml", 4, 0);
    rig.view.max_wait_ms = {{"root.ml", 60'000}};
    rig.add("patient", 2).object.group.queue = "etl";
    rig.add("no-duration", 2).object.group.max_wait = "soon";
    rig.add("of-queue", 20).object.group.queue = "ml";
    k8s::SeenPodGroup& says = rig.add("says", 4);
    says.object.group.max_wait = "30s";
    says.object.group.queue = "etl";
    rig.add("over-limit", 5).object.group = says.object.group;
    rig.groups.at("etl/over-limit").object.group.min_resources.cpu_milli = 5 * cpu;
    rig.add("not-yet", 1).object.group.max_wait = "10m";
    CHECK(rig.let_in() == "of-queue says");
}

TEST_CASE("enqueuer: for how long those of a queue are to wait, the nearest queue above says") {
    EnqueueRig rig;
    rig.add_node(10, 10);
    rig.add_queue("teams", 0, 0);
    rig.add_queue("teams.a", 0, 0).parent = "root.teams";
    rig.add_queue("teams.b", 0, 0).parent = "root.teams";
    rig.view.max_wait_ms = {{"root.teams", 60'000}, {"root.teams.a", 0}, {"root.teams.b", 600'000}};
    rig.add("of-a", 3).object.group.queue = "teams.a";
    rig.add("of-b", 3).object.group.queue = "teams.b";
    CHECK(rig.let_in() == "of-a");
}

TEST_CASE("enqueuer: what was written counts until it is seen, and is not written again") {
    EnqueueRig rig;
    rig.add_node(10, 0);
    rig.add("a", 10);
    const auto first = rig.enqueuer.choose(rig.groups, rig.view);
    REQUIRE(first.size() == 1);
    rig.add("b", 3);
    CHECK(rig.let_in().empty());
    CHECK(rig.enqueuer.answered(first.front(), {ObjectStatusOutcome::written, ""}, start_s).empty());
    CHECK(rig.let_in().empty());
    SUBCASE("seen") {
        rig.groups.at("etl/a").object.status.phase = GroupPhase::running;
        CHECK(rig.let_in() == "b");
    }
    SUBCASE("made anew meanwhile") {
        rig.groups.at("etl/a").object.uid = "uid-a";
        rig.groups.at("etl/a").object.uid += "2";
        const auto again = rig.enqueuer.choose(rig.groups, rig.view);
        REQUIRE(again.size() == 1);
        CHECK(again.front().uid == "uid-a2");
    }
}

TEST_CASE("enqueuer: what could not be written is tried again, and told once") {
    EnqueueRig rig;
    rig.add_node(10, 0);
    rig.add("a", 1);
    CHECK(rig.let_in(ObjectStatusOutcome::failed) == "a");
    CHECK(rig.let_in(ObjectStatusOutcome::others) == "a");
    CHECK(rig.log.empty());
    for (int i = 0; i < 2; ++i) {
        CHECK(rig.let_in(ObjectStatusOutcome::forbidden) == "a");
        rig.view.now_s += Enqueuer::rest_s - 1;
        CHECK(rig.let_in().empty());
        rig.view.now_s += 1;
    }
    CHECK(rig.log == std::vector<std::string>{"PodGroup etl/a is not let in: because"});
    CHECK(rig.let_in(ObjectStatusOutcome::gone) == "a");
    rig.groups.clear();
    CHECK(rig.let_in().empty());
    CHECK_FALSE(Enqueuer::has_pending(rig.groups));
}

TEST_CASE("enqueuer: a group that makes no sense waits, and of many a part at a time") {
    EnqueueRig rig;
    rig.add_node(10, 0);
    rig.add("senseless", 1).object.group.problem = "spec.minMember is -1: no number of pods";
    for (std::size_t i = 0; i < Enqueuer::writes_max + 5; ++i) rig.add("g" + std::to_string(i), 0);
    CHECK(rig.enqueuer.choose(rig.groups, rig.view).size() == Enqueuer::writes_max);
    CHECK(rig.enqueuer.choose(rig.groups, rig.view).size() == 5);
}

TEST_CASE("enqueuer: in strict order the oldest that does not fit holds up those of its queue") {
    EnqueueRig rig;
    rig.view.is_strict_order = true;
    rig.add_node(10, 2);
    rig.add_queue("etl", 0, 8);
    rig.add_queue("ml", 0, 0);
    rig.add("first", 3).object.group.queue = "etl";
    rig.add("large", 6).object.group.queue = "etl";  // of its queue 5 are left
    rig.add("small", 1).object.group.queue = "etl";
    rig.add("without", 0).object.group.queue = "etl";
    rig.add("of-ml", 4).object.group.queue = "ml";
    rig.add("large-of-none", 8);
    rig.add("small-of-none", 1);
    CHECK(rig.let_in() == "first of-ml");
    CHECK(
        rig.news() == std::vector<std::string>{
                          "etl/large: pod group does not fit: later ones of its queue wait for it",
                          "etl/large-of-none: pod group does not fit: later ones of its queue wait for it"});
    CHECK(rig.let_in().empty());
    CHECK(rig.news().empty());
    rig.groups.erase("etl/first");
    CHECK(rig.let_in() == "large");  // 12 in all, 2 in use, 4 of ml's: no room for the small one now
    CHECK(
        rig.news() == std::vector<std::string>{
                          "etl/small: pod group does not fit: later ones of its queue wait for it"});
    rig.groups.erase("etl/of-ml");
    CHECK(rig.let_in() == "small without");
}

TEST_CASE("enqueuer: in strict order who could never fit, is lost, or stopped holds nobody up") {
    EnqueueRig rig;
    rig.view.is_strict_order = true;
    rig.view.is_queue_required = true;
    rig.add_node(10, 0);
    rig.add_queue("etl", 0, 4);
    rig.add("beyond-nodes", 13);
    rig.add("beyond-queue", 5).object.group.queue = "etl";
    rig.add("lost", 1).object.group.queue = "nobody";
    rig.add("senseless", 1).object.group.problem = "spec.minMember is -1: no number of pods";
    rig.add("fits", 4).object.group.queue = "etl";
    rig.add("fits-too", 1);
    CHECK(rig.let_in() == "fits fits-too");
    CHECK(rig.news().empty());
}

TEST_CASE("enqueuer: in strict order one that is overdue waits for its queue alone, and holds it up") {
    EnqueueRig rig;
    rig.view.is_strict_order = true;
    rig.add_node(10, 10);
    rig.add_queue("etl", 4, 8);
    rig.add("older", 0).object.group.queue = "etl";
    k8s::SeenPodGroup& overdue = rig.add("overdue", 5);
    overdue.object.group.max_wait = "30s";
    overdue.object.group.queue = "etl";
    CHECK(rig.let_in().empty());
    rig.view.queues.front().usage.cpu_milli = 0;
    CHECK(rig.let_in() == "overdue older");
}

TEST_CASE("enqueuer: a group whose pods do not come counts for so long, and says so once") {
    EnqueueRig rig;
    rig.add_node(10, 0);
    rig.add("late", 10).object.group.min_members = 3;
    CHECK(rig.let_in() == "late");
    rig.add("waits", 10);
    rig.view.now_s = start_s + 599;
    CHECK(rig.let_in().empty());
    CHECK(rig.enqueuer.late_count() == 0);
    rig.view.now_s = start_s + 600;
    CHECK(rig.let_in() == "waits");
    CHECK(rig.enqueuer.late_count() == 1);
    CHECK(
        rig.news() == std::vector<std::string>{
                          "etl/late: pod group was let in, and its pods do not come: it counts no more"});
    const auto said = rig.enqueuer.take_late();
    REQUIRE(said.size() == 1);
    CHECK(said.front().name == "late");
    CHECK(said.front().uid == "uid-late");
    CHECK(said.front().status.phase == GroupPhase::inqueue);
    CHECK(said.front().status.condition == core::GroupCondition::unschedulable);
    CHECK(said.front().status.reason == "PodsMissing");
    CHECK(
        said.front().status.message ==
        "let in, and for 600 s it has had fewer than its 3 pods here: what it asks for counts no more "
        "against other groups");
    CHECK(said.front().status.since_ms == (start_s + 600) * 1'000);
    rig.add("next", 3);
    CHECK(rig.let_in().empty());  // 10 of 12 count
    CHECK(rig.news().empty());
    CHECK(rig.enqueuer.take_late().empty());
    SUBCASE("its pods come, and it counts again") {
        rig.groups.erase("etl/waits");
        rig.with_pods = {"late"};
        CHECK(rig.let_in().empty());
        CHECK(rig.enqueuer.late_count() == 0);
        rig.with_pods = {};
        rig.view.now_s += 599;
        CHECK(rig.let_in().empty());
        rig.view.now_s += 1;
        CHECK(rig.let_in() == "next");
        CHECK(rig.enqueuer.late_count() == 1);
        CHECK(rig.news().size() == 1);
    }
    SUBCASE("it goes") {
        rig.groups.erase("etl/late");
        rig.let_in();
        CHECK(rig.enqueuer.late_count() == 0);
    }
    SUBCASE("another of its name is let in") {
        rig.groups.at("etl/late").object.uid = "uid-late2";
        rig.let_in();
        CHECK(rig.enqueuer.late_count() == 0);
    }
}

TEST_CASE("enqueuer: with its pods, or where the file says so, a group that was let in counts for ever") {
    EnqueueRig rig;
    rig.add_node(10, 0);
    rig.add("before", 10, GroupPhase::inqueue);
    rig.add("waits", 10);
    SUBCASE("its pods are there") { rig.with_pods = {"before"}; }
    SUBCASE("the file says so") { rig.view.pods_within_s = 0; }
    CHECK(rig.let_in().empty());
    rig.view.now_s += 100'000;
    CHECK(rig.let_in().empty());
    CHECK(rig.news().empty());
}

TEST_CASE("enqueuer: of a group that somebody else let in the time counts from when it was first seen") {
    EnqueueRig rig;
    rig.add_node(10, 0);
    rig.add("before", 10, GroupPhase::inqueue);
    rig.add("waits", 10);
    rig.view.now_s += 100'000;
    CHECK(rig.let_in().empty());
    rig.view.now_s += 599;
    CHECK(rig.let_in().empty());
    rig.view.now_s += 1;
    CHECK(rig.let_in() == "waits");
}
