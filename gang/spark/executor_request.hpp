#pragma once
// What the Spark container of an executor of the default profile asks for: Spark's own sums.

#include "core/resources.hpp"
#include "core/result.hpp"
#include "gang/spark/conf_view.hpp"
#include "gang/spark/version.hpp"

namespace gang::spark {

/// CPU, memory and custom resources (spark.executor.resource.*). An error names key and value.
core::Result<core::Resources> executor_request(const ConfView& conf, Version version);

}  // namespace gang::spark
