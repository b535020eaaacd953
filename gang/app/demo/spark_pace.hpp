#pragma once
// How fast a driver asks for executors, as Spark 4.1 does by default.

#include <chrono>

namespace gang::app {

inline constexpr int executors_per_batch = 10;  // spark.kubernetes.allocation.batch.size
inline constexpr std::chrono::milliseconds between_batches(1'000);  // ...allocation.batch.delay
/// From the start of the driver's container.
inline constexpr std::chrono::milliseconds before_first_batch(500);

}  // namespace gang::app
