#include "gang/sim/quota/namespace_quotas.hpp"

#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gang::sim {
namespace {

constexpr std::int64_t gibibyte = 1024LL * 1024 * 1024;
constexpr int with_quota_percent = 70;  ///< of the namespaces
constexpr int with_range_percent = 20;
constexpr std::int64_t sync_ms_max = 1'500;
constexpr std::int64_t mishap_gap_ms = 15'000;
/// An executor of this world asks for less.
constexpr std::int64_t executor_memory_max = 7 * gibibyte / 2;

void add(Taken& to, const Taken& more, std::int64_t times) {
    for (const auto& [resource, amount] : more) {
        to[resource] += times * amount;
    }
}

void keep_larger(Taken& to, const Taken& other) {
    for (const auto& [resource, amount] : other) {
        to[resource] = std::max(to[resource], amount);
    }
}

/// Of one executor, as Spark will create it.
core::Resources executor_of(const Application& one) {
    core::Resources made{one.cpu_milli, one.memory_mib * 1024 * 1024, 0, {}};
    if (one.gpus > 0) {
        made.extended = {{std::string(gpu_resource), one.gpus}};
    }
    return made;
}

}  // namespace

Taken taken_by(const core::Resources& requests) {
    Taken made = {
        {"count/pods", 1},
        {"cpu", requests.cpu_milli},
        {"memory", requests.memory_bytes},
        {"pods", 1},
        {"requests.cpu", requests.cpu_milli},
        {"requests.memory", requests.memory_bytes}};
    if (const std::int64_t gpus = requests.extended_amount(gpu_resource); gpus > 0) {
        made["requests." + std::string(gpu_resource)] = gpus;
    }
    return made;
}

/// From a third of what the largest gang asks for to twice as much.
NamespaceQuotas::Quota NamespaceQuotas::draw() {
    Random& random = world_.random;
    const std::int64_t gang_max = world_.plan.gang_max;
    const auto part_of = [&random](std::int64_t largest) {
        return largest * random.between(30, 200) / 100;
    };
    Quota made;
    made.name = "q" + std::to_string(++made_);
    if (random.percent(75)) {
        const std::int64_t cores = 1 + part_of(1 + 3 * gang_max);
        made.spec[random.percent(50) ? "cpu" : "requests.cpu"] = 1'000 * cores;
    }
    if (random.percent(35)) {
        const std::int64_t most = 2 * gibibyte + gang_max * executor_memory_max;
        made.spec[random.percent(50) ? "memory" : "requests.memory"] = part_of(most);
    }
    if (random.percent(35)) {
        made.spec[random.percent(70) ? "pods" : "count/pods"] = 2 + part_of(2 + gang_max);
    }
    if (world_.plan.gpu_percent > 0 && random.percent(50)) {
        made.spec["requests." + std::string(gpu_resource)] = 1 + part_of(2 * gang_max);
    }
    return made;
}

