#pragma once
// How many executors Spark asks for at the start, how many it may grow to, and how many of them are
// reserved with the driver.

#include "core/base/result.hpp"
#include "gang/declare/spark/conf_view.hpp"
#include "gang/declare/spark/executor/derive.hpp"
#include "gang/declare/spark/version.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gang::spark {

struct ExecutorCount {
    std::int64_t reserved = 0;
    std::int64_t max = 0;            ///< unlimited_executors if the conf sets no bound
    std::int64_t min = all_executors;
    std::vector<std::string> notes;  ///< why `reserved` is not what the policy asks for
};

/// An error: numbers that contradict each other, or a gang beyond Limits::max_gang_size.
core::Result<ExecutorCount> executor_count(
    const ConfView& conf, Version version, const Limits& limits);

}  // namespace gang::spark
