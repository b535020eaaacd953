// Who has waited for longer than he is to goes before the others of his queue.
#include "tests/gang/in_queues.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using tests::queue;
using tests::says;
using tests::with_queues;
using tests::minute_ms;
using tests::World;

namespace {

constexpr std::int64_t minute_s = 60;

/// Room for one at a time.
struct Line {
    explicit Line(std::vector<config::Queue> queues, std::int64_t cpu = 4)
        : world(with_queues(std::move(queues), World::sealed_schema())) {
        world.add_node(tests::node("n1", cpu, 64 * 1024));
        running = add("running", 100);
        world.settle();
        REQUIRE(world.is_bound(running));
    }

    /// Created so many minutes ago; `max_wait` is in the annotation, if it is anything.
    std::string add(
        const std::string& name,
        std::int64_t minutes_ago,
        const std::string& max_wait = {},
        std::int32_t priority = 0,
        const std::string& user = "spark") {
        core::Pod pod = tests::driver(name);
        pod.created = world.now_ms / 1'000 - minutes_ago * minute_s;
        pod.priority = priority;
        pod.service_account = user;
        pod.annotations = {{"gang-scheduler/queue", "etl"}};
        if (!max_wait.empty()) pod.annotations.insert(pod.annotations.begin(), {"gang-scheduler/max-wait", max_wait});
        const std::string uid = world.submit(std::move(pod), tests::conf(3));
        names[uid] = name;
        return uid;
    }

