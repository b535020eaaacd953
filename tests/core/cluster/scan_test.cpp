// The loops over 64 rows against a look at each row, at amounts that just fit, and just do not.

#include "core/cluster/scan.hpp"

#include "core/cluster/capacities.hpp"
#include "core/cluster/cluster.hpp"
#include "core/placement/packing/packing.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

using namespace core;

namespace {
namespace scan_by_hand {

using tests::Walk;
using Numbers = std::array<std::int32_t, block_size>;
using Rows = std::array<double, block_size>;
using Amounts = std::vector<std::int64_t>;

constexpr std::int32_t largest = std::numeric_limits<std::int32_t>::max();

Numbers draw(Walk& walk, const std::vector<std::int32_t>& from) {
    Numbers numbers = {};
    for (std::int32_t& one : numbers) one = walk.of(from);
    return numbers;
}

std::uint64_t bits_of(const auto& is_set) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < block_size; ++i) bits |= std::uint64_t{is_set(i)} << i;
    return bits;
}

TEST_CASE("scan: what is known of 64 capacities") {
    Walk walk(51);
    const std::vector<std::vector<std::int32_t>> kinds = {
        {0},
        {0, 0, 1},
        {0, 1, 2, 3},
        {5},
        {1 << 25},
        {(1 << 25) - 1},
        {largest},
        {largest, 0},
        {largest, largest - 1, 1}};
    for (int round = 0; round < 90; ++round) {
        const Numbers numbers = draw(walk, kinds[static_cast<std::size_t>(round) % kinds.size()]);
        Summary by_hand;
        for (const std::int32_t one : numbers) {
            by_hand.total += one;
            by_hand.most = std::max(by_hand.most, one);
            if (one > 0 && (by_hand.least == 0 || one < by_hand.least)) by_hand.least = one;
        }
        const Summary found = summarize(numbers.data(), by_hand.most);
        CHECK(found == by_hand);
        CHECK(summarize(numbers.data(), 0x1p31) == by_hand);
        CHECK(largest_of(numbers.data()) == by_hand.most);
        CHECK(least_of(numbers.data()) == by_hand.least);
        const std::int32_t limit = walk.of(numbers);
        for (const std::int32_t at : {limit, limit == largest ? limit : limit + 1, std::max(limit - 1, 0), 1}) {
            const auto up_to = [&](std::size_t i) { return numbers[i] > 0 && numbers[i] <= at; };
            const auto from = [&](std::size_t i) { return numbers[i] >= at; };
            CHECK(bits_up_to(numbers.data(), at) == bits_of(up_to));
            CHECK(bits_from(numbers.data(), at) == bits_of(from));
            Numbers capped = numbers;
            cap_rows(capped.data(), at);
            for (std::size_t i = 0; i < block_size; ++i) CHECK(capped[i] == std::min(numbers[i], at));
        }
        const std::uint64_t kept = walk.pick(std::size_t{1} << 62) * 5;
        Numbers masked = {};
        mask_rows(numbers.data(), kept, masked.data());
        for (std::size_t i = 0; i < block_size; ++i) CHECK(masked[i] == (((kept >> i) & 1U) != 0 ? numbers[i] : 0));
    }
}

