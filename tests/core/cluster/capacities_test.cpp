// What a block, and all of them, say of 64 capacities each, against a look at every one of them;
// and that a question leaves the capacities as it found them.
#include "core/cluster/capacities.hpp"

#include "core/cluster/cluster.hpp"
#include "core/placement/packing/packing.hpp"
#include "tests/core/random.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

using namespace core;

namespace {

constexpr std::int32_t most_cores = 9;

Cluster random_cluster(tests::Random& random, int nodes) {
    Cluster cluster;
    // Some have few capacities: blocks are then alike, or empty.
    const std::int64_t cores_max = random.one_in(3) ? 1 : most_cores;
    for (int i = 0; i < nodes; ++i) {
        const std::int64_t cores = random.one_in(4) ? 0 : random.between(0, cores_max);
        cluster.upsert_node(build::node(fmt::format("n{:05}", i)).cpu(cores).memory("64Gi"));
    }
    return cluster;
}

std::vector<std::int32_t> all_of(const Capacities& capacities, std::size_t nodes) {
    std::vector<std::int32_t> all;
    for (std::size_t i = 0; i < nodes; ++i) {
        all.push_back(static_cast<std::int32_t>(capacities.at(static_cast<Position>(i))));
    }
    return all;
}

void check(const Capacities& capacities, std::size_t nodes) {
    const std::vector<std::int32_t> all = all_of(capacities, nodes);
    std::set<std::int32_t> levels(all.begin(), all.end());
    levels.erase(0);
    std::int64_t total = 0;
    for (const std::int32_t capacity : all) total += capacity;
    REQUIRE(capacities.total() == total);
    REQUIRE(capacities.least() == (levels.empty() ? 0 : *levels.begin()));
    REQUIRE(capacities.most() == (levels.empty() ? 0 : *levels.rbegin()));
    for (std::int32_t level = 1; level <= most_cores + 1; ++level) {
        const auto above = levels.upper_bound(level);
        REQUIRE(capacities.next_above(level) == (above == levels.end() ? 0 : *above));
        const auto from = levels.lower_bound(level);
        REQUIRE(capacities.next_below(level) == (from == levels.begin() ? 0 : *std::prev(from)));
        for (std::size_t block = 0; block < capacities.block_count(); ++block) {
            if (!capacities.takes_any(block)) continue;
            std::uint64_t expected = 0;
            for (std::size_t i = block * block_size; i < nodes && i / block_size == block; ++i) {
                expected |= std::uint64_t{all[i] == level} << (i % block_size);
            }
            REQUIRE(capacities.nodes_at(block, level) == expected);
        }
    }
}

/// Lowers some, checks, and goes back step by step.
void set_some(tests::Random& random, Capacities& capacities, std::size_t nodes, int depth) {
    const std::vector<std::int32_t> before = all_of(capacities, nodes);
    const std::size_t set_before = capacities.set_count();
    for (std::int64_t i = random.between(1, 6); i > 0; --i) {
        const auto position =
            static_cast<Position>(random.between(0, static_cast<std::int64_t>(nodes) - 1));
        capacities.set(position, random.between(0, capacities.at(position)));
        if (random.one_in(2)) check(capacities, nodes);
    }
    if (depth > 0) set_some(random, capacities, nodes, depth - 1);
    capacities.undo(set_before);
    REQUIRE(all_of(capacities, nodes) == before);
    check(capacities, nodes);
}

std::array<std::int32_t, block_size> random_numbers(tests::Random& random) {
    std::array<std::int32_t, block_size> numbers = {};
    const std::int64_t largest = random.one_in(3) ? std::int64_t{INT32_MAX} : 5;
    for (std::int32_t& number : numbers) {
        number = static_cast<std::int32_t>(random.one_in(3) ? 0 : random.between(0, largest));
    }
    if (random.one_in(4)) numbers[5] = INT32_MAX;
    return numbers;
}

}  // namespace

TEST_CASE("capacities: what blocks know is what a look at every node finds") {
    tests::Random random;
    CAPTURE(random.seed());
    for (const int nodes : {1, 64, 65, 200, 4'300}) {
        Cluster cluster = random_cluster(random, nodes);
        const ShapeId shape = cluster.intern_shape(build::resources("1", "1Gi"), {});
        Packing packing;
        packing.begin(cluster, View::free, {}, {});
        Capacities& capacities = packing.capacities().of(shape);
        check(capacities, static_cast<std::size_t>(nodes));
        for (int round = 0; round < (nodes > 1'000 ? 2 : 20); ++round) {
            set_some(random, capacities, static_cast<std::size_t>(nodes), 2);
        }
        packing.end();
        // Blocks that are read again have forgotten which nodes had the least and the most.
        for (int round = 0; round < 4; ++round) {
            const auto at = static_cast<std::size_t>(random.between(0, nodes - 1));
            cluster.allocations().allocate(
                cluster.nodes().by_name()[at], build::resources("1", "1Gi"), UsedBy::other_scheduler);
            packing.begin(cluster, View::free, {}, {});
            check(packing.capacities().of(shape), static_cast<std::size_t>(nodes));
            packing.end();
        }
    }
}

TEST_CASE("capacities: a restricted shape has those of the whole one where its nodes are") {
    tests::Random random;
    CAPTURE(random.seed());
    for (const int nodes : {1, 64, 200, 4'300}) {
        Cluster cluster = random_cluster(random, nodes);
        const ShapeId shape = cluster.intern_shape(build::resources("1", "1Gi"), {});
        NodeBitmap some;
        for (std::size_t i = 0; i < cluster.nodes().count(); ++i) some.set(i, random.one_in(3));
        const ShapeId restricted = cluster.restrict_shape(shape, some, {});
        for (const bool whole_is_known : {false, true}) {
            const Cluster copy = cluster;  // without any capacities
            Packing packing;
            if (whole_is_known) {
                packing.begin(copy, View::free, {}, {});
                packing.capacities().of(shape);
                packing.end();
            }
            packing.begin(copy, View::free, {}, {});
            const auto before = packing.groups_scanned();
            const Capacities& found = packing.capacities().of(restricted);
            CHECK((packing.groups_scanned() == before) == whole_is_known);
            check(found, static_cast<std::size_t>(nodes));
            const Capacities& all = packing.capacities().of(shape);
            for (std::size_t i = 0; i < cluster.nodes().count(); ++i) {
                const auto at = static_cast<Position>(i);
                REQUIRE(found.at(at) == (some.test(i) ? all.at(at) : 0));
            }
            packing.end();
        }
        cluster.release_shape(restricted);
    }
}

TEST_CASE("scan: of 64 numbers those at a limit, above and below it") {
    tests::Random random;
    CAPTURE(random.seed());
    for (int round = 0; round < 300; ++round) {
        const auto numbers = random_numbers(random);
        const auto picked = static_cast<std::size_t>(random.between(0, 63));
        for (const std::int32_t limit : {0, 1, 3, 5, numbers[picked], INT32_MAX}) {
            std::uint64_t equal = 0;
            std::int32_t above = 0;
            std::int32_t below = 0;
            for (std::size_t i = 0; i < block_size; ++i) {
                equal |= std::uint64_t{numbers[i] == limit} << i;
                if (numbers[i] > limit && (above == 0 || numbers[i] < above)) above = numbers[i];
                if (numbers[i] < limit) below = std::max(below, numbers[i]);
            }
            REQUIRE(bits_equal(numbers.data(), limit) == equal);
            REQUIRE(least_above(numbers.data(), limit) == above);
            REQUIRE(largest_below(numbers.data(), limit) == below);
        }
    }
}