    /// Who starts when who runs has ended.
    std::string next(const std::vector<std::string>& waiting) {
        world.set_phase(running, core::PodPhase::succeeded);
        world.advance(2'000);
        std::string all;
        for (const std::string& uid : waiting) {
            if (!world.is_bound(uid)) continue;
            all += names.at(uid);
            running = uid;
        }
        return all;
    }

    World world;
    std::map<std::string, std::string> names;  ///< by uid
    std::string running;
};

std::vector<config::Queue> one_queue(config::QueueOrder order = config::QueueOrder::fifo) {
    config::Queue etl = queue("etl");
    etl.order = order;
    return {etl};
}

}  // namespace

TEST_CASE("max wait: KB-11: who is overdue is admitted ahead, whatever the order of the queue") {
    using Order = config::QueueOrder;
    struct Case {
        Order order;
        bool is_overdue;
    };
    for (const auto& [order, is_overdue] :
         {Case{Order::fifo, false},
          Case{Order::fifo, true},
          Case{Order::priority, false},
          Case{Order::priority, true},
          Case{Order::fair, false},
          Case{Order::fair, true}}) {
        CAPTURE(static_cast<int>(order));
        CAPTURE(is_overdue);
        Line line(one_queue(order));
        // In each order the others go first: older, of a higher priority, of a user who holds nothing.
        const auto older = line.add("older", 90, {}, 1'000, "other");
        const auto waits = line.add("waits", 20, "30m");
        line.world.settle();
        line.world.advance(is_overdue ? 11 * minute_ms : minute_ms);
        CHECK(line.next({older, waits}) == (is_overdue ? "waits" : "older"));
        CHECK(line.next({is_overdue ? older : waits}) == (is_overdue ? "older" : "waits"));
        CHECK(line.world.violations.empty());
    }
}

TEST_CASE("max wait: who is overdue is told so") {
    Line line(one_queue());
    const auto first = line.add("first", 20, "30m");
    const auto second = line.add("second", 20, "50m");
    line.world.settle();
    CHECK(line.world.condition(first).find("than it is to") == std::string::npos);
    line.world.advance(11 * minute_ms);
    says(line.world, first, "; it has waited for longer than it is to, and goes before the others of its queue");
    CHECK(line.world.condition(second).find("than it is to") == std::string::npos);
    line.world.advance(20 * minute_ms);
    says(line.world, second, "it has waited for longer than it is to");
}

TEST_CASE("max wait: of two the one that is overdue for longer goes first, within ten minutes the older") {
    Line line(one_queue());
    // Overdue for 1, 41 and 41 minutes and a bit: lanes begin at whole tens of minutes.
    const auto patient = line.add("patient", 50, "49m");
    const auto urgent = line.add("urgent", 45, "245s");
    const auto alike = line.add("alike", 44, "184s");
    line.world.settle();
    const std::vector<std::string> all = {patient, urgent, alike};
    CHECK(line.next(all) == "urgent");
    CHECK(line.next({patient, alike}) == "alike");
    CHECK(line.next({patient}) == "patient");
}

TEST_CASE("max wait: a queue says it for all, and a gang for itself") {
    auto queues = one_queue();
    queues.front().max_wait_ms = 60 * minute_ms;
    Line line(queues);
    const auto first = line.add("first", 70, "2h");
    const auto second = line.add("second", 65);
    line.world.settle();
    SUBCASE("the gang's own word counts") {
        CHECK(line.next({first, second}) == "second");
    }
    SUBCASE("the file may say otherwise later") {
        queues.front().max_wait_ms = 0;
        line.world.reconfigure(with_queues(queues, World::sealed_schema()));
        line.world.settle();
        CHECK(line.next({first, second}) == "first");
    }
    SUBCASE("and after a restart it is as before") {
        line.world.restart();
        line.world.settle();
        CHECK(line.next({first, second}) == "second");
    }
}

TEST_CASE("max wait: it lifts no limit, and a pod alone may say it too") {
    config::Queue etl = tests::limited("etl", 4);
    Line line({etl}, 64);
    core::Pod pod = tests::pod("alone", 1'000, 64);
    pod.created = line.world.now_ms / 1'000 - 10 * minute_s;
    pod.annotations = {{"gang-scheduler/max-wait", "1m"}, {"gang-scheduler/queue", "etl"}};
    const auto older = line.add("older", 30);
    const auto alone = line.world.create(std::move(pod));
    line.names[alone] = "alone";
    line.world.settle();
    CHECK_FALSE(line.world.is_bound(alone));
    says(line.world, alone, "its limit is 4");
    CHECK(line.next({older, alone}) == "alone");
}

TEST_CASE("max wait: those behind one that waits for a limit wait as well, whatever the order of the queue") {
    for (const bool is_overdue : {false, true}) {
        CAPTURE(is_overdue);
        config::Queue etl = tests::limited("etl", 8);
        etl.order = config::QueueOrder::priority;
        Line line({etl}, 64);
        // 4 of the limit are in use; one asks for 6, and then others for 1.
        core::Pod large = tests::driver("large");
        large.created = line.world.now_ms / 1'000 - 20 * minute_s;
        large.annotations = {
            {"gang-scheduler/max-wait", is_overdue ? "10m" : "30m"}, {"gang-scheduler/queue", "etl"}};
        const auto waits = line.world.submit(std::move(large), tests::conf(5));
        line.world.settle();
        core::Pod small = tests::pod("small", 1'000, 64);
        small.created = line.world.now_ms / 1'000;
        small.annotations = {{"gang-scheduler/queue", "etl"}};
        const auto behind = line.world.create(std::move(small));
        line.world.advance(2'000);
        CHECK_FALSE(line.world.is_bound(waits));
        CHECK(line.world.is_bound(behind) != is_overdue);
        if (!is_overdue) continue;
        line.world.set_phase(line.running, core::PodPhase::succeeded);
        line.world.advance(2'000);
        CHECK(line.world.is_bound(waits));
        CHECK(line.world.is_bound(behind));
    }
}

TEST_CASE("max wait: a queue below one that says it has it from there") {
    auto queues = one_queue();
    config::Queue parent = queue("teams");
    parent.max_wait_ms = 60 * minute_ms;
    queues.front().name = "root.teams.etl";
    queues.push_back(parent);
    config::Schema schema = with_queues(queues, World::sealed_schema());
    World world(schema);
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto running = tests::submit(world, "running", "teams.etl", 3, world.now_ms / 1'000 - 7'200);
    world.settle();
    const auto waits = tests::submit(world, "waits", "teams.etl", 3, world.now_ms / 1'000 - 3'700);
    world.settle();
    says(world, waits, "it has waited for longer than it is to");
    CHECK(world.is_bound(running));
}

TEST_CASE("max wait: what is no duration is said, and changes nothing") {
    Line line(one_queue());
    const auto older = line.add("older", 90);
    const auto waits = line.add("waits", 20, "soon");
    line.world.settle();
    CHECK(line.next({older, waits}) == "older");
    CHECK(line.next({waits}) == "waits");
    CHECK(std::any_of(
        line.world.events.begin(), line.world.events.end(), [](const gang::RecordEvent& event) {
            return event.warning && event.message.find(R"(gang-scheduler/max-wait = "soon" is no duration)") !=
                                        std::string::npos;
        }));
}

TEST_CASE("max wait: without queues all are in the order of their creation") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto running = tests::submit(world, "running", "", 3, 1);
    world.settle();
    core::Pod pod = tests::driver("urgent");
    pod.created = 3;
    pod.annotations = {{"gang-scheduler/max-wait", "1s"}};
    const auto older = tests::submit(world, "older", "", 3, 2);
    const auto urgent = world.submit(std::move(pod), tests::conf(3));
    world.settle();
    world.set_phase(running, core::PodPhase::succeeded);
    world.advance(2'000);
    CHECK(world.is_bound(older));
    CHECK_FALSE(world.is_bound(urgent));
}

TEST_CASE("max wait: a pod group has it from its object, or from its pods") {
    struct Case {
        bool of_object;
        std::int64_t min_members;  ///< 1: they are no gang
    };
    for (const auto& [of_object, min_members] :
         {Case{true, 2}, Case{false, 2}, Case{true, 1}, Case{false, 1}}) {
        CAPTURE(of_object);
        CAPTURE(min_members);
        Line line(one_queue());
        core::PodGroup group{min_members, {}, {}};
        group.queue = "etl";
        group.max_wait = of_object ? "5m" : "";
        line.world.groups["etl/g"] = group;
        const auto older = line.add("older", 30);
        std::vector<std::string> members;
        for (const char* name : {"g-1", "g-2"}) {
            core::Pod pod = tests::pod(name, 2'000, 64);
            pod.created = line.world.now_ms / 1'000 - 10 * minute_s;
            pod.labels = {{"scheduling.x-k8s.io/pod-group", "g"}};
            if (!of_object) pod.annotations = {{"volcano.sh/sla-waiting-time", "5m"}};
            members.push_back(line.world.create(std::move(pod)));
        }
        line.world.settle();
        CHECK(line.next({older}).empty());
        CHECK(line.world.bound_count(members) == 2);
    }
}

TEST_CASE("max wait: many that become overdue one after the other") {
    Line line(one_queue());
    std::vector<std::string> all;
    for (int i = 0; i < 50; ++i) {
        all.push_back(line.add("g" + std::to_string(i), 0, std::to_string(10 * (50 - i)) + "m"));
    }
    line.world.settle();
    line.world.advance(501 * minute_ms);
    // The last is overdue first.
    CHECK(line.next(all) == "g49");
    all.pop_back();
    CHECK(line.next(all) == "g48");
    for (const auto& [uid, name] : line.names) line.world.remove_pod(uid);
    line.world.advance(3'600'000);
    CHECK(line.world.scheduler->remembered() == 0);
}
