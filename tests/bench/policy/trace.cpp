#include "tests/bench/policy/trace.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace policy {
namespace {

constexpr std::size_t applications = 20;  ///< of a queue
constexpr double node_gib = 256;

class Dice {
public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}
    double uniform() { return (static_cast<double>(random_() >> 11) + 0.5) / 9007199254740992.0; }
    double normal() {
        const double radius = std::sqrt(-2 * std::log(uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }
    std::size_t below(std::size_t count) {
        return std::min(count - 1, static_cast<std::size_t>(uniform() * static_cast<double>(count)));
    }

private:
    std::mt19937_64 random_;
};

double gib_seconds(const Job& job) {
    const core::Resources executor = job.size.executor();
    const double bytes =
        static_cast<double>(executor.memory_bytes) * static_cast<double>(job.size.executors) +
        static_cast<double>(job.size.driver.memory_bytes);
    return bytes / 1024 / 1024 / 1024 * static_cast<double>(job.run_s);
}

/// How much a queue submits at that time of day, 0 to 2.
double busy(std::size_t queue, std::size_t queues, double part_of_day) {
    const double own = static_cast<double>(queue) / static_cast<double>(queues);
    return 1 + std::sin(2 * std::numbers::pi * (part_of_day + own));
}

}  // namespace

std::int64_t weight_of(std::size_t queue) {
    return static_cast<std::int64_t>(queue % 4) + 1;
}

std::vector<Job> draw_day(const TraceOptions& options) {
    Dice dice(options.seed);
    scale::SparkMix mix(options.seed);
    std::vector<double> typical(options.queues * applications);
    for (double& seconds : typical) {
        seconds = std::clamp(600 * std::exp(dice.normal()), 60.0, 7'200.0);
    }
    const double wanted = options.load * static_cast<double>(options.nodes) * node_gib *
                          static_cast<double>(options.seconds);
    std::vector<Job> day;
    for (double drawn = 0; drawn < wanted;) {
        const std::size_t queue = dice.below(options.queues);
        const double part = dice.uniform();
        if (dice.uniform() * 2 > busy(queue, options.queues, part)) {
            continue;
        }
        // One in fifty times somebody submits thirty at once.
        const std::size_t count = dice.uniform() < 0.02 ? 30 : 1;
        for (std::size_t i = 0; i < count; ++i) {
            Job job;
            job.at_s = static_cast<std::int64_t>(part * static_cast<double>(options.seconds));
            job.queue = queue;
            job.application = dice.below(applications);
            job.size = mix.next();
            job.size.executors = std::min(job.size.executors, options.executors_max);
            const double run =
                typical[queue * applications + job.application] * std::exp(0.25 * dice.normal());
            job.run_s = std::max<std::int64_t>(30, static_cast<std::int64_t>(run));
            drawn += gib_seconds(job);
            day.push_back(job);
        }
    }
    std::stable_sort(
        day.begin(), day.end(), [](const Job& a, const Job& b) { return a.at_s < b.at_s; });
    return day;
}

}  // namespace policy
