// Clusters and gangs drawn by chance from all that counts in a placement: plain amounts, devices, cards, volumes,
// ports, wishes, costs, scarce nodes, soft taints, scores, views, excluded nodes. Where each pod goes, or why it does
// not fit.

#include "core/placement/placement.hpp"
#include "core/value/device/card_ask.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace placement_walk {

using namespace core;
using tests::Walk;

const std::string units = "alnair/vgpu-memory";
constexpr std::int64_t too_wide = (std::int64_t{1} << 52) + 1;

/// What a world has beside CPU and memory.
struct Kinds {
    bool devices = false;
    bool cards = false;    ///< Alnair's, of which a pod takes units of one
    bool vgpus = false;    ///< Volcano's, of which a pod takes several
    bool volumes = false;
    bool ports = false;
    bool wishes = false;
    bool costs = false;
    bool scarce = false;
    bool tastes = false;
    bool wide = false;
    bool silent = false;  ///< some nodes say nothing of their cards
};

class World {
public:
    World(Walk& walk, std::size_t nodes, const Kinds& kinds) : walk_(walk), kinds_(kinds) {
        if (kinds.scarce) cluster.set_scarce({"example.com/gpu"});
        if (walk.pick(4) == 0) cluster.set_headroom({static_cast<std::int64_t>(walk.pick(3)) * 250, 0});
        for (std::size_t i = 0; i < nodes; ++i) cluster.upsert_node(any_node(fmt::format("n{:02}", i)));
        for (std::size_t i = walk.pick(4); i > 0; --i) {
            const NodeIndex node = cluster.nodes().by_name()[walk.pick(nodes)];
            const UsedBy used_by = walk.pick(2) == 0 ? UsedBy::gang : UsedBy::other_scheduler;
            cluster.allocations().allocate(node, any_amount(), used_by);
        }
    }

    Resources any_amount() {
        Resources made;
        made.cpu_milli = static_cast<std::int64_t>(walk_.pick(5)) * 500;
        made.memory_bytes = static_cast<std::int64_t>(walk_.pick(4)) << 30;
        if (walk_.pick(5) == 0) made.ephemeral_bytes = static_cast<std::int64_t>(1 + walk_.pick(3)) << 30;
        const auto add = [&made](const std::string& name, std::size_t amount) {
            made.extended.push_back({name, static_cast<std::int64_t>(amount)});
        };
        if (kinds_.cards && walk_.pick(2) == 0) add(units, 1 + walk_.pick(6));
        if (kinds_.devices && walk_.pick(2) == 0) add("example.com/gpu", 1 + walk_.pick(2));
        if (kinds_.devices && walk_.pick(4) == 0) add("example.com/x", 1 + walk_.pick(2));
        if (kinds_.vgpus && walk_.pick(2) == 0) {
            if (walk_.pick(2) == 0) add("volcano.sh/vgpu-cores", walk_.pick(3) * 50);
            add("volcano.sh/vgpu-memory", (1 + walk_.pick(4)) * 1000);
            add("volcano.sh/vgpu-number", 1 + walk_.pick(2));
            std::erase_if(made.extended, [](const ExtendedResource& one) { return one.amount == 0; });
            CHECK(add_card_ask(made).empty());
        }
        if (kinds_.ports && walk_.pick(2) == 0) {
            add_host_ports(made, {{walk_.pick(2) == 0 ? "" : "10.0.0.1", "TCP", 80}});
        }
        if (kinds_.volumes && walk_.pick(2) == 0) {
            std::vector<DriverVolume> volumes;
            for (std::size_t i = 1 + walk_.pick(2); i > 0; --i) {
                volumes.push_back({"a.example.com", walk_.pick(2) == 0 ? "" : fmt::format("v{}", walk_.pick(2))});
            }
            add_volumes(made, volumes);
        }
        if (kinds_.wishes && walk_.pick(2) == 0) add_gpu_wish(made, {1, 1000, 0, ""});
        if (kinds_.wide && walk_.pick(6) == 0) made.memory_bytes = too_wide;
        if (kinds_.wide && walk_.pick(6) == 0) made.extended = {{"example.com/x", too_wide}};
        return made;
    }

