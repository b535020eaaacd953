// When a driver's conf is asked for, and what is said while it is missing.

#include "gang/declare/conf_asker.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

using gang::ConfAsker;
using gang::ReasonCode;
using tests::World;

TEST_CASE("conf asker: asks at once, after 0.1 s, 1 s, then doubling up to 30 s") {
    ConfAsker asker;
    asker.want("a", 1'000'000);
    std::vector<std::int64_t> asked;
    for (std::int64_t now = 1'000'000; now < 1'200'000; now += 100) {
        if (!asker.due(now).empty()) {
            asked.push_back(now - 1'000'000);
            asker.missing("a", now);
        }
    }
    CHECK(
        asked == std::vector<std::int64_t>{
                     0,
                     100,
                     1'100,
                     3'100,
                     7'100,
                     15'100,
                     31'100,
                     61'100,
                     91'100,
                     121'100,
                     151'100,
                     181'100});
}

TEST_CASE("conf asker: the number outstanding is bounded") {
    ConfAsker asker;
    for (int i = 0; i < 100; ++i) {
        asker.want("driver-" + std::to_string(i), 0);
    }
    const auto first = asker.due(0);
    CHECK(first.size() == gang::conf_outstanding_max);
    CHECK(asker.due(0).empty());
    asker.missing(first[0], 1);
    asker.forget(first[1]);
    CHECK(asker.due(1).size() == 2);
}

TEST_CASE(
    "conf asker: repeats are limited per second over all gangs, the first two questions are not") {
    ConfAsker asker;
    const auto ask_all = [&asker](std::int64_t now) {
        std::size_t asked = 0;
        for (auto due = asker.due(now); !due.empty(); due = asker.due(now)) {
            asked += due.size();
            for (const auto& uid : due) {
                asker.missing(uid, now);
            }
        }
        return asked;
    };
    for (int i = 0; i < 100; ++i) {
        asker.want("driver-" + std::to_string(i), 0);
    }
    CHECK(ask_all(0) == 100);
    CHECK(asker.all_answered_once());
    CHECK(ask_all(100) == 100);
    CHECK(ask_all(1'100) == gang::conf_repeats_per_second);
    CHECK(asker.next_due_ms(1'100) == 2'000);
    CHECK(ask_all(2'000) == gang::conf_repeats_per_second);
}

TEST_CASE("conf asker: an answer that never comes is asked for again") {
    ConfAsker asker;
    asker.want("a", 0);
    CHECK(asker.due(0).size() == 1);
    CHECK_FALSE(asker.all_answered_once());
    CHECK(asker.next_due_ms(0) == gang::conf_answer_ms_max);
    CHECK(asker.due(gang::conf_answer_ms_max) == std::vector<std::string>{"a"});
    asker.missing("a", gang::conf_answer_ms_max);
    CHECK(asker.all_answered_once());
}

TEST_CASE("conf asker: an answer to a question that was given up is not heard") {
    ConfAsker asker;
    for (int i = 0; i < 40; ++i) {
        asker.want("driver-" + std::to_string(i), 0);
    }
    for (const std::int64_t now : {0, 100}) {
        for (auto due = asker.due(now); !due.empty(); due = asker.due(now)) {
            for (const auto& uid : due) {
                asker.missing(uid, now);
            }
        }
    }
    std::vector<std::string> lost = asker.due(1'100);
    for (const auto& uid : asker.due(2'000)) {
        lost.push_back(uid);
    }
    REQUIRE(lost.size() == gang::conf_outstanding_max);
    const std::int64_t later = 2'000 + gang::conf_answer_ms_max;
    const auto again = asker.due(later);  // not all at once
    const auto waits = std::find_if(lost.begin(), lost.end(), [&again](const auto& uid) {
        return std::find(again.begin(), again.end(), uid) == again.end();
    });
    REQUIRE(waits != lost.end());
    asker.missing(*waits, later);
    asker.forget(*waits);
    const auto last = asker.due(later + 1'000);
    CHECK_FALSE(last.empty());
    CHECK(std::find(last.begin(), last.end(), *waits) == last.end());
}

TEST_CASE("conf: a driver without config map is said so after ten seconds and blocks nobody") {
    World world;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    world.settle();
    const auto lost = world.create(tests::driver("lost"));
    core::Pod later = tests::driver("later");
    later.created = 2'000;
    const auto next = world.submit(later, tests::conf(1));
    world.settle();
    CHECK(world.is_bound(next));
    CHECK(world.condition(lost).find("lost-conf-map") == std::string::npos);
    world.advance(10'000);
    CHECK(world.condition(lost).find("lost-conf-map") == std::string::npos);
    world.advance(6'000);
    CHECK(
        world.condition(lost) ==
        "0/1 nodes looked at: config map etl/spark-drv-lost-conf-map is not readable yet (404: "
        "config map not found) [WaitingForSparkConf]");
    CHECK(world.pod(lost).scheduled->reason == "SchedulingSkipped");
    const auto warnings = [&world, &lost] {
        return std::count_if(
            world.events.begin(), world.events.end(), [&lost](const gang::RecordEvent& event) {
                return event.pod.uid == lost && event.message.ends_with("[WaitingForSparkConf]");
            });
    };
    const auto writes = world.conditions.size();
    world.advance(10'000);
    CHECK(warnings() == 0);
    world.advance(110'000);
    CHECK(warnings() == 1);
    CHECK(world.conditions.size() == writes);
    CHECK(world.fetches.size() <= 12);
    world.confs[lost].conf = tests::conf(1);
    world.advance(31'000);
    CHECK(world.is_bound(lost));
}

TEST_CASE("conf: what else keeps a driver waiting is warned of at once, though its conf is not there yet") {
    World world;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    core::Pod pod = tests::driver("a");
    pod.annotations = {{"gang-scheduler/hold", "true"}};
    const auto driver = world.create(pod);
    world.settle();
    world.advance(2'000);
    CHECK(world.condition(driver).ends_with("[Held]"));
    CHECK(std::any_of(
        world.events.begin(), world.events.end(), [](const gang::RecordEvent& event) {
            return event.reason == "FailedScheduling" && event.message.ends_with("[Held]");
        }));
}

TEST_CASE("conf: a refusal is said at once, with what to do about it") {
    World world;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    const auto driver = world.create(tests::driver("a"));
    world.confs[driver] = {
        std::nullopt, gang::ConfProblem::forbidden, "403: configmaps is forbidden"};
    world.settle();
    CHECK(world.condition(driver).find("403: configmaps is forbidden") != std::string::npos);
    CHECK(world.condition(driver).find("grant the scheduler get") != std::string::npos);
    CHECK(world.condition(driver).ends_with("[WaitingForSparkConf]"));
    world.confs[driver] = {std::nullopt, gang::ConfProblem::unreadable, "no key\nspark.properties"};
    world.advance(2'000);
    CHECK(world.condition(driver).ends_with(
        "is not a Spark conf (no key?spark.properties) [Misconfigured]"));
}

TEST_CASE("conf: a driver that gets its conf late has the rank of its creation") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto running = world.submit("running", 3, 1);
    world.settle();
    core::Pod pod = tests::driver("early");
    pod.created = 10;
    const auto early = world.create(pod);
    const auto late = world.submit("late", 3, 20);
    world.settle();
    world.confs[early].conf = tests::conf(3);
    world.advance(5'000);
    world.remove_application(running);
    world.settle();
    CHECK(world.is_bound(early));
    CHECK_FALSE(world.is_bound(late));
}

TEST_CASE("conf: a driver deleted while its conf is asked for leaves nothing behind") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.hold_conf_answers = true;
    const auto driver = world.create(tests::driver("a"));
    world.settle();
    CHECK(world.fetches.size() == 1);
    world.remove_pod(driver);
    world.settle();
    world.step(gang::SparkConfFound{driver, tests::conf(1)});
    world.advance(120'000);
    CHECK(world.scheduler->gangs().empty());
    CHECK(world.fetches.size() == 1);
}
