// Stories of backfill: who may pass whom, and what was promised is kept.
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using tests::minute_ms;
using tests::World;

namespace {

config::Schema schema_of(config::BackfillMode mode) {
    config::Schema schema = World::sealed_schema();
    schema.backfill.mode = mode;
    return schema;
}

/// Pods of one core each; gangs come one second after the other.
struct Story {
    explicit Story(config::BackfillMode mode = config::BackfillMode::easy)
        : world(schema_of(mode)) {}

    void nodes(const std::vector<std::int64_t>& cores) {
        for (std::size_t i = 0; i < cores.size(); ++i) {
            world.add_node(tests::node("n" + std::to_string(i + 1), cores[i], 64 * 1024));
        }
    }

    /// So many cores for so long; 0: it does not say how long.
    std::string submit(const std::string& name, std::int64_t cores, std::int64_t minutes) {
        core::Pod driver = tests::driver(name);
        driver.created = world.now_ms / 1000 + ++submitted;
        if (minutes > 0) {
            driver.annotations = {
                {"gang-scheduler/expected-duration", std::to_string(minutes) + "m"}};
        }
        const std::string uid = world.submit(std::move(driver), tests::conf(cores - 1));
        world.advance(200);
        return uid;
    }

    void end(const std::string& uid) {
        world.change_pod(uid, [&](core::Pod& pod) {
            pod.phase = core::PodPhase::succeeded;
            pod.ended = world.now_ms / 1000;
        });
        world.advance(200);
    }

    bool runs(const std::string& uid) const { return world.is_bound(uid); }
    const gang::Counters& counters() const { return world.scheduler->counters(); }

    World world;
    std::int64_t submitted = 0;
};

}  // namespace

