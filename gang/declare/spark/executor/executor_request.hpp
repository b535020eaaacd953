#pragma once
// What the Spark container of an executor of the default profile asks for: Spark's own sums.

#include "core/base/result.hpp"
#include "core/value/resources.hpp"
#include "gang/declare/spark/conf_view.hpp"
#include "gang/declare/spark/version.hpp"

namespace gang::spark {

/// CPU, memory and custom resources (spark.executor.resource.*). An error names key and value.
core::Result<core::Resources> executor_request(const ConfView& conf, Version version);

}  // namespace gang::spark
