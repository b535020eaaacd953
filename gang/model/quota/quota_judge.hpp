#pragma once
// Whether executors of a gang can be created, by what is known of its namespace. Remembers nothing.

#include "core/cluster/cluster.hpp"
#include "core/quota/admission_by_quota.hpp"
#include "core/value/pod.hpp"
#include "gang/model/application.hpp"
#include "gang/model/quota/quota_namespace.hpp"

#include <optional>
#include <string>

namespace gang {

struct QuotaJudgement {
    std::string refusal;  ///< not empty: nothing else counts
    core::UsageByClass needs;
    std::optional<core::QuotaGap> gap;
};

class QuotaJudge {
public:
    explicit QuotaJudge(const core::Cluster& cluster) : cluster_(cluster) {}

    /// An executor of this shape, as admission plugins will see it.
    core::PodToCome pod_of(const GangShape& shape) const;
    /// `driver`: what its driver asks, which is counted already.
    QuotaJudgement judge(
        const QuotaNamespace& in, const Application& app, const core::Resources& driver) const;

private:
    const core::Cluster& cluster_;
};

/// One who came before it, is not of a lower priority, and waits for what it would use.
const QuotaNamespace::Wait* find_before(
    const QuotaNamespace& in,
    const Application& app,
    const core::Pod& driver,
    const core::UsageByClass& needs);

}  // namespace gang