    PlacementRequest any_request(std::size_t most) {
        PlacementRequest request;
        if (walk_.pick(3) != 0) request.driver = shape(any_amount());
        for (std::size_t i = walk_.pick(5) == 0 ? walk_.pick(4) : 1; i > 0; --i) {
            request.executors.push_back({shape(any_amount()), static_cast<std::int64_t>(walk_.pick(most + 1))});
        }
        request.view = walk_.pick(3) == 0 ? static_cast<View>(walk_.pick(3)) : View::free;
        for (std::size_t i = walk_.pick(5) == 0 ? 1 + walk_.pick(2) : 0; i > 0; --i) {
            request.excluded.push_back(cluster.nodes().by_name()[walk_.pick(cluster.nodes().count())]);
        }
        request.policy = walk_.pick(2) == 0 ? static_cast<PackingPolicy>(walk_.pick(2))
                                            : walk_.of(packing_policies());
        return request;
    }

    ScoreOrder any_order() {
        ScoreOrder order;
        for (std::size_t i = 1 + walk_.pick(2); i > 0; --i) {
            WeightedScore one{static_cast<ScoreId>(walk_.pick(score_table.size())), 1, {}, {{0, 0}, {100, 100}}};
            one.weight = static_cast<std::int64_t>(1 + walk_.pick(3));
            if (walk_.pick(2) == 0) {
                for (const char* name : {"cpu", "memory", "example.com/gpu", "alnair/vgpu-memory"}) {
                    if (walk_.pick(2) != 0) continue;
                    one.resources.push_back({name, static_cast<std::int64_t>(1 + walk_.pick(3))});
                }
            }
            order.push_back(std::move(one));
        }
        return order;
    }

    /// The question, and the answer; what the three questions say has to agree.
    std::string tell(const PlacementRequest& request) {
        std::string text = "  " + std::string(to_string(request.policy));
        if (request.scores != nullptr) {
            text = "  by";
            for (const WeightedScore& one : *request.scores) {
                text += fmt::format(" {}x{}", one.weight, score_of(one.score).name);
                for (const ResourceWeight& resource : one.resources) {
                    text += fmt::format("/{}x{}", resource.weight, resource.name);
                }
            }
        }
        if (request.view != View::free) text += fmt::format(" view {}", static_cast<int>(request.view));
        for (const NodeIndex node : request.excluded) text += " -" + cluster.nodes().name(node);
        if (request.driver) text += ": " + core::describe(cluster.resources(*request.driver));
        for (const ShapeCount& part : request.executors) {
            text += fmt::format("; {}x {}", part.count, core::describe(cluster.resources(part.shape)));
        }
        const Placement placement = planner.place(cluster, request);
        const auto found = planner.find(cluster, request);
        const auto* const plan = std::get_if<Plan>(&placement);
        CHECK(found.has_value() == (plan != nullptr));
        CHECK(planner.fits(cluster, request) == (plan != nullptr));
        if (plan == nullptr) {
            const auto& rejection = std::get<Rejection>(placement);
            return text + fmt::format(
                              "\n    no, {}/{}: {}\n",
                              rejection.eligible_nodes,
                              rejection.nodes,
                              core::describe(rejection));
        }
        CHECK(*found == *plan);
        text += "\n    ";
        if (!plan->driver.is_none()) text += cluster.nodes().name(plan->driver);
        for (const auto& nodes : plan->executors) {
            text += ";";
            for (const NodeCount& one : nodes) text += fmt::format(" {}:{}", cluster.nodes().name(one.node), one.count);
        }
        return text + "\n";
    }

