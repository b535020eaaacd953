// Columns of devices against a look at each node: in clusters whose nodes come, go and change what
// they offer, whose cards are taken and given back, and whose resources' numbers come to mean
// others; and that nothing is looked at where there is no device.

#include "core/cluster/device/device_columns.hpp"

#include "core/cluster/cluster.hpp"
#include "core/cluster/device/card_room.hpp"
#include "core/cluster/allocation/trial.hpp"
#include "core/placement/placement.hpp"
#include "core/value/exclusive.hpp"
#include "tests/core/random.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace core;

namespace {

const std::string share = "alnair/vgpu-memory";
constexpr std::int64_t too_wide = (std::int64_t{1} << 53) + 1;

/// Shapes of all kinds: cards, whole devices (more than columns are kept of), and several at once.
class DeviceLife {
public:
    DeviceLife(tests::Random& random, std::int64_t names) : random_(random), names_(names) {
        for (std::int64_t i = random.between(0, names); i > 0; --i) upsert_node();
    }

    void change() {
        switch (random_.between(0, 7)) {
            case 0:
            case 1:
                return upsert_node();
            case 2:
                if (random_.one_in(2)) cluster_.remove_node(node_name());
                return;
            case 3:
            case 4:
                return release();
            default:
                return allocate();
        }
    }

    /// Every capacity of some shapes, and why a gang that is too large is refused.
    void check(Planner& planner) {
        for (int i = 0; i < 3; ++i) {
            const ShapeId shape = cluster_.intern_shape(amount(), {});
            for (const View view : {View::free, View::without_gangs, View::allocatable}) {
                const auto found = planner.capacities(cluster_, shape, view);
                std::int64_t total = 0;
                for (std::size_t at = 0; at < found.size(); ++at) {
                    const NodeIndex node = cluster_.nodes().by_name()[at];
                    REQUIRE(found[at] == cluster_.capacity(node, shape, view));
                    total += found[at];
                }
                check_refusal(planner, shape, view, total);
            }
            cluster_.release_shape(shape);
        }
    }

    void check_in_trial(Planner& planner) {
        const ShapeId shape = cluster_.intern_shape(amount(), {});
        {
            Trial trial(cluster_);
            for (int i = 0; i < 3 && cluster_.nodes().count() > 0; ++i) {
                const auto at = random_.between(
                    0, static_cast<std::int64_t>(cluster_.nodes().count()) - 1);
                trial.allocate(
                    cluster_.nodes().by_name()[static_cast<std::size_t>(at)], shape, UsedBy::gang);
            }
            check(planner);
        }
        cluster_.release_shape(shape);
        check(planner);
    }

    int card_shortages = 0;

private:
    void check_refusal(Planner& planner, ShapeId shape, View view, std::int64_t total) {
        PlacementRequest request{{}, {{shape, total + 1}}, view, {}};
        request.policy = random_.one_in(2) ? PackingPolicy::tightest : PackingPolicy::fewest_nodes;
        const Placement placement = planner.place(cluster_, request);
        const auto& rejection = std::get<Rejection>(placement);
        REQUIRE(rejection.executors_fit == total);
        std::map<std::string, std::int64_t> said;
        for (const ReasonCount& reason : rejection.reasons) said[reason.reason] = reason.count;
        for (const ExtendedDemand& wanted : cluster_.demand(shape).extended) {
            const std::string& name = cluster_.extended_names().name(wanted.id);
            if (is_exclusive(name)) continue;
            std::int64_t short_nodes = 0;
            for (const NodeIndex node : cluster_.nodes().by_name()) {
                const std::int64_t there = cluster_.capacity(node, shape, view);
                const std::int64_t left = cluster_.columns().extended(node, wanted.id, view);
                short_nodes += left - there * wanted.amount < wanted.amount ? 1 : 0;
            }
            REQUIRE(said["Insufficient " + name] == short_nodes);
            if (name == share) check_card_shortage(rejection, shape, wanted, view);
        }
    }

