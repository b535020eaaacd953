// A cluster on walks by chance over all that can be done to it: nodes come, change and go, pods of every kind take room
// and give it back, for good or on trial. What every question about it answers is told whenever the answer has changed.

#include "core/cluster/allocation/cluster_accounts.hpp"
#include "core/cluster/allocation/trial.hpp"
#include "core/cluster/cluster.hpp"
#include "core/cluster/device/card_room.hpp"
#include "core/cluster/standard_reasons.hpp"
#include "core/placement/placement.hpp"
#include "core/value/device/card_ask.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace core;

namespace {
namespace cluster_walk {

using tests::Walk;
using Amounts = std::vector<std::int64_t>;

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;
constexpr std::int64_t wide = (std::int64_t{1} << 52) + 1;
const std::string vgpu = "volcano.sh/vgpu+";
const CardFamily& vgpus = *family_of_cards("volcano.sh/vgpu-memory");
const CardFamily& shares = *family_of_cards("volcano.sh/gpu-memory");

/// What the nodes of a walk have, and what its pods ask for.
struct Theme {
    Node (*node)(Walk& walk);
    std::vector<Resources> asks;
    std::vector<std::string> counted;  ///< the resources that cards are counted by
    std::vector<std::string> names;    ///< other extended resources that are looked at
};

Node plain_node(Walk& walk) {
    Node node;
    node.ready = walk.pick(12) != 0;
    node.unschedulable = walk.pick(12) == 0;
    node.pods = walk.of(Amounts{110, 110, 110, 3, 1, 0});
    node.allocatable.cpu_milli = walk.of(Amounts{8000, 8000, 4000, 2000, 0});
    node.allocatable.memory_bytes = walk.of(Amounts{64, 64, 16, 4}) * gibibyte;
    node.allocatable.ephemeral_bytes = walk.of(Amounts{100, 100, 5}) * gibibyte;
    return node;
}

void offer(Node& node, const std::string& name, std::int64_t amount) {
    if (amount == 0) return;
    node.allocatable.extended.push_back({name, amount});
    std::sort(node.allocatable.extended.begin(), node.allocatable.extended.end());
}

Node alnair_node(Walk& walk) {
    Node node = plain_node(walk);
    NodeCards cards{"alnair/vgpu-memory", {}, {}};
    std::int64_t sum = 0;
    for (std::size_t left = walk.pick(5); left > 0; --left) {
        const std::int64_t units = walk.of(Amounts{16, 16, 8, 8, 4, 1, walk.pick(8) == 0 ? wide - 1 : 5});
        cards.cards.push_back({"U" + std::to_string(cards.cards.size() + 1), units});
        sum += units;
    }
    if (walk.pick(12) == 0) std::reverse(cards.cards.begin(), cards.cards.end());
    offer(node, "alnair/vgpu-memory", sum);
    offer(node, "example.com/d", walk.of(Amounts{0, 4, 1, wide - 1, wide}));
    if (walk.pick(10) == 0) cards = {"alnair/vgpu-memory", {}, "not to be read"};
    if (walk.pick(8) != 0) node.cards = cards;
    return node;
}

Node volcano_node(Walk& walk) {
    Node node = plain_node(walk);
    const bool is_vgpu = walk.pick(4) != 0;
    NodeCards cards{std::string(is_vgpu ? vgpus.units : shares.units), {}, {}};
    for (std::size_t left = walk.pick(5); left > 0; --left) {
        Card card{
            "U" + std::to_string(cards.cards.size() + 1), walk.of(Amounts{16'000, 16'000, 8'000, 6'000, 150}), 0, 0};
        if (is_vgpu) {
            card.cores = walk.of(Amounts{100, 100, 100, 50, 0});
            card.slots = walk.of(Amounts{10, 10, 2, 1, 0});
        }
        cards.cards.push_back(card);
    }
    offer(node, std::string(is_vgpu ? vgpus.number : shares.number), static_cast<std::int64_t>(cards.cards.size()) * 3);
    if (walk.pick(10) != 0) node.cards = cards;
    return node;
}

const std::string two_wish = name_of(GpuWish{2, 4000, 0, ""});
const std::string one_wish = name_of(GpuWish{1, 0, 0, "A100"});

Node wishing_node(Walk& walk) {
    Node node = plain_node(walk);
    offer(node, two_wish, walk.of(Amounts{0, 1, 2, 5}));
    offer(node, one_wish, walk.of(Amounts{0, 1, 3}));
    offer(node, "example.com/d", walk.of(Amounts{0, 1, 4, 8, wide - 1, wide}));
    if (walk.pick(3) != 0) set_volume_limits(node.allocatable, {{"ebs", walk.of(Amounts{0, 1, 2, 5})}});
    return node;
}

Resources asking(std::int64_t cpu, const std::vector<ExtendedResource>& extended) {
    Resources made{cpu, cpu == 0 ? 0 : gibibyte, 0, extended};
    std::sort(made.extended.begin(), made.extended.end());
    return made;
}

Theme alnair() {
    const std::string units = "alnair/vgpu-memory";
    return {
        alnair_node,
        {asking(1'000, {{units, 4}}),
         asking(500, {{units, 1}}),
         asking(1'000, {{units, 3}}),
         asking(0, {{units, 8}}),
         asking(0, {{units, 16}}),
         asking(2'000, {}),
         {1'000, 0, 3 * gibibyte, {{units, 5}}},
         asking(0, {{units, 2}, {"example.com/d", 1}})},
        {units},
        {units, "example.com/d"}};
}

Theme volcano() {
    const auto one = [](const CardAsk& ask) { return asking(500, {{name_of(ask), 1}}); };
    // As pods really ask, of what the node lists, too.
    const auto both = [](const CardAsk& ask) {
        return asking(500, {{std::string(ask.family->number), ask.cards}, {name_of(ask), 1}});
    };
    return {
        volcano_node,
        {one({&vgpus, 1, 3'000, 0, 0}),
         both({&vgpus, 1, 8'000, 0, 50}),
         one({&vgpus, 2, 3'000, 0, 30}),
         one({&vgpus, 1, 0, 50, 0}),
         both({&vgpus, 2, 0, 100, 100}),
         one({&vgpus, 1, 0, 1, 100}),
         one({&vgpus, 3, 100, 0, 10}),
         one({&shares, 1, 5'000, 0, 0}),
         both({&shares, 2, 0, 100, 0}),
         asking(1'000, {}),
         asking(0, {{name_of(CardAsk{&vgpus, 1, 3'000, 0, 0}), 1}, {name_of(CardAsk{&vgpus, 1, 1'000, 0, 20}), 1}})},
        {vgpu + "memory", vgpu + "cores", vgpu + "slots", std::string(shares.counted_units)},
        {std::string(vgpus.number), std::string(shares.number)}};
}

Theme wishes() {
    std::vector<Resources> asks = {
        asking(1'000, {{"example.com/d", 1}}),
        asking(0, {{"example.com/d", 3}, {one_wish, 1}}),
        asking(1'000, {{two_wish, 1}}),
        asking(0, {{two_wish, 1}}),
        asking(1'000, {{one_wish, 1}}),
        asking(500, {}),
        asking(500, {}),
        asking(500, {}),
        asking(0, {}),
        asking(500, {}),
        asking(500, {})};
    add_volumes(asks[5], {{"ebs", "v1"}});
    add_volumes(asks[6], {{"ebs", "v1"}, {"ebs", "v2"}});
    add_volumes(asks[7], {{"ebs", ""}, {"efs", "v3"}, {"ebs", "v3"}});
    add_host_ports(asks[8], {{"", "TCP", 80}});
    add_host_ports(asks[9], {{"10.0.0.1", "TCP", 80}});
    add_disks(asks[10], {{"gce-pd d1", true}});
    return {
        wishing_node,
        asks,
        {},
        {two_wish, one_wish, "example.com/d", volume_limit_name("ebs"), volume_limit_name("efs"), "host port 80/TCP"}};
}

bool is_of_cards(const std::string& name) {
    return is_card_ask(name) || name == "alnair/vgpu-memory";
}

class Life {
public:
    Life(Theme theme, std::uint64_t seed) : theme_(std::move(theme)), walk_(seed) {
        cluster_.allocations().gpu_moves().begin();
        cluster_.room();
        for (const Resources& one : theme_.asks) {
            told_ += "shape " + std::to_string(shapes_.size()) + ":";
            told_ += " " + std::to_string(one.cpu_milli) + " " + number(one.memory_bytes);
            for (const ExtendedResource& extended : one.extended) {
                told_ += " " + extended.name + ":" + std::to_string(extended.amount);
            }
            told_ += "\n";
            shapes_.push_back(cluster_.intern_shape(one, {}));
        }
        pods_asked_ = theme_.asks.size();
    }

    std::string run(int steps) {
        for (int i = 0; i < 4; ++i) put_node();
        tell_all();
        for (int i = 0; i < steps; ++i) {
            step();
            tell_all();
            if (i % 10 == 0) check_scans();
        }
        end();
        return std::move(told_);
    }

private:
    // --- what is done ---------------------------------------------------------------------------
    void step() {
        switch (walk_.pick(16)) {
            case 0:
            case 1:
                return put_node();
            case 2:
                return remove_node();
            case 3:
            case 4:
            case 5:
                return allocate();
            case 6:
            case 7:
                return allocate_shape();
            case 8:
            case 9:
                return release();
            case 10:
            case 11:
                return reallocate();
            case 12:
                return choose_anew();
            case 13:
                return try_some();
            case 14:
                return change_pod();
            default:
                return walk_.pick(2) == 0 ? set_headroom() : renew_shape();
        }
    }

    void put_node() {
        Node node = theme_.node(walk_);
        node.name = "n" + std::to_string(walk_.pick(4));
        const bool is_new = cluster_.upsert_node(node);
        is_all_new_ = true;
        say("node " + node.name + (is_new ? "" : ", as before"));
        CHECK_FALSE(cluster_.upsert_node(node));
        CHECK(cluster_.room().node_as_told(*cluster_.nodes().find(node.name)) == node);
    }
    void remove_node() {
        const std::string name = "n" + std::to_string(walk_.pick(4));
        say("without node " + name + (cluster_.remove_node(name) ? "" : ", which was not there"));
    }
    UsedBy user() { return walk_.pick(3) == 0 ? UsedBy::other_scheduler : UsedBy::gang; }
    CardChoice choice() { return walk_.pick(2) == 0 ? CardChoice::most_left : CardChoice::least_left; }
    const Resources& resources() { return theme_.asks[walk_.pick(pods_asked_)]; }
    std::string node_name() { return "n" + std::to_string(walk_.pick(walk_.pick(8) == 0 ? 5 : 4)); }

    /// What somebody may have said of the pod's cards.
    CardUse use(const Resources& resources) {
        CardUse use{choice(), {}};
        if (walk_.pick(3) != 0) return use;
        const std::string card = walk_.pick(8) == 0 ? walk_.of(std::vector<std::string>{"?", "U9"})
                                                    : "U" + std::to_string(1 + walk_.pick(3));
        if (const auto ask = find_card_ask(resources)) {
            const bool tells = walk_.pick(2) == 0;
            if (!ask->family->counted_cores.empty() && ask->cores > 0) {
                use.said.push_back({card_name(ask->family->counted_cores, card), ask->cores});
            }
            use.said.push_back(
                {card_name(ask->family->counted_units, card), tells && ask->units > 0 ? ask->units : by_the_card});
            if (!ask->family->counted_slots.empty()) {
                use.said.push_back(
                    {card_name(ask->family->counted_slots, card), tells && ask->cores < 100 ? 1 : by_the_card});
            }
        } else if (const auto units = resources.extended_amount("alnair/vgpu-memory"); units > 0) {
            use.said.push_back({card_name("alnair/vgpu-memory", card), walk_.pick(4) == 0 ? by_the_card : units});
        }
        return use;
    }
    std::string text_of(const CardUse& use) const {
        std::string text = use.choice == CardChoice::least_left ? " least" : " most";
        for (const ExtendedResource& one : use.said) text += " " + one.name + ":" + std::to_string(one.amount);
        return text;
    }
    static std::string text_of(UsedBy used_by) { return used_by == UsedBy::gang ? " gang" : " other"; }

    void allocate() {
        const std::string name = node_name();
        const Resources& wanted = resources();
        const CardUse cards = use(wanted);
        const UsedBy used_by = user();
        say("allocate " + name + text_of(used_by) + text_of(cards));
        held_.push_back(cluster_.allocations().allocate(cluster_.node_or_placeholder(name), wanted, used_by, cards));
    }
    void allocate_shape() {
        const std::string name = node_name();
        const ShapeId shape = shapes_[walk_.pick(shapes_.size())];
        const auto count = cluster_.demand(shape).wants_cards ? 1U : static_cast<std::uint32_t>(1 + walk_.pick(3));
        const UsedBy used_by = user();
        const CardUse cards{choice(), {}};
        say("place " + std::to_string(count) + " on " + name + text_of(used_by) + text_of(cards));
        held_.push_back(cluster_.allocate(cluster_.node_or_placeholder(name), shape, used_by, count, cards.choice));
    }
    std::size_t take() {
        const std::size_t at = walk_.pick(held_.size());
        held_.at(at);
        return at;
    }
    void release() {
        if (held_.empty()) return;
        const std::size_t at = take();
        say("release " + std::to_string(held_[at].value));
        cluster_.allocations().release(held_[at]);
        held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    void reallocate() {
        if (held_.empty()) return;
        const AllocationId id = held_[take()];
        const bool is_same = walk_.pick(2) == 0;
        const Resources wanted = is_same ? cluster_.allocations().resources_of(id) : resources();
        if (cluster_.allocations().of(id).count > 1 && find_card_ask(wanted)) return;
        if (cluster_.allocations().of(id).count > 1 && wanted.extended_amount("alnair/vgpu-memory") > 0) return;
        const CardUse cards = use(wanted);
        const UsedBy used_by = walk_.pick(3) == 0 ? user() : cluster_.allocations().of(id).used_by;
        say("reallocate " + std::to_string(id.value) + text_of(used_by) + text_of(cards));
        cluster_.allocations().reallocate(id, wanted, used_by, cards);
    }
    void choose_anew() {
        if (held_.empty()) return;
        const AllocationId id = held_[take()];
        const CardUse cards{choice(), {}};
        say("choose anew for " + std::to_string(id.value) + text_of(cards));
        cluster_.allocations().choose_card_anew(id, cards.choice);
    }
    void try_some() {
        const std::string before = cluster_text();
        const bool commits = walk_.pick(2) == 0;
        say(commits ? "on trial, for good" : "on trial");
        std::vector<AllocationId> open = held_;
        {
            Trial trial(cluster_);
            for (std::size_t left = 1 + walk_.pick(3); left > 0; --left) {
                if (!open.empty() && walk_.pick(3) == 0) {
                    const std::size_t at = walk_.pick(open.size());
                    trial.release(open[at]);
                    open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
                    continue;
                }
                const ShapeId shape = shapes_[walk_.pick(shapes_.size())];
                const bool may_be_many = !commits || !cluster_.demand(shape).wants_cards;
                const auto count = static_cast<std::uint32_t>(may_be_many ? 1 + walk_.pick(3) : 1);
                const UsedBy used_by = user();
                open.push_back(
                    trial.allocate(cluster_.node_or_placeholder(node_name()), shape, used_by, count, choice()));
            }
            if (commits) {
                trial.commit();
                held_ = open;
            } else {
                tell("    tried " + cluster_text());
            }
        }
        if (!commits) CHECK(cluster_text() == before);
    }
    void change_pod() {
        const std::string uid = "p" + std::to_string(walk_.pick(3));
        switch (walk_.pick(4)) {
            case 0:
                return say("pod " + uid + (cluster_.remove_pod(uid) ? " ends" : " is not there"));
            case 1: {
                const auto id = cluster_.take_pod(uid);
                if (id) held_.push_back(*id);
                return say("pod " + uid + (id ? " is taken" : " is not there"));
            }
            default: {
                const std::string name = node_name();
                const Resources& wanted = resources();
                const CardUse cards = use(wanted);
                const UsedBy used_by = user();
                say("pod " + uid + " on " + name + text_of(used_by) + text_of(cards));
                cluster_.upsert_pod(uid, name, wanted, used_by, cards);
                cluster_.upsert_pod(uid, name, wanted, used_by, cards);
            }
        }
    }
    void set_headroom() {
        const Headroom headroom{walk_.of(Amounts{0, 500, 1'000}), walk_.of(Amounts{0, 4 * gibibyte})};
        is_all_new_ = true;
        say("headroom " + std::to_string(headroom.cpu_milli) + " " + std::to_string(headroom.memory_bytes));
        cluster_.set_headroom(headroom);
    }
    void renew_shape() {
        const std::size_t at = walk_.pick(shapes_.size());
        is_all_new_ = true;
        say("shape " + std::to_string(at) + (cluster_.release_shape(shapes_[at]) ? " went" : " stays"));
        shapes_[at] = cluster_.intern_shape(theme_.asks[at], {});
    }
    void end() {
        for (const AllocationId id : held_) cluster_.allocations().release(id);
        held_.clear();
        for (const char* uid : {"p0", "p1", "p2"}) cluster_.remove_pod(uid);
        say("all pods end");
        tell_all();
        for (const char* name : {"n0", "n1", "n2", "n3"}) cluster_.remove_node(name);
        for (const ShapeId shape : shapes_) CHECK(cluster_.release_shape(shape));
        CHECK(cluster_.allocations().count() == 0);
        CHECK(cluster_.extended_names().references() == 0);
        for (const Account& account : accounts_of(cluster_)) CHECK_MESSAGE(account.adds_up(), account.what);
    }

    // --- what is told ---------------------------------------------------------------------------
    void say(const std::string& what) { told_ += what + "\n"; }
    void tell(const std::string& what) { told_ += what + "\n"; }
    /// False: it was told so before.
    bool tell_change(const std::string& key, const std::string& text) {
        std::string& before = last_[key];
        if (before == text) return false;
        before = text;
        told_ += "    " + key + ":" + text + "\n";
        return true;
    }
    static std::string number(std::int64_t value) {
        if (value == INT64_MAX) return "max";
        return value % gibibyte == 0 && value != 0 ? std::to_string(value / gibibyte) + "Gi" : std::to_string(value);
    }
    static constexpr std::array views = {View::free, View::without_gangs, View::allocatable};

    /// The three views' answers, once if they are alike.
    template <typename Ask>
    static std::string of_views(const Ask& ask) {
        const std::string free = ask(View::free);
        const std::string others = ask(View::without_gangs);
        const std::string all = ask(View::allocatable);
        return free == others && free == all ? free : free + "/" + others + "/" + all;
    }

    std::string room_of(NodeIndex node) const {
        const NodeColumns& columns = cluster_.columns();
        std::string text;
        const auto add = [&](const auto& column_of) {
            text += " " + of_views([&](View view) { return number(column_of(view)[node.value]); });
        };
        add([&](View view) { return columns.cpu(view); });
        add([&](View view) { return columns.memory(view); });
        add([&](View view) { return columns.ephemeral(view); });
        add([&](View view) { return columns.pods(view); });
        for (std::size_t i = 0; i < theme_.names.size(); ++i) {
            const auto id = cluster_.extended_names().find(theme_.names[i]);
            if (!id) continue;
            text += " #" + std::to_string(i) + "=" +
                    of_views([&](View view) { return number(columns.extended(node, *id, view)); });
        }
        if (columns.is_overcommitted(node)) text += " overcommitted";
        if (columns.lists_extended(node)) text += " lists";
        return text;
    }
    std::string cards_of(NodeIndex node) const {
        std::string text;
        for (const std::string& name : theme_.counted) {
            const auto id = cluster_.extended_names().find(name);
            if (!id) continue;
            const std::string cards = of_views([&](View view) {
                std::string of_view;
                cluster_.columns().for_each_card(node, *id, view, [&](const NodeColumns::CardRoom& card) {
                    of_view += (of_view.empty() ? "" : ",") + std::to_string(card.order) + ":" + number(card.free);
                });
                return of_view;
            });
            if (!cards.empty()) text += " " + name.substr(name.find_first_of("+/") + 1) + " " + cards;
            if (cluster_.columns().is_card_overdrawn(node, *id)) text += " overdrawn";
        }
        return text;
    }
    std::string text_of(NodeIndex node, const std::vector<CardDemand>& cards) const {
        std::string text;
        for (const CardDemand& one : cards) {
            const std::string& name = cluster_.extended_names().name(one.resource);
            text += (text.empty() ? "" : ",") + name.substr(name.find_first_of("+/") + 1, 1) +
                    cluster_.columns().cards().id(node, one.order) + ":" + std::to_string(one.amount);
        }
        return text.empty() ? "none" : text;
    }
    std::string takes(NodeIndex node) const {
        std::string text;
        for (const ShapeId shape : shapes_) {
            text += " " + of_views([&](View view) { return number(cluster_.capacity(node, shape, view)); });
            const std::int64_t in_all = capacity_in_all(cluster_, node, shape, View::free);
            if (in_all != cluster_.capacity(node, shape, View::free)) text += "(" + number(in_all) + ")";
        }
        return text;
    }
    /// Of each shape beside one pod of the next.
    std::string takes_beside(NodeIndex node) const {
        std::string text;
        const FreeColumns free(cluster_.columns(), View::free, cluster_.room().headroom());
        for (std::size_t i = 0; i < shapes_.size(); ++i) {
            const ShapeId other = shapes_[(i + 1) % shapes_.size()];
            if (cluster_.capacity(node, other, View::free) == 0) {
                text += " -";
                continue;
            }
            const Demand& wanted = cluster_.demand(shapes_[i]);
            const auto beside = [&](CardChoice choice) {
                return number(capacity_beside(free, node, wanted, cluster_.demand(other), choice));
            };
            text += " " + beside(CardChoice::least_left);
            if (wanted.wants_cards) text += "," + beside(CardChoice::most_left);
        }
        return text;
    }
    std::string chooses(NodeIndex node) const {
        std::string text;
        const NodeColumns& columns = cluster_.columns();
        for (const ShapeId shape : shapes_) {
            const Demand& demand = cluster_.demand(shape);
            if (!demand.wants_cards || (shapes_.size() > 8 && shape.value % 2 == 1)) continue;
            const ExtendedDemand& wanted =
                *std::find_if(demand.extended.begin(), demand.extended.end(), [&](const auto& one) {
                    return is_of_cards(cluster_.extended_names().name(one.id));
                });
            const auto least = choose_cards(columns, node, wanted, View::free, CardChoice::least_left);
            const auto most = choose_cards(columns, node, wanted, View::free, CardChoice::most_left);
            text += " " + text_of(node, least);
            if (most != least) text += "|" + text_of(node, most);
            if (least.empty()) text += " over " + text_of(node, overdraw_cards(columns, node, wanted, View::free));
            const auto one = choose_card(columns, node, wanted, View::free, CardChoice::most_left);
            CHECK(one.has_value() == !most.empty());
            if (one) CHECK((one->order == most.front().order && one->free >= most.front().amount));
            if (const auto card = emptiest_card(columns, node, wanted.id, View::free, least)) {
                text += " left " + std::to_string(card->order) + ":" + number(card->free) + "of" + number(card->units);
            }
            // More pods of the shape, one after the other.
            std::vector<CardDemand> planned = least;
            const std::int64_t times = times_on_cards(columns, node, wanted, View::free);
            std::int64_t placed = least.empty() ? 0 : 1;
            for (; placed < 5; ++placed) {
                const auto more = choose_cards(columns, node, wanted, View::free, CardChoice::least_left, planned);
                if (more.empty()) break;
                planned.insert(planned.end(), more.begin(), more.end());
            }
            text += " x" + std::to_string(placed);
            if (times < 5 || placed > 0) CHECK((placed == times || (placed == 5 && times > 5)));
        }
        return text;
    }
    std::string text_of(AllocationId id) const {
        const Allocation& one = cluster_.allocations().of(id);
        std::string text = " " + cluster_.nodes().name(one.node) + " x" + std::to_string(one.count) +
                           text_of(one.used_by) + " " + describe(cluster_.allocations().resources_of(id));
        for (const ExtendedResource& card : cluster_.allocations().cards_of(id)) {
            text += " " + card.name.substr(card.name.find_first_of("+/") + 1) + ":" + number(card.amount);
        }
        return text;
    }
    std::string cluster_text() const {
        std::string text;
        for (const NodeIndex node : cluster_.nodes().by_name()) {
            text += " " + cluster_.nodes().name(node) + room_of(node) + cards_of(node);
        }
        return text + " version " + std::to_string(cluster_.room().gains().version()) +
               (cluster_.allocations().gpu_moves().has_any() ? " moves" : "");
    }
    void tell_all() {
        for (const NodeIndex node : cluster_.nodes().by_name()) {
            const std::string& name = cluster_.nodes().name(node);
            const bool is_other_room = tell_change(name, room_of(node));
            const bool are_other_cards = tell_change(name + " cards", cards_of(node));
            if (!is_other_room && !are_other_cards && !is_all_new_) continue;
            tell_change(name + " takes", takes(node));
            tell_change(name + " beside", takes_beside(node));
            tell_change(name + " chooses", chooses(node));
        }
        is_all_new_ = false;
        for (const AllocationId id : held_) tell_change("token " + std::to_string(id.value), text_of(id));
        for (const char* uid : {"p0", "p1", "p2"}) {
            const auto id = cluster_.pods().find(uid);
            tell_change(uid, id ? text_of(*id) : " -");
        }
        const ShapeId shape = shapes_[walk_.pick(shapes_.size())];
        const std::size_t at =
            static_cast<std::size_t>(std::find(shapes_.begin(), shapes_.end(), shape) - shapes_.begin());
        tell_change("why not " + std::to_string(at), " " + describe_as_kube_scheduler(cluster_, shape, View::free));
        tell_change("version", " " + std::to_string(cluster_.room().gains().version()));
        for (const GpuMove& move : cluster_.allocations().gpu_moves().take()) {
            told_ += std::string("    ") + (move.taken ? "came to " : "left ") + move.node + " " +
                     std::to_string(move.allocation.value) + " x" + std::to_string(move.count) + " " + move.wish + "\n";
        }
        for (const Account& account : accounts_of(cluster_)) {
            if (!account.adds_up()) FAIL_CHECK(account.what);
        }
    }
    void check_totals() {
        NodeColumns::Totals by_hand;
        for (const NodeIndex node : cluster_.nodes().by_name()) {
            const Resources& offered = cluster_.nodes().node(node).allocatable;
            by_hand.cpu += offered.cpu_milli;
            by_hand.memory += offered.memory_bytes;
            by_hand.ephemeral += offered.ephemeral_bytes;
        }
        const NodeColumns::Totals found = cluster_.columns().allocatable();
        CHECK((found.cpu == by_hand.cpu && found.memory == by_hand.memory && found.ephemeral == by_hand.ephemeral));
    }
    void check_scans() {
        check_totals();
        for (const ShapeId shape : shapes_) {
            for (const View view : views) {
                const auto found = planner_.capacities(cluster_, shape, view);
                std::vector<std::int32_t> one_by_one;
                for (const NodeIndex node : cluster_.nodes().by_name()) {
                    one_by_one.push_back(static_cast<std::int32_t>(cluster_.capacity(node, shape, view)));
                }
                CHECK(found == one_by_one);
            }
        }
    }

    Theme theme_;
    Walk walk_;
    Cluster cluster_;
    Planner planner_;
    std::vector<ShapeId> shapes_;
    std::size_t pods_asked_ = 0;
    std::vector<AllocationId> held_;
    bool is_all_new_ = false;  ///< what nodes take, though their room is the same
    std::map<std::string, std::string> last_;
    std::string told_;
};

TEST_CASE("cluster: a walk with units of cards, which pods have of one card each") {
    tests::check_transcript(
        "core/cluster/transcripts/walk_of_units", cluster_walk::Life(cluster_walk::alnair(), 11).run(360));
}

TEST_CASE("cluster: a walk with asks of several cards, for memory, compute and places") {
    tests::check_transcript(
        "core/cluster/transcripts/walk_of_asks", cluster_walk::Life(cluster_walk::volcano(), 12).run(330));
}

TEST_CASE("cluster: a walk with wishes of GPUs, volumes, ports and disks") {
    tests::check_transcript(
        "core/cluster/transcripts/walk_of_wishes", cluster_walk::Life(cluster_walk::wishes(), 13).run(360));
}

}  // namespace cluster_walk
}  // namespace
