#pragma once
// The ResourceQuotas and LimitRanges of one namespace, as far as they are about pods. Amounts of
// resources whose name ends in "cpu" are in thousandths of a core, all others in bytes or counts;
// what does not fit in 64 bits is the nearest that does.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// "cpu", "requests.cpu", "limits.cpu".
inline bool is_cpu_resource(std::string_view resource) {
    return resource == "cpu" || resource.ends_with(".cpu");
}

struct QuotaAmount {
    std::string resource;  ///< "requests.cpu", "pods", "requests.nvidia.com/gpu"
    std::int64_t hard = 0;
    std::int64_t used = 0;
    friend bool operator==(const QuotaAmount&, const QuotaAmount&) = default;
};

enum class ScopeOperator : std::uint8_t { in, not_in, exists, does_not_exist };

/// Scope PriorityClass: which pods the quota is about.
struct PriorityClassScope {
    ScopeOperator op = ScopeOperator::exists;
    std::vector<std::string> values;
    friend bool operator==(const PriorityClassScope&, const PriorityClassScope&) = default;
};

struct ResourceQuota {
    std::string name;
    std::vector<QuotaAmount> amounts;         ///< sorted by resource
    std::vector<PriorityClassScope> classes;  ///< all of them hold
    friend bool operator==(const ResourceQuota&, const ResourceQuota&) = default;
};

/// One resource of one item of a LimitRange.
struct LimitBounds {
    std::string range;    ///< the LimitRange's name
    bool is_pod = false;  ///< type Pod: the sum of a pod's containers; else of each container
    std::string resource;
    std::optional<std::int64_t> min;
    std::optional<std::int64_t> max;
    std::optional<std::int64_t> default_limit;
    std::optional<std::int64_t> default_request;
    std::optional<std::int64_t> ratio_milli;  ///< maxLimitRequestRatio, in thousandths
    friend bool operator==(const LimitBounds&, const LimitBounds&) = default;
};

struct NamespaceQuotas {
    std::vector<ResourceQuota> quotas;  ///< sorted by name
    std::vector<LimitBounds> bounds;    ///< sorted by the LimitRange's name
    bool is_empty() const { return quotas.empty() && bounds.empty(); }
    friend bool operator==(const NamespaceQuotas&, const NamespaceQuotas&) = default;
};

}  // namespace core
