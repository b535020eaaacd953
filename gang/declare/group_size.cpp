#include "gang/declare/group_size.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace gang {
namespace {

constexpr std::int64_t no_bound = std::numeric_limits<std::int64_t>::max();

core::Resources executor_size(const core::Pod& driver, const DeclaredSize& said) {
    core::Resources size = driver.requests;
    if (said.cpu_milli) {
        size.cpu_milli = said.cpu_milli->value;
    }
    if (said.memory_bytes) {
        size.memory_bytes = said.memory_bytes->value;
    }
    if (said.gpus) {
        size.extended.clear();
        if (said.gpus->value > 0) {
            size.extended = {{"nvidia.com/gpu", said.gpus->value}};
        }
    }
    return size;
}

/// So many of `one` are in what `total` has beside `driver`. Resources that the total does not name
/// say nothing, nor do those of which it has not even the driver's: who reads a Java size such as 512m
/// as a quantity makes half a byte of it.
std::int64_t count_in(
    const core::Resources& total, const core::Resources& driver, const core::Resources& one) {
    std::int64_t count = no_bound;
    const auto bound = [&count](std::int64_t all, std::int64_t taken, std::int64_t each) {
        if (all > 0 && all >= taken && each > 0) {
            count = std::min(count, (all - taken) / each);
        }
    };
    bound(total.cpu_milli, driver.cpu_milli, one.cpu_milli);
    bound(total.memory_bytes, driver.memory_bytes, one.memory_bytes);
    bound(total.ephemeral_bytes, driver.ephemeral_bytes, one.ephemeral_bytes);
    for (const core::ExtendedResource& each : one.extended) {
        bound(total.extended_amount(each.name), driver.extended_amount(each.name), each.amount);
    }
    return count == no_bound ? 0 : count;
}

}  // namespace

GangSize size_by_group(
    const core::Pod& driver,
    const Declaration& declaration,
    const core::PodGroup& group,
    const spark::Limits& limits) {
    GangSize size;
    size.warnings = declaration.warnings;
    size.notes = declaration.notes;
    size.problem = declaration.problem.empty() ? group.problem : declaration.problem;
    if (!size.problem.empty() || group.min_resources == core::Resources{}) {
        return size;
    }
    spark::ExecutorShape shape;
    shape.requests = executor_size(driver, declaration.executor);
    shape.constraints = driver.constraints;
    core::add_tolerations(shape.constraints, declaration.executor_tolerations);
    shape.count =
        count_in(group.min_resources, driver_request(driver, declaration), shape.requests);
    shape.max = spark::unlimited_executors;
    if (shape.count > limits.max_gang_size - 1) {
        size.problem = "spec.minResources of its PodGroup is room for " +
                       std::to_string(shape.count) +
                       " executors and their driver, more than the " +
                       std::to_string(limits.max_gang_size) +
                       " pods that gang.maxGangSize allows";
        return size;
    }
    size.source = "spec.minResources of its PodGroup";
    size.warnings.push_back(
        size.source + ", " + core::describe(group.min_resources) + ", is taken as its driver and " +
        std::to_string(shape.count) + " executors of " + core::describe(shape.requests) +
        ": nothing else says how many there will be");
    if (shape.count > 0) {
        size.executors.push_back(std::move(shape));
    }
    return size;
}

}  // namespace gang
