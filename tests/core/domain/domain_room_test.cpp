#include "core/domain/domain_room.hpp"

#include "tests/core/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

using namespace core;

namespace {

using Counts = std::vector<std::int64_t>;

RoomByDomain room_of(RuleKind kind, const Counts& matching, const Counts& capacities) {
    RoomByDomain room;
    room.kind = kind;
    for (std::size_t i = 0; i < matching.size(); ++i) {
        room.domains.push_back(
            {DomainId{static_cast<std::uint32_t>(i)}, matching[i], capacities[i]});
    }
    return room;
}

Counts quotas(const RoomByDomain& room, std::int64_t wanted) {
    const auto shared = share_out(room, wanted);
    return shared ? shared->by_domain : Counts{};
}

/// Whether one pod more may go to the domain, by the rule's own words.
bool may_take(const RoomByDomain& room, const Counts& placed, std::size_t at) {
    if (placed[at] == room.domains[at].capacity) return false;
    Counts there = placed;
    for (std::size_t i = 0; i < there.size(); ++i) there[i] += room.domains[i].matching;
    if (room.kind == RuleKind::anti_affinity) return there[at] == 0;
    if (room.kind == RuleKind::affinity) {
        return there[at] > 0 || std::accumulate(there.begin(), there.end(), std::int64_t{0}) == 0;
    }
    const bool has_too_few = static_cast<std::int64_t>(there.size()) < room.min_domains;
    const std::int64_t least = has_too_few ? 0 : *std::min_element(there.begin(), there.end());
    return there[at] + 1 - least <= room.max_skew;
}

/// Every state that can be reached pod by pod.
std::set<Counts> reachable(const RoomByDomain& room) {
    std::set<Counts> seen{Counts(room.domains.size())};
    std::vector<Counts> open(seen.begin(), seen.end());
    while (!open.empty()) {
        const Counts placed = open.back();
        open.pop_back();
        for (std::size_t at = 0; at < placed.size(); ++at) {
            if (!may_take(room, placed, at)) continue;
            Counts next = placed;
            ++next[at];
            if (seen.insert(next).second) open.push_back(next);
        }
    }
    return seen;
}

}  // namespace

TEST_CASE("domain room: spread over three zones, eight fit and nine do not (PRED-11)") {
    const RoomByDomain room = room_of(RuleKind::spread, {0, 0, 0}, {10, 10, 2});
    CHECK(most_pods(room) == 8);
    CHECK(quotas(room, 8) == Counts{3, 3, 2});
    CHECK(quotas(room, 4) == Counts{2, 1, 1});
    CHECK_FALSE(share_out(room, 9));
}

TEST_CASE("domain room: a full domain holds the others back by the skew") {
    RoomByDomain room = room_of(RuleKind::spread, {0, 0}, {4, 1});
    CHECK(most_pods(room) == 3);
    room.max_skew = 2;
    CHECK(most_pods(room) == 4);
    room = room_of(RuleKind::spread, {5, 0}, {9, 2});
    CHECK(quotas(room, 2) == Counts{0, 2});
    CHECK_FALSE(share_out(room, 3));
    CHECK(most_pods(room_of(RuleKind::spread, {}, {})) == 0);
}

TEST_CASE("domain room: with fewer domains than wanted the minimum is none") {
    RoomByDomain room = room_of(RuleKind::spread, {0, 0}, {9, 9});
    room.min_domains = 3;
    room.max_skew = 2;
    CHECK(most_pods(room) == 4);
    CHECK(quotas(room, 3) == Counts{2, 1});
}

TEST_CASE("domain room: pods that avoid each other take one domain each (PRED-9)") {
    RoomByDomain room = room_of(RuleKind::anti_affinity, {0, 0, 1, 0}, {3, 1, 5, 0});
    CHECK(most_pods(room) == 2);
    CHECK(quotas(room, 2) == Counts{1, 1, 0, 0});
    CHECK_FALSE(share_out(room, 3));
    room.domains[1].preference = -1;
    CHECK(quotas(room, 1) == Counts{0, 1, 0, 0});
    room.capacity_without_key = 7;
    CHECK(most_pods(room) == 9);
    CHECK(share_out(room, 5) == DomainQuotas{{1, 1, 0, 0}, 3});
}

TEST_CASE("domain room: pods that want each other take one domain that holds all (PRED-10)") {
    RoomByDomain room = room_of(RuleKind::affinity, {0, 0}, {4, 8});
    CHECK(quotas(room, 6) == Counts{0, 6});
    CHECK(quotas(room, 4) == Counts{4, 0});
    room.domains[1].preference = -1;
    CHECK(quotas(room, 4) == Counts{0, 4});
    CHECK(most_pods(room) == 8);
    CHECK_FALSE(share_out(room, 9));
}

TEST_CASE("domain room: where somebody is that they want, they need not stay together") {
    const RoomByDomain room = room_of(RuleKind::affinity, {1, 0, 2}, {4, 9, 3});
    CHECK(most_pods(room) == 7);
    CHECK(quotas(room, 6) == Counts{4, 0, 2});
    CHECK_FALSE(share_out(room, 8));
}

TEST_CASE("domain room: the most is what can be reached pod by pod, and quotas can be reached") {
    tests::Random random;
    CAPTURE(random.seed());
    for (int round = 0; round < 4'000; ++round) {
        Counts matching;
        Counts capacities;
        for (std::int64_t n = random.between(1, 3); n > 0; --n) {
            matching.push_back(random.one_in(2) ? 0 : random.between(0, 4));
            capacities.push_back(random.between(0, 4));
        }
        const auto kind = static_cast<RuleKind>(random.between(0, 2));
        RoomByDomain room = room_of(kind, matching, capacities);
        room.max_skew = random.between(1, 3);
        room.min_domains = random.between(1, 4);
        for (DomainRoom& one : room.domains) one.preference = random.between(0, 1);
        const std::set<Counts> states = reachable(room);
        std::int64_t most = 0;
        for (const Counts& state : states) {
            most = std::max(most, std::accumulate(state.begin(), state.end(), std::int64_t{0}));
        }
        CHECK(most_pods(room) == most);
        for (std::int64_t wanted = 0; wanted <= most; ++wanted) {
            const Counts shared = quotas(room, wanted);
            CHECK(std::accumulate(shared.begin(), shared.end(), std::int64_t{0}) == wanted);
            CHECK(states.contains(shared));
        }
        CHECK_FALSE(share_out(room, most + 1));
    }
}
