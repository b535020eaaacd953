#pragma once
// Metrics in Prometheus' text format (version 0.0.4), written line by line as they are read. A
// family begins with its name, and then come its values; nothing is kept but the text.
//
// Written here because the C++ library for it is shared, and with it the standard library of C++
// has to be: together two megabytes of the process, most of them to resolve each other's symbols.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gang::app {

/// Counts what it is shown by upper bounds, which are ascending.
class Histogram {
public:
    explicit Histogram(std::vector<double> bounds);
    void observe(double value);

    const std::vector<double>& bounds() const { return bounds_; }
    const std::vector<std::uint64_t>& counts() const { return counts_; }
    double sum() const { return sum_; }

private:
    std::vector<double> bounds_;
    std::vector<std::uint64_t> counts_;  ///< one more than bounds: the last is beyond all
    double sum_ = 0;
};

enum class MetricType : std::uint8_t { counter, gauge, histogram };

class Exposition {
public:
    /// Names are ours, values may be a configuration's.
    using Labels = std::vector<std::pair<std::string_view, std::string>>;

    void begin(std::string_view name, std::string_view help, MetricType type);
    template <typename Number>
    void add(Number number, const Labels& labels = {}) {
        add_value("", static_cast<double>(number), labels);
    }
    /// `counts` are those of each bucket alone, one more than `bounds`.
    void add_histogram(
        std::span<const double> bounds,
        std::span<const std::uint64_t> counts,
        double sum,
        const Labels& labels = {});
    void add(const Histogram& histogram, const Labels& labels = {}) {
        add_histogram(histogram.bounds(), histogram.counts(), histogram.sum(), labels);
    }

    template <typename Number>
    void counter(std::string_view name, std::string_view help, Number number) {
        begin(name, help, MetricType::counter);
        add(number);
    }
    template <typename Number>
    void gauge(std::string_view name, std::string_view help, Number number) {
        begin(name, help, MetricType::gauge);
        add(number);
    }

    std::string take() { return std::exchange(text_, {}); }

private:
    void add_value(std::string_view suffix, double number, const Labels& labels);

    std::string text_;
    std::string name_;  ///< of the family
};

}  // namespace gang::app
