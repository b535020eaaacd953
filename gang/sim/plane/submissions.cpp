#include "gang/sim/plane/submissions.hpp"

#include "core/value/exclusive.hpp"
#include "gang/sim/plane/device_plugins.hpp"
#include "gang/sim/plane/pod_rules.hpp"
#include "gang/sim/world.hpp"

#include <string>

namespace gang::sim {

void Submissions::submit() {
    if (world_.faults.is_calm()) {
        return;
    }
    const Plan& plan = world_.plan;
    Random& random = world_.random;
    if (plan.group_percent > 0 && random.percent(plan.group_percent)) {
        world_.cluster.group_jobs.submit();
        ++gangs_;
    } else if (random.percent(plan.lone_percent)) {
        submit_lone_pods();
    } else {
        world_.cluster.applications.submit();
        ++gangs_;
    }
    if (gangs_ < plan.applications) {
        world_.queue.plan(
            world_.now_ms + random.between(1, 2 * plan.submission_gap_ms), Happening::submission);
    }
}

/// One; or some that are alike in what they ask of others, as a Deployment makes them.
void Submissions::submit_lone_pods() {
    constexpr std::int64_t memory_bytes = 256LL * 1024 * 1024;
    const Plan& plan = world_.plan;
    Random& random = world_.random;
    core::Pod pod;
    pod.namespace_name = "t1";
    pod.scheduler_name = "gang-scheduler";
    pod.created = (unix_begin_ms + world_.now_ms) / 1'000;
    pod.requests = {random.between(1, 10) * 100, memory_bytes, 0, {}};
    if (plan.port_percent > 0 && random.percent(plan.port_percent)) {
        core::add_host_ports(pod.requests, {host_port});
    }
    const bool wants_card = plan.has_cards && random.percent(50);
    if (wants_card) {
        ask_for_units(pod.requests, draw_card_units(world_.writes.original_nodes(), random));
    }
    std::int64_t count = 1;
    // Rules between pods may want it elsewhere than the cards are: it would wait for ever.
    if (!wants_card && plan.rule_percent > 0 && random.percent(plan.rule_percent)) {
        give_lone_rules(pod, random);
        count = random.between(1, 6);
    }
    pod.priority = draw_priority(plan, random);
    for (std::int64_t i = 0; i < count; ++i) {
        pod.name = "l" + std::to_string(++lone_pods_);
        world_.cluster.volumes.give_claims(pod);
        if (world_.cluster.namespace_quotas.admits(pod)) {
            world_.writes.create_pod(pod, {Actor::tenant});
        }
    }
}

}  // namespace gang::sim
