#pragma once
// Lays Spark's own values over the executor template, as the driver does when it builds the pod.

#include "core/base/result.hpp"
#include "core/value/resources.hpp"
#include "gang/declare/spark/executor/derive.hpp"
#include "gang/declare/spark/ground.hpp"

namespace gang::spark {

/// The shape without its counts. An error: what Spark or the API server would refuse, and requests
/// that overflow together.
core::Result<ExecutorShape> overlay(const Ground& ground, const core::Resources& spark_container);

}  // namespace gang::spark
