#include "gang/sim/simulated_cluster.hpp"

#include "gang/sim/base/digest.hpp"
#include "gang/sim/plane/device_plugins.hpp"
#include "gang/sim/plane/pod_rules.hpp"
#include "gang/sim/world.hpp"

#include <string>
#include <string_view>

namespace gang::sim {
namespace {

/// No tenant of this world can compute it, which is all that a code has to be here.
Seal::Code code_of(std::uint64_t seed) {
    return [seed](std::string_view message) {
        Digest digest;
        digest.add(seed);
        digest.add(message);
        return std::to_string(digest.value());
    };
}

}  // namespace

SimulatedCluster::SimulatedCluster(World& world)
    : seal(world.plan.has_key ? Seal({code_of(world.plan.seed)}) : Seal()),
      api(world),
      applications(world),
      group_jobs(world),
      submissions(world),
      volumes(world),
      namespace_quotas(world),
      autoscaler(world),
      kubelets(world),
      fault_injector(world) {}

void SimulatedCluster::begin() {
    fault_injector.begin();
    group_jobs.begin();
    volumes.begin();
    namespace_quotas.begin();
    autoscaler.begin();
}

void SimulatedCluster::pod_changed(const Entry<core::Pod>& entry) {
    kubelets.pod_changed(entry);
    applications.pod_changed(entry);
    group_jobs.pod_changed(entry);
    namespace_quotas.pod_changed(entry);
}

void SimulatedCluster::calm_down() {
    fault_injector.heal();
    group_jobs.calm_down();
    namespace_quotas.calm_down();
    autoscaler.calm_down();
}

core::Node draw_node(const Plan& plan, NodeId id, Random& random) {
    constexpr std::int64_t gibibyte = 1024LL * 1024 * 1024;
    core::Node node;
    node.name = "n" + std::to_string(id);
    node.allocatable.cpu_milli = 1'000 * random.between(1, plan.node_cpu_max);
    node.allocatable.memory_bytes = gibibyte * random.between(2, 4 * plan.node_cpu_max);
    node.pods = random.percent(85) ? 110 : random.between(2, 8);
    node.ready = true;
    if (plan.pool_percent > 0) {
        node.labels = {{std::string(pool_label), random.percent(50) ? "a" : "b"}};
    }
    if (plan.gpu_percent > 0 && random.percent(plan.gpu_percent)) {
        node.allocatable.extended = {{std::string(gpu_resource), random.between(1, 8)}};
    }
    if (plan.has_cards) {
        give_cards(node, random);
    }
    if (plan.rule_percent > 0) {
        label_topology(node, id, random);
    }
    return node;
}

}  // namespace gang::sim
