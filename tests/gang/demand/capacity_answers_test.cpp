// What becomes of a request for capacity by what the API server answers, and how often it is asked.
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using gang::CapacityAnswered;
using gang::CapacityOutcome;
using tests::World;

namespace {

config::Schema capacity_schema(config::AutoscalingMode mode = config::AutoscalingMode::capacity_buffer) {
    config::Schema schema = World::sealed_schema();
    schema.autoscaling.mode = mode;
    return schema;
}

/// When something of this kind was decided.
template <typename What>
struct Times {
    explicit Times(World& world) {
        world.on_decision = [this, &world](const gang::Decision& decision) {
            if (std::get_if<What>(&decision) != nullptr) ms.push_back(world.now_ms);
        };
    }
    std::vector<std::int64_t> between() const {
        std::vector<std::int64_t> pauses;
        for (std::size_t i = 1; i < ms.size(); ++i) pauses.push_back(ms[i] - ms[i - 1]);
        return pauses;
    }
    std::vector<std::int64_t> ms;
};

std::int64_t asked_executors(const World& world, const std::string& uid) {
    std::int64_t count = 0;
    if (const auto found = world.capacity.find(uid); found != world.capacity.end()) {
        for (const core::CapacityShape& shape : found->second.shapes) count += shape.count;
    }
    return count;
}

std::vector<std::string> not_asked_messages(const World& world) {
    std::vector<std::string> messages;
    for (const gang::RecordEvent& event : world.events) {
        if (event.reason == "AutoscalerNotAsked") messages.push_back(event.message);
    }
    return messages;
}

/// Admitted and running on bought nodes, with so many executors of twenty.
std::string running_in_part(World& world, int executors) {
    const std::string driver = world.submit("etl", 20, 1);
    world.advance(2'000);
    REQUIRE(asked_executors(world, driver) == 20);
    for (int i = 0; i < 6; ++i) world.add_node(tests::node("n" + std::to_string(i), 4, 64 * 1024));
    world.advance(100);
    REQUIRE(world.is_bound(driver));
    world.set_phase(driver, core::PodPhase::running);
    for (const std::string& one : world.create_executors(driver, executors)) {
        world.advance(10);
        world.set_phase(one, core::PodPhase::running);
    }
    world.advance(100);
    return driver;
}

}  // namespace

TEST_CASE("demand: who was not asked is told why, once") {
    const std::map<CapacityOutcome, std::string> reasons = {
        {CapacityOutcome::no_kind, "the cluster has no such kind of object"},
        {CapacityOutcome::forbidden, "the scheduler has no right to write the objects"},
        {CapacityOutcome::refused, "the API server refuses the objects"}};
    for (const auto& [outcome, why] : reasons) {
        World world(capacity_schema());
        world.capacity_outcome = outcome;
        world.submit("etl", 20, 1);
        world.advance(5 * 60'000);
        CHECK(
            not_asked_messages(world) ==
            std::vector<std::string>{
                "no autoscaler is asked for nodes for the executors: " + why + " (told so)"});
    }
}

TEST_CASE("demand: objects that cannot be there are not deleted") {
    for (const bool may_exist : {false, true}) {
        for (const CapacityOutcome outcome : {CapacityOutcome::failed, CapacityOutcome::forbidden}) {
            World world(capacity_schema());
            world.capacity_outcome = outcome;
            world.capacity_may_exist = may_exist;
            const std::string driver = world.submit("etl", 20, 1);
            world.advance(2'000);
            REQUIRE(world.capacity_asked.size() == 1);
            world.remove_pod(driver);
            world.advance(10 * 60'000);
            CHECK(world.capacity_drops == (may_exist ? 1 : 0));
            CHECK(world.scheduler->remembered() == 0);
        }
    }
}

TEST_CASE("demand: objects that were written once are deleted, whatever became of the last write") {
    World world(capacity_schema());
    const std::string driver = running_in_part(world, 0);
    world.capacity_outcome = CapacityOutcome::failed;
    world.capacity_may_exist = false;
    world.create_executors(driver, 12);
    world.advance(100);
    REQUIRE(world.capacity_asked.size() == 2);
    world.remove_application(driver);
    world.advance(5'000);
    CHECK(world.capacity_drops == 1);
    CHECK(world.capacity.empty());
}

TEST_CASE("demand: of objects that nobody may delete no more is known; one that failed is deleted again") {
    for (const CapacityOutcome outcome :
         {CapacityOutcome::no_kind, CapacityOutcome::forbidden, CapacityOutcome::refused, CapacityOutcome::failed}) {
        World world(capacity_schema());
        const std::string driver = world.submit("etl", 20, 1);
        world.advance(2'000);
        REQUIRE(asked_executors(world, driver) == 20);
        world.hold_capacity_answers = true;
        world.remove_pod(driver);
        world.advance(100);
        REQUIRE(world.capacity_drops == 1);
        world.hold_capacity_answers = false;
        world.step(CapacityAnswered{driver, outcome, true, "said the test"});
        const bool is_again = outcome == CapacityOutcome::failed;
        CHECK((world.scheduler->remembered() > 0) == is_again);
        world.advance(1'999);
        CHECK(world.capacity_drops == 1);
        world.advance(1);
        CHECK(world.capacity_drops == (is_again ? 2 : 1));
        CHECK(not_asked_messages(world).empty());
        CHECK(world.scheduler->remembered() == 0);
    }
}

TEST_CASE("demand: an answer that nobody waits for changes nothing, and one for who has gone tells nobody") {
    World world(capacity_schema());
    world.hold_capacity_answers = true;
    const std::string driver = world.submit("etl", 20, 1);
    world.advance(2'000);
    REQUIRE(world.capacity_asked.size() == 1);
    SUBCASE("of a gang that was never asked for") {
        world.step(CapacityAnswered{"nobody", CapacityOutcome::forbidden, true, ""});
        CHECK(world.scheduler->counters().capacity_refused == 0);
    }
    SUBCASE("twice") {
        world.step(CapacityAnswered{driver, CapacityOutcome::written, true, ""});
        world.step(CapacityAnswered{driver, CapacityOutcome::dropped, false, ""});
        CHECK(world.scheduler->counters().capacity_written == 1);
        CHECK(world.scheduler->counters().capacity_dropped == 0);
        CHECK(world.scheduler->totals(world.now_ms).capacity_requests == 1);
    }
    SUBCASE("of a driver that has gone") {
        world.remove_pod(driver);
        world.settle();
        world.step(CapacityAnswered{driver, CapacityOutcome::forbidden, true, ""});
        CHECK(world.scheduler->counters().capacity_refused == 1);
        world.settle();
        CHECK(not_asked_messages(world).empty());
    }
}

TEST_CASE("demand: a driver that is being deleted needs no nodes any more") {
    World world(capacity_schema());
    const std::string driver = world.submit("etl", 20, 1);
    world.advance(2'000);
    REQUIRE(asked_executors(world, driver) == 20);
    world.change_pod(driver, [](core::Pod& pod) { pod.deleting = true; });
    world.advance(100);
    CHECK(world.has_pod(driver));
    CHECK(world.capacity.empty());
    CHECK(world.capacity_drops == 1);
}

TEST_CASE("demand: pauses between writes double, from two seconds where one failed, from a minute where it is refused") {
    using Pauses = std::vector<std::int64_t>;
    World world(capacity_schema());
    Times<gang::WantCapacity> times(world);
    SUBCASE("failed") {
        world.capacity_outcome = CapacityOutcome::failed;
        world.submit("etl", 20, 1);
        world.advance(1'000 + 1'022'000);
        CHECK(
            times.between() == Pauses{2'000, 4'000, 8'000, 16'000, 32'000, 64'000, 128'000, 256'000, 300'000});
    }
    SUBCASE("refused") {
        world.capacity_outcome = CapacityOutcome::refused;
        world.submit("etl", 20, 1);
        world.advance(1'000 + 1'022'000);
        CHECK(times.between() == Pauses{60'000, 120'000, 240'000, 300'000, 300'000});
    }
    SUBCASE("what was written in between is a new beginning") {
        const std::string driver = running_in_part(world, 0);
        world.capacity_outcome = CapacityOutcome::failed;
        world.create_executors(driver, 5);
        world.advance(7'000);
        world.capacity_outcome = CapacityOutcome::written;
        world.advance(8'000);
        REQUIRE(asked_executors(world, driver) == 15);
        world.capacity_outcome = CapacityOutcome::failed;
        times.ms.clear();
        world.create_executors(driver, 5);
        world.advance(7'000);
        CHECK(times.between() == Pauses{2'000, 4'000});
    }
}

TEST_CASE("demand: what stands is listed every ten minutes, sooner if a list was not whole, and after a minute without an answer") {
    World world(capacity_schema());
    Times<gang::ListCapacity> times(world);
    world.advance(100);
    REQUIRE(times.ms.size() == 1);
    const std::int64_t first_ms = times.ms.front();
    SUBCASE("whole") {
        world.advance(600'000);
        REQUIRE(times.ms.size() == 2);
        CHECK(times.ms.back() == first_ms + 600'000);
    }
    SUBCASE("in part") {
        world.step(gang::CapacityListed{false, {}});
        const std::int64_t told_ms = world.now_ms;
        world.advance(40'000);
        REQUIRE(times.ms.size() == 2);
        CHECK(times.ms.back() == told_ms + 30'000);
    }
    SUBCASE("never answered") {
        world.hold_capacity_answers = true;
        world.restart();
        times.ms.clear();
        world.advance(61'000);
        REQUIRE(times.ms.size() == 2);
        CHECK(times.between().front() == 60'000);
    }
}

TEST_CASE("demand: a whole list has what stands for those who wait written again; one in part does not") {
    World world(capacity_schema());
    const std::string waits = world.submit("waits", 20, 1);
    world.advance(2'000);
    REQUIRE(world.capacity_asked.size() == 1);
    SUBCASE("whole") {
        world.capacity.clear();  // somebody has deleted it
        world.step(gang::CapacityListed{true, {}});
        world.advance(100);
        CHECK(world.capacity_asked.size() == 2);
        CHECK(asked_executors(world, waits) == 20);
    }
    SUBCASE("in part") {
        world.step(gang::CapacityListed{false, {}});
        world.advance(100);
        CHECK(world.capacity_asked.size() == 1);
    }
    SUBCASE("of a driver that is not there") {
        world.step(gang::CapacityListed{false, {{"etl", "gone", 2, world.now_ms}}});
        world.advance(100);
        CHECK(world.capacity_asked.size() == 1);
        CHECK(world.capacity_drops == 1);
    }
    SUBCASE("it runs by then") {
        for (int i = 0; i < 6; ++i) world.add_node(tests::node("n" + std::to_string(i), 4, 64 * 1024));
        world.advance(100);
        REQUIRE(world.is_bound(waits));
        world.step(gang::CapacityListed{true, {}});
        world.advance(100);
        CHECK(world.capacity_asked.size() == 1);
    }
}

TEST_CASE("demand: without autoscaling a list says nothing") {
    World world;
    world.step(gang::CapacityListed{true, {{"etl", "gone", 2, world.now_ms}}});
    world.advance(100);
    CHECK(world.capacity_drops == 0);
    CHECK(world.scheduler->remembered() == 0);
}

TEST_CASE("demand: ten writes go out in a second, and the rest in the next") {
    World world(capacity_schema());
    Times<gang::WantCapacity> times(world);
    for (int i = 0; i < 25; ++i) world.submit("g" + std::to_string(i), 20, i + 1);
    world.advance(6'000);
    std::map<std::int64_t, int> by_second;
    for (const std::int64_t ms : times.ms) ++by_second[ms / 1'000];
    std::vector<int> counts;
    for (const auto& [second, count] : by_second) counts.push_back(count);
    CHECK(counts == std::vector<int>{10, 10, 5});
}

TEST_CASE("demand: what is asked for a gang that runs never grows again, and ends five minutes after its driver was bound") {
    World world(capacity_schema());
    const std::string driver = running_in_part(world, 12);
    REQUIRE(asked_executors(world, driver) == 8);
    world.set_phase(world.executors_of(driver).front(), core::PodPhase::failed);
    world.advance(2'000);
    CHECK(asked_executors(world, driver) == 8);
    world.advance(5 * 60'000 - 10'000);
    CHECK(asked_executors(world, driver) == 8);
    world.advance(10'000);
    CHECK(world.capacity.empty());
}

TEST_CASE("demand: open slots of one that has not asked are asked for after two seconds, of capacity buffers alone") {
    for (const auto mode : {config::AutoscalingMode::capacity_buffer, config::AutoscalingMode::provisioning_request}) {
        World world(capacity_schema(mode));
        Times<gang::WantCapacity> times(world);
        for (int i = 0; i < 6; ++i) world.add_node(tests::node("n" + std::to_string(i), 4, 64 * 1024));
        const std::string driver = world.submit("etl", 20, 1);
        world.advance(100);
        REQUIRE(world.is_bound(driver));
        world.set_phase(driver, core::PodPhase::running);
        world.advance(1'500);
        CHECK(times.ms.empty());
        world.advance(3'500);
        CHECK(times.ms.size() == (mode == config::AutoscalingMode::capacity_buffer ? 1 : 0));
    }
}