    /// Each node's pods, one after the other, on the card with the least left.
    void check_card_shortage(
        const Rejection& rejection, ShapeId shape, const ExtendedDemand& wanted, View view) {
        std::optional<CardShortage> expected;
        std::int64_t short_nodes = 0;
        for (const NodeIndex node : cluster_.nodes().by_name()) {
            std::vector<NodeColumns::CardRoom> cards;
            cluster_.columns().for_each_card(node, wanted.id, view, [&](const auto& card) {
                cards.push_back(card);
            });
            if (cards.empty()) continue;
            std::sort(cards.begin(), cards.end(), [](const auto& a, const auto& b) {
                return a.order < b.order;
            });
            for (std::int64_t i = cluster_.capacity(node, shape, view); i > 0; --i) {
                NodeColumns::CardRoom* least = nullptr;
                for (auto& card : cards) {
                    if (card.free < wanted.amount) continue;
                    if (least == nullptr || card.free < least->free) least = &card;
                }
                least->free -= wanted.amount;
            }
            const auto best = std::max_element(
                cards.begin(), cards.end(), [](const auto& a, const auto& b) {
                    return a.free < b.free;
                });
            if (best->free >= wanted.amount) continue;
            ++short_nodes;
            const std::int64_t left = std::max<std::int64_t>(best->free, 0);
            if (expected && left <= expected->best) continue;
            expected.emplace();
            expected->resource = share;
            expected->what = fmt::format("single GPU with {} free {}", wanted.amount, share);
            expected->best = left;
            expected->node = cluster_.nodes().name(node);
            expected->card = cluster_.columns().cards().id(node, best->order);
        }
        REQUIRE(rejection.card.has_value() == expected.has_value());
        if (!expected) return;
        ++card_shortages;
        CHECK(rejection.card->what == expected->what);
        CHECK(rejection.card->best == expected->best);
        CHECK(rejection.card->node == expected->node);
        CHECK(rejection.card->card == expected->card);
        const auto is_said = [&](const ReasonCount& reason) {
            return reason.reason.starts_with("no single GPU") && reason.count == short_nodes;
        };
        CHECK(std::any_of(rejection.reasons.begin(), rejection.reasons.end(), is_said));
    }

    std::string node_name() { return fmt::format("n{:03}", random_.between(1, names_)); }

    void upsert_node() {
        Node node = build::node(node_name())
                        .cpu(random_.between(0, 8))
                        .memory("64Gi")
                        .pods(random_.between(1, 12));
        auto& extended = node.allocatable.extended;
        for (std::int64_t i = random_.between(0, 3); i > 0; --i) {
            const std::string name = fmt::format("example.com/d{}", random_.between(0, 9));
            if (node.allocatable.extended_amount(name) > 0) continue;
            extended.push_back({name, random_.one_in(9) ? too_wide : random_.between(1, 8)});
        }
        if (random_.one_in(2)) {
            NodeCards cards{share, {}, {}};
            std::int64_t sum = 0;
            for (std::int64_t i = random_.between(1, 5); i > 0; --i) {
                const std::int64_t size = random_.one_in(20) ? too_wide : random_.between(1, 16);
                cards.cards.push_back({fmt::format("U{}", i), size});
                sum += size;
            }
            // Some list units and no cards.
            extended.push_back({share, sum});
            if (!random_.one_in(5)) node.cards = std::move(cards);
        }
        std::sort(extended.begin(), extended.end());
        cluster_.upsert_node(node);
    }

    Resources amount() {
        Resources made;
        made.cpu_milli = random_.between(0, 2) * 700;
        made.ephemeral_bytes = 0;
        for (std::int64_t i = random_.one_in(12) ? 6 : random_.between(0, 2); i > 0; --i) {
            const std::string name = fmt::format("example.com/d{}", random_.between(0, 9));
            if (made.extended_amount(name) > 0) continue;
            made.extended.push_back({name, random_.one_in(20) ? too_wide : random_.between(1, 3)});
            std::sort(made.extended.begin(), made.extended.end());
        }
        if (random_.one_in(2)) {
            made.extended.insert(made.extended.begin(), {share, random_.between(1, 9)});
        }
        // A number that was a device's may become a port's, and the other way round.
        if (random_.one_in(6)) core::add_host_ports(made, {{"", "TCP", random_.between(80, 82)}});
        std::sort(made.extended.begin(), made.extended.end());
        return made;
    }

    void allocate() {
        const auto used_by = random_.one_in(2) ? UsedBy::gang : UsedBy::other_scheduler;
        CardUse cards;
        const Resources taken = amount();
        if (random_.one_in(4) && taken.extended_amount(share) > 0) {
            cards.said = {
                {card_name(share, fmt::format("U{}", random_.between(1, 6))),
                 taken.extended_amount(share)}};
        }
        held_.push_back(cluster_.allocations().allocate(
            cluster_.node_or_placeholder(node_name()), taken, used_by, cards));
    }

