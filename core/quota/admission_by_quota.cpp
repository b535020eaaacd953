#include "core/quota/admission_by_quota.hpp"

#include "core/value/exclusive.hpp"
#include "core/value/quantity.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

namespace core {
namespace {

/// cpu or memory of a container, or of a pod.
struct Bounded {
    std::int64_t request = 0;
    std::optional<std::int64_t> limit;
};

struct Sizes {
    Bounded cpu;
    Bounded memory;
    Bounded& of(std::string_view resource) { return resource == "cpu" ? cpu : memory; }
};

constexpr std::array<std::string_view, 2> bounded_resources = {"cpu", "memory"};
constexpr std::int64_t thousandths = 1'000;

std::vector<Sizes> containers_of(const PodToCome& pod) {
    std::vector<Sizes> sizes;
    for (const ContainerLimits& container : pod.limits.containers) {
        sizes.push_back(
            {{container.requests.cpu_milli, container.cpu_limit_milli},
             {container.requests.memory_bytes, container.memory_limit_bytes}});
    }
    if (sizes.empty()) {
        const Resources& all = pod.requests;
        sizes.push_back({{all.cpu_milli, std::nullopt}, {all.memory_bytes, all.memory_bytes}});
    }
    return sizes;
}

void fill_in(Bounded& size, const LimitBounds& bounds) {
    if (!size.limit) {
        size.limit = bounds.default_limit;
    }
    if (size.request == 0 && bounds.default_request) {
        size.request = *bounds.default_request;
    }
}

std::string amount_of(const LimitBounds& bounds, std::int64_t amount) {
    return quota_amount_text(bounds.resource, amount) + " " + bounds.resource;
}

std::string range_text(const LimitBounds& bounds) {
    return "LimitRange " + bounds.range;
}

/// Empty: within the bounds.
std::string refusal_of(const Bounded& size, const LimitBounds& bounds) {
    const std::string whose = bounds.is_pod ? "a pod" : "a container";
    if (bounds.min && size.request < *bounds.min) {
        return range_text(bounds) + " asks for at least " + amount_of(bounds, *bounds.min) +
               " of " + whose + ", and an executor requests " +
               quota_amount_text(bounds.resource, size.request);
    }
    if (bounds.max && !size.limit) {
        return range_text(bounds) + " wants a limit of " + bounds.resource + " for " + whose +
               ", and an executor has none";
    }
    const std::int64_t largest = std::max(size.request, size.limit.value_or(size.request));
    if (bounds.max && largest > *bounds.max) {
        return range_text(bounds) + " allows " + amount_of(bounds, *bounds.max) + " for " + whose +
               " at most, and an executor has " + quota_amount_text(bounds.resource, largest);
    }
    if (size.limit && size.request > *size.limit) {
        return range_text(bounds) + " gives a container a limit of " +
               amount_of(bounds, *size.limit) + ", less than the " +
               quota_amount_text(bounds.resource, size.request) + " that an executor requests";
    }
    if (bounds.ratio_milli && size.limit && size.request > 0 &&
        add_times(0, *size.limit, thousandths) > add_times(0, *bounds.ratio_milli, size.request)) {
        return range_text(bounds) + " allows a limit of " + bounds.resource + " of " +
               format_cpu(*bounds.ratio_milli) + " times the request at most, and an executor has " +
               quota_amount_text(bounds.resource, *size.limit) + " for " +
               quota_amount_text(bounds.resource, size.request);
    }
    return {};
}

Bounded sum_of(std::vector<Sizes>& containers, std::string_view resource) {
    Bounded total{0, 0};
    for (Sizes& container : containers) {
        const Bounded& one = container.of(resource);
        total.request = add_times(total.request, one.request, 1);
        total.limit = total.limit && one.limit
                          ? std::optional(add_times(*total.limit, *one.limit, 1))
                          : std::nullopt;
    }
    return total;
}

std::string find_refusal_by_range(std::vector<Sizes>& containers, const NamespaceQuotas& in) {
    for (const LimitBounds& bounds : in.bounds) {
        const bool is_bounded = std::find(
                                    bounded_resources.begin(),
                                    bounded_resources.end(),
                                    bounds.resource) != bounded_resources.end();
        if (!is_bounded) {
            continue;
        }
        if (bounds.is_pod) {
            if (auto why = refusal_of(sum_of(containers, bounds.resource), bounds); !why.empty()) {
                return why;
            }
            continue;
        }
        for (Sizes& container : containers) {
            if (auto why = refusal_of(container.of(bounds.resource), bounds); !why.empty()) {
                return why;
            }
        }
    }
    return {};
}

/// A quota of limits wants every container to say its limit.
std::string find_unsaid_limit(
    const QuotaUsage& usage, const std::string& priority_class, const NamespaceQuotas& in) {
    for (const ResourceQuota& quota : in.quotas) {
        for (const QuotaAmount& amount : quota.amounts) {
            const bool is_limit =
                amount.resource == "limits.cpu" || amount.resource == "limits.memory";
            if (is_limit && counts(quota, priority_class) && !usage.contains(amount.resource)) {
                return "ResourceQuota " + quota.name + " counts " + amount.resource +
                       ", so a pod has to say it, and an executor does not" +
                       (amount.resource == "limits.cpu"
                            ? ": spark.kubernetes.executor.limit.cores sets it"
                            : "");
            }
        }
    }
    return {};
}

/// What LimitRanges add is more than placement knows of.
std::int64_t requested(std::int64_t whole, std::int64_t said, std::int64_t filled_in) {
    return add_times(whole, filled_in - said, 1);
}

QuotaUsage usage_of(const PodToCome& pod, std::vector<Sizes>& before, std::vector<Sizes>& after) {
    const Resources requests = without_exclusives(pod.requests);
    QuotaUsage usage = {{"pods", 1}, {"count/pods", 1}};
    const auto add = [&usage](const std::string& resource, std::int64_t amount) {
        usage[resource] = amount;
        usage["requests." + resource] = amount;
    };
    add("cpu",
        requested(
            requests.cpu_milli, sum_of(before, "cpu").request, sum_of(after, "cpu").request));
    add("memory",
        requested(
            requests.memory_bytes,
            sum_of(before, "memory").request,
            sum_of(after, "memory").request));
    add("ephemeral-storage", requests.ephemeral_bytes);
    for (const ExtendedResource& extended : requests.extended) {
        add(extended.name, extended.amount);
    }
    for (const std::string_view resource : bounded_resources) {
        if (const auto limit = sum_of(after, resource).limit) {
            usage["limits." + std::string(resource)] = *limit;
        }
    }
    return usage;
}

std::int64_t amount_in(const QuotaUsage& usage, const std::string& resource) {
    const auto found = usage.find(resource);
    return found == usage.end() ? 0 : found->second;
}

bool holds(const PriorityClassScope& scope, const std::string& priority_class) {
    const bool is_named =
        std::find(scope.values.begin(), scope.values.end(), priority_class) != scope.values.end();
    switch (scope.op) {
        case ScopeOperator::in:
            return is_named;
        case ScopeOperator::not_in:
            return !is_named;
        case ScopeOperator::exists:
            return !priority_class.empty();
        case ScopeOperator::does_not_exist:
            return priority_class.empty();
    }
    return true;
}

}  // namespace

void add_usage(QuotaUsage& to, const QuotaUsage& one, std::int64_t count) {
    for (const auto& [resource, amount] : one) {
        std::int64_t& total = to[resource];
        total = add_times(total, amount, count);
    }
}

bool counts(const ResourceQuota& quota, const std::string& priority_class) {
    return std::all_of(quota.classes.begin(), quota.classes.end(), [&](const auto& scope) {
        return holds(scope, priority_class);
    });
}

std::int64_t counted(
    const UsageByClass& usage, const ResourceQuota& quota, const std::string& resource) {
    std::int64_t total = 0;
    for (const auto& [priority_class, one] : usage) {
        total = counts(quota, priority_class) ? add_times(total, amount_in(one, resource), 1) : total;
    }
    return total;
}

PodVerdict judge(const PodToCome& pod, const NamespaceQuotas& in) {
    std::vector<Sizes> before = containers_of(pod);
    std::vector<Sizes> after = before;
    for (const LimitBounds& bounds : in.bounds) {
        for (Sizes& container : after) {
            if (!bounds.is_pod && (bounds.resource == "cpu" || bounds.resource == "memory")) {
                fill_in(container.of(bounds.resource), bounds);
            }
        }
    }
    PodVerdict verdict;
    verdict.usage = usage_of(pod, before, after);
    verdict.refusal = find_refusal_by_range(after, in);
    if (verdict.refusal.empty()) {
        verdict.refusal = find_unsaid_limit(verdict.usage, pod.limits.priority_class, in);
    }
    return verdict;
}

std::optional<QuotaGap> find_gap(
    const NamespaceQuotas& in,
    const UsageByClass& needs,
    const UsageByClass& promised,
    const QuotaUsage& own) {
    std::optional<QuotaGap> first;
    for (const ResourceQuota& quota : in.quotas) {
        for (const QuotaAmount& amount : quota.amounts) {
            const std::int64_t needed = counted(needs, quota, amount.resource);
            const std::int64_t others = counted(promised, quota, amount.resource);
            const std::int64_t taken = add_times(amount.used, others, 1);
            if (needed <= 0 || add_times(taken, needed, 1) <= amount.hard) {
                continue;
            }
            const std::int64_t alone = add_times(
                std::min(amount_in(own, amount.resource), amount.used), needed, 1);
            const bool is_for_ever = alone > amount.hard;
            if (!first || (is_for_ever && !first->is_for_ever)) {
                first = QuotaGap{
                    quota.name,
                    amount.resource,
                    amount.hard,
                    amount.used,
                    others,
                    needed,
                    is_for_ever};
            }
        }
    }
    return first;
}

std::string quota_amount_text(const std::string& resource, std::int64_t amount) {
    if (is_cpu_resource(resource)) {
        return format_cpu(amount);
    }
    const bool is_bytes = resource == "memory" || resource.ends_with(".memory") ||
                          resource.ends_with("storage") ||
                          resource.find("hugepages-") != std::string::npos;
    return is_bytes ? format_bytes(amount) : std::to_string(amount);
}

}  // namespace core
