#include "tests/bench/scale/spark_mix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace scale {
namespace {

constexpr std::int64_t mib = 1024 * 1024;
constexpr std::int64_t gib = 1024 * mib;

struct Shape {
    double share;
    std::int64_t cores;
    std::int64_t memory_gib;
};
constexpr std::array<Shape, 6> shapes = {
    {{0.15, 1, 4}, {0.25, 2, 8}, {0.35, 4, 16}, {0.10, 5, 20}, {0.10, 8, 32}, {0.05, 4, 32}}};

std::int64_t with_overhead(std::int64_t bytes) {
    return bytes + std::max(bytes / 10, 384 * mib);
}

}  // namespace

core::Resources SparkSize::executor() const {
    core::Resources out;
    out.cpu_milli = executor_cores * 1000;
    // Spark counts in whole MiB.
    out.memory_bytes = with_overhead(executor_memory_gib * gib) / mib * mib;
    return out;
}

double SparkMix::uniform() {
    return (static_cast<double>(random_() >> 11) + 0.5) / 9007199254740992.0;
}

double SparkMix::normal() {
    // Box and Muller's transform.
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::int64_t SparkMix::executors() {
    const double kind = uniform();
    double median = 200;
    double sigma = 0.8;
    if (kind < 0.6) {
        median = 8;
        sigma = 1.0;
    } else if (kind < 0.9) {
        median = 40;
        sigma = 0.9;
    }
    const double drawn = std::round(median * std::exp(sigma * normal()));
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(drawn), 1, executors_max);
}

SparkSize SparkMix::next() {
    SparkSize out;
    out.executors = executors();
    double rest = uniform();
    const Shape* chosen = &shapes.back();
    for (const Shape& shape : shapes) {
        if (rest < shape.share) {
            chosen = &shape;
            break;
        }
        rest -= shape.share;
    }
    out.executor_cores = chosen->cores;
    out.executor_memory_gib = chosen->memory_gib;
    const auto driver_cores = 1 + static_cast<std::int64_t>(uniform() * 4);
    out.driver.cpu_milli = driver_cores * 1000;
    out.driver.memory_bytes = with_overhead((std::int64_t{1} << driver_cores) * gib) / mib * mib;
    return out;
}

}  // namespace scale
