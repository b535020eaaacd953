// How long a gang takes under rules between its pods, or in one zone, and where something other
// than room decides between nodes; on clusters that are half full.

#include "core/cluster/cluster.hpp"
#include "core/domain/domain_rules.hpp"
#include "core/placement/domain_planner.hpp"
#include "core/placement/placement.hpp"
#include "core/placement/single_domain.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "tests/support/builders.hpp"

#include <fmt/format.h>

#include <benchmark/benchmark.h>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace {

constexpr std::int64_t executors = 100;

/// Nodes of three zones in turn, 0 to 60 of 64 cores taken, in an order without a pattern.
struct World {
    core::Cluster cluster;
    core::DomainRules rules;

    explicit World(std::int64_t nodes, bool have_costs = false) {
        for (std::int64_t i = 0; i < nodes; ++i) {
            const std::string name = fmt::format("node-{:06}", i);
            auto node = build::node(name).cpu(64).memory("256Gi");
            node.label("zone", fmt::format("zone-{}", i % 3)).label("kubernetes.io/hostname", name);
            core::Node value = node;
            if (have_costs) value.cost = i * 31 % 7;
            cluster.upsert_node(value);
            const auto index = *cluster.nodes().find(name);
            rules.node_changed(index, cluster.nodes().node(index));
            const std::int64_t cores = i * 7919 % 16 * 4;
            core::Resources taken;
            taken.cpu_milli = cores * 1000;
            taken.memory_bytes = cores << 32;
            cluster.allocate(index, taken, core::UsedBy::other_scheduler);
        }
    }
};

const core::StringMap& labels() {
    static const core::StringMap made = {{"app", "pi"}, {"spark-role", "executor"}};
    return made;
}

core::LabelSelector selector() {
    core::LabelSelector made{true, {}};
    made.require({"app", core::LabelOperator::in, {"pi"}});
    return made;
}

core::PodRules spread_over_zones() {
    core::SpreadConstraint made;
    made.topology_key = "zone";
    made.selector = selector();
    return {{}, {}, {made}};
}

core::PodRules apart_on(const std::string& key) {
    return {{}, {{key, selector(), {"default"}, {}}}, {}};
}

core::PodRules together_in(const std::string& key) {
    return {{{key, selector(), {"default"}, {}}}, {}, {}};
}

core::PodRules rather_apart_on(const std::string& key) {
    core::PodRules rules;
    rules.preferred = {{{key, selector(), {"default"}, {}}, -100}};
    return rules;
}

core::PodRules rather_spread_over(const std::string& key) {
    core::PodRules rules;
    rules.preferred_spread = spread_over_zones().spread;
    rules.preferred_spread[0].topology_key = key;
    return rules;
}

/// One driver and its executors under these rules among themselves.
void place_by_rules(benchmark::State& state, const core::PodRules& rules) {
    World world(state.range(0));
    const core::Constraints none;
    const auto driver = world.cluster.intern_shape(build::resources("2", "4Gi"), none);
    const auto executor = world.cluster.intern_shape(build::resources("4", "16Gi"), none);
    const core::RulesId id = world.rules.retain(rules, "default", world.cluster);
    world.rules.fill([](auto) {});
    core::RuledRequest request;
    request.driver.emplace(core::RuledPart{driver, 1, {}});
    request.executors.push_back(
        {executor, executors, core::IncomingPod{id, "default", labels(), none}});
    core::Planner planner;
    bool fits = false;
    for (auto _ : state) {
        core::DomainPlanner rules_planner(planner, world.cluster, world.rules);
        const core::Placement placement = rules_planner.place(request);
        fits = std::holds_alternative<core::Plan>(placement);
        benchmark::DoNotOptimize(placement);
    }
    state.SetLabel(fits ? "fits" : "refused, explained");
}

void place_spread_over_zones(benchmark::State& state) {
    place_by_rules(state, spread_over_zones());
}
void place_one_on_each_node(benchmark::State& state) {
    place_by_rules(state, apart_on("kubernetes.io/hostname"));
}
void place_together_in_a_zone(benchmark::State& state) {
    place_by_rules(state, together_in("zone"));
}
void place_rather_apart(benchmark::State& state) {
    place_by_rules(state, rather_apart_on("kubernetes.io/hostname"));
}
void place_rather_spread_over_nodes(benchmark::State& state) {
    place_by_rules(state, rather_spread_over("kubernetes.io/hostname"));
}
void place_rather_spread_over_zones(benchmark::State& state) {
    place_by_rules(state, rather_spread_over("zone"));
}
BENCHMARK(place_rather_apart)->ArgName("nodes")->Arg(1'000)->Arg(10'000);
BENCHMARK(place_rather_spread_over_nodes)->ArgName("nodes")->Arg(1'000)->Arg(10'000);
BENCHMARK(place_rather_spread_over_zones)->ArgName("nodes")->Arg(1'000)->Arg(10'000);
BENCHMARK(place_spread_over_zones)->ArgName("nodes")->Arg(1'000)->Arg(10'000);
BENCHMARK(place_one_on_each_node)->ArgName("nodes")->Arg(1'000)->Arg(10'000);
BENCHMARK(place_together_in_a_zone)->ArgName("nodes")->Arg(1'000)->Arg(10'000);

