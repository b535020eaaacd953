// Pods that start together without a driver: PodGroups of every dialect, through the whole
// scheduler.
#include "gang/declare/group_membership.hpp"
#include "tests/gang/preempt/evicting.hpp"
#include "tests/gang/shares/trees.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using tests::World;

namespace {

constexpr const char* coscheduling_label = "scheduling.x-k8s.io/pod-group";

core::Pod member_of(const std::string& name, const std::string& group, std::int64_t cpu_milli = 1000) {
    core::Pod pod = tests::pod(name, cpu_milli, 256);
    pod.labels = {{coscheduling_label, group}};
    return pod;
}

std::vector<std::string> create_members(
    World& world,
    const std::string& group,
    int count,
    std::int64_t cpu_milli = 1000,
    std::int64_t created = 1'000) {
    std::vector<std::string> uids;
    for (int i = 0; i < count; ++i) {
        core::Pod pod = member_of(group + "-" + std::to_string(i), group, cpu_milli);
        pod.created = created;
        uids.push_back(world.create(std::move(pod)));
    }
    return uids;
}

void add_group(World& world, const std::string& name, std::int64_t minimum) {
    world.groups["etl/" + name] = core::PodGroup{minimum, {}, {}};
}

bool is_told(const World& world, const std::string& uid, const std::string& text) {
    return world.condition(uid).find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("pod groups: COS-1: six pods, a minimum of 3, room for 3: three are bound") {
    World world;
    world.add_node(tests::node("n1", 9, 64 * 1024));
    add_group(world, "g", 3);
    const auto pods = create_members(world, "g", 6, 3000);
    world.settle();
    CHECK(world.bound_count(pods) == 3);
    CHECK(world.bound_count({pods[0], pods[1], pods[2]}) == 3);
    SUBCASE("and one that comes later passes those beyond the minimum") {
        const auto other = world.create(tests::pod("other", 3000, 256));
        world.add_node(tests::node("n2", 3, 64 * 1024));
        world.settle();
        CHECK(world.bound_count(pods) + (world.is_bound(other) ? 1 : 0) == 4);
    }
    SUBCASE("a node more gives room for the others") {
        world.add_node(tests::node("n2", 9, 64 * 1024));
        world.settle();
        CHECK(world.bound_count(pods) == 6);
    }
}

TEST_CASE("pod groups: a job that is made anew starts as a whole, while the pods before it end") {
    World world;
    world.add_node(tests::node("n1", 5, 64 * 1024));
    add_group(world, "g", 3);
    const auto before = create_members(world, "g", 3);
    world.settle();
    REQUIRE(world.bound_count(before) == 3);
    for (const std::string& uid : before) {
        world.change_pod(uid, [](core::Pod& pod) { pod.deleting = true; });
    }
    world.settle();
    std::vector<std::string> anew;
    for (const char* name : {"anew-0", "anew-1"}) {
        anew.push_back(world.create(member_of(name, "g")));
        world.advance(2'000);
    }
    CHECK(world.bound_count(anew) == 0);
    CHECK(is_told(world, anew[1], "pod group etl/g has 2 of the 3 pods it needs"));
    anew.push_back(world.create(member_of("anew-2", "g")));
    world.advance(2'000);
    CHECK(world.bound_count(anew) == 0);  // 2 cpu are left
    world.remove_pod(before[0]);
    world.advance(2'000);
    CHECK(world.bound_count(anew) == 3);
    CHECK(world.violations.empty());
}

TEST_CASE("pod groups: COS-2: a minimum that does not fit binds nobody, and says what is missing") {
    World world;
    world.add_node(tests::node("n1", 9, 64 * 1024));
    add_group(world, "g", 4);
    const auto pods = create_members(world, "g", 6, 3000);
    world.settle();
    CHECK(world.bound_count(pods) == 0);
    CHECK(is_told(
        world,
        pods[0],
        "could take pod group etl/g even if they were empty: needs 4 pods (12 cpu"));
    CHECK(is_told(world, pods[0], "3 fit, short of 3 cpu"));
    CHECK(is_told(world, pods[0], "[ExceedsCluster]"));
    CHECK(is_told(world, pods[1], "see pod etl/g-0"));
}

TEST_CASE("pod groups: COS-3: too few pods wait for the others") {
    World world;
    world.add_node(tests::node("n1", 9, 64 * 1024));
    add_group(world, "g", 3);
    auto pods = create_members(world, "g", 2);
    world.settle();
    CHECK(world.bound_count(pods) == 0);
    CHECK(
        is_told(world, pods[0], "pod group etl/g has 2 of the 3 pods it needs [WaitingForPodGroup]"));
    CHECK(
        is_told(world, pods[1], "pod group etl/g has 2 of the 3 pods it needs [WaitingForPodGroup]"));
    const auto gangs = world.scheduler->gangs();
    REQUIRE(gangs.size() == 2);
    CHECK(gangs[0].code == gang::ReasonCode::waiting_for_pod_group);
    SUBCASE("the third comes") {
        pods.push_back(world.create(member_of("late", "g")));
        world.settle();
        CHECK(world.bound_count(pods) == 3);
        const auto running = world.scheduler->gangs();
        REQUIRE(running.size() == 1);
        CHECK(running[0].application == "g");
        CHECK(running[0].slots_bound == 2);
    }
    SUBCASE("one of another group, or of another namespace, is none of them") {
        core::Pod stranger = member_of("late", "g");
        stranger.namespace_name = "other";
        world.create(std::move(stranger));
        world.create(member_of("h-0", "h"));
        world.settle();
        CHECK(world.bound_count(pods) == 0);
    }
    SUBCASE("one that is gated does not count until its gates are gone") {
        core::Pod gated = member_of("late", "g");
        gated.gated = true;
        const auto late = world.create(std::move(gated));
        world.settle();
        CHECK(world.bound_count(pods) == 0);
        world.change_pod(late, [](core::Pod& pod) { pod.gated = false; });
        world.settle();
        CHECK(world.bound_count({pods[0], pods[1], late}) == 3);
    }
}

TEST_CASE(
    "pod groups: COS-4: of two groups with room for one the older is whole, the other waits") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    add_group(world, "a", 3);
    add_group(world, "b", 3);
    const auto b = create_members(world, "b", 3, 1000, 2'000);
    const auto a = create_members(world, "a", 3, 1000, 1'000);
    world.settle();
    CHECK(world.bound_count(a) == 3);
    CHECK(world.bound_count(b) == 0);
    for (const auto& uid : a) world.set_phase(uid, core::PodPhase::succeeded);
    world.settle();
    CHECK(world.bound_count(b) == 3);
}

TEST_CASE("pod groups: COS-5: a group without its object waits, and says so; it may come later") {
    World world;
    world.add_node(tests::node("n1", 9, 64 * 1024));
    const auto pods = create_members(world, "g", 3);
    const auto other = world.create(tests::pod("other", 1000, 256));
    world.settle();
    CHECK(world.bound_count(pods) == 0);
    CHECK(world.is_bound(other));
    CHECK(is_told(world, pods[0], "PodGroup not found: etl/g (no such group) [WaitingForPodGroup]"));
    SUBCASE("it comes") {
        add_group(world, "g", 3);
        world.advance(60'000);
        world.settle();
        CHECK(world.bound_count(pods) == 3);
    }
    SUBCASE("COS-13: of a group that waits for pods it goes") {
        add_group(world, "g", 4);
        world.advance(60'000);
        world.settle();
        CHECK(is_told(world, pods[0], "has 3 of the 4 pods it needs"));
        world.groups.clear();
        world.advance(60'000);
        world.settle();
        CHECK(is_told(world, pods[0], "PodGroup not found"));
    }
    SUBCASE("COS-13, K19: it goes while others of the group run: these stay, and who comes waits") {
        add_group(world, "g", 3);
        world.advance(60'000);
        world.settle();
        REQUIRE(world.bound_count(pods) == 3);
        world.add_node(tests::node("n9", 9, 64 * 1024));
        core::Pod large = member_of("large", "g", 20'000);
        const auto waiting = world.create(std::move(large));
        world.settle();
        REQUIRE_FALSE(world.is_bound(waiting));
        world.groups.clear();
        world.advance(60'000);
        world.settle();
        CHECK(is_told(world, waiting, "PodGroup not found"));
        world.set_phase(pods[2], core::PodPhase::failed);
        const auto late = world.create(member_of("late", "g"));
        world.settle();
        CHECK_FALSE(world.is_bound(late));
        CHECK(is_told(world, late, "PodGroup not found"));
        CHECK(world.bound_count(pods) == 3);
        add_group(world, "g", 3);
        world.advance(60'000);
        world.settle();
        CHECK(world.is_bound(late));
        CHECK_FALSE(world.is_bound(waiting));
        CHECK_FALSE(is_told(world, waiting, "PodGroup not found"));
    }
    SUBCASE("nobody may read it") {
        world.group_problem = gang::PodGroupProblem::forbidden;
        world.advance(60'000);
        world.settle();
        CHECK(is_told(world, pods[0], "grant the scheduler get on podgroups.scheduling.x-k8s.io"));
    }
}

TEST_CASE("pod groups: COS-7: every way to name a group") {
    World world;
    world.add_node(tests::node("n1", 9, 64 * 1024));
    add_group(world, "g", 2);
    std::vector<std::string> pods;
    const auto create_two = [&](const auto& name_it) {
        for (const char* name : {"p0", "p1"}) {
            core::Pod pod = tests::pod(name, 1000, 256);
            name_it(pod);
            pods.push_back(world.create(std::move(pod)));
            world.settle();
            CHECK(world.bound_count(pods) == (pods.size() == 2 ? 2 : 0));
        }
    };
    SUBCASE("coscheduling") {
        create_two([](core::Pod& pod) { pod.labels = {{coscheduling_label, "g"}}; });
    }
    SUBCASE("coscheduling, as it was") {
        create_two([](core::Pod& pod) {
            pod.labels = {{"pod-group.scheduling.sigs.k8s.io", "g"}};
        });
    }
    SUBCASE("kube-batch and Volcano") {
        create_two([](core::Pod& pod) {
            pod.annotations = {{"scheduling.k8s.io/group-name", "g"}};
        });
    }
    SUBCASE("Volcano") {
        create_two([](core::Pod& pod) {
            pod.annotations = {{"scheduling.volcano.sh/group-name", "g"}};
        });
    }
    SUBCASE("Kubernetes") {
        create_two([](core::Pod& pod) { pod.pod_group = std::string("g"); });
    }
    SUBCASE("lightweight coscheduling, without an object") {
        create_two([](core::Pod& pod) {
            pod.labels = {
                {"pod-group.scheduling.sigs.k8s.io/min-available", "2"},
                {"pod-group.scheduling.sigs.k8s.io/name", "l"}};
        });
        CHECK(world.group_fetches == 0);
    }
    SUBCASE("our own annotations, without an object") {
        create_two([](core::Pod& pod) {
            pod.annotations = {
                {"gang-scheduler/min-members", "2"}, {"gang-scheduler/pod-group", "o"}};
        });
        CHECK(world.group_fetches == 0);
    }
}

TEST_CASE(
    "pod groups: COS-9: a policy that asks for no gang, or for one pod: each goes by itself") {
    for (const std::int64_t minimum : {0, 1}) {
        World world;
        world.add_node(tests::node("n1", 2, 64 * 1024));
        add_group(world, "g", minimum);
        const auto pods = create_members(world, "g", 3);
        const auto later = world.create(tests::pod("later", 1000, 256));
        world.settle();
        CHECK(world.bound_count(pods) == 2);
        CHECK_FALSE(world.is_bound(later));
    }
}

TEST_CASE(
    "pod groups: COS-10: a leader dies after the first bind: the group is whole, the other none") {
    for (const bool is_sealed : {true, false}) {
        World world(is_sealed ? World::sealed_schema() : config::Schema{});
        world.add_node(tests::node("n1", 4, 64 * 1024));
        add_group(world, "a", 3);
        add_group(world, "b", 3);
        const auto a = create_members(world, "a", 3, 1000, 1'000);
        const auto b = create_members(world, "b", 3, 1000, 2'000);
        int binds = 0;
        world.on_bind = [&binds](const gang::BindPod&) -> std::optional<gang::BindOutcome> {
            return ++binds > 1 ? std::optional(gang::BindOutcome::not_sent) : std::nullopt;
        };
        world.settle();
        REQUIRE(world.bound_count(a) == 1);
        world.on_bind = {};
        world.restart();
        world.settle();
        CHECK(world.bound_count(a) == 3);
        CHECK(world.bound_count(b) == 0);
    }
}

TEST_CASE("pod groups: who is being bound counts for those that come after the anchor when it is bound") {
    World world;
    world.add_node(tests::node("n1", 8, 64 * 1024));
    add_group(world, "g", 3);
    const auto pods = create_members(world, "g", 3);
    world.hold_bind_answers = true;
    world.on_bind = [&](const gang::BindPod& bind) {
        return bind.pod.uid != pods[0] ? std::optional(gang::BindOutcome::bound) : std::nullopt;
    };
    world.settle();
    REQUIRE(world.bound_count(pods) == 1);
    REQUIRE(world.binds.size() == 3);
    world.set_phase(pods[0], core::PodPhase::failed);
    const auto next = world.create(member_of("next", "g"));
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(next));
    CHECK(is_told(world, next, "pod group etl/g has"));
    world.on_bind = nullptr;
    for (const gang::BindPod& bind : std::vector(world.binds)) {
        if (bind.pod.uid != pods[0]) {
            world.arrive(bind);
        }
    }
    world.advance(2'000);
    CHECK(world.is_bound(next));
}

TEST_CASE("pod groups: COS-12: a launcher and its workers, of each role enough") {
    const auto run = [](std::int64_t cpu, int workers) {
        World world;
        world.add_node(tests::node("n1", cpu, 64 * 1024));
        world.groups["etl/mpi"] = core::PodGroup{4, {{"launcher", 1}, {"worker", 3}}, {}};
        std::vector<std::string> pods;
        const auto add = [&](const std::string& name, const char* role, std::int64_t milli) {
            core::Pod pod = tests::pod(name, milli, 256);
            pod.annotations = {
                {"scheduling.k8s.io/group-name", "mpi"}, {"volcano.sh/task-spec", role}};
            pods.push_back(world.create(std::move(pod)));
        };
        for (int i = 0; i < workers; ++i) add("worker-" + std::to_string(i), "worker", 2000);
        world.settle();
        CHECK(world.bound_count(pods) == 0);
        if (workers > 3) {
            CHECK(is_told(world, pods[0], "has 0 of the 1 pods it needs of role launcher"));
        }
        add("launcher", "launcher", 1000);
        world.settle();
        CHECK(world.violations.empty());
        return world.bound_count(pods);
    };
    CHECK(run(6, 3) == 0);
    CHECK(run(7, 3) == 4);
    CHECK(run(7, 4) == 4);
    CHECK(run(9, 4) == 5);
}

TEST_CASE("pod groups: one beyond the minimum takes no slot that a role is to have") {
    World world;
    world.add_node(tests::node("n1", 2, 64 * 1024));
    const auto add = [&](const std::string& name, const char* role, std::int64_t created) {
        core::Pod pod = tests::pod(name, 1'000, 256);
        pod.created = created;
        pod.annotations = {
            {"scheduling.k8s.io/group-name", "mpi"}, {"volcano.sh/task-spec", role}};
        return world.create(std::move(pod));
    };
    world.groups["etl/mpi"] = core::PodGroup{2, {{"launcher", 1}, {"worker", 1}}, {}};
    const std::vector<std::string> workers = {
        add("worker-0", "worker", 1), add("worker-1", "worker", 2)};
    const std::string launcher = add("launcher", "launcher", 3);
    world.settle();
    CHECK(world.is_bound(launcher));
    CHECK(world.bound_count(workers) == 1);
    CHECK(world.violations.empty());
}

TEST_CASE("pod groups: COS-14: three at once, the fourth after them, two wait and hold up nobody") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    add_group(world, "g", 3);
    const auto pods = create_members(world, "g", 6);
    world.settle();
    CHECK(world.bound_count(pods) == 4);
    world.add_node(tests::node("n2", 1, 64 * 1024));
    core::Pod small = tests::pod("small", 500, 256);
    small.created = 5'000;
    const auto other = world.create(std::move(small));
    world.settle();
    CHECK(world.bound_count(pods) == 5);
    CHECK_FALSE(world.is_bound(other));
    world.add_node(tests::node("n3", 0, 64 * 1024));
    world.change_node("n3", [](core::Node& node) { node.allocatable.cpu_milli = 500; });
    world.settle();
    CHECK(world.is_bound(other));
}

TEST_CASE(
    "pod groups: COS-15: two dialects that differ: the first of the table counts, and it is said") {
    core::Pod pod = member_of("p", "g");
    pod.annotations = {{"scheduling.k8s.io/group-name", "other"}};
    const auto found = gang::read_membership(pod);
    REQUIRE(found);
    CHECK(found->name == "g");
    CHECK(found->dialect == gang::GroupDialect::coscheduling);
    CHECK(
        found->warning ==
        "annotation scheduling.k8s.io/group-name names pod group other, label "
        "scheduling.x-k8s.io/pod-group names g: the latter counts");
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    add_group(world, "g", 2);
    world.create(pod);
    const auto second = world.create(member_of("q", "g"));
    world.settle();
    CHECK(world.is_bound(second));
    CHECK(std::any_of(world.events.begin(), world.events.end(), [](const auto& event) {
        return event.warning && event.message.find("names pod group other") != std::string::npos;
    }));
}

TEST_CASE("pod groups: a minimum that makes no sense parks its pods alone") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto other = world.create(tests::pod("other", 1000, 256));
    std::vector<std::string> pods;
    SUBCASE("in an object") {
        world.groups["etl/g"] = core::PodGroup{-1, {}, "spec.minMember is -1: no number of pods"};
        pods = create_members(world, "g", 2);
        world.settle();
        CHECK(is_told(world, pods[1], "pod group etl/g: spec.minMember is -1"));
    }
    SUBCASE("larger than gangs may be") {
        add_group(world, "g", 1'000'000'000);
        pods = create_members(world, "g", 2);
        world.settle();
        CHECK(is_told(world, pods[1], "its minimum of 1000000000 pods is more than the"));
    }
    SUBCASE("in an annotation") {
        for (const char* name : {"p0", "p1"}) {
            core::Pod pod = tests::pod(name, 1000, 256);
            pod.annotations = {
                {"gang-scheduler/min-members", "many"}, {"gang-scheduler/pod-group", "o"}};
            pods.push_back(world.create(std::move(pod)));
        }
        world.settle();
        CHECK(is_told(world, pods[1], "annotation gang-scheduler/min-members is \"many\""));
    }
    CHECK(is_told(world, pods[0], "[Misconfigured]"));
    CHECK(world.bound_count(pods) == 0);
    CHECK(world.is_bound(other));
}

TEST_CASE(
    "pod groups: a member_of that goes before the group starts leaves too few, or another's place") {
    World world;
    world.add_node(tests::node("n1", 1, 64 * 1024));
    add_group(world, "g", 2);
    auto pods = create_members(world, "g", 2);
    world.settle();
    REQUIRE(world.bound_count(pods) == 0);
    std::string gone;
    SUBCASE("the anchor") {
        gone = pods[0];
    }
    SUBCASE("another one") {
        gone = pods[1];
    }
    world.remove_pod(gone);
    std::erase(pods, gone);
    world.add_node(tests::node("n2", 8, 64 * 1024));
    world.settle();
    CHECK(world.bound_count(pods) == 0);
    CHECK(is_told(world, pods[0], "pod group etl/g has 1 of the 2 pods it needs"));
    pods.push_back(world.create(member_of("late", "g")));
    world.settle();
    CHECK(world.bound_count(pods) == 2);
}

TEST_CASE(
    "pod groups: KB-15: a worker fails, its controller makes another: it has the same place") {
    World world;
    world.add_node(tests::node("n1", 3, 64 * 1024));
    add_group(world, "g", 3);
    auto pods = create_members(world, "g", 3);
    const auto waiting = world.create(tests::pod("waiting", 1000, 256));
    world.settle();
    REQUIRE(world.bound_count(pods) == 3);
    world.set_phase(pods[2], core::PodPhase::failed);
    world.settle();
    CHECK_FALSE(world.is_bound(waiting));
    const auto again = world.create(member_of("g-again", "g"));
    world.settle();
    CHECK(world.is_bound(again));
    CHECK_FALSE(world.is_bound(waiting));
    SUBCASE("one that has done its work leaves its place to others") {
        world.set_phase(again, core::PodPhase::succeeded);
        world.settle();
        CHECK(world.is_bound(waiting));
    }
}

TEST_CASE(
    "pod groups: the last pod's successor does not wait for those that have done their work") {
    World world;
    world.add_node(tests::node("n1", 3, 64 * 1024));
    add_group(world, "g", 3);
    const auto pods = create_members(world, "g", 3);
    world.settle();
    REQUIRE(world.bound_count(pods) == 3);
    world.set_phase(pods[0], core::PodPhase::succeeded);
    world.set_phase(pods[1], core::PodPhase::succeeded);
    world.set_phase(pods[2], core::PodPhase::failed);
    const auto again = world.create(member_of("again", "g"));
    world.settle();
    CHECK(world.is_bound(again));
}

TEST_CASE("pod groups: members of different sizes keep apart where their rules say so") {
    World world;
    for (const char* name : {"n1", "n2", "n3"}) {
        core::Node node = tests::node(name, 4, 64 * 1024);
        node.labels = {
            {"kubernetes.io/hostname", name}, {"pool", name == std::string("n3") ? "b" : "a"}};
        world.add_node(std::move(node));
    }
    add_group(world, "g", 3);
    std::vector<std::string> pods;
    for (int i = 0; i < 3; ++i) {
        core::Pod pod = member_of("p" + std::to_string(i), "g", 1000 + i * 1000);
        pod.constraints.edit().node_selector = {{"pool", i == 0 ? "b" : "a"}};
        pods.push_back(world.create(std::move(pod)));
    }
    world.settle();
    REQUIRE(world.bound_count(pods) == 3);
    CHECK(world.node_of(pods[0]) == "n3");
    CHECK(world.node_of(pods[1]) != "n3");
    CHECK(world.node_of(pods[2]) != "n3");
}

TEST_CASE("pod groups: whoever names a group nobody reads goes by itself") {
    config::Schema schema = World::sealed_schema();
    schema.gang.discovery = config::Discovery::spark_conf;
    World world(schema);
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto pods = create_members(world, "g", 2);
    world.settle();
    CHECK(world.bound_count(pods) == 2);
}

TEST_CASE("pod groups: executors of client mode that say how many they are start together") {
    World world;
    world.add_node(tests::node("n1", 2, 64 * 1024));
    core::Pod notebook = tests::pod("notebook", 1000, 256);
    notebook.scheduler_name = "default-scheduler";
    notebook.uid = "notebook-uid";
    const auto add = [&world](const std::string& name, bool has_owner) {
        core::Pod pod = tests::pod(name, 1000, 1408);
        pod.labels = {
            {"spark-app-selector", "spark-1"},
            {"spark-exec-id", "1"},
            {"spark-exec-resourceprofile-id", "0"},
            {"spark-role", "executor"}};
        pod.annotations = {{"gang-scheduler/executors", "3"}};
        if (has_owner) {
            pod.owners = {{"Pod", "notebook", "notebook-uid", true}};
        }
        return world.create(std::move(pod));
    };
    for (const bool has_owner : {true, false}) {
        CAPTURE(has_owner);
        std::vector<std::string> executors;
        for (const char* name : {"e-1", "e-2", "e-3"}) executors.push_back(add(name, has_owner));
        world.settle();
        CHECK(world.bound_count(executors) == 0);
        CHECK(is_told(world, executors[0], "gang spark-1 even if they were empty: needs 3 pods"));
        world.add_node(tests::node("n2", 1, 64 * 1024));
        world.settle();
        CHECK(world.bound_count(executors) == 3);
        world.restart();
        world.settle();
        world.set_phase(executors[2], core::PodPhase::failed);
        const auto again = add("e-4", has_owner);
        world.settle();
        CHECK(world.is_bound(again));
        executors.push_back(again);
        for (const auto& uid : executors) world.remove_pod(uid);
        world.remove_node("n2");
        world.settle();
    }
}

TEST_CASE("pod groups: random worlds: no group is ever bound in part") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        tests::Random random(seed);
        World world(random.chance(80) ? World::sealed_schema() : config::Schema{});
        for (int i = 0; i < 3; ++i) {
            world.add_node(tests::node("n" + std::to_string(i), random.between(2, 5), 64 * 1024));
        }
        std::vector<std::vector<std::string>> groups;
        std::vector<std::int64_t> minima;
        std::vector<bool> is_judged;  // nobody of it has ended
        for (int step = 0; step < 30; ++step) {
            const auto what = random.between(0, 9);
            if (what < 3) {
                const std::string name = "g" + std::to_string(groups.size());
                minima.push_back(random.between(2, 4));
                add_group(world, name, minima.back());
                groups.push_back(create_members(
                    world,
                    name,
                    static_cast<int>(random.between(1, 6)),
                    random.between(1, 2) * 1000,
                    1'000 + step));
                is_judged.push_back(true);
            } else if (what < 5 && !groups.empty()) {
                const auto group = static_cast<std::size_t>(
                    random.between(0, static_cast<std::int64_t>(groups.size()) - 1));
                auto& pods = groups[group];
                const std::string& uid = pods[static_cast<std::size_t>(
                    random.between(0, static_cast<std::int64_t>(pods.size()) - 1))];
                if (world.has_pod(uid)) {
                    is_judged[group] = is_judged[group] && !world.is_bound(uid);
                    if (random.chance(50)) {
                        world.remove_pod(uid);
                    } else if (world.is_bound(uid)) {
                        world.set_phase(
                            uid,
                            random.chance(50) ? core::PodPhase::succeeded : core::PodPhase::failed);
                    }
                }
            } else if (what < 7 && !groups.empty()) {
                const auto group = static_cast<std::size_t>(
                    random.between(0, static_cast<std::int64_t>(groups.size()) - 1));
                groups[group].push_back(
                    world.create(member_of("m" + std::to_string(step), "g" + std::to_string(group))));
            } else if (what == 7) {
                int left = static_cast<int>(random.between(0, 3));
                world.on_bind =
                    [left](const gang::BindPod&) mutable -> std::optional<gang::BindOutcome> {
                    return left-- > 0 ? std::nullopt : std::optional(gang::BindOutcome::not_sent);
                };
                world.settle();
                world.on_bind = {};
                world.restart();
            } else {
                world.advance(5'000);
            }
            world.settle();
            world.advance(20'000);
            world.settle();
            REQUIRE(world.violations.empty());
            for (std::size_t i = 0; i < groups.size(); ++i) {
                CAPTURE(i);
                std::vector<std::string> there = groups[i];
                std::erase_if(there, [&](const auto& uid) { return !world.has_pod(uid); });
                const auto bound = world.bound_count(there);
                const bool is_whole = bound == 0 || bound >= minima[i] || !is_judged[i];
                REQUIRE(is_whole);
            }
        }
    }
}

TEST_CASE("pod groups: minResources: free in all before a member_of starts, though they ask for less") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    world.add_node(tests::node("n2", 4, 64 * 1024));
    core::PodGroup object{2, {}, {}};
    object.min_resources.cpu_milli = 7000;
    SUBCASE("it is free") {
        world.groups["etl/g"] = object;
        const auto pods = create_members(world, "g", 2);
        world.settle();
        CHECK(world.bound_count(pods) == 2);
    }
    SUBCASE("it is not: it keeps its turn, and starts when others end") {
        core::Pod big = tests::pod("big", 2000, 256);
        big.created = 500;
        const auto first = world.create(std::move(big));
        world.settle();
        REQUIRE(world.is_bound(first));
        world.groups["etl/g"] = object;
        const auto pods = create_members(world, "g", 2);
        world.settle();
        core::Pod small = tests::pod("small", 500, 256);
        small.created = 5'000;
        const auto other = world.create(std::move(small));
        world.settle();
        CHECK(world.bound_count(pods) == 0);
        CHECK_FALSE(world.is_bound(other));
        CHECK(is_told(world, other, "1 gang is ahead"));
        CHECK(is_told(
            world,
            pods[0],
            "pod group etl/g needs 7 cpu free on all nodes together (spec.minResources), short of "
            "1"));
        CHECK(is_told(world, pods[0], "[WaitingForCapacity]"));
        world.set_phase(first, core::PodPhase::succeeded);
        world.settle();
        CHECK(world.bound_count(pods) == 2);
        CHECK(world.is_bound(other));
    }
    SUBCASE("it is free when the group comes, and not when its turn comes") {
        world.groups["etl/g"] = object;
        world.groups["etl/h"] = object;
        const auto before = create_members(world, "g", 2, 2000);
        const auto pods = create_members(world, "h", 2, 1000, 2'000);
        world.settle();
        CHECK(world.bound_count(before) == 2);
        CHECK(world.bound_count(pods) == 0);
        CHECK(is_told(world, pods[0], "short of 3 cpu [WaitingForCapacity]"));
        for (const auto& uid : before) world.set_phase(uid, core::PodPhase::succeeded);
        world.settle();
        CHECK(world.bound_count(pods) == 2);
    }
    SUBCASE("a minimum of one pod: the first waits for it, the others come after it one by one") {
        object.min_members = 1;
        world.groups["etl/g"] = object;
        core::Pod big = tests::pod("big", 2000, 256);
        big.created = 500;
        const auto first = world.create(std::move(big));
        world.settle();
        const auto pods = create_members(world, "g", 3);
        world.settle();
        CHECK(world.bound_count(pods) == 0);
        CHECK(is_told(world, pods[0], "short of 1 cpu [WaitingForCapacity]"));
        world.set_phase(first, core::PodPhase::succeeded);
        world.settle();
        CHECK(world.bound_count(pods) == 3);
        world.restart();
        world.settle();
        for (const auto& uid : pods) world.remove_pod(uid);
        world.remove_pod(first);
        world.advance(1'200'000);  // timers of pods that are gone run out
        CHECK(world.scheduler->remembered() == 0);
    }
    SUBCASE("a node that none of its pods may go to counts as well") {
        core::Node tainted = tests::node("n3", 3, 64 * 1024);
        core::Pod big = tests::pod("big", 4000, 256);
        big.created = 500;
        world.create(std::move(big));
        world.settle();
        world.groups["etl/g"] = object;
        const auto pods = create_members(world, "g", 2);
        world.settle();
        CHECK(world.bound_count(pods) == 0);
        tainted.taints = {{"only", "others", core::TaintEffect::no_schedule}};
        world.add_node(std::move(tainted));
        world.settle();
        CHECK(world.bound_count(pods) == 2);
    }
    SUBCASE("what its pods ask themselves is no sum: a group of which they ask all starts as ever") {
        object.min_resources.cpu_milli = 6000;
        world.groups["etl/g"] = object;
        core::Pod big = tests::pod("big", 2000, 256);
        big.created = 500;
        world.create(std::move(big));
        world.settle();
        const auto pods = create_members(world, "g", 2, 3000);
        world.settle();
        CHECK(world.bound_count(pods) == 0);
        CHECK(is_told(world, pods[0], "needs 2 pods (6 cpu"));
    }
    SUBCASE("the cluster has less") {
        object.min_resources.cpu_milli = 9000;
        world.groups["etl/g"] = object;
        const auto pods = create_members(world, "g", 2);
        world.settle();
        CHECK(world.bound_count(pods) == 0);
        CHECK(is_told(world, pods[0], "short of 1 cpu [ExceedsCluster]"));
        world.add_node(tests::node("n3", 1, 64 * 1024));
        world.settle();
        CHECK(world.bound_count(pods) == 2);
    }
    SUBCASE("a resource that no node has") {
        object.min_resources.extended = {{"example.com/card", 1}};
        world.groups["etl/g"] = object;
        const auto pods = create_members(world, "g", 2);
        world.settle();
        CHECK(is_told(world, pods[0], "short of 1 example.com/card [ExceedsCluster]"));
        for (const auto& uid : pods) world.remove_pod(uid);
        world.advance(120'000);
        world.settle();
        CHECK(world.scheduler->remembered() == 0);
    }
    SUBCASE("once it runs it is not asked for again") {
        world.groups["etl/g"] = object;
        auto pods = create_members(world, "g", 2);
        world.settle();
        REQUIRE(world.bound_count(pods) == 2);
        world.set_phase(pods[1], core::PodPhase::failed);
        pods.push_back(world.create(member_of("late", "g", 1000)));
        world.settle();
        CHECK(world.is_bound(pods[2]));
        world.restart();
        world.settle();
        pods.push_back(world.create(member_of("later", "g", 1000)));
        world.settle();
        CHECK(world.is_bound(pods[3]));
    }
}

TEST_CASE("pod groups: the object names the queue, and the priority that counts in it") {
    config::Queue only = tests::queue("etl");
    only.order = config::QueueOrder::priority;
    config::Queue small = tests::queue("small");
    small.limit = {{"cpu", 2000}};
    World world(tests::with_queues({only, small, tests::queue("default")}, World::sealed_schema()));
    world.add_node(tests::node("n1", 3, 64 * 1024));
    const auto volcano = [&](const std::string& group, std::int64_t created) {
        std::vector<std::string> uids;
        for (int i = 0; i < 3; ++i) {
            core::Pod pod = tests::pod(group + "-" + std::to_string(i), 1000, 256);
            pod.created = created;
            pod.annotations = {{"scheduling.k8s.io/group-name", group}};
            uids.push_back(world.create(std::move(pod)));
        }
        return uids;
    };
    SUBCASE("a limit of its queue") {
        core::PodGroup object{3, {}, {}};
        object.queue = "small";
        world.groups["etl/g"] = object;
        const auto pods = volcano("g", 1'000);
        world.settle();
        CHECK(world.bound_count(pods) == 0);
        CHECK(is_told(world, pods[0], "[ExceedsQuota]"));
    }
    SUBCASE("a queue that is not ours is as if it were not named") {
        core::PodGroup object{3, {}, {}};
        object.queue = "nowhere";
        world.groups["etl/g"] = object;
        const auto pods = volcano("g", 1'000);
        world.settle();
        CHECK(world.bound_count(pods) == 3);
    }
    SUBCASE("where there are Queue objects its queue must be there") {
        config::Schema schema =
            tests::with_queues({only, small, tests::queue("default")}, World::sealed_schema());
        schema.queue_objects.are_there = true;
        world.reconfigure(schema);
        core::PodGroup object{3, {}, {}};
        object.queue = "nowhere";
        world.groups["etl/g"] = object;
        const auto pods = volcano("g", 1'000);
        world.settle();
        CHECK(world.bound_count(pods) == 0);
        CHECK(is_told(world, pods[0], "queue \"nowhere\" is not found"));
        schema.queues.push_back(tests::queue("nowhere"));
        world.reconfigure(schema);
        world.settle();
        CHECK(world.bound_count(pods) == 3);
    }
    SUBCASE("the later one goes first") {
        core::PodGroup object{3, {}, {}};
        object.queue = "etl";
        world.groups["etl/low"] = object;
        object.priority = 10;
        world.groups["etl/high"] = object;
        const auto low = volcano("low", 1'000);
        const auto high = volcano("high", 2'000);
        world.settle();
        CHECK(world.bound_count(high) == 3);
        CHECK(world.bound_count(low) == 0);
    }
}

TEST_CASE("pod groups: who starts counts on no member that was asked to go (seed 600)") {
    World world(tests::schema_of({tests::by_priority("default")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    add_group(world, "g", 4);
    const auto pods = create_members(world, "g", 4);
    world.advance(1'000);
    REQUIRE(world.bound_count(pods) == 4);
    for (const std::string& uid : pods) {
        world.set_phase(uid, core::PodPhase::running);
    }
    const auto late = world.create(member_of("late", "g"));
    world.advance(1'000);
    REQUIRE(is_told(world, late, "[WaitingForCapacity]"));
    // Asked to go, and not seen to go yet.
    world.on_evict = [](const gang::EvictPod&) { return std::optional(gang::EvictOutcome::evicted); };
    core::Pod high = tests::pod("high", 4000, 256);
    high.priority = 9;
    world.create(std::move(high));
    world.advance(1'000);
    REQUIRE_FALSE(world.evictions.empty());
    world.set_phase(pods[0], core::PodPhase::succeeded);
    world.advance(1'000);
    REQUIRE(world.evictions.size() == 4);
    CHECK(is_told(world, late, "pod group etl/g has"));
    CHECK_FALSE(world.is_bound(late));
}
