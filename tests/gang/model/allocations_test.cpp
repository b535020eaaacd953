// Events that say nothing new cost no allocation. Every `new` of this program is counted.

#include "core/placement/placement.hpp"
#include "tests/gang/world.hpp"

#include <cstdlib>
#include <new>

namespace {

std::size_t allocations = 0;
std::size_t releases = 0;

/// Blocks that are held now.
std::size_t held_blocks() {
    return allocations - releases;
}

}  // namespace

// All forms but the aligned ones, or some would be allocated here and freed elsewhere.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(bytes == 0 ? 1 : bytes);
}

void* operator new(std::size_t bytes) {
    if (void* memory = operator new(bytes, std::nothrow)) {
        return memory;
    }
    throw std::bad_alloc();
}

void* operator new[](std::size_t bytes) {
    return operator new(bytes);
}

void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return operator new(bytes, std::nothrow);
}

void operator delete(void* memory) noexcept {
    releases += memory == nullptr ? 0 : 1;
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}

void operator delete(void* memory, const std::nothrow_t&) noexcept {
    operator delete(memory);
}

void operator delete[](void* memory) noexcept {
    operator delete(memory);
}

void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}

void operator delete[](void* memory, const std::nothrow_t&) noexcept {
    std::free(memory);
}

namespace {

/// A scheduler of its own, so that nothing but its step() is counted.
config::Schema sealed() {
    config::Schema schema;
    schema.seal_key_file = "key";
    return schema;
}

struct Fed {
    gang::Scheduler scheduler{sealed()};
    gang::StampedEvent event{0, 1'800'000'000'000, gang::Tick{}};

    gang::Decisions step(gang::Event told) {
        event.event = std::move(told);
        ++event.sequence;
        return scheduler.step(event);
    }

    std::size_t count(const gang::StampedEvent& told) {
        const std::size_t before = allocations;
        scheduler.step(told);
        return allocations - before;
    }