core::PlacementRequest gang(core::Cluster& cluster, const core::Constraints& constraints = {}) {
    const auto driver = cluster.intern_shape(build::resources("2", "4Gi"), constraints);
    const auto executor = cluster.intern_shape(build::resources("4", "16Gi"), constraints);
    return {driver, {{executor, executors}}, core::View::free, {}};
}

/// gang-scheduler/topology-key: the whole gang in one zone.
void place_in_one_zone(benchmark::State& state) {
    World world(state.range(0));
    core::DomainIndex domains;
    const core::TopologyKeyId key = domains.retain("zone", world.cluster);
    const core::PlacementRequest request = gang(world.cluster);
    core::Planner planner;
    for (auto _ : state) {
        core::SingleDomain one(planner, world.cluster, domains, key);
        benchmark::DoNotOptimize(one.place(request));
    }
}
BENCHMARK(place_in_one_zone)->ArgName("nodes")->Arg(1'000)->Arg(10'000);

void place_where_nodes_have_costs(benchmark::State& state) {
    World world(state.range(0), true);
    const core::PlacementRequest request = gang(world.cluster);
    core::Planner planner;
    for (auto _ : state) benchmark::DoNotOptimize(planner.place(world.cluster, request));
}
BENCHMARK(place_where_nodes_have_costs)->ArgName("nodes")->Arg(1'000)->Arg(10'000);

/// One node of a hundred is allowed, by a bitmap of its own as an answer about volumes makes it.
void place_on_few_allowed_nodes(benchmark::State& state) {
    World world(state.range(0));
    core::PlacementRequest request = gang(world.cluster);
    core::NodeBitmap allowed;
    for (std::size_t i = 0; i < world.cluster.nodes().count(); ++i) allowed.set(i, i % 100 == 0);
    request.driver = world.cluster.restrict_shape(*request.driver, allowed, {});
    request.executors[0].shape =
        world.cluster.restrict_shape(request.executors[0].shape, allowed, {});
    core::Planner planner;
    for (auto _ : state) benchmark::DoNotOptimize(planner.place(world.cluster, request));
}
BENCHMARK(place_on_few_allowed_nodes)->ArgName("nodes")->Arg(1'000)->Arg(10'000);

/// Each node can attach 25 volumes and has some; each executor brings one of its own, and one that all
/// share.
void place_with_volumes(benchmark::State& state) {
    World world(state.range(0));
    for (const core::NodeIndex index : world.cluster.nodes().by_name()) {
        core::Node node = world.cluster.room().node_as_told(index);
        core::set_volume_limits(node.allocatable, {{"ebs.csi.aws.com", 25}});
        world.cluster.upsert_node(node);
    }
    core::PlacementRequest request = gang(world.cluster);
    core::Resources executor = world.cluster.resources(request.executors[0].shape);
    core::add_volumes(executor, {{"ebs.csi.aws.com", {}}, {"ebs.csi.aws.com", "shared"}});
    request.executors[0].shape = world.cluster.intern_shape(executor, {});
    core::Planner planner;
    for (auto _ : state) benchmark::DoNotOptimize(planner.place(world.cluster, request));
}
BENCHMARK(place_with_volumes)->ArgName("nodes")->Arg(1'000)->Arg(10'000);

/// kube-scheduler's way: each pod where the sum of scores is largest.
void place_by_scores(benchmark::State& state, const core::PodRules& rules) {
    World world(state.range(0));
    const core::ScoreOrder scores = {
        {*core::find_score_id("least-allocated"), 1, {}, {}},
        {*core::find_score_id("balanced-allocation"), 1, {}, {}}};
    const core::Constraints none;
    const auto executor = world.cluster.intern_shape(build::resources("4", "16Gi"), none);
    core::RuledRequest request;
    std::optional<core::IncomingPod> pod;
    if (!rules.empty()) {
        const core::RulesId id = world.rules.retain(rules, "default", world.cluster);
        world.rules.fill([](auto) {});
        pod.emplace(core::IncomingPod{id, "default", labels(), none});
    }
    request.executors.push_back({executor, executors, pod});
    request.scores = &scores;
    core::Planner planner;
    for (auto _ : state) {
        core::DomainPlanner rules_planner(planner, world.cluster, world.rules);
        benchmark::DoNotOptimize(rules_planner.place(request));
    }
}
void place_balanced_and_least(benchmark::State& state) {
    place_by_scores(state, {});
}
void place_balanced_least_and_spread(benchmark::State& state) {
    place_by_scores(state, spread_over_zones());
}
BENCHMARK(place_balanced_and_least)->ArgName("nodes")->Arg(1'000)->Arg(10'000);
BENCHMARK(place_balanced_least_and_spread)->ArgName("nodes")->Arg(1'000)->Arg(10'000);

}  // namespace
