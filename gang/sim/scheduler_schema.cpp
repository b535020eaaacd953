#include "gang/sim/scheduler_schema.hpp"

#include "config/queues/queue_name.hpp"
#include "gang/sim/base/random.hpp"
#include "gang/sim/plane/group_jobs.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gang::sim {
namespace {

/// Each matter of a file has a chance of its own, so that another matter moves none of its draws.
Random chance_of(const Plan& plan, std::uint64_t matter, std::uint32_t file) {
    return Random(plan.seed ^ matter ^ (std::uint64_t{file} << 32U));
}

/// A queue for most tenants, by their namespace, and one for the others. No limit is below what the
/// largest gang asks for, or it would never end.
void add_queues(config::Schema& schema, const Plan& plan, std::uint32_t file) {
    Random drawn = chance_of(plan, 0x0E0E0E0E0E0E0E0EULL, file);
    const std::int64_t largest_milli = std::max(
        1'000 + 3'000 * plan.gang_max,
        plan.group_percent > 0 ? GroupJobs::largest_cpu_milli(plan.gang_max) : 0);
    const auto draw_limit = [&] {
        return config::ResourceAmounts{{"cpu", largest_milli + 1'000 * drawn.between(0, 6)}};
    };
    config::Queue root;
    root.name = config::root_queue;
    if (drawn.percent(30)) {
        root.limit = {{"cpu", 2 * largest_milli}};
    }
    schema.queues.push_back(root);
    for (int tenant = 1; tenant <= plan.tenants; ++tenant) {
        config::Queue made;
        made.name = config::full_queue_name("t" + std::to_string(tenant));
        if (drawn.percent(20)) {
            continue;
        }
        if (file > 0 && drawn.percent(15)) {
            made.state = config::QueueState::stopped;
        }
        made.weight = drawn.between(1, 5);
        const std::int64_t order = drawn.between(1, 100);
        made.order = order <= 40   ? config::QueueOrder::priority
                     : order <= 55 ? config::QueueOrder::fair
                                   : config::QueueOrder::fifo;
        if (drawn.percent(60)) {
            made.limit = draw_limit();
        }
        if (drawn.percent(20)) {
            made.user_limit = draw_limit();
        }
        if (drawn.percent(30)) {
            made.max_gangs = drawn.between(1, 4);
        }
        if (drawn.percent(30)) {
            made.guarantee = {{"cpu", 1'000 * drawn.between(1, 4)}};
        }
        schema.queues.push_back(std::move(made));
    }
    schema.placement = {
        {config::PlacementRule::Kind::annotation, {}},
        {config::PlacementRule::Kind::namespace_name, {}},
        {config::PlacementRule::Kind::fixed, std::string(config::default_queue)}};
}

void add_waits(config::Schema& schema, const Plan& plan, std::uint32_t file) {
    Random drawn = chance_of(plan, 0x0D0D0D0D0D0D0D0DULL, file);
    for (config::Queue& made : schema.queues) {
        // A step of priority is worth from seconds to minutes.
        const bool ages = drawn.percent(50);
        const std::int64_t points = drawn.between(10'000, 400'000);
        made.aging_per_hour = ages && made.order == config::QueueOrder::priority ? points : 0;
        const std::int64_t wait_ms = 1'000 * drawn.between(5, 120);
        made.max_wait_ms = drawn.percent(40) ? wait_ms : 0;
        made.is_max_wait_strict = drawn.percent(30);
    }
}

void add_history(config::Schema& schema, const Plan& plan, std::uint32_t file) {
    Random drawn = chance_of(plan, 0x0A0A0A0A0A0A0A0AULL, file);
    if (drawn.percent(40)) {
        schema.fair_share.usage_half_life_ms = 1'000 * drawn.between(10, 600);
    }
}

/// The same in all files.
void add_preemption(config::Schema& schema, const Plan& plan) {
    Random drawn = chance_of(plan, 0x0F0F0F0F0F0F0F0FULL, 0);
    if (!drawn.percent(50)) {
        return;
    }
    for (config::Queue& made : schema.queues) {
        made.preemption.is_reclaimable = drawn.percent(60);
        if (made.order == config::QueueOrder::priority) {
            made.preemption.within_queue = config::PreemptionWithin::lower_priority;
        }
    }
    schema.preemption.across_queues = drawn.percent(30);
    schema.preemption.max_victims_per_minute = drawn.between(1, 10);
}

void add_backfill(config::Schema& schema, const Plan& plan) {
    Random drawn = chance_of(plan, 0xBACF111BACF111ULL, 0);
    schema.backfill.mode =
        drawn.percent(50) ? config::BackfillMode::easy : config::BackfillMode::conservative;
    schema.backfill.max_bypass = drawn.percent(50) ? 100 : drawn.between(1, 4);
    for (config::Queue& said : schema.queues) {
        if (drawn.percent(30)) {
            said.backfill =
                drawn.percent(50) ? config::BackfillMode::off : config::BackfillMode::conservative;
        }
    }
}

}  // namespace

config::Schema schema_of_file(const Plan& plan, std::uint32_t file) {
    config::Schema schema;
    schema.seal_key_file = plan.has_key ? "key" : "";
    if (plan.has_queues) {
        add_queues(schema, plan, file);
        add_waits(schema, plan, file);
        add_history(schema, plan, file);
        add_preemption(schema, plan);
    }
    schema.quota.preflight = plan.has_quotas;
    if (plan.has_autoscaler) {
        schema.autoscaling.mode = plan.asks_once ? config::AutoscalingMode::provisioning_request
                                                 : config::AutoscalingMode::capacity_buffer;
    }
    if (plan.has_backfill) {
        add_backfill(schema, plan);
    }
    return schema;
}

}  // namespace gang::sim
