#pragma once
// Lays Spark's own values over the executor template, as the driver does when it builds the pod.

#include "core/resources.hpp"
#include "core/result.hpp"
#include "gang/spark/conf_view.hpp"
#include "gang/spark/derive.hpp"
#include "gang/spark/version.hpp"

namespace gang::spark {

/// The shape without its counts. An error: the pod's requests together overflow.
core::Result<ExecutorShape> overlay(
    const Conf& conf, Version version, const core::Resources& spark_container);

}  // namespace gang::spark