    std::string tell_nodes() const {
        std::string text;
        for (const NodeIndex node : cluster.nodes().by_name()) {
            const Node& one = cluster.nodes().node(node);
            text += fmt::format(" {}({}, {} pods", one.name, core::describe(one.allocatable), one.pods);
            if (one.cost != 0) text += fmt::format(", costs {}", one.cost);
            if (one.cards) {
                for (const Card& card : one.cards->cards) text += fmt::format(" {}:{}", card.id, card.units);
            }
            text += one.taints.empty() ? ")" : ", avoided)";
        }
        return text + "\n";
    }

    Cluster cluster;
    Planner planner;

private:
    ShapeId shape(const Resources& amount) {
        Constraints constraints;
        if (walk_.pick(6) == 0) constraints.node_selector = {{"pool", "a"}};
        if (kinds_.tastes && walk_.pick(2) == 0) {
            constraints.preferred_affinity = {{60, {{{"pool", SelectorOperator::in, {"b"}}}, {}}}};
        }
        if (kinds_.tastes && walk_.pick(4) == 0) constraints.points = {{"n01", 7}};
        return cluster.intern_shape(amount, constraints);
    }

    Node any_node(const std::string& name) {
        auto made = build::node(name)
                        .cpu_milli(static_cast<std::int64_t>(walk_.pick(9)) * 500)
                        .memory(fmt::format("{}Gi", walk_.pick(9)))
                        .ephemeral(fmt::format("{}Gi", walk_.pick(9)))
                        .pods(static_cast<std::int64_t>(1 + walk_.pick(8)))
                        .label("pool", walk_.pick(2) == 0 ? "a" : "b");
        if (kinds_.devices && walk_.pick(3) != 0) made.extended("example.com/gpu", std::to_string(walk_.pick(6)));
        if (kinds_.devices && walk_.pick(3) != 0) made.extended("example.com/x", std::to_string(walk_.pick(5)));
        if (kinds_.wishes && walk_.pick(3) != 0) {
            made.extended(name_of(GpuWish{1, 1000, 0, ""}), std::to_string(walk_.pick(4)));
        }
        if (kinds_.wide && walk_.pick(3) == 0) made.memory("7Pi");
        if (kinds_.wide && walk_.pick(3) == 0) made.extended("example.com/x", "9Pi");
        if (kinds_.tastes && walk_.pick(3) == 0) made.taint("slow", "", TaintEffect::prefer_no_schedule);
        if (walk_.pick(12) == 0) made.ready(false);
        Node node = made;
        if (kinds_.cards && walk_.pick(5) != 0) add_cards(node);
        if (kinds_.vgpus && walk_.pick(5) != 0) add_vgpus(node);
        if (kinds_.costs) node.cost = static_cast<std::int64_t>(walk_.pick(3)) - 1;
        node.is_scarce = kinds_.scarce && node.allocatable.extended_amount("example.com/gpu") > 0;
        node.gpu_score = static_cast<std::int16_t>(walk_.pick(4) * 30);
        if (kinds_.volumes && walk_.pick(3) != 0) {
            set_volume_limits(node.allocatable, {{"a.example.com", static_cast<std::int64_t>(walk_.pick(5))}});
        }
        std::sort(node.allocatable.extended.begin(), node.allocatable.extended.end());
        return node;
    }

    void add_cards(Node& node) {
        NodeCards said{units, {}, {}};
        std::int64_t sum = 0;
        for (std::size_t i = 1 + walk_.pick(3); i > 0; --i) {
            const auto size = static_cast<std::int64_t>(1 + walk_.pick(8));
            sum += size;
            said.cards.push_back({fmt::format("U{}", said.cards.size() + 1), size});
        }
        node.allocatable.extended.push_back({units, sum});
        if (walk_.pick(6) != 0) node.cards = said;
    }