    void release() {
        if (held_.empty()) return;
        const auto at = held_.begin() + random_.between(0, std::ssize(held_) - 1);
        cluster_.allocations().release(*at);
        held_.erase(at);
    }

    tests::Random& random_;
    std::int64_t names_;
    Cluster cluster_;
    std::vector<AllocationId> held_;
};

Resources gpus(std::int64_t count) {
    return {1'000, 0, 0, {{"a.b/gpu", count}}};
}

std::array<double, block_size> random_rows(tests::Random& random) {
    std::array<double, block_size> rows = {};
    for (double& row : rows) {
        const std::int64_t most = random.one_in(3) ? scanned_max : 40;
        row = random.one_in(4) ? 0 : static_cast<double>(random.between(0, most));
    }
    return rows;
}

}  // namespace

TEST_CASE("devices: capacities by columns are those of a look at each node") {
    tests::Random random;
    CAPTURE(random.seed());
    Planner planner;
    int card_shortages = 0;
    for (int round = 0; round < 60; ++round) {
        DeviceLife life(random, round % 6 == 0 ? 150 : 8);
        for (int step = 0; step < 12; ++step) {
            for (std::int64_t n = random.between(0, 5); n > 0; --n) life.change();
            if (random.one_in(4)) {
                life.check_in_trial(planner);
            } else {
                life.check(planner);
            }
        }
        card_shortages += life.card_shortages;
    }
    CHECK(card_shortages > 200);
}

TEST_CASE("scan: rows limited by devices, and by cards, are exact at every boundary") {
    tests::Random random;
    CAPTURE(random.seed());
    for (int round = 0; round < 300; ++round) {
        Demand demand;
        demand.extended = {{ExtendedId{7}, random.between(1, random.one_in(3) ? scanned_max : 9)}};
        const ScanDemand scanned(demand);
        REQUIRE(scanned.device_count == 1);
        const std::int64_t request = demand.extended[0].amount;
        const auto times = [request](double row) {
            return static_cast<std::int64_t>(row) / request;
        };
        std::vector<double> cards;
        const std::size_t card_count = static_cast<std::size_t>(random.between(1, 5));
        for (std::size_t i = 0; i < card_count; ++i) {
            auto rows = random_rows(random);
            // Just enough for some pods, and one unit less.
            for (std::size_t at = 0; at + 1 < block_size; at += 2) {
                const std::int64_t pods = random.between(0, scanned_max / request);
                rows[at] = static_cast<double>(pods * request);
                rows[at + 1] = std::max(rows[at] - 1, 0.0);
            }
            cards.insert(cards.end(), rows.begin(), rows.end());
        }
        std::array<std::int32_t, block_size> before;
        for (auto& one : before) {
            one = static_cast<std::int32_t>(random.between(0, random.one_in(2) ? INT32_MAX : 9));
        }
        auto by_rows = before;
        limit_rows(scanned.devices[0], cards.data(), by_rows.data());
        auto by_cards = before;
        limit_rows_by_cards(scanned.devices[0], cards.data(), card_count, by_cards.data());
        for (std::size_t i = 0; i < block_size; ++i) {
            REQUIRE(by_rows[i] == std::min<std::int64_t>(before[i], times(cards[i])));
            Wide sum = 0;
            for (std::size_t card = 0; card < card_count; ++card) {
                sum += times(cards[card * block_size + i]);
            }
            REQUIRE(by_cards[i] == std::min<Wide>(before[i], sum));
        }
    }
}

TEST_CASE("devices: a cluster without any free says no by its maxima, however many nodes it has") {
    Cluster cluster;
    for (int i = 0; i < 10'000; ++i) {
        cluster.upsert_node(
            build::node(fmt::format("n{:05}", i)).cpu(64).memory("64Gi").extended("a.b/gpu", "8"));
        cluster.allocations().allocate(
            *cluster.nodes().find(fmt::format("n{:05}", i)),
            gpus(8),
            UsedBy::gang);
    }
    const ShapeId first = cluster.intern_shape(gpus(1), {});
    const ShapeId next = cluster.intern_shape(gpus(2), {});
    Planner planner;
    CHECK_FALSE(planner.fits(cluster, {first, {{first, 100}}}));
    const auto before = planner.groups_scanned();
    CHECK_FALSE(planner.fits(cluster, {next, {{next, 100}}}));
    CHECK(planner.groups_scanned() - before <= 1);
}
