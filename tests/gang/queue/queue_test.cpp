// The queue by equivalence classes: how much is looked at when something happens, counted; and that
// nobody who could be helped is forgotten for it.
#include "core/value/exclusive.hpp"
#include "gang/report/status_reporter.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using tests::World;

namespace {

/// Four nodes of 4 cpu, full of one gang, and many that wait: ten sizes, each of which would fit
/// the empty cluster.
struct Crowded {
    explicit Crowded(int gangs) {
        for (int i = 1; i <= 4; ++i) {
            world.add_node(tests::node("n" + std::to_string(i), 4, 64 * 1024));
        }
        full = world.submit("full", 15, 1);
        world.settle();
        for (int i = 0; i < gangs; ++i) {
            drivers.push_back(world.submit("app-" + std::to_string(i), 6 + i * 7 % 10, 2 + i));
        }
        world.advance(10'000);
    }

    std::uint64_t placements_of(const std::function<void()>& event) {
        const auto before = world.scheduler->counters().placements;
        event();
        world.settle();
        return world.scheduler->counters().placements - before;
    }

    World world;
    std::string full;
    std::vector<std::string> drivers;
};

}  // namespace

TEST_CASE("queue: one node joins, and as much is looked at for many gangs as for few") {
    std::vector<std::uint64_t> looked_at;
    for (const int gangs : {20, 400}) {
        Crowded crowded(gangs);
        REQUIRE(crowded.world.is_bound(crowded.full));
        looked_at.push_back(crowded.placements_of(
            [&] { crowded.world.add_node(tests::node("n5", 4, 64 * 1024)); }));
        CHECK_FALSE(crowded.world.is_bound(crowded.drivers[0]));
    }
    CHECK(looked_at[0] == looked_at[1]);
    // The head once, and each size once in each view, for the words.
    CHECK(looked_at[1] <= 1 + 3 * 10);
}

TEST_CASE("queue: an event wakes nobody whom it cannot help") {
    Crowded crowded(50);
    // The look at everybody, for the words, is behind us, and comes no more within this second.
    crowded.placements_of([&] { crowded.world.add_node(tests::node("n5", 1, 64 * 1024)); });
    core::Node tainted = tests::node("n6", 64, 512 * 1024);
    tainted.taints = {{"dedicated", "x", core::TaintEffect::no_schedule}};
    CHECK(crowded.placements_of([&] { crowded.world.add_node(tainted); }) == 0);
    const auto tiny = [] {
        core::Node node = tests::node("n7", 64, 512);  // no pod of theirs asks so little memory
        return node;
    }();
    CHECK(crowded.placements_of([&] { crowded.world.add_node(tiny); }) == 0);
    SUBCASE("whom it can help is helped at once") {
        crowded.world.add_node(tests::node("n8", 16, 64 * 1024));
        crowded.world.settle();
        CHECK(crowded.world.is_bound(crowded.drivers[0]));
    }
}

TEST_CASE("queue: a node joins, and turns and sentences are as many for many gangs as for few") {
    struct Work {
        std::uint64_t attempts = 0;
        std::uint64_t refreshes = 0;
        std::uint64_t sentences = 0;
    };
    std::vector<Work> done;
    for (const int gangs : {40, 800}) {
        Crowded crowded(gangs);
        crowded.world.advance(300'000);  // nothing is left to be said anew
        const gang::Counters before = crowded.world.scheduler->counters();
        crowded.world.add_node(tests::node("n5", 4, 64 * 1024));
        crowded.world.settle();
        const gang::Counters after = crowded.world.scheduler->counters();
        done.push_back(
            {after.attempts - before.attempts,
             after.refreshes - before.refreshes,
             after.sentences - before.sentences});
        CHECK(done.back().refreshes == static_cast<std::uint64_t>(gangs));  // once, by numbers
    }
    CHECK(done[0].attempts == 1);  // of the head
    CHECK(done[1].attempts == 1);
    CHECK(done[1].sentences <= 1 + gang::soft_per_second);
    CHECK(done[0].sentences == done[1].sentences);
}

TEST_CASE("queue: numbers that have changed are said anew to everybody, so many a second") {
    Crowded crowded(70);
    World& world = crowded.world;
    world.advance(300'000);
    world.conditions.clear();
    world.add_node(tests::node("n5", 1, 64 * 1024));
    world.settle();
    const std::string& last = crowded.drivers.back();
    CHECK(world.scheduler->explain(last)->gang.message.starts_with("0/5 nodes"));
    CHECK(world.condition(last).starts_with("0/4 nodes"));
    CHECK(world.conditions.size() <= gang::soft_per_second);
    world.advance(5'000);
    for (const std::string& driver : crowded.drivers) {
        CHECK(world.condition(driver).starts_with("0/5 nodes"));
    }
    const auto sentences = world.scheduler->counters().sentences;
    world.advance(60'000);
    CHECK(world.scheduler->counters().sentences == sentences);  // and then there is silence
}

TEST_CASE("queue: numbers that change while they are said anew are said to those who had them") {
    Crowded crowded(70);
    World& world = crowded.world;
    world.advance(300'000);
    world.add_node(tests::node("n5", 1, 64 * 1024));
    world.advance(1'500);  // some are told
    world.add_node(tests::node("n6", 1, 64 * 1024));
    world.advance(30'000);
    for (const std::string& driver : crowded.drivers) {
        CHECK(world.condition(driver).starts_with("0/6 nodes"));
    }
}

TEST_CASE("queue: another reason is said at once, to all whose reason it is") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto full = world.submit("full", 3, 1);
    world.settle();
    REQUIRE(world.is_bound(full));
    std::vector<std::string> drivers;
    for (int i = 0; i < 60; ++i) {
        drivers.push_back(world.submit("app-" + std::to_string(i), 5 + i % 2 * 4, 2 + i));
    }
    world.advance(10'000);
    for (const std::string& driver : drivers) {
        CHECK(world.condition(driver).ends_with("[ExceedsCluster]"));
    }
    world.add_node(tests::node("n2", 4, 64 * 1024));  // now six pods would fit, but not ten
    world.advance(1'000);
    for (std::size_t i = 0; i < drivers.size(); ++i) {
        const bool is_small = i % 2 == 0;
        CHECK(
            world.view(drivers[i]).state ==
            (is_small ? gang::GangState::waiting : gang::GangState::parked));
        CHECK(world.condition(drivers[i])
                  .ends_with(is_small ? "[WaitingForCapacity]" : "[ExceedsCluster]"));
        CHECK(world.view(drivers[i]).position == (is_small ? static_cast<int>(i) / 2 + 1 : 0));
    }
    world.remove_node("n2");
    world.advance(1'000);
    for (const std::string& driver : drivers) {
        CHECK(world.condition(driver).ends_with("[ExceedsCluster]"));
    }
}

TEST_CASE(
    "queue: gangs that come in another order than they were made stand in the order of that") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto full = world.submit("full", 3, 1);
    world.settle();
    std::vector<std::string> drivers(300);
    for (int i = 0; i < 300; ++i) {
        const int at = i * 97 % 300;
        drivers[static_cast<std::size_t>(at)] =
            world.submit("app-" + std::to_string(at), 3, 10 + at);
    }
    world.advance(3'000);
    for (const int gone : {0, 1, 2, 150, 299}) {
        world.remove_application(drivers[static_cast<std::size_t>(gone)]);
    }
    world.submit("late", 3, 5);
    world.advance(3'000);
    std::int32_t position = 0;
    std::int64_t created = 0;
    for (const gang::GangView& view : world.scheduler->gangs()) {
        if (view.state == gang::GangState::waiting) {
            CHECK(view.position == ++position);
            CHECK(created < world.pod(view.driver_uid).created);
            created = world.pod(view.driver_uid).created;
        }
    }
    CHECK(position == 296);
}

/// Two nodes of four CPUs, each a pool of its own; the first gang fills pool a, the head waits for
/// it.
struct TwoPools {
    TwoPools() {
        for (const char* pool : {"a", "b"}) {
            core::Node node = tests::node(std::string("n-") + pool, 4, 64 * 1024);
            node.labels = {{"pool", pool}};
            world.add_node(node);
        }
        const auto first = submit("first", "a", 3);
        world.advance(5'000);
        head = submit("head", "a", 3);
        world.settle();
        REQUIRE(world.is_bound(first));
        REQUIRE_FALSE(world.is_bound(head));
    }

    /// No pool: any.
    std::string submit(const std::string& name, const std::string& pool, int executors) {
        core::Pod driver = tests::driver(name);
        driver.created = ++submitted;
        gang::spark::Conf conf = tests::conf(executors);
        if (!pool.empty()) {
            driver.constraints.edit().node_selector = {{"pool", pool}};
            conf = tests::with(conf, "spark.kubernetes.node.selector.pool", pool);
        }
        return world.submit(driver, conf);
    }

    World world;
    std::int64_t submitted = 0;
    std::string head;
};

TEST_CASE("queue: pools that share no node need not wait for each other, not even a second") {
    TwoPools pools;
    const auto apart = pools.submit("apart", "b", 3);
    pools.world.settle();
    CHECK(pools.world.is_bound(apart));
}

TEST_CASE(
    "queue: who waits behind a blocked head keeps its own other nodes from those who came later") {
    TwoPools pools;
    World& world = pools.world;

    SUBCASE("it could go anywhere: the other pool is not for who came after it") {
        const auto anywhere = pools.submit("anywhere", "", 3);
        world.settle();
        const auto later = pools.submit("later", "b", 3);
        world.settle();
        CHECK_FALSE(world.is_bound(anywhere));  // the head could use its nodes, too
        CHECK_FALSE(world.is_bound(later));
        world.advance(2'000);
        CHECK(world.view(pools.head).position == 1);
        CHECK(world.view(anywhere).position == 2);
        CHECK(world.view(later).position == 3);

        world.remove_application(pools.head);
        world.settle();
        CHECK(world.is_bound(anywhere));
    }
    SUBCASE("it could go nowhere: it is in nobody's way") {
        const auto never = pools.submit("never", "", 60);
        world.settle();
        const auto later = pools.submit("later", "b", 3);
        world.settle();
        CHECK(world.is_bound(later));
        world.advance(2'000);
        CHECK(world.view(never).state == gang::GangState::parked);
    }
}

TEST_CASE("TOY-8b, TOY-16: queue: a profile's packing and what is scarce decide where pods go") {
    config::Schema schema = World::sealed_schema();
    schema.profiles.front().packing = core::PackingPolicy::gpu_bestfit;
    schema.nodes.scarce = {"nvidia.com/gpu"};
    World world(schema);
    const auto add_node = [&world](const char* name, std::int64_t gpus) {
        core::Node node = tests::node(name, 4, 64 * 1024);
        if (gpus > 0) node.allocatable.extended = {{"nvidia.com/gpu", gpus}};
        world.add_node(node);
    };
    SUBCASE("pods without GPUs: nodes with some come last, not never") {
        add_node("n1", 4);
        add_node("n3", 0);
        std::vector<std::string> chosen;
        for (int i = 0; i < 5; ++i) {
            core::Pod pod = tests::pod("p" + std::to_string(i), 1'000, 1);
            pod.created = i + 1;
            const auto uid = world.create(pod);
            world.settle();
            chosen.push_back(world.node_of(uid));
        }
        CHECK(chosen == std::vector<std::string>{"n3", "n3", "n3", "n3", "n1"});
    }
    SUBCASE("executors with GPUs: where the fewest are left over") {
        add_node("n1", 4);
        add_node("n2", 2);
        add_node("n3", 1);
        add_node("n4", 0);
        gang::spark::Conf conf =
            tests::with(tests::conf(3), "spark.executor.resource.gpu.amount", "1");
        conf = tests::with(conf, "spark.executor.resource.gpu.vendor", "nvidia.com");
        const auto driver = world.submit(tests::driver("d"), conf);
        world.settle();
        REQUIRE(world.is_bound(driver));
        CHECK(world.node_of(driver) == "n4");
        const std::string* text =
            core::find_value(world.pod(driver).annotations, "gang-scheduler/reservation");
        REQUIRE(text != nullptr);
        CHECK(text->find("nodes=n2:2,n3:1") != std::string::npos);
    }
    CHECK(world.violations.empty());
}

TEST_CASE("queue: who waits for a port alone is in nobody's way who wants none") {
    World world;
    for (const char* name : {"n1", "n2"}) world.add_node(tests::node(name, 4, 64 * 1024));
    std::int64_t created = 0;
    const auto create = [&](const std::string& name, std::int64_t cpu_milli, bool with_port) {
        core::Pod pod = tests::pod(name, cpu_milli, 1);
        pod.created = ++created;
        if (with_port) core::add_host_ports(pod.requests, {{"", "TCP", 80}});
        return world.create(pod);
    };
    const auto first = create("first", 1'000, true);
    const auto second = create("second", 1'000, true);
    world.settle();
    REQUIRE(world.is_bound(first));
    REQUIRE(world.is_bound(second));
    const auto third = create("third", 1'000, true);
    world.settle();
    REQUIRE_FALSE(world.is_bound(third));

    SUBCASE("and is served before its like") {
        const auto fourth = create("fourth", 100, true);
        const auto plain = create("plain", 1'000, false);
        world.settle();
        CHECK(world.is_bound(plain));
        world.advance(2'000);
        CHECK(world.view(third).position == 1);
        CHECK(world.view(fourth).position == 2);
        world.remove_pod(first);
        world.settle();
        CHECK(world.is_bound(third));
        CHECK_FALSE(world.is_bound(fourth));
    }
    SUBCASE("but once it is short of CPUs, too, it is") {
        const auto large = create("large", 6'000, false);  // never fits
        const auto filler = create("filler", 3'000, false);
        const auto other = create("other", 3'000, false);
        world.settle();
        CHECK_FALSE(world.is_bound(large));
        REQUIRE(world.is_bound(filler));
        REQUIRE(world.is_bound(other));
        world.remove_pod(first);
        const auto late = create("late", 1'000, false);
        world.settle();
        CHECK(world.is_bound(third));
        CHECK_FALSE(world.is_bound(late));
    }
    CHECK(world.violations.empty());
}

TEST_CASE("queue: of several gangs of a kind the smaller goes when the larger can never") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto large = world.submit("large", 30, 1);
    const auto larger = world.submit("larger", 40, 2);
    const auto small = world.submit("small", 3, 3);
    world.settle();
    CHECK(world.is_bound(small));
    CHECK(world.view(large).state == gang::GangState::parked);
    CHECK(world.view(larger).state == gang::GangState::parked);
    for (int i = 2; i < 10; ++i) {
        world.add_node(tests::node("n" + std::to_string(i), 4, 64 * 1024));
    }
    world.settle();
    CHECK(world.is_bound(large));
    CHECK_FALSE(world.is_bound(larger));
}

TEST_CASE("queue: a driver's own packing counts more than its profile's") {
    config::Schema schema;
    schema.profiles.front().packing = core::PackingPolicy::fewest_nodes;
    World world(schema);
    world.add_node(tests::node("n1", 4, 64 * 1024));
    world.add_node(tests::node("n2", 8, 64 * 1024));
    const auto as_profile = world.submit("profile", 1, 1);
    world.settle();
    CHECK(world.node_of(as_profile) == "n2");
    core::Pod driver = tests::driver("own");
    driver.annotations = {{"gang-scheduler/packing", "tightest"}};
    const auto own = world.submit(driver, tests::conf(1));
    world.settle();
    CHECK(world.node_of(own) == "n1");
    REQUIRE(world.reservation(own));
    CHECK(world.reservation(own)->shapes[0].slots_per_node[0].first == "n1");
}
