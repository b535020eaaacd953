#pragma once
// "spark-mix": a synthetic mix of Spark applications, how many executors they have and how large
// these are. Our own choice, made to look like published size distributions of batch jobs: most
// applications are small, most executors belong to large ones. Same seed, same applications.

#include "core/value/resources.hpp"

#include <cstdint>
#include <random>
#include <string>

namespace scale {

struct SparkSize {
    std::int64_t executors = 0;
    std::int64_t executor_cores = 0;
    std::int64_t executor_memory_gib = 0;  ///< of the JVM, as in spark.executor.memory
    core::Resources driver;

    /// What an executor's pod requests: the JVM's memory and Spark's overhead of max(10 %, 384
    /// MiB).
    core::Resources executor() const;
};

class SparkMix {
public:
    explicit SparkMix(std::uint64_t seed) : random_(seed) {}

    /// 60 % log-normal with median 8 and sigma 1.0, 30 % with 40 and 0.9, 10 % with 200 and 0.8;
    /// from 1 to executors_max.
    SparkSize next();

    static constexpr std::int64_t executors_max = 1'999;  ///< with its driver: gang.maxGangSize

private:
    double uniform();  ///< in (0, 1); the standard library's distributions differ between libraries
    double normal();
    std::int64_t executors();

    std::mt19937_64 random_;
};

}  // namespace scale
