#include "gang/sim/base/swarm.hpp"

#include "gang/sim/base/random.hpp"

#include <algorithm>

namespace gang::sim {
namespace {

constexpr int known_percent = 30;  ///< of the kinds of faults, per seed

/// What has few occasions: lists of many pages, and streams that are idle for long.
bool is_rare(Fault fault) {
    return fault == Fault::continue_expired || fault == Fault::page_empty ||
           fault == Fault::bookmark_lost || fault == Fault::version_too_large;
}

std::int64_t draw_rate(Fault fault, Random& random) {
    if (!comes_by_itself(fault)) {
        const std::int64_t rate = random.long_tail(3'000, 150'000);
        return is_rare(fault) ? std::min<std::int64_t>(rate * 10, 400'000) : rate;
    }
    // What takes a process or a store away for long comes less often.
    const bool is_heavy =
        (fault >= Fault::crash && fault != Fault::terminated) || fault == Fault::namespace_deleted;
    return random.between(is_heavy ? 15'000 : 4'000, is_heavy ? 120'000 : 60'000);
}

}  // namespace

Plan draw_plan(std::uint64_t seed) {
    Random random(seed ^ 0x5EED5EED5EED5EEDULL);
    Plan plan;
    plan.seed = seed;
    plan.nodes = static_cast<int>(random.long_tail(2, 24));
    plan.replicas = static_cast<int>(random.between(1, 3));
    plan.servers = static_cast<int>(random.between(1, 3));
    plan.tenants = static_cast<int>(random.between(1, 4));
    plan.applications = static_cast<int>(random.between(6, 60));
    plan.gang_max = random.between(1, 12);
    plan.node_cpu_max = random.between(2, 12);
    plan.submission_gap_ms = random.between(200, 8'000);
    plan.chaos_ms = random.between(60'000, 420'000);
    plan.latency_ms_max = random.long_tail(2, 60);
    plan.cache_ms_max = random.long_tail(2, 200);
    plan.page_size = random.percent(50) ? 500 : random.between(1, 30);
    plan.connections = random.percent(70) ? 16 : random.between(1, 4);
    plan.work_s_max = random.between(2, 60);
    plan.by_set_percent = random.percent(50) ? 0 : static_cast<int>(random.between(5, 60));
    plan.dynamic_percent = random.percent(40) ? 0 : static_cast<int>(random.between(5, 60));
    plan.has_bookmarks = random.percent(80);
    const bool is_honest = random.percent(5);
    for (std::size_t i = 0; i < fault_count; ++i) {
        const auto fault = static_cast<Fault>(i);
        const std::int64_t rate = draw_rate(fault, random);
        plan.rates[i] = !is_honest && random.percent(known_percent) ? rate : 0;
    }
    plan.has_key = random.percent(75);
    plan.pool_percent = random.percent(70) ? 0 : static_cast<int>(random.between(10, 90));
    plan.port_percent = random.percent(70) ? 0 : static_cast<int>(random.between(5, 40));
    plan.gpu_percent = random.percent(70) ? 0 : static_cast<int>(random.between(20, 80));
    plan.rule_percent = random.percent(60) ? 0 : static_cast<int>(random.between(10, 90));
    return plan;
}

Plan with_queues(Plan plan) {
    plan.has_queues = true;
    return plan;
}

Plan with_backfill(Plan plan) {
    plan.has_backfill = true;
    return plan;
}

Plan with_groups(Plan plan) {
    Random drawn(plan.seed ^ 0x6A06B6A06B6A06BULL);
    plan.group_percent = static_cast<int>(drawn.between(20, 90));
    plan.group_mishap_ms = drawn.percent(20) ? 0 : drawn.between(2'000, 40'000);
    // A group's state is between its pods: leaders that die in the middle of it find the most.
    if (drawn.percent(50)) {
        plan.rates[static_cast<std::size_t>(Fault::crash)] = drawn.between(3'000, 30'000);
    }
    return plan;
}

Plan with_cards(Plan plan) {
    plan.has_cards = true;
    return plan;
}

Plan with_volumes(Plan plan) {
    plan.has_volumes = true;
    plan.lone_percent = 50;
    return plan;
}

Plan with_quotas(Plan plan) {
    plan.has_quotas = true;
    return plan;
}

/// Until nodes for one are there, and are gone that another one had, minutes pass.
Plan with_autoscaler(Plan plan) {
    plan.has_autoscaler = true;
    plan.asks_once = Random(plan.seed ^ 0xA5CA1E4A5CA1E4ULL).percent(40);
    plan.calm_ms_per_application *= 4;
    return plan;
}

Plan without_faults(Plan plan) {
    plan.rates = {};
    plan.group_mishap_ms = 0;
    return plan;
}

}  // namespace gang::sim
