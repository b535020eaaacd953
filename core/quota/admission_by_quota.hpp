#pragma once
// What the API server's admission by LimitRange and ResourceQuota will say of pods that do not
// exist yet (plugins limitranger and resourcequota of Kubernetes 1.37, evaluator for pods). It is
// asked about executors, whose pods are created one by one long after their driver was bound.

#include "core/value/quota/executor_limits.hpp"
#include "core/value/quota/namespace_quotas.hpp"
#include "core/value/resources.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// By resource as a ResourceQuota names it; saturated sums.
using QuotaUsage = std::map<std::string, std::int64_t, std::less<>>;

/// Adds `count` times `one`.
void add_usage(QuotaUsage& to, const QuotaUsage& one, std::int64_t count);

struct PodToCome {
    Resources requests;     ///< of the whole pod, as placement counts it
    ExecutorLimits limits;  ///< without containers: one, whose memory limit is its request
};

/// Of a pod in a namespace with these LimitRanges.
struct PodVerdict {
    QuotaUsage usage;     ///< what quotas will count for it
    std::string refusal;  ///< not empty: it cannot be created, whatever is used; why
};
PodVerdict judge(const PodToCome& pod, const NamespaceQuotas& in);

/// Whether the quota counts pods of this priority class ("": none is written).
bool counts(const ResourceQuota& quota, const std::string& priority_class);

/// What pods of one priority class take together.
using UsageByClass = std::map<std::string, QuotaUsage, std::less<>>;

/// How much of it a quota counts of one of its resources.
std::int64_t counted(
    const UsageByClass& usage, const ResourceQuota& quota, const std::string& resource);

/// One amount of one quota that is not enough.
struct QuotaGap {
    std::string quota;
    std::string resource;
    std::int64_t hard = 0;
    std::int64_t used = 0;
    std::int64_t promised = 0;  ///< to others, whose pods are yet to come
    std::int64_t needs = 0;
    /// Even if nothing but the gang itself used it.
    bool is_for_ever = false;
    friend bool operator==(const QuotaGap&, const QuotaGap&) = default;
};

/// The first gap, those for ever before the others. `own`: what the gang uses already.
std::optional<QuotaGap> find_gap(
    const NamespaceQuotas& in,
    const UsageByClass& needs,
    const UsageByClass& promised,
    const QuotaUsage& own);

/// "4", "1408Mi", "16": an amount as the quota's file has it.
std::string quota_amount_text(const std::string& resource, std::int64_t amount);

}  // namespace core
