#include "core/quota/admission_by_quota.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

using core::ExecutorLimits;
using core::LimitBounds;
using core::NamespaceQuotas;
using core::PodToCome;
using core::QuotaAmount;
using core::ResourceQuota;

namespace {

constexpr std::int64_t gibibyte = 1'073'741'824;

/// One container of 2 cpu and 4 GiB, as Spark makes it: no limit of CPU.
PodToCome executor() {
    PodToCome pod;
    pod.requests.cpu_milli = 2'000;
    pod.requests.memory_bytes = 4 * gibibyte;
    pod.limits.containers = {{pod.requests, std::nullopt, pod.requests.memory_bytes}};
    return pod;
}

LimitBounds bounds(const std::string& resource, bool is_pod = false) {
    LimitBounds made;
    made.range = "sizes";
    made.is_pod = is_pod;
    made.resource = resource;
    return made;
}

NamespaceQuotas with(LimitBounds made) {
    return {{}, {std::move(made)}};
}

NamespaceQuotas of_quota(std::vector<QuotaAmount> amounts) {
    return {{{"team", std::move(amounts), {}}}, {}};
}

bool contains(const std::string& text, const std::string& part) {
    CAPTURE(text);
    CAPTURE(part);
    const bool found = text.find(part) != std::string::npos;
    CHECK(found);
    return found;
}

core::UsageByClass of(std::int64_t pods, const std::string& priority_class = "") {
    core::UsageByClass usage;
    core::add_usage(usage[priority_class], core::judge(executor(), {}).usage, pods);
    return usage;
}

}  // namespace

