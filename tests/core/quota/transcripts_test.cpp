// What admission by quota says of executors, with quotas and ranges drawn by chance.

#include "core/quota/admission_by_quota.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace core;

namespace {

using tests::Walk;

std::int64_t some(Walk& walk) {
    constexpr std::int64_t amounts[] = {1'000, 1'000, 2'000, 500, 1'001, 999, 0, 4'000};
    return walk.of(amounts);
}

std::optional<std::int64_t> perhaps(Walk& walk, std::size_t one_in) {
    return walk.pick(one_in) == 0 ? std::optional(some(walk)) : std::nullopt;
}

std::string text_of(const std::optional<std::int64_t>& amount) {
    return amount ? std::to_string(*amount) : "-";
}

ExecutorLimits some_limits(Walk& walk) {
    ExecutorLimits limits;
    for (std::size_t left = walk.pick(3); left > 0; --left) {
        limits.containers.push_back({{some(walk), some(walk), 0, {}}, perhaps(walk, 2), perhaps(walk, 2)});
    }
    if (walk.pick(3) == 0) limits.priority_class = walk.pick(2) == 0 ? "high" : "low";
    return limits;
}

NamespaceQuotas some_quotas(Walk& walk) {
    NamespaceQuotas in;
    for (std::size_t left = walk.pick(4); left > 0; --left) {
        ResourceQuota quota{"quota-" + std::to_string(left), {}, {}};
        for (const char* resource : {"count/pods", "cpu", "limits.cpu", "limits.memory", "memory", "nvidia.com/gpu", "pods", "requests.cpu",
                                     "requests.nvidia.com/gpu"}) {
            if (walk.pick(6) == 0) quota.amounts.push_back({resource, some(walk) * 2, some(walk) / 2});
        }
        if (walk.pick(3) == 0) {
            PriorityClassScope scope{static_cast<ScopeOperator>(walk.pick(4)), {}};
            if (walk.pick(2) == 0) scope.values = {"high"};
            quota.classes.push_back(scope);
        }
        in.quotas.push_back(quota);
    }
    for (std::size_t left = walk.pick(4); left > 0; --left) {
        constexpr const char* resources[] = {"cpu", "memory", "cpu", "memory", "ephemeral-storage"};
        LimitBounds bounds{"range-" + std::to_string(left), walk.pick(3) == 0, walk.of(resources), perhaps(walk, 3), perhaps(walk, 3),
                           perhaps(walk, 3), perhaps(walk, 3), perhaps(walk, 3)};
        in.bounds.push_back(bounds);
    }
    return in;
}

std::string text_of(const NamespaceQuotas& in) {
    std::string text;
    for (const ResourceQuota& quota : in.quotas) {
        text += "    " + quota.name;
        for (const PriorityClassScope& scope : quota.classes) {
            text += " of class " + std::to_string(static_cast<int>(scope.op)) + (scope.values.empty() ? "" : " " + scope.values[0]);
        }
        for (const QuotaAmount& one : quota.amounts) {
            text += ", " + one.resource + " " + std::to_string(one.used) + " of " + std::to_string(one.hard);
        }
        text += "\n";
    }
    for (const LimitBounds& one : in.bounds) {
        text += "    " + one.range + (one.is_pod ? " pod " : " ") + one.resource + " " + text_of(one.min) + " to " + text_of(one.max) + ", by default " +
                text_of(one.default_request) + " to " + text_of(one.default_limit) + ", ratio " + text_of(one.ratio_milli) + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("transcripts: admission by quota") {
    std::string told;
    Walk walk(1);
    for (int i = 0; i < 300; ++i) {
        const NamespaceQuotas in = some_quotas(walk);
        PodToCome pod;
        pod.limits = some_limits(walk);
        for (const ContainerLimits& one : pod.limits.containers) {
            pod.requests.cpu_milli += one.requests.cpu_milli;
            pod.requests.memory_bytes += one.requests.memory_bytes;
        }
        if (pod.limits.containers.empty()) pod.requests = {some(walk), some(walk), 0, {}};
        if (walk.pick(3) == 0) pod.requests.extended = {{"host port 80/TCP", 1}, {"nvidia.com/gpu", 1}};
        told += "pod " + std::to_string(pod.requests.cpu_milli) + " " + std::to_string(pod.requests.memory_bytes) + " " + pod.limits.priority_class;
        for (const ContainerLimits& one : pod.limits.containers) {
            told += ", " + std::to_string(one.requests.cpu_milli) + " to " + text_of(one.cpu_limit_milli) + " " +
                    std::to_string(one.requests.memory_bytes) + " to " + text_of(one.memory_limit_bytes);
        }
        told += "\n" + text_of(in);
        const PodVerdict verdict = judge(pod, in);
        told += "   ";
        for (const auto& [resource, amount] : verdict.usage) told += " " + resource + " " + std::to_string(amount);
        told += "\n    " + verdict.refusal + "\n";
        UsageByClass needs;
        UsageByClass promised;
        add_usage(needs[pod.limits.priority_class], verdict.usage, 1 + static_cast<std::int64_t>(walk.pick(3)));
        add_usage(promised[walk.pick(2) == 0 ? "high" : ""], verdict.usage, static_cast<std::int64_t>(walk.pick(2)));
        QuotaUsage own;
        if (walk.pick(3) == 0) add_usage(own, verdict.usage, 1);
        if (const auto gap = find_gap(in, needs, promised, own)) {
            told += "    gap " + gap->quota + " " + gap->resource + " " + std::to_string(gap->used) + " + " + std::to_string(gap->promised) + " + " +
                    std::to_string(gap->needs) + " of " + std::to_string(gap->hard) + (gap->is_for_ever ? " for ever" : "") + ", " +
                    quota_amount_text(gap->resource, gap->needs) + "\n";
        }
    }
    tests::check_transcript("core/quota/transcripts/admission", told);
}