    void list(const std::vector<core::Pod>& pods) {
        step(gang::RelistBegun{gang::Kind::nodes});
        step(gang::NodeUpserted{tests::node("node-with-a-name-of-some-length", 64, 256 * 1024)});
        step(gang::RelistEnded{gang::Kind::nodes});
        step(gang::RelistBegun{gang::Kind::pods});
        for (const core::Pod& pod : pods) {
            step(gang::PodUpserted{pod});
        }
        step(gang::RelistEnded{gang::Kind::pods});
        step(gang::LeadershipGained{1});
        step(gang::Tick{});
    }
};

core::Pod with_uid(core::Pod pod, int number) {
    char text[40];
    std::snprintf(text, sizeof text, "5b3e5b3e-0000-4000-8000-%012d", number);
    pod.uid = text;
    pod.resource_version = "1000000000";
    return pod;
}

core::Pod on_node(core::Pod pod) {
    pod.node_name = "node-with-a-name-of-some-length";
    pod.phase = core::PodPhase::running;
    return pod;
}

gang::StampedEvent upsert(const core::Pod& pod) {
    return {1'000, 1'800'000'000'000, gang::PodUpserted{pod}};
}

}  // namespace

TEST_CASE("allocations: noise of pods that are known costs none") {
    const core::Pod driver = with_uid(on_node(tests::driver("an-application-1-driver")), 1);
    const core::Pod executor =
        on_node(with_uid(tests::executor("application-1-exec-1", driver), 2));
    const core::Pod waiting = with_uid(tests::driver("an-application-2-driver"), 3);
    core::Pod other_pod = with_uid(on_node(tests::pod("a-web-server-of-others", 250, 512)), 4);
    other_pod.scheduler_name = "default-scheduler";
    Fed fed;
    fed.list({driver, executor, waiting, other_pod});
    core::Pod pod;
    SUBCASE("a bound executor") {
        pod = executor;
    }
    SUBCASE("a running driver") {
        pod = driver;
    }
    SUBCASE("a waiting driver") {
        pod = waiting;
    }
    SUBCASE("somebody else's pod") {
        pod = other_pod;
    }
    gang::StampedEvent told = upsert(pod);
    fed.scheduler.step(told);
    std::get<gang::PodUpserted>(told.event).pod.resource_version = "1000000001";
    CHECK(fed.count(told) == 0);
    CHECK(fed.count(told) == 0);
    CHECK(fed.count(upsert(with_uid(tests::pod("a-pod-that-is-new", 1, 1), 8))) > 0);
    CHECK(fed.scheduler.explain(executor.uid).has_value());
}

TEST_CASE("allocations: a bound executor begins to run without any") {
    const core::Pod driver = with_uid(on_node(tests::driver("an-application-1-driver")), 1);
    core::Pod executor = on_node(with_uid(tests::executor("application-1-exec-1", driver), 2));
    executor.phase = core::PodPhase::pending;
    Fed fed;
    fed.list({driver, executor});
    executor.phase = core::PodPhase::running;
    CHECK(fed.count(upsert(executor)) == 0);
    CHECK_FALSE(fed.scheduler.compare(executor).has_value());
}

TEST_CASE("allocations: a pod of others that comes where one has gone costs none") {
    core::Pod other_pod = with_uid(on_node(tests::pod("a-web-server-of-others", 250, 512)), 4);
    other_pod.scheduler_name = "default-scheduler";
    Fed fed;
    fed.list({other_pod});
    fed.step(gang::PodDeleted{other_pod.uid});
    fed.step(gang::PodUpserted{with_uid(other_pod, 5)});
    fed.step(gang::PodDeleted{with_uid(other_pod, 5).uid});
    fed.step(gang::PodUpserted{with_uid(other_pod, 6)});
    CHECK(fed.count(upsert(with_uid(other_pod, 7))) == 0);
}

TEST_CASE("allocations: of the labels of a bound driver none is kept") {
    core::Pod driver = with_uid(tests::driver("an-application-1-driver"), 1);
    for (int i = 0; i < 100; ++i) {
        driver.labels.emplace_back("x-" + std::to_string(100 + i), "a value that is not short");
    }
    const gang::StampedEvent waiting = upsert(driver);
    driver.annotations = {{"gang-scheduler/reservation", "v1"}};
    const gang::StampedEvent bound = upsert(on_node(driver));
    Fed fed;
    fed.list({});
    const std::size_t before = held_blocks();
    fed.scheduler.step(waiting);
    CHECK(held_blocks() > before + 100);
    fed.scheduler.step(bound);
    CHECK(held_blocks() < before + 80);
}

TEST_CASE("allocations: drivers that come and go leave nothing behind") {
    const auto live_and_die = [](Fed& fed) {
        const core::Pod driver = with_uid(on_node(tests::driver("an-application-1-driver")), 1);
        const core::Pod executor =
            on_node(with_uid(tests::executor("application-1-exec-1", driver), 2));
        fed.step(gang::PodUpserted{driver});
        fed.step(gang::PodUpserted{executor});
        fed.step(gang::Tick{});
        fed.step(gang::PodDeleted{executor.uid});
        fed.step(gang::PodDeleted{driver.uid});
        fed.step(gang::Tick{});
    };
    Fed fed;
    fed.list({});
    live_and_die(fed);
    const std::size_t before = held_blocks();
    for (int i = 0; i < 200; ++i) {
        live_and_die(fed);
    }
    CHECK(held_blocks() <= before);
}

TEST_CASE(
    "allocations: weighted scores choose nodes with as many as a packing, which is the plan") {
    core::Cluster cluster;
    for (int i = 0; i < 200; ++i) {
        core::Node node = tests::node("n" + std::to_string(i), 4 + i % 5, 64 * 1024);
        node.allocatable.extended = {{"nvidia.com/gpu", i % 9}};
        cluster.upsert_node(node);
    }
    core::Resources wanted;
    wanted.cpu_milli = 1'000;
    wanted.extended = {{"nvidia.com/gpu", 1}};
    core::PlacementRequest request;
    request.executors = {{cluster.intern_shape(wanted, {}), 50}};
    core::Planner planner;
    const auto count = [&] {
        planner.find(cluster, request);
        const std::size_t before = allocations;
        const auto plan = planner.find(cluster, request);
        REQUIRE(plan.has_value());
        return allocations - before;
    };
    request.policy = core::PackingPolicy::least_allocated;
    const std::size_t by_packing = count();
    const core::ScoreOrder scores = {
        {*core::find_score_id("NodeResourcesFit"), 3, {}, {}},
        {*core::find_score_id("TaintToleration"), 2, {}, {}},
        {*core::find_score_id("RequestedToCapacityRatio"),
         5,
         {{"nvidia.com/gpu", 3}, {"cpu", 1}},
         {{0, 0}, {100, 100}}}};
    request.scores = &scores;
    CHECK(count() == by_packing);
}
