// Cards in a cluster against cards that are counted by hand: what a node takes, which card is
// chosen, and what is left after allocations, trials and roll backs in any order.

#include "core/cluster/cluster.hpp"
#include "core/cluster/allocation/cluster_accounts.hpp"
#include "core/cluster/device/card_room.hpp"
#include "core/cluster/allocation/trial.hpp"
#include "core/placement/placement.hpp"
#include "core/value/device/card_ask.hpp"
#include "tests/core/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace core;

namespace {

const std::string units = "alnair/vgpu-memory";

Node card_node(const std::string& name, const std::vector<std::int64_t>& cards) {
    Node node;
    node.name = name;
    node.pods = 110;
    node.ready = true;
    node.allocatable = {64'000, std::int64_t{1} << 38, 0, {}};
    std::int64_t sum = 0;
    NodeCards said{units, {}, {}};
    for (const std::int64_t one : cards) {
        sum += one;
        said.cards.push_back({"U" + std::to_string(said.cards.size() + 1), one});
    }
    if (sum > 0) node.allocatable.extended = {{units, sum}};
    if (!cards.empty()) node.cards = said;
    return node;
}

Resources asking(std::int64_t amount) {
    return {1'000, 0, 0, {{units, amount}}};
}

CardUse on(const std::string& card, std::int64_t amount) {
    return {CardChoice::least_left, {{card_name(units, card), amount}}};
}

std::string card_of(const Cluster& cluster, AllocationId id) {
    const auto cards = cluster.allocations().cards_of(id);
    return cards.empty() ? "" : std::string(id_of_card(cards.front().name));
}

/// All that is left in every view: what names have which numbers is no part of it.
std::vector<std::int64_t> room_of_all(const Cluster& cluster) {
    std::vector<std::int64_t> room;
    const core::NodeColumns& columns = cluster.columns();
    const auto held = cluster.extended_names().find(units);
    for (const NodeIndex node : cluster.nodes().by_name()) {
        for (const View view : {View::free, View::without_gangs, View::allocatable}) {
            for (const auto& column : {columns.cpu(view), columns.memory(view), columns.pods(view)}) {
                room.push_back(column[node.value]);
            }
            if (!held) continue;
            room.push_back(columns.extended(node, *held, view));
            columns.for_each_card(node, *held, view, [&](const core::NodeColumns::CardRoom& card) {
                room.push_back(card.order);
                room.push_back(card.free);
            });
        }
    }
    return room;
}

}  // namespace

TEST_CASE("VGPU-1, VGPU-2, VGPU-7: a pod's units are on one card") {
    Cluster cluster;
    cluster.upsert_node(card_node("n1", {8, 8}));
    const ShapeId six = cluster.intern_shape(asking(6), {});
    const NodeIndex n1 = *cluster.nodes().find("n1");
    CHECK(cluster.capacity(n1, six, View::free) == 2);
    cluster.upsert_pod("a", "n1", asking(4), UsedBy::other_scheduler, on("U1", 4));
    cluster.upsert_pod("b", "n1", asking(4), UsedBy::other_scheduler, on("U2", 4));
    CHECK(cluster.capacity(n1, six, View::free) == 0);
    CHECK(cluster.capacity(n1, six, View::allocatable) == 2);
    const ShapeId four = cluster.intern_shape(asking(4), {});
    CHECK(cluster.capacity(n1, four, View::free) == 2);
    Planner planner;
    const Placement refused = planner.place(cluster, {six, {}});
    REQUIRE(std::holds_alternative<Rejection>(refused));
    CHECK(
        describe(std::get<Rejection>(refused)) ==
        "needs 1 cpu, 6 alnair/vgpu-memory; no node fits, no single GPU with 6 free "
        "alnair/vgpu-memory, best has 4 on n1/U1. 1 no single GPU with 6 free alnair/vgpu-memory");
    cluster.upsert_node(card_node("n2", {16}));
    cluster.upsert_pod("c", "n2", asking(8), UsedBy::other_scheduler, on("U1", 8));
    const Placement placed = planner.place(cluster, {six, {}});
    REQUIRE(std::holds_alternative<Plan>(placed));
    CHECK(cluster.nodes().name(std::get<Plan>(placed).driver) == "n2");
    cluster.remove_pod("a");  // VGPU-9
    CHECK(cluster.capacity(n1, six, View::free) == 1);
}

TEST_CASE("VGPU-17: units of which nobody says the card count on every card") {
    Cluster cluster;
    cluster.upsert_pod("theirs", "n1", asking(8), UsedBy::other_scheduler);
    cluster.upsert_node(card_node("n1", {16, 16}));
    const NodeIndex n1 = *cluster.nodes().find("n1");
    const ShapeId twelve = cluster.intern_shape(asking(12), {});
    const ShapeId eight = cluster.intern_shape(asking(8), {});
    CHECK(cluster.capacity(n1, twelve, View::free) == 0);
    CHECK(cluster.capacity(n1, eight, View::free) == 2);
    cluster.upsert_pod("theirs", "n1", asking(8), UsedBy::other_scheduler, on("U2", 8));
    CHECK(cluster.capacity(n1, twelve, View::free) == 1);
    CHECK(cluster.capacity(n1, eight, View::free) == 3);
    cluster.upsert_pod("theirs", "n1", asking(8), UsedBy::other_scheduler);
    CHECK(cluster.capacity(n1, twelve, View::free) == 0);
}

TEST_CASE("which card: the one left with least, or with most; of equal ones the first") {
    Cluster cluster;
    cluster.upsert_node(card_node("n1", {16, 8, 8}));
    const NodeIndex n1 = *cluster.nodes().find("n1");
    const ShapeId four = cluster.intern_shape(asking(4), {});
    const auto place = [&](CardChoice choice) {
        return card_of(cluster, cluster.allocate(n1, four, UsedBy::gang, 1, choice));
    };
    CHECK(place(CardChoice::least_left) == "U2");
    CHECK(place(CardChoice::least_left) == "U2");
    CHECK(place(CardChoice::most_left) == "U1");
    CHECK(place(CardChoice::most_left) == "U1");
    CHECK(place(CardChoice::most_left) == "U1");  // 8 of U1 and of U3
    CHECK(place(CardChoice::most_left) == "U3");
    CHECK(cluster.capacity(n1, four, View::free) == 2);
    CHECK(cluster.capacity(n1, four, View::without_gangs) == 8);
}

TEST_CASE(
    "VGPU-12: without cards the node's sum counts, and its cards count from when it says them") {
    Cluster cluster;
    Node node = card_node("n1", {8, 8});
    const auto cards = *node.cards;
    node.cards = NodeCards{units, {}, "abc"};
    cluster.upsert_node(node);
    const NodeIndex n1 = *cluster.nodes().find("n1");
    const ShapeId twelve = cluster.intern_shape(asking(12), {});
    CHECK(cluster.capacity(n1, twelve, View::free) == 1);
    const AllocationId six = cluster.allocations().allocate(n1, asking(6), UsedBy::gang);
    CHECK(cluster.allocations().cards_of(six).empty());
    node.cards = cards;
    CHECK(cluster.upsert_node(node));
    CHECK(cluster.capacity(n1, twelve, View::free) == 0);
    const ShapeId four = cluster.intern_shape(asking(4), {});
    CHECK(cluster.capacity(n1, four, View::free) == 0);  // the six may be on either
    cluster.allocations().reallocate(six, asking(6), UsedBy::gang);
    CHECK(card_of(cluster, six) == "U1");
    CHECK(cluster.capacity(n1, four, View::free) == 2);
    cluster.allocations().release(six);
    cluster.release_shape(four);
    cluster.release_shape(twelve);
    for (const Account& account : core::accounts_of(cluster)) CHECK(account.adds_up());
}

TEST_CASE("a card that is gone, overdrawn, or another than was thought") {
    Cluster cluster;
    cluster.upsert_node(card_node("n1", {16, 16}));
    const NodeIndex n1 = *cluster.nodes().find("n1");
    const AllocationId ten = cluster.allocations().allocate(n1, asking(10), UsedBy::gang);
    const AllocationId eight = cluster.allocations().allocate(n1, asking(8), UsedBy::gang);
    CHECK(card_of(cluster, ten) == "U1");
    CHECK(card_of(cluster, eight) == "U2");
    cluster.allocations().reallocate(ten, asking(10), UsedBy::gang, on("U2", 10));  // VGPU-16
    CHECK(cluster.columns().is_overcommitted(n1));
    cluster.allocations().choose_card_anew(eight, CardChoice::least_left);
    CHECK(card_of(cluster, eight) == "U1");
    CHECK_FALSE(cluster.columns().is_overcommitted(n1));
    cluster.upsert_node(card_node("n1", {16}));
    CHECK(cluster.columns().is_overcommitted(n1));  // 18 of 16 altogether
    cluster.allocations().reallocate(ten, asking(4), UsedBy::gang);
    CHECK(card_of(cluster, ten) == "U1");
    CHECK_FALSE(cluster.columns().is_overcommitted(n1));
}

TEST_CASE("a card is known by its id alone: by which it has a name while somebody has some of it") {
    const std::string front = "GPU-8b2a4a5e-0f3c-4d1e-9a7b-00112233ffe";
    Cluster cluster;
    Node node = card_node("n1", {16, 16});
    node.cards->cards[0].id = front + "0";
    node.cards->cards[1].id = front + "1";
    cluster.upsert_node(node);
    const NodeIndex n1 = *cluster.nodes().find("n1");
    CHECK(cluster.room().node_as_told(n1) == node);
    CHECK_FALSE(cluster.upsert_node(cluster.room().node_as_told(n1)));
    CHECK_FALSE(cluster.extended_names().find(card_name(units, front + "1")));
    cluster.upsert_pod("a", "n1", asking(10), UsedBy::other_scheduler, on(front + "1", 10));
    CHECK(cluster.extended_names().find(card_name(units, front + "1")));
    const ShapeId eight = cluster.intern_shape(asking(8), {});
    const auto chosen = [&] {
        const AllocationId id = cluster.allocate(n1, eight, UsedBy::gang);
        const std::string card = card_of(cluster, id);
        cluster.allocations().release(id);
        return card;
    };
    CHECK(chosen() == front + "0");
    std::swap(node.cards->cards[0], node.cards->cards[1]);  // listed in another order
    CHECK(cluster.upsert_node(node));
    CHECK(chosen() == front + "0");
    node.cards->cards[0].id = front + "2";  // the pod's card is gone, and another one there
    CHECK(cluster.upsert_node(node));
    CHECK(cluster.capacity(n1, eight, View::free) == 2);
    CHECK(chosen() == front + "2");
    cluster.remove_pod("a");
    CHECK_FALSE(cluster.extended_names().find(card_name(units, front + "1")));
    cluster.remove_node("n1");
    cluster.release_shape(eight);
    for (const Account& account : core::accounts_of(cluster)) CHECK(account.adds_up());
}

TEST_CASE("whole cards at once: no pod gets one twice") {
    CHECK(times_on_several(std::vector<std::int64_t>{8000, 3000, 9000}, 4000, 2) == 2);
    CHECK(times_on_several(std::vector<std::int64_t>{8000, 3000, 3000}, 4000, 2) == 0);
    CHECK(times_on_several(std::vector<std::int64_t>{16, 8}, 6, 1) == 3);
    CHECK(times_on_several(std::vector<std::int64_t>{}, 6, 1) == 0);
    // By taking the fullest again and again.
    tests::Random random;
    for (int round = 0; round < 2'000; ++round) {
        std::vector<std::int64_t> free;
        for (std::int64_t i = random.between(0, 5); i > 0; --i)
            free.push_back(random.between(-3, 20));
        const std::int64_t asked = random.between(1, 5);
        const auto cards = static_cast<std::size_t>(random.between(1, 3));
        std::vector<std::int64_t> left = free;
        std::int64_t times = 0;
        for (;; ++times) {
            std::sort(left.begin(), left.end(), std::greater<>());
            if (left.size() < cards || left[cards - 1] < asked) break;
            for (std::size_t i = 0; i < cards; ++i) left[i] -= asked;
        }
        CHECK(times_on_several(free, asked, static_cast<int>(cards)) == times);
    }
}

TEST_CASE("cards by chance: capacities and choices are those of cards counted by hand") {
    tests::Random random;
    for (int life = 0; life < 150; ++life) {
        Cluster cluster;
        struct ByHand {
            std::map<std::string, std::int64_t> left;
            std::int64_t sum = 0;
            std::int64_t unknown = 0;
        };
        std::map<std::string, ByHand> nodes;
        for (int i = 0; i < 4; ++i) {
            const std::string name = "n" + std::to_string(i);
            std::vector<std::int64_t> cards;
            for (std::int64_t n = random.between(1, 4); n > 0; --n) {
                cards.push_back(random.between(1, 16));
            }
            const Node node = card_node(name, cards);
            cluster.upsert_node(node);
            for (const Card& card : node.cards->cards) {
                nodes[name].left[card.id] = card.units;
                nodes[name].sum += card.units;
            }
        }
        struct Held {
            AllocationId id;
            std::string node;
            std::string card;
            std::int64_t amount;
        };
        std::vector<Held> held;
        const auto capacity_by_hand = [&](const std::string& name, std::int64_t amount) {
            const ByHand& node = nodes[name];
            std::int64_t times = 0;
            for (const auto& [card, left] : node.left) {
                times += std::max<std::int64_t>(left - node.unknown, 0) / amount;
            }
            return std::min(times, std::max<std::int64_t>(node.sum, 0) / amount);
        };
        for (int step = 0; step < 60; ++step) {
            const std::string name = "n" + std::to_string(random.between(0, 3));
            const NodeIndex node = *cluster.nodes().find(name);
            const std::int64_t amount = random.between(1, 9);
            const ShapeId shape = cluster.intern_shape(asking(amount), {});
            CHECK(cluster.capacity(node, shape, View::free) == capacity_by_hand(name, amount));
            if (random.one_in(3) && !held.empty()) {
                const std::size_t at = static_cast<std::size_t>(
                    random.between(0, static_cast<std::int64_t>(held.size()) - 1));
                const Held one = held[at];
                held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
                cluster.allocations().release(one.id);
                nodes[one.node].sum += one.amount;
                (one.card.empty() ? nodes[one.node].unknown : nodes[one.node].left[one.card]) +=
                    one.card.empty() ? -one.amount : one.amount;
            } else if (random.one_in(4)) {
                const AllocationId id =
                    cluster.allocations().allocate(node, asking(amount), UsedBy::other_scheduler);
                held.push_back({id, name, "", amount});
                nodes[name].sum -= amount;
                nodes[name].unknown += amount;
            } else if (capacity_by_hand(name, amount) > 0) {
                const bool least = random.one_in(2);
                std::optional<std::pair<std::string, std::int64_t>> best;
                for (const auto& [card, left] : nodes[name].left) {
                    if (left - nodes[name].unknown < amount) continue;
                    if (!best || (least ? left < best->second : left > best->second)) {
                        best = {card, left};
                    }
                }
                const Cluster before = cluster;
                {
                    Trial trial(cluster);
                    trial.allocate(node, shape, UsedBy::gang, 1);
                    if (!held.empty()) trial.release(held.front().id);
                }
                CHECK(room_of_all(cluster) == room_of_all(before));
                const AllocationId id = cluster.allocate(
                    node,
                    shape,
                    UsedBy::gang,
                    1,
                    least ? CardChoice::least_left : CardChoice::most_left);
                REQUIRE(best);
                CHECK(card_of(cluster, id) == best->first);
                held.push_back({id, name, best->first, amount});
                nodes[name].sum -= amount;
                nodes[name].left[best->first] -= amount;
            }
            // A gang fits if and only if its pods do by hand.
            const std::int64_t count = random.between(1, 12);
            std::int64_t total = 0;
            for (const auto& [each, by_hand] : nodes) total += capacity_by_hand(each, amount);
            Planner planner;
            const auto plan = planner.find(cluster, {{}, {{shape, count}}});
            CHECK(plan.has_value() == (total >= count));
            if (plan) {
                std::vector<AllocationId> placed;
                for (const NodeCount& some : plan->executors[0]) {
                    for (std::int64_t i = 0; i < some.count; ++i) {
                        placed.push_back(cluster.allocate(some.node, shape, UsedBy::gang));
                        CHECK_FALSE(cluster.allocations().cards_of(placed.back()).empty());
                        CHECK_FALSE(cluster.columns().is_card_overdrawn(
                            some.node, *cluster.extended_names().find(units)));
                    }
                }
                for (const AllocationId id : placed) cluster.allocations().release(id);
            }
            cluster.release_shape(shape);
            for (const Account& account : core::accounts_of(cluster)) CHECK(account.adds_up());
        }
    }
}

// --- asks: several amounts of several cards
// -------------------------------------------------------

namespace {

struct Made {
    std::int64_t memory = 0;
    std::int64_t slots = 10;
};

Node vgpu_node(const std::string& name, const std::vector<Made>& cards) {
    Node node;
    node.name = name;
    node.pods = 110;
    node.ready = true;
    node.allocatable = {64'000, std::int64_t{1} << 38, 0, {}};
    NodeCards said{"volcano.sh/vgpu-memory", {}, {}};
    std::int64_t memory = 0;
    std::int64_t slots = 0;
    for (const Made& one : cards) {
        memory += one.memory;
        slots += one.slots;
        said.cards.push_back(
            {"G" + std::to_string(said.cards.size() + 1), one.memory, 100, one.slots});
    }
    node.allocatable.extended = {
        {"volcano.sh/vgpu-cores", 100 * static_cast<std::int64_t>(cards.size())},
        {"volcano.sh/vgpu-memory", memory},
        {"volcano.sh/vgpu-number", slots}};
    node.cards = said;
    return node;
}

Resources vgpus(std::int64_t number, std::int64_t memory, std::int64_t cores = 0) {
    Resources requests;
    requests.cpu_milli = 100;
    if (cores > 0) requests.extended.push_back({"volcano.sh/vgpu-cores", cores});
    if (memory > 0) requests.extended.push_back({"volcano.sh/vgpu-memory", memory});
    requests.extended.push_back({"volcano.sh/vgpu-number", number});
    REQUIRE(add_card_ask(requests).empty());
    return requests;
}

/// The number of pods that can be put there one by one.
std::int64_t filled(Cluster& cluster, NodeIndex node, const Resources& each) {
    std::vector<AllocationId> taken;
    const ShapeId shape = cluster.intern_shape(each, {});
    while (cluster.capacity(node, shape, View::free) > 0) {
        taken.push_back(cluster.allocate(node, shape, UsedBy::gang));
        REQUIRE_FALSE(cluster.columns().is_overcommitted(node));
        REQUIRE(taken.size() < 1000);
    }
    for (const AllocationId id : taken) cluster.allocations().release(id);
    cluster.release_shape(shape);
    return static_cast<std::int64_t>(taken.size());
}

}  // namespace

TEST_CASE("asks: memory, compute and the number of pods on a card count, each card by itself") {
    Cluster cluster;
    cluster.upsert_node(vgpu_node("n1", {{16000}, {8000}}));
    const NodeIndex n1 = *cluster.nodes().find("n1");
    const auto capacity = [&](const Resources& each) {
        const ShapeId shape = cluster.intern_shape(each, {});
        const std::int64_t found = cluster.capacity(n1, shape, View::free);
        cluster.release_shape(shape);
        return found;
    };
    CHECK(capacity(vgpus(1, 5000)) == 4);      // 3 and 1
    CHECK(capacity(vgpus(1, 3000, 40)) == 4);  // 2 and 2, by compute
    CHECK(capacity(vgpus(2, 5000)) == 1);      // one of each card
    CHECK(capacity(vgpus(2, 9000)) == 0);
    CHECK(capacity(vgpus(3, 1)) == 0);
    CHECK(capacity(vgpus(1, 1)) == 20);  // 10 pods a card
    CHECK(capacity(vgpus(1, 0)) == 2);   // whole cards
    cluster.upsert_node(vgpu_node("n2", {{1000}, {1000}, {2000}}));
    const NodeIndex n2 = *cluster.nodes().find("n2");
    CHECK(filled(cluster, n2, vgpus(2, 1000)) == 2);  // the third card with each of the others
    for (const Resources& each :
         {vgpus(1, 5000), vgpus(1, 3000, 40), vgpus(2, 5000), vgpus(1, 1), vgpus(1, 0)}) {
        CHECK(filled(cluster, n1, each) == capacity(each));
    }
    // Who has all of its compute has the card.
    const AllocationId alone =
        cluster.allocations().allocate(n1, vgpus(1, 100, 100), UsedBy::gang, {CardChoice::least_left, {}});
    CHECK(
        cluster.allocations().cards_of(alone) == std::vector<ExtendedResource>{
                                       {"volcano.sh/vgpu+cores@G2", 100},
                                       {"volcano.sh/vgpu+memory@G2", 100},
                                       {"volcano.sh/vgpu+slots@G2", 10}});
    CHECK(capacity(vgpus(1, 1)) == 10);
    CHECK(capacity(vgpus(1, 5000)) == 3);
    const AllocationId half =
        cluster.allocations().allocate(n1, vgpus(1, 100, 50), UsedBy::gang, {CardChoice::least_left, {}});
    CHECK(capacity(vgpus(1, 100, 100)) == 0);  // no card is idle
    CHECK(capacity(vgpus(1, 100, 50)) == 1);
    cluster.allocations().release(half);
    cluster.allocations().release(alone);
    CHECK(capacity(vgpus(1, 100, 100)) == 2);
}

TEST_CASE("asks: memory on a card that lacks only compute is of no use, and is not what is said to be free") {
    Cluster cluster;
    cluster.upsert_node(vgpu_node("n1", {{16000}, {8000}}));
    const NodeIndex n1 = *cluster.nodes().find("n1");
    const auto most_free = [&](const Resources& each) {
        const ShapeId shape = cluster.intern_shape(each, {});
        std::int64_t found = -1;
        for (const ExtendedDemand& wanted : cluster.demand(shape).extended) {
            if (cluster.columns().names().find_card_ask(wanted.id) != nullptr) {
                found = emptiest_card(cluster.columns(), n1, wanted.id, View::free, {})->free;
            }
        }
        cluster.release_shape(shape);
        return found;
    };
    CHECK(most_free(vgpus(1, 5000, 50)) == 16000);
    cluster.allocations().allocate(n1, vgpus(1, 3000, 60), UsedBy::gang, {CardChoice::least_left, {}});
    cluster.allocations().allocate(n1, vgpus(1, 16000, 60), UsedBy::gang, {CardChoice::least_left, {}});
    CHECK(most_free(vgpus(1, 5000, 40)) == 5000);
    CHECK(most_free(vgpus(1, 5000, 50)) == 0);
    CHECK(most_free(vgpus(1, 5001, 50)) == 5000);
}

TEST_CASE("asks: a pod of somebody else counts where its word says, or on every card") {
    Cluster cluster;
    cluster.upsert_node(vgpu_node("n1", {{16000}, {16000}}));
    const NodeIndex n1 = *cluster.nodes().find("n1");
    const ShapeId ten = cluster.intern_shape(vgpus(1, 10000), {});
    CHECK(cluster.capacity(n1, ten, View::free) == 2);
    cluster.upsert_pod("theirs", "n1", vgpus(1, 8000), UsedBy::other_scheduler);
    CHECK(cluster.capacity(n1, ten, View::free) == 0);
    cluster.upsert_pod(
        "theirs",
        "n1",
        vgpus(1, 8000),
        UsedBy::other_scheduler,
        {CardChoice::least_left,
         {{"volcano.sh/vgpu+memory@G1", 8000}, {"volcano.sh/vgpu+slots@G1", 1}}});
    CHECK(cluster.capacity(n1, ten, View::free) == 1);
    Planner planner;
    const ShapeId two = cluster.intern_shape(vgpus(2, 10000), {});
    const Placement refused = planner.place(cluster, {two, {}});
    REQUIRE(std::holds_alternative<Rejection>(refused));
    CHECK(
        describe(std::get<Rejection>(refused))
            .find(
                "no 2 GPUs with 10000 free volcano.sh/vgpu-memory each, best has 16000 on n1/G2") !=
        std::string::npos);
    cluster.remove_pod("theirs");
    CHECK(std::holds_alternative<Plan>(planner.place(cluster, {two, {}})));
}

TEST_CASE("asks: where no node says its cards nobody is bound") {
    Cluster cluster;
    Node node = vgpu_node("n1", {{16000}});
    node.cards.reset();
    cluster.upsert_node(node);
    Planner planner;
    const ShapeId one = cluster.intern_shape(vgpus(1, 1000), {});
    const Placement refused = planner.place(cluster, {one, {}});
    REQUIRE(std::holds_alternative<Rejection>(refused));
    CHECK(
        describe(std::get<Rejection>(refused)).find("no node says its cards") != std::string::npos);
    cluster.upsert_node(vgpu_node("n1", {{16000}}));
    CHECK(std::holds_alternative<Plan>(planner.place(cluster, {one, {}})));
}

TEST_CASE("asks: a gang's pods of two kinds are planned card by card, as they are counted") {
    tests::Random random;
    for (int round = 0; round < 200; ++round) {
        Cluster cluster;
        std::vector<Made> cards;
        for (std::int64_t i = random.between(1, 4); i > 0; --i) {
            cards.push_back({random.between(1, 5) * 4, random.between(1, 4)});
        }
        cluster.upsert_node(vgpu_node("n1", cards));
        const NodeIndex n1 = *cluster.nodes().find("n1");
        for (int i = 0; i < 3; ++i) {
            const Resources each =
                vgpus(random.between(1, 3), random.between(0, 8), random.between(0, 4) * 25);
            const ShapeId shape = cluster.intern_shape(each, {});
            const std::int64_t capacity = cluster.capacity(n1, shape, View::free);
            cluster.release_shape(shape);
            CHECK(filled(cluster, n1, each) == capacity);
        }
        const auto any = [&] {
            return vgpus(random.between(1, 2), random.between(0, 8), random.between(0, 4) * 25);
        };
        const ShapeId a = cluster.intern_shape(any(), {});
        const ShapeId b = cluster.intern_shape(any(), {});
        const FreeColumns columns(cluster.columns(), View::free);
        if (cluster.capacity(n1, a, View::free) == 0) continue;
        const std::int64_t beside =
            capacity_beside(columns, n1, cluster.demand(b), cluster.demand(a));
        const AllocationId taken = cluster.allocate(n1, a, UsedBy::gang);
        CAPTURE(round);
        CHECK(cluster.capacity(n1, b, View::free) == beside);
        cluster.allocations().release(taken);
    }
}
