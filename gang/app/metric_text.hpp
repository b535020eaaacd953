#pragma once
// Families of metrics as values, and their text in Prometheus' exposition format 0.0.4.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gang::app {

enum class MetricType : std::uint8_t { counter, gauge, histogram };

/// Name and value, in the order in which they are shown.
using MetricLabels = std::vector<std::pair<std::string, std::string>>;

/// What a histogram has seen.
struct Observations {
    struct Bucket {
        double bound = 0;         ///< what it counts is not above it
        std::uint64_t count = 0;  ///< of this bucket alone
    };
    std::vector<Bucket> buckets;  ///< by bound
    std::uint64_t beyond = 0;     ///< above the last bound
    double sum = 0;
};

/// Counts durations; what the bounds are is decided once.
class Histogram {
public:
    /// `bounds` ascend.
    explicit Histogram(std::span<const double> bounds);
    void observe(double value);
    const Observations& seen() const { return seen_; }

private:
    Observations seen_;
};

/// One series: a number, or of a histogram what it has seen.
struct MetricSample {
    MetricLabels labels;
    double value = 0;
    Observations seen;
};

struct MetricFamily {
    std::string name;
    std::string help;
    MetricType type = MetricType::gauge;
    std::vector<MetricSample> samples;
};

/// In the order given. A family without samples is left out.
std::string to_text(const std::vector<MetricFamily>& families);

}  // namespace gang::app