TEST_CASE("admission_by_quota: what a quota counts for an executor") {
    PodToCome pod = executor();
    pod.requests.ephemeral_bytes = 7;
    pod.requests.extended = {{"nvidia.com/gpu", 2}};
    const core::PodVerdict verdict = core::judge(pod, {});
    CHECK(verdict.refusal.empty());
    CHECK(verdict.usage.at("pods") == 1);
    CHECK(verdict.usage.at("count/pods") == 1);
    CHECK(verdict.usage.at("cpu") == 2'000);
    CHECK(verdict.usage.at("requests.cpu") == 2'000);
    CHECK(verdict.usage.at("requests.memory") == 4 * gibibyte);
    CHECK(verdict.usage.at("limits.memory") == 4 * gibibyte);
    CHECK_FALSE(verdict.usage.contains("limits.cpu"));
    CHECK(verdict.usage.at("requests.ephemeral-storage") == 7);
    CHECK(verdict.usage.at("requests.nvidia.com/gpu") == 2);
}

TEST_CASE("admission_by_quota: without containers there is one, of what the pod requests") {
    PodToCome pod = executor();
    pod.limits.containers.clear();
    CHECK(core::judge(pod, {}).usage == core::judge(executor(), {}).usage);
}

TEST_CASE("admission_by_quota: a quota of limits.cpu refuses who says none, and a default says one") {
    NamespaceQuotas in = of_quota({{"limits.cpu", 100'000, 0}});
    contains(core::judge(executor(), in).refusal, "ResourceQuota team counts limits.cpu");
    contains(core::judge(executor(), in).refusal, "spark.kubernetes.executor.limit.cores");
    LimitBounds made = bounds("cpu");
    made.default_limit = 3'000;
    in.bounds = {made};
    CHECK(core::judge(executor(), in).refusal.empty());
    CHECK(core::judge(executor(), in).usage.at("limits.cpu") == 3'000);
    PodToCome limited = executor();
    limited.limits.containers.front().cpu_limit_milli = 2'500;
    CHECK(core::judge(limited, in).usage.at("limits.cpu") == 2'500);
}

TEST_CASE("admission_by_quota: a default request counts for a container that requests nothing") {
    PodToCome pod = executor();
    pod.limits.containers.push_back({});
    LimitBounds made = bounds("cpu");
    made.default_request = 500;
    made.default_limit = 4'000;
    CHECK(core::judge(pod, with(made)).usage.at("requests.cpu") == 2'500);
    CHECK(core::judge(pod, with(made)).usage.at("limits.cpu") == 8'000);
}

TEST_CASE("admission_by_quota: bounds of a LimitRange refuse") {
    LimitBounds made = bounds("memory");
    SUBCASE("more than the largest") {
        made.max = 2 * gibibyte;
        contains(
            core::judge(executor(), with(made)).refusal,
            "LimitRange sizes allows 2Gi memory for a container at most, and an executor has 4Gi");
    }
    SUBCASE("less than the least") {
        made.min = 8 * gibibyte;
        contains(core::judge(executor(), with(made)).refusal, "at least 8Gi memory of a container");
    }
    SUBCASE("a default limit below the request") {
        made = bounds("cpu");
        made.default_limit = 1'000;
        contains(
            core::judge(executor(), with(made)).refusal,
            "gives a container a limit of 1 cpu, less than the 2 that an executor requests");
    }
    SUBCASE("a limit too far from the request") {
        made = bounds("cpu");
        made.default_limit = 5'000;
        made.ratio_milli = 2'000;
        contains(core::judge(executor(), with(made)).refusal, "2 times the request at most");
        made.ratio_milli = 2'500;
        CHECK(core::judge(executor(), with(made)).refusal.empty());
    }
    SUBCASE("the largest of a pod wants a limit of each container") {
        made = bounds("cpu", true);
        made.max = 100'000;
        contains(core::judge(executor(), with(made)).refusal, "wants a limit of cpu for a pod");
    }
    SUBCASE("the sum of a pod's containers") {
        made = bounds("memory", true);
        made.max = 6 * gibibyte;
        CHECK(core::judge(executor(), with(made)).refusal.empty());
        PodToCome two = executor();
        two.limits.containers.push_back(two.limits.containers.front());
        contains(core::judge(two, with(made)).refusal, "6Gi memory for a pod at most");
    }
    SUBCASE("just so") {
        made.max = 4 * gibibyte;
        made.min = 4 * gibibyte;
        CHECK(core::judge(executor(), with(made)).refusal.empty());
    }
}

TEST_CASE("admission_by_quota: what is used, promised and needed is within what is hard") {
    const auto gap = [](std::int64_t used, std::int64_t promised) {
        return core::find_gap(of_quota({{"pods", 10, used}}), of(4), of(promised), {{"pods", 1}});
    };
    CHECK_FALSE(gap(6, 0));
    CHECK_FALSE(gap(3, 3));
    REQUIRE(gap(4, 3));
    CHECK_FALSE(gap(4, 3)->is_for_ever);
    CHECK(gap(4, 3)->needs == 4);
    CHECK(gap(4, 3)->promised == 3);
    REQUIRE(core::find_gap(of_quota({{"pods", 4, 1}}), of(4), {}, {{"pods", 1}}));
    CHECK(core::find_gap(of_quota({{"pods", 4, 1}}), of(4), {}, {{"pods", 1}})->is_for_ever);
    // Somebody's driver that the quota does not count.
    CHECK_FALSE(core::find_gap(of_quota({{"pods", 4, 0}}), of(4), {}, {{"pods", 1}}));
    CHECK_FALSE(core::find_gap(of_quota({{"services", 0, 0}}), of(4), {}, {}));
}

TEST_CASE("admission_by_quota: what can never be is said first") {
    const NamespaceQuotas in = of_quota({{"pods", 10, 9}, {"requests.cpu", 1'000, 0}});
    const auto gap = core::find_gap(in, of(4), {}, {});
    REQUIRE(gap);
    CHECK(gap->resource == "requests.cpu");
    CHECK(gap->is_for_ever);
}

TEST_CASE("admission_by_quota: a quota for a priority class counts its pods alone") {
    NamespaceQuotas in = of_quota({{"pods", 1, 0}});
    in.quotas.front().classes = {{core::ScopeOperator::in, {"high"}}};
    CHECK_FALSE(core::find_gap(in, of(4), {}, {}));
    CHECK(core::find_gap(in, of(4, "high"), {}, {}));
    CHECK_FALSE(core::find_gap(in, of(1, "high"), of(9, "low"), {}));
    CHECK(core::find_gap(in, of(1, "high"), of(1, "high"), {}));
    in.quotas.front().classes = {{core::ScopeOperator::not_in, {"high"}}};
    CHECK_FALSE(core::find_gap(in, of(4, "high"), {}, {}));
    in.quotas.front().classes = {{core::ScopeOperator::exists, {}}};
    CHECK_FALSE(core::find_gap(in, of(4), {}, {}));
    CHECK(core::find_gap(in, of(4, "low"), {}, {}));
    in.quotas.front().classes = {{core::ScopeOperator::does_not_exist, {}}};
    CHECK(core::find_gap(in, of(4), {}, {}));
}

TEST_CASE("admission_by_quota: numbers at the edge of 64 bits are no overflow") {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    CHECK_FALSE(core::find_gap(of_quota({{"cpu", most, most - 1}}), of(1'000'000), of(9), {}));
    CHECK(core::find_gap(of_quota({{"cpu", most - 1, most}}), of(1), {}, {}));
}

TEST_CASE("admission_by_quota: amounts are in the words of the quota") {
    CHECK(core::quota_amount_text("requests.cpu", 1'500) == "1500m");
    CHECK(core::quota_amount_text("limits.memory", gibibyte) == "1Gi");
    CHECK(core::quota_amount_text("requests.ephemeral-storage", 1024) == "1Ki");
    CHECK(core::quota_amount_text("requests.nvidia.com/gpu", 1024) == "1024");
    CHECK(core::quota_amount_text("pods", 7) == "7");
}

TEST_CASE("admission by quota: the ratio of limit to request is allowed as it is said, and nothing is asked without a request") {
    LimitBounds made = bounds("cpu");
    made.ratio_milli = 2'000;
    const auto refusal = [&made](std::int64_t request, std::int64_t limit) {
        PodToCome pod = executor();
        pod.limits.containers = {{{request, 4 * gibibyte, 0, {}}, limit, std::nullopt}};
        return core::judge(pod, with(made)).refusal;
    };
    CHECK(refusal(1'000, 2'000).empty());
    CHECK_FALSE(refusal(1'000, 2'001).empty());
    CHECK(refusal(0, 2'000).empty());
    CHECK(refusal(1, 2).empty());
    CHECK_FALSE(refusal(1, 3).empty());
}
