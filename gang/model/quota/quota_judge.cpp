#include "gang/model/quota/quota_judge.hpp"

#include <algorithm>
#include <utility>

namespace gang {

core::PodToCome QuotaJudge::pod_of(const GangShape& shape) const {
    return {cluster_.resources(shape.id), shape.limits ? *shape.limits : core::ExecutorLimits{}};
}

QuotaJudgement QuotaJudge::judge(
    const QuotaNamespace& in, const Application& app, const core::Resources& driver) const {
    QuotaJudgement judgement;
    if (!in.quotas || in.quotas->is_empty()) {
        return judgement;
    }
    for (const GangShape& shape : app.declared.shapes) {
        const core::PodToCome pod = pod_of(shape);
        core::PodVerdict verdict = core::judge(pod, *in.quotas);
        if (!verdict.refusal.empty()) {
            judgement.refusal = std::move(verdict.refusal);
            return judgement;
        }
        core::add_usage(judgement.needs[pod.limits.priority_class], verdict.usage, shape.count);
    }
    const core::QuotaUsage own = core::judge({driver, {}}, {}).usage;
    judgement.gap = core::find_gap(*in.quotas, judgement.needs, in.promised, own);
    return judgement;
}

const QuotaNamespace::Wait* find_before(
    const QuotaNamespace& in,
    const Application& app,
    const core::Pod& driver,
    const core::UsageByClass& needs) {
    for (const auto& [rank, wait] : in.waits) {
        if (!(RankView(rank) < app.order())) {
            break;
        }
        const auto uses = [&needs, &waits_for = wait](const core::ResourceQuota& quota) {
            return quota.name == waits_for.quota &&
                   core::counted(needs, quota, waits_for.resource) > 0;
        };
        const auto& quotas = in.quotas->quotas;
        if (wait.priority >= driver.priority && std::any_of(quotas.begin(), quotas.end(), uses)) {
            return &wait;
        }
    }
    return nullptr;
}

}  // namespace gang