void NamespaceQuotas::begin() {
    if (!world_.plan.has_quotas) {
        return;
    }
    Random& random = world_.random;
    for (std::uint32_t tenant = 1; tenant <= static_cast<std::uint32_t>(world_.plan.tenants);
         ++tenant) {
        Namespace& in = namespaces_[tenant];
        if (!random.percent(with_quota_percent)) {
            continue;
        }
        const std::int64_t count = random.percent(75) ? 1 : 2;
        for (std::int64_t i = 0; i < count; ++i) {
            in.quotas.push_back(draw());
        }
        if (random.percent(with_range_percent)) {
            in.memory_max = gibibyte * random.between(2, 3);
        }
        sync(tenant);
    }
    world_.queue.plan(
        world_.now_ms + random.between(1'000, 2 * mishap_gap_ms), Happening::quota_mishap);
}

bool NamespaceQuotas::admits(const core::Pod& pod) {
    const auto found = namespaces_.find(number_of(pod.namespace_name));
    if (found == namespaces_.end()) {
        return true;
    }
    Namespace& in = found->second;
    const Taken taken = taken_by(pod.requests);
    bool is_refused = in.memory_max && pod.requests.memory_bytes > *in.memory_max;
    for (const Quota& quota : in.quotas) {
        for (const auto& [resource, hard] : quota.hard) {
            const auto asks = taken.find(resource);
            const auto used = quota.used.find(resource);
            is_refused = is_refused || (asks != taken.end() && used->second + asks->second > hard);
        }
    }
    if (is_refused) {
        ++world_.record.counts.pods_refused_by_quota;
        world_.record.say([&pod] { return "quota refuses " + full_name(pod); });
        return false;
    }
    for (Quota& quota : in.quotas) {
        for (auto& [resource, used] : quota.used) {
            const auto asks = taken.find(resource);
            used += asks == taken.end() ? 0 : asks->second;
        }
    }
    return true;
}

void NamespaceQuotas::pod_changed(const Entry<core::Pod>& entry) {
    const std::uint32_t tenant = number_of(entry.object.namespace_name);
    if ((entry.change == Change::deleted || core::is_terminal(entry.object)) &&
        namespaces_.contains(tenant)) {
        plan_sync(tenant);
    }
}

void NamespaceQuotas::plan_sync(std::uint32_t tenant) {
    if (!std::exchange(namespaces_.at(tenant).sync_is_planned, true)) {
        world_.queue.plan(
            world_.now_ms + world_.random.between(5, sync_ms_max), Happening::quota_synced, tenant);
    }
}

Taken NamespaceQuotas::used_by_pods(const std::string& namespace_name) const {
    Taken all;
    for (const auto& pod : world_.store.pods) {
        if (!pod || pod->namespace_name != namespace_name) {
            continue;
        }
        for (const auto& [resource, amount] : taken_by(pod->requests)) {
            all[resource] += counts_ended(resource) || !core::is_terminal(*pod) ? amount : 0;
        }
    }
    return all;
}

void NamespaceQuotas::sync(std::uint32_t tenant) {
    Namespace& in = namespaces_.at(tenant);
    in.sync_is_planned = false;
    Taken all = used_by_pods("t" + std::to_string(tenant));
    for (Quota& quota : in.quotas) {
        quota.hard = quota.spec;
        quota.used.clear();
        for (const auto& [resource, hard] : quota.spec) {
            quota.used[resource] = all[resource];
        }
    }
}

void NamespaceQuotas::mishap() {
    if (world_.faults.is_calm()) {
        return;
    }
    auto chosen = namespaces_.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(world_.random.below(namespaces_.size())));
    change(chosen->second);
    world_.record.say([&] { return fmt::format("quotas of t{} change", chosen->first); });
    plan_sync(chosen->first);
    world_.queue.plan(
        world_.now_ms + world_.random.between(1, 2 * mishap_gap_ms), Happening::quota_mishap);
}

void NamespaceQuotas::change(Namespace& in) {
    Random& random = world_.random;
    ++world_.record.counts.quotas_changed;
    if (in.quotas.empty() || random.percent(10)) {
        in.quotas.push_back(draw());
        return;
    }
    const std::size_t which = random.below(in.quotas.size());
    Quota& quota = in.quotas[which];
    const std::int64_t kind = random.between(1, 100);
    if (kind <= 50 || in.quotas.size() > 2) {
        const std::int64_t percent =
            random.percent(60) ? random.between(110, 250) : random.between(40, 95);
        for (auto& [resource, hard] : quota.spec) {
            hard = std::max<std::int64_t>(1, hard * percent / 100);
        }
    } else if (kind <= 70) {
        in.quotas.erase(in.quotas.begin() + static_cast<std::ptrdiff_t>(which));
    } else if (kind <= 85) {
        quota.spec = draw().spec;
    } else if (in.memory_max) {
        in.memory_max.reset();
    } else {
        in.memory_max = gibibyte * random.between(2, 3);
    }
}

/// Pods that are there stay for as long as they like, executors alone come and go: room for those,
/// for all pods of groups, and for the executors of one application after the other.
Taken NamespaceQuotas::needed_in_calm(const std::string& namespace_name) const {
    Taken needed;
    Taken largest;
    for (PodId id = 0; id < world_.store.pods.size(); ++id) {
        const core::Pod* const pod = world_.store.find_pod(id);
        const ApplicationId application = world_.cluster.applications.find(id);
        const bool is_executor =
            application != nobody && world_.cluster.applications.at(application).driver != id;
        if (pod != nullptr && pod->namespace_name == namespace_name && !is_executor) {
            add(needed, taken_by(pod->requests), 1);
        }
    }
    for (const Application& one : world_.cluster.applications.all()) {
        if (one.tenant == namespace_name && one.phase != Application::Phase::ended) {
            Taken executors;
            add(executors,
                taken_by(executor_of(one)),
                *std::max_element(one.ever.begin(), one.ever.end()));
            keep_larger(largest, executors);
        }
    }
    add(needed, largest, 1);
    for (const GroupJob& job : world_.cluster.group_jobs.all()) {
        if (job.tenant == namespace_name && job.phase != GroupJob::Phase::ended) {
            for (const GroupRole& role : job.roles) {
                add(needed, taken_by(role.requests), role.pods);
            }
        }
    }
    return needed;
}

void NamespaceQuotas::calm_down() {
    for (auto& [tenant, in] : namespaces_) {
        Taken needed = needed_in_calm("t" + std::to_string(tenant));
        in.memory_max.reset();
        for (Quota& quota : in.quotas) {
            for (auto& [resource, hard] : quota.spec) {
                hard = std::max(hard, needed[resource]);
            }
        }
        plan_sync(tenant);
    }
}

core::NamespaceQuotas NamespaceQuotas::now_in(const std::string& namespace_name) const {
    core::NamespaceQuotas made;
    const auto found = namespaces_.find(number_of(namespace_name));
    if (found == namespaces_.end()) {
        return made;
    }
    for (const Quota& quota : found->second.quotas) {
        core::ResourceQuota shown;
        shown.name = quota.name;
        Taken hard = quota.spec;
        for (const auto& [resource, amount] : quota.hard) {
            hard[resource] = amount;
        }
        Taken used = quota.used;
        for (const auto& [resource, amount] : hard) {
            shown.amounts.push_back({resource, amount, used[resource]});
        }
        made.quotas.push_back(std::move(shown));
    }
    std::sort(made.quotas.begin(), made.quotas.end(), [](const auto& a, const auto& b) {
        return a.name < b.name;
    });
    if (const auto& most = found->second.memory_max) {
        core::LimitBounds bounds;
        bounds.range = "sizes";
        bounds.resource = "memory";
        bounds.max = most;
        bounds.default_limit = most;
        bounds.default_request = most;
        made.bounds.push_back(std::move(bounds));
    }
    return made;
}

void NamespaceQuotas::read(Call& call) const {
    call.answer.status = 200;
    call.answer.quotas = now_in(call.pod.namespace_name);
}

}  // namespace gang::sim
