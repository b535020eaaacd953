#include "gang/app/exposition.hpp"

#include "core/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gang::app {
namespace {

const char* to_string(MetricType type) {
    switch (type) {
        case MetricType::counter:
            return "counter";
        case MetricType::gauge:
            return "gauge";
        case MetricType::histogram:
            return "histogram";
    }
    ENSURE(false);
    return "";
}

void append_escaped(std::string& text, std::string_view value) {
    for (const char c : value) {
        if (c == '\n') {
            text += "\\n";
            continue;
        }
        if (c == '\\' || c == '"') {
            text += '\\';
        }
        text += c;
    }
}

std::string number_text(double number) {
    if (std::isinf(number)) {
        return number > 0 ? "+Inf" : "-Inf";
    }
    return std::isnan(number) ? "NaN" : fmt::format("{:.16g}", number);
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {
    ENSURE(std::is_sorted(bounds_.begin(), bounds_.end()));
}

void Histogram::observe(double value) {
    const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value);
    ++counts_[static_cast<std::size_t>(bucket - bounds_.begin())];
    sum_ += value;
}

void Exposition::begin(std::string_view name, std::string_view help, MetricType type) {
    name_ = name;
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, to_string(type));
}

void Exposition::add_value(std::string_view suffix, double number, const Labels& labels) {
    text_ += name_;
    text_ += suffix;
    char before = '{';
    for (const auto& [name, value] : labels) {
        text_ += before;
        text_ += name;
        text_ += "=\"";
        append_escaped(text_, value);
        text_ += '"';
        before = ',';
    }
    text_ += labels.empty() ? " " : "} ";
    text_ += number_text(number);
    text_ += '\n';
}

void Exposition::add_histogram(
    std::span<const double> bounds,
    std::span<const std::uint64_t> counts,
    double sum,
    const Labels& labels) {
    ENSURE(counts.size() == bounds.size() + 1);
    std::uint64_t all = 0;
    for (const std::uint64_t count : counts) {
        all += count;
    }
    add_value("_count", static_cast<double>(all), labels);
    add_value("_sum", sum, labels);
    Labels with_bound = labels;
    with_bound.emplace_back("le", "");
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        below += counts[i];
        with_bound.back().second =
            number_text(i < bounds.size() ? bounds[i] : std::numeric_limits<double>::infinity());
        add_value("_bucket", static_cast<double>(below), with_bound);
    }
}

}  // namespace gang::app