TEST_CASE("scan: rows of room, by what pods ask of each resource") {
    Walk walk(52);
    for (int round = 0; round < 200; ++round) {
        const auto request = [&] {
            return walk.of(Amounts{0, 0, 1, 3, 7, 1000, scanned_max - 1, scanned_max, scanned_max + 1});
        };
        const Demand demand{request(), request(), request(), {}};
        const ScanDemand scanned(demand);
        const std::array<std::int64_t, 3> requests = {demand.cpu_milli, demand.memory_bytes, demand.ephemeral_bytes};
        CHECK(scanned.is_wide == std::any_of(requests.begin(), requests.end(), [](auto one) {
                  return one > scanned_max;
              }));
        CHECK_FALSE(scanned.leaves_devices_out);
        std::array<Rows, plain_resources> rooms;
        std::array<double, plain_resources> taken = {};
        FreeRows rows = {};
        for (std::size_t resource = 0; resource < plain_resources; ++resource) {
            const std::int64_t asked = resource < 3 ? requests[resource] : 1;
            for (double& room : rooms[resource]) {
                const std::int64_t times = walk.of(Amounts{0, 1, 2, 9, 1000});
                const std::int64_t whole = asked > 0 && times > scanned_max / asked ? scanned_max : asked * times;
                room =
                    static_cast<double>(std::clamp<std::int64_t>(whole + walk.of(Amounts{0, -1, 1}), 0, scanned_max));
                if (resource == 3) room = static_cast<double>(walk.of(Amounts{110, 3, 1, 0, pod_slots_max}));
            }
            rows[resource] = rooms[resource].data();
            taken[resource] = static_cast<double>(walk.of(Amounts{0, 1, 5}));
        }
        const auto by_hand = [&](std::size_t row, bool beside) {
            std::int64_t least = std::numeric_limits<std::int64_t>::max();
            for (std::size_t resource = 0; resource < plain_resources; ++resource) {
                const double rest = rooms[resource][row] - (beside ? taken[resource] : 0);
                const auto room = static_cast<std::int64_t>(std::max(rest, 0.0));
                const std::int64_t asked = resource < 3 ? requests[resource] : 1;
                if (asked > 0 && asked <= scanned_max) least = std::min(least, room / asked);
            }
            return least;
        };
        Numbers found = {};
        scan_rows(scanned, rows, found.data());
        Numbers beside = {};
        scan_rows_beside(scanned, rows, taken, beside.data());
        for (std::size_t i = 0; i < block_size; ++i) {
            REQUIRE(found[i] == by_hand(i, false));
            REQUIRE(beside[i] == by_hand(i, true));
        }
        Numbers filled = {};
        for (std::size_t i = 0; i < block_size; ++i) filled[i] = std::min(found[i], 1000);
        const auto filler = static_cast<double>(requests[0] > scanned_max ? 0 : requests[0]);
        for (const double wanted : {0.0, 1.0, 3.0, 1000.0}) {
            const auto room = [&](std::size_t i) { return rooms[0][i]; };
            CHECK(bits_short(rows[0], wanted, nullptr, 0) == bits_of([&](std::size_t i) { return room(i) < wanted; }));
            CHECK(bits_short(rows[0], wanted, filled.data(), filler) == bits_of([&](std::size_t i) {
                      return room(i) - filled[i] * filler < wanted;
                  }));
        }
        CHECK(largest_free(rows[1]) == *std::max_element(rooms[1].begin(), rooms[1].end()));
    }
}

TEST_CASE("scan: of the devices that a pod asks for four are in the list, and none that is too wide for it") {
    Demand demand;
    for (std::uint32_t i = 0; i < 4; ++i) {
        demand.extended.push_back({{i}, i == 2 ? scanned_max : 3});
        const ScanDemand scanned(demand);
        CHECK(scanned.device_count == i + 1);
        CHECK_FALSE(scanned.leaves_devices_out);
        CHECK_FALSE(scanned.is_wide);
        CHECK(scanned.devices[i].id == ExtendedId{i});
    }
    demand.extended.push_back({{9}, 1});
    CHECK(ScanDemand(demand).device_count == 4);
    CHECK(ScanDemand(demand).leaves_devices_out);
    demand.extended = {{{1}, scanned_max + 1}, {{2}, 1}};
    const ScanDemand wide(demand);
    CHECK(wide.is_wide);
    CHECK(wide.device_count == 1);
    CHECK(wide.devices[0].id == ExtendedId{2});
    CHECK_FALSE(wide.wants_cards);
    demand.wants_cards = true;
    CHECK(ScanDemand(demand).wants_cards);
}

TEST_CASE("capacities: whoever has seen enough blocks is shown no more, not even of the next region") {
    Cluster cluster;
    constexpr int nodes = 64 * 64 + 70;
    for (int i = 0; i < nodes; ++i) {
        std::string name = std::to_string(10'000 + i);
        cluster.upsert_node(build::node(name.insert(0, 1, 'n')).cpu(i % 640 < 64 ? 2 : 1));
    }
    const ShapeId shape = cluster.intern_shape(build::resources("1"), {});
    Packing packing;
    packing.begin(cluster, View::free, {}, {});
    const Capacities& capacities = packing.capacities().of(shape);
    std::vector<std::size_t> seen;
    const auto see = [&](std::size_t most) {
        return [&seen, most](std::size_t block) {
            seen.push_back(block);
            return seen.size() < most;
        };
    };
    const std::vector<std::size_t> twos = {0, 10, 20, 30, 40, 50, 60};
    for (const std::size_t most : {1U, 3U, 100U}) {
        seen.clear();
        capacities.for_each_block_from(2, see(most));
        CHECK(
            seen == std::vector<std::size_t>(
                        twos.begin(), twos.begin() + static_cast<std::ptrdiff_t>(std::min(most, twos.size()))));
        seen.clear();
        capacities.for_each_block_from(1, see(most));
        CHECK(seen.size() == std::min<std::size_t>(most, 66));
        seen.clear();
        capacities.for_each_block_up_to(1, see(most));
        CHECK(seen.size() == std::min<std::size_t>(most, 59));
        CHECK(seen.front() == 1);
    }
    packing.end();
}

}  // namespace scan_by_hand
}  // namespace