    void add_vgpus(Node& node) {
        NodeCards said{"volcano.sh/vgpu-memory", {}, {}};
        std::int64_t sum = 0;
        const std::size_t count = 1 + walk_.pick(3);
        for (std::size_t i = 0; i < count; ++i) {
            const auto size = static_cast<std::int64_t>(1 + walk_.pick(8)) * 1000;
            sum += size;
            said.cards.push_back({fmt::format("G{}", i), size, 100, 3});
        }
        const auto cards = static_cast<std::int64_t>(count);
        node.allocatable.extended.push_back({"volcano.sh/vgpu-cores", 100 * cards});
        node.allocatable.extended.push_back({"volcano.sh/vgpu-memory", sum});
        node.allocatable.extended.push_back({"volcano.sh/vgpu-number", 3 * cards});
        if (!kinds_.silent || walk_.pick(3) != 0) node.cards = said;
    }

    Walk& walk_;
    Kinds kinds_;
};

Kinds any_kinds(Walk& walk) {
    Kinds kinds;
    kinds.devices = walk.pick(3) == 0;
    kinds.cards = walk.pick(4) == 0;
    kinds.vgpus = !kinds.cards && walk.pick(5) == 0;
    kinds.volumes = walk.pick(5) == 0;
    kinds.ports = walk.pick(6) == 0;
    kinds.wishes = walk.pick(8) == 0;
    kinds.costs = walk.pick(5) == 0;
    kinds.scarce = walk.pick(5) == 0;
    kinds.tastes = walk.pick(5) == 0;
    kinds.wide = walk.pick(10) == 0;
    return kinds;
}

TEST_CASE("placement: gangs of every kind in small clusters") {
    Walk walk(4);
    std::string told;
    for (int round = 0; round < 104; ++round) {
        World world(walk, 1 + walk.pick(5), any_kinds(walk));
        told += world.tell_nodes();
        for (int i = 0; i < 5; ++i) {
            PlacementRequest request = world.any_request(walk.pick(3) == 0 ? 12 : 4);
            const ScoreOrder order = world.any_order();
            if (walk.pick(4) == 0) request.scores = &order;
            told += world.tell(request);
        }
    }
    tests::check_transcript("core/placement/transcripts/small", told);
}

TEST_CASE("placement: gangs of every kind among several blocks of nodes") {
    Walk walk(5);
    std::string told;
    for (int round = 0; round < 40; ++round) {
        World world(walk, 60 + walk.pick(80), any_kinds(walk));
        told += fmt::format("{} nodes\n", world.cluster.nodes().count());
        for (int i = 0; i < 8; ++i) {
            // A handful, or so many that they do not fit.
            const bool is_large = walk.pick(2) == 0;
            PlacementRequest request = world.any_request(is_large ? 4 : 9);
            for (ShapeCount& part : request.executors) part.count = is_large ? 1000 + part.count : part.count;
            const ScoreOrder order = world.any_order();
            if (walk.pick(4) == 0) request.scores = &order;
            told += world.tell(request);
        }
    }
    tests::check_transcript("core/placement/transcripts/blocks", told);
}

TEST_CASE("placement: gangs that ask for cards, where nodes say all of theirs, or nothing") {
    Walk walk(6);
    std::string told;
    for (int round = 0; round < 70; ++round) {
        Kinds kinds;
        kinds.cards = walk.pick(2) == 0;
        kinds.vgpus = !kinds.cards;
        kinds.silent = walk.pick(2) == 0;
        kinds.costs = walk.pick(4) == 0;
        const bool is_small = walk.pick(3) != 0;
        World world(walk, is_small ? 1 + walk.pick(4) : 62 + walk.pick(8), kinds);
        told += is_small ? world.tell_nodes() : fmt::format("{} nodes\n", world.cluster.nodes().count());
        for (int i = 0; i < 6; ++i) {
            PlacementRequest request = world.any_request(is_small ? 6 : 9);
            if (!is_small && walk.pick(2) == 0) {
                for (ShapeCount& part : request.executors) part.count += 1000;
            }
            const ScoreOrder order = world.any_order();
            if (walk.pick(4) == 0) request.scores = &order;
            told += world.tell(request);
        }
    }
    tests::check_transcript("core/placement/transcripts/cards", told);
}

}  // namespace placement_walk