TEST_CASE("backfill: a short gang passes the head, which starts at its planned instant") {
    Story story;
    story.nodes({4, 4});
    const std::string first = story.submit("first", 4, 10);
    const std::int64_t begin_ms = story.world.now_ms;
    const std::string head = story.submit("head", 8, 10);
    const std::string quick = story.submit("quick", 2, 5);
    REQUIRE(story.runs(first));
    CHECK_FALSE(story.runs(head));
    CHECK(story.runs(quick));
    CHECK(story.counters().backfilled == 1);
    CHECK(story.world.view(head).bypasses == 1);
    const std::int64_t planned_ms = story.world.view(head).planned_ms;
    CHECK(planned_ms >= begin_ms + 10 * minute_ms - 1'000);
    CHECK(planned_ms <= begin_ms + 10 * minute_ms);
    story.world.advance(5 * minute_ms);
    story.end(quick);
    CHECK_FALSE(story.runs(head));
    story.world.advance(planned_ms - story.world.now_ms);
    story.end(first);
    CHECK(story.runs(head));
    CHECK(story.world.now_ms <= planned_ms + 1'000);
    CHECK(story.counters().broken_promises == 0);
}

TEST_CASE("backfill: one that runs too long does not pass, nor one of whom nobody knows how long") {
    Story story;
    story.nodes({4, 4});
    story.submit("first", 4, 10);
    const std::string head = story.submit("head", 8, 10);
    const std::string slow = story.submit("slow", 2, 30);
    const std::string unknown = story.submit("unknown", 2, 0);
    CHECK_FALSE(story.runs(slow));
    CHECK_FALSE(story.runs(unknown));
    CHECK(story.counters().backfilled == 0);
    CHECK(story.world.view(head).bypasses == 0);
}

TEST_CASE("backfill: a long one passes in room that the head does not need at its instant") {
    Story story;
    story.nodes({4, 4});
    const std::string first = story.submit("first", 4, 10);
    const std::string head = story.submit("head", 5, 10);
    const std::string slow = story.submit("slow", 2, 0);
    CHECK_FALSE(story.runs(head));
    CHECK(story.runs(slow));  // at the head's instant there are eight cores, and it needs five
    const std::string other = story.submit("other", 2, 0);
    CHECK_FALSE(story.runs(other));  // with this one, too, there would be four
    story.world.advance(10 * minute_ms);
    story.end(first);
    CHECK(story.runs(head));
}

TEST_CASE("backfill: those behind one whose start is known have one, too; behind another nobody has") {
    Story story;
    story.nodes({4, 4});
    story.submit("first", 4, 10);
    const std::string head = story.submit("head", 8, 10);
    const std::string second = story.submit("second", 8, 10);
    const std::string third = story.submit("third", 8, 0);
    const std::string fourth = story.submit("fourth", 8, 10);
    story.world.advance(minute_ms);
    const auto start_of = [&](const std::string& uid) { return story.world.view(uid).start_ms; };
    CHECK(start_of(head) > 0);
    CHECK(start_of(second) >= start_of(head) + 10 * minute_ms - 1'000);
    CHECK(start_of(third) >= start_of(second) + 10 * minute_ms - 1'000);
    CHECK(start_of(fourth) == 0);
}

TEST_CASE("backfill: devices that the head needs at its instant are kept, and no others") {
    Story story;
    core::Node node = tests::node("n1", 64, 64 * 1024);
    node.allocatable.extended = {{"nvidia.com/gpu", 4}};
    story.world.add_node(node);
    const auto submit = [&](const std::string& name, std::int64_t gpus, std::int64_t minutes) {
        core::Pod driver = tests::driver(name);
        driver.created = story.world.now_ms / 1000 + ++story.submitted;
        driver.requests.extended = {{"nvidia.com/gpu", gpus}};
        if (minutes > 0) {
            driver.annotations = {
                {"gang-scheduler/expected-duration", std::to_string(minutes) + "m"}};
        }
        const std::string uid = story.world.submit(std::move(driver), tests::conf(0));
        story.world.advance(200);
        return uid;
    };
    const std::string first = submit("first", 2, 10);
    REQUIRE(story.runs(first));
    const std::string head = submit("head", 3, 10);
    CHECK_FALSE(story.runs(head));
    const std::string slow = submit("slow", 1, 0);
    CHECK(story.runs(slow));  // at the head's instant there are four, and it needs three
    const std::string other = submit("other", 1, 0);
    CHECK_FALSE(story.runs(other));
    const std::string quick = submit("quick", 1, 5);
    CHECK(story.runs(quick));
    story.world.advance(5 * minute_ms);
    story.end(quick);
    story.world.advance(5 * minute_ms);
    story.end(first);
    CHECK(story.runs(head));
    CHECK_FALSE(story.runs(other));
}

TEST_CASE("backfill: strict without a planned instant, and where it is off") {
    SUBCASE("nobody knows when what runs ends") {
        Story story;
        story.nodes({4, 4});
        story.submit("first", 4, 0);
        const std::string head = story.submit("head", 8, 10);
        const std::string quick = story.submit("quick", 2, 1);
        CHECK_FALSE(story.runs(quick));
        CHECK(story.world.view(head).planned_ms == 0);
        CHECK(story.world.view(head).start_ms == 0);
    }
    SUBCASE("off") {
        Story story(config::BackfillMode::off);
        story.nodes({4, 4});
        story.submit("first", 4, 10);
        story.submit("head", 8, 10);
        const std::string quick = story.submit("quick", 2, 1);
        CHECK_FALSE(story.runs(quick));
        CHECK(story.world.scheduler->remembered() > 0);
    }
}

TEST_CASE("backfill: a head is passed so many times, and no more") {
    config::Schema schema = schema_of(config::BackfillMode::easy);
    schema.backfill.max_bypass = 2;
    Story story;
    story.world.set_schema(schema);
    story.world.restart();
    story.nodes({4, 4});
    story.submit("first", 4, 60);
    const std::string head = story.submit("head", 8, 10);
    std::vector<std::string> quick;
    for (int i = 0; i < 3; ++i) {
        quick.push_back(story.submit("quick-" + std::to_string(i), 1, 5));
    }
    CHECK(story.runs(quick[0]));
    CHECK(story.runs(quick[1]));
    CHECK_FALSE(story.runs(quick[2]));
    CHECK(story.world.view(head).bypasses == 2);
    CHECK(story.world.view(head).message.find("passed by 2 gangs, 2 at most") != std::string::npos);
}

TEST_CASE("backfill: who runs past its time while others wait has broken a promise") {
    Story story;
    story.nodes({4, 4});
    const std::string first = story.submit("first", 4, 10);
    const std::string head = story.submit("head", 8, 10);
    story.world.advance(11 * minute_ms);
    CHECK(story.counters().broken_promises == 1);
    CHECK(story.world.view(first).is_overdue);
    CHECK_FALSE(story.runs(head));
    story.world.advance(minute_ms);
    CHECK(story.counters().broken_promises == 1);
    story.end(first);
    CHECK(story.runs(head));
    REQUIRE(story.counters().start_errors.sum_ms > 0);
    CHECK(story.counters().start_errors.sum_ms < 3 * minute_ms);
}

TEST_CASE("backfill: easy may delay the second in line, conservative does not") {
    for (const auto mode : {config::BackfillMode::easy, config::BackfillMode::conservative}) {
        Story story(mode);
        story.nodes({8});
        const std::string first = story.submit("first", 4, 10);
        const std::string head = story.submit("head", 6, 10);
        const std::string second = story.submit("second", 8, 10);
        CHECK_FALSE(story.runs(head));
        CHECK_FALSE(story.runs(second));
        const bool is_easy = mode == config::BackfillMode::easy;
        CHECK((story.world.view(second).planned_ms == 0) == is_easy);
        // Two cores are left beside the head; the second wants all eight when the head ends.
        CHECK(story.runs(story.submit("slow", 2, 25)) == is_easy);
        // With the slow one there, nothing is left for who runs past the head's instant.
        CHECK(story.runs(story.submit("quick", 2, 15)) != is_easy);
        story.world.advance(10 * minute_ms);
        story.end(first);
        CHECK(story.runs(head));
    }
}

TEST_CASE("backfill: run times are learned, and learned again after a restart") {
    Story story;
    story.nodes({8});
    std::vector<std::string> done;
    for (int i = 0; i < 5; ++i) {
        const std::string uid = story.submit("etl-" + std::to_string(i), 2, 0);
        REQUIRE(story.runs(uid));
        const std::int64_t start = story.world.now_ms / 1000;
        story.world.change_pod(uid, [&](core::Pod& pod) {
            pod.scheduled = core::ScheduledCondition{true, "", "", start};
        });
        story.world.advance((5 + i) * minute_ms);
        story.end(uid);
        done.push_back(uid);
    }
    const auto check = [&story] {
        const std::string run = story.submit("etl-77", 8, 0);
        REQUIRE(story.runs(run));
        const std::string head = story.submit("head", 8, 0);
        const gang::GangView view = story.world.view(head);
        CHECK(view.start_ms >= story.world.now_ms + 7 * minute_ms - 2'000);
        CHECK(view.start_ms <= story.world.now_ms + 7 * minute_ms + 2'000);
        CHECK(view.start_spread_ms >= 2 * minute_ms - 2'000);
        CHECK(view.start_spread_ms <= 2 * minute_ms + 2'000);
        CHECK(view.planned_ms >= story.world.now_ms + 9 * minute_ms - 2'000);
        CHECK(view.message.find("expected to start about") != std::string::npos);
        story.world.remove_application(head);
        story.world.remove_application(run);
        story.world.advance(1'000);
    };
    SUBCASE("in the same life") { check(); }
    SUBCASE("after a restart, from pods that are listed") {
        story.world.restart();
        story.world.advance(5'000);
        check();
    }
    SUBCASE("lists that come again teach nothing twice") {
        story.world.relist();
        story.world.advance(1'000);
        check();
    }
    SUBCASE("pods that are gone teach nothing after a restart") {
        for (const std::string& uid : done) {
            story.world.remove_application(uid);
        }
        story.world.restart();
        story.world.advance(5'000);
        story.submit("etl-88", 8, 0);
        const std::string head = story.submit("head", 8, 0);
        CHECK(story.world.view(head).start_ms == 0);
    }
}

TEST_CASE("backfill: an expected duration that cannot be read is said, and counts for nothing") {
    Story story;
    story.nodes({4});
    core::Pod driver = tests::driver("bad");
    driver.annotations = {{"gang-scheduler/expected-duration", "half an hour"}};
    const std::string uid = story.world.submit(std::move(driver), tests::conf(1));
    story.world.advance(1'000);
    CHECK(story.runs(uid));
    CHECK(story.world.view(uid).end_ms == 0);
    CHECK(std::any_of(
        story.world.events.begin(), story.world.events.end(), [](const auto& event) {
            return event.warning && event.message.find("expected-duration") != std::string::npos;
        }));
}

TEST_CASE("backfill: heads of queues that share nodes are promised one after the other") {
    config::Schema schema = World::sealed_schema();
    for (const char* name : {"root.a", "root.b"}) {
        schema.queues.emplace_back().name = name;
    }
    schema.queues.front().backfill = config::BackfillMode::easy;
    schema.placement = {{config::PlacementRule::Kind::annotation, ""}};
    Story story;
    story.world.set_schema(schema);
    story.world.restart();
    story.nodes({4, 4});
    const auto submit = [&story](const char* name, const char* queue, int cores, int minutes) {
        core::Pod driver = tests::driver(name);
        driver.created = story.world.now_ms / 1000 + ++story.submitted;
        driver.annotations = {
            {"gang-scheduler/expected-duration", std::to_string(minutes) + "m"},
            {"gang-scheduler/queue", queue}};
        const std::string uid = story.world.submit(std::move(driver), tests::conf(cores - 1));
        story.world.advance(200);
        return uid;
    };
    submit("first", "a", 4, 10);
    SUBCASE("the head's queue may be passed") {
        const std::string head = submit("head", "a", 8, 10);
        const std::string quick = submit("quick", "b", 2, 5);
        // `b` has nothing, so its gangs have their turns first anyway.
        CHECK(story.runs(quick));
        CHECK_FALSE(story.runs(head));
    }
    SUBCASE("a queue without backfill is passed by nobody") {
        const std::string head = submit("head", "b", 8, 10);
        const std::string quick = submit("quick", "a", 2, 5);
        CHECK_FALSE(story.runs(head));
        CHECK_FALSE(story.runs(quick));
    }
}
