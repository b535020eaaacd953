#include "gang/declare/spark/executor/executor_count.hpp"

#include "gang/declare/spark/keys.hpp"
#include "gang/declare/spark/labels.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace gang::spark {
namespace {

constexpr std::int64_t default_instances = 2;
constexpr std::int64_t int_max = std::numeric_limits<std::int32_t>::max();

struct DynamicRange {
    std::int64_t min = 0;
    std::int64_t initial = 0;
    std::int64_t max = int_max;
};

core::Error out_of_range(const std::string& what, std::int64_t max) {
    return {what + " is more than " + std::string(keys::dynamic_max) + " = " + std::to_string(max)};
}

/// Spark starts with the largest of the minimum, the initial number and spark.executor.instances.
core::Result<DynamicRange> dynamic_range(const ConfView& conf) {
    const auto min = conf.integer_or(keys::dynamic_min, 0, 0);
    const auto max = conf.integer_or(keys::dynamic_max, int_max, 1);
    const auto instances = conf.integer_or(keys::executor_instances, 0, 0);
    for (const auto* value : {&min, &max, &instances}) {
        if (!*value) {
            return value->error();
        }
    }
    const auto initial = conf.integer_or(keys::dynamic_initial, *min, 0);
    if (!initial) {
        return initial.error();
    }
    if (*min > *max) {
        return out_of_range(std::string(keys::dynamic_min) + " = " + std::to_string(*min), *max);
    }
    const std::int64_t start = std::max({*min, *initial, *instances});
    if (start > *max) {
        return out_of_range(
            "the initial number of executors, " + std::to_string(start) + " (the largest of " +
                std::string(keys::dynamic_initial) + ", " + std::string(keys::dynamic_min) +
                " and " + std::string(keys::executor_instances) + "),",
            *max);
    }
    return DynamicRange{*min, start, *max};
}

/// The driver takes one place of the gang.
std::optional<core::Error> find_excess(std::int64_t executors, const Limits& limits) {
    if (executors <= limits.max_gang_size - 1) {
        return std::nullopt;
    }
    return core::Error{
        std::to_string(executors) + " executors and their driver are more than the " +
        std::to_string(limits.max_gang_size) + " pods that gang.maxGangSize allows"};
}

/// Under reserve-max a bound that does not exist or is beyond the limit cannot be reserved.
void reserve_max(ExecutorCount& count, std::int64_t initial, const Limits& limits) {
    const std::int64_t allowed = limits.max_gang_size - 1;
    if (count.max == unlimited_executors) {
        count.reserved = initial;
        count.notes.push_back(
            std::string(keys::dynamic_max) +
            " is not set, so the initial number of executors is reserved instead of the maximum");
    } else if (count.max > allowed) {
        count.reserved = allowed;
        count.notes.push_back(
            std::string(keys::dynamic_max) + " = " + std::to_string(count.max) +
            " is beyond gang.maxGangSize, so " + std::to_string(allowed) + " are reserved");
    } else {
        count.reserved = count.max;
    }
}

core::Result<ExecutorCount> dynamic_count(const ConfView& conf, const Limits& limits) {
    const auto range = dynamic_range(conf);
    if (!range) {
        return range.error();
    }
    ExecutorCount count;
    count.max = range->max == int_max ? unlimited_executors : range->max;
    count.min = std::max<std::int64_t>(range->min, 1);
    switch (limits.dynamic_allocation) {
        case config::DynamicAllocation::reserve_min:
            count.reserved = range->min;
            break;
        case config::DynamicAllocation::reserve_initial:
            count.reserved = range->initial;
            break;
        case config::DynamicAllocation::reserve_max:
            reserve_max(count, range->initial, limits);
            break;
    }
    // A driver that starts without any executor would be the very deadlock a gang prevents.
    count.reserved = std::max<std::int64_t>(count.reserved, 1);
    if (auto excess = find_excess(count.reserved, limits)) {
        return *excess;
    }
    return count;
}

core::Result<ExecutorCount> static_count(const ConfView& conf, const Limits& limits) {
    const auto instances = conf.integer_or(keys::executor_instances, default_instances, 0);
    if (!instances) {
        return instances.error();
    }
    if (const auto excess = find_excess(*instances, limits)) {
        return core::Error{
            std::string(keys::executor_instances) + " = " + std::to_string(*instances) + ": " +
            excess->message};
    }
    return ExecutorCount{*instances, *instances, all_executors, {}};
}

/// What changes no size, but lets the driver end at once when it is wrong.
core::Result<core::Done> check_allocator(const ConfView& conf, Version version) {
    if (const auto batch = conf.integer_or(keys::batch_size, 1, 1); !batch) {
        return batch.error();
    }
    const std::string* name = conf.find(keys::allocator);
    // Anything else is a class of the user's, whose name has a package.
    const bool is_known = name == nullptr || *name == "direct" || *name == "statefulset" ||
                          (*name == "deployment" && version >= deployment_allocator_since) ||
                          name->find('.') != std::string::npos;
    if (!is_known) {
        return wrong_value(
            keys::allocator,
            *name,
            "expected direct, statefulset, from Spark 4.2 on deployment, or the name of a class");
    }
    // "-exec-" and the largest id follow.
    constexpr std::size_t name_prefix_max = 253 - 6 - 19;
    const std::string* prefix = conf.find(keys::name_prefix);
    if (prefix != nullptr && (!is_subdomain(*prefix) || prefix->size() > name_prefix_max)) {
        return wrong_value(
            keys::name_prefix,
            *prefix,
            "expected at most 228 lower-case letters, digits, '-' and '.', beginning and ending "
            "with a letter or digit");
    }
    return core::Done{};
}

}  // namespace

core::Result<ExecutorCount> executor_count(
    const ConfView& conf, Version version, const Limits& limits) {
    const auto dynamic = conf.boolean_or(keys::dynamic_enabled, false);
    if (!dynamic) {
        return dynamic.error();
    }
    if (const auto asked = check_allocator(conf, version); !asked) {
        return asked.error();
    }
    return *dynamic ? dynamic_count(conf, limits) : static_count(conf, limits);
}

}  // namespace gang::spark
