#include "gang/app/metric_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

namespace gang::app {
namespace {

const char* to_string(MetricType type) {
    switch (type) {
        case MetricType::counter:
            return "counter";
        case MetricType::gauge:
            return "gauge";
        case MetricType::histogram:
            break;
    }
    return "histogram";
}

/// A help text may hold quotes as they are, a label's value may not.
std::string escape(std::string_view text, bool is_label) {
    std::string out;
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '\\' || (c == '"' && is_label)) {
            out += '\\';
        }
        out += c;
    }
    return out;
}

/// 16 digits: what was summed up in binary is not shown to its last bit.
std::string number(double value) {
    if (std::isnan(value)) {
        return "NaN";
    }
    if (std::isinf(value)) {
        return value > 0 ? "+Inf" : "-Inf";
    }
    return fmt::format("{:.16g}", value);
}

class Writer {
public:
    void add(const MetricFamily& family) {
        if (family.samples.empty()) {
            return;
        }
        text_ += fmt::format(
            "# HELP {0} {1}\n# TYPE {0} {2}\n",
            family.name,
            escape(family.help, false),
            to_string(family.type));
        for (const MetricSample& sample : family.samples) {
            if (family.type == MetricType::histogram) {
                add_histogram(family.name, sample);
            } else {
                add_line(family.name, sample.labels, number(sample.value));
            }
        }
    }

    std::string take() { return std::move(text_); }

private:
    void add_line(const std::string& name, const MetricLabels& labels, const std::string& value) {
        text_ += name;
        char before = '{';
        for (const auto& [label, content] : labels) {
            text_ += fmt::format("{}{}=\"{}\"", before, label, escape(content, true));
            before = ',';
        }
        if (before == ',') {
            text_ += '}';
        }
        text_ += ' ' + value + '\n';
    }

    void add_bucket(const std::string& name, MetricLabels labels, double bound, std::uint64_t sum) {
        labels.emplace_back("le", number(bound));
        add_line(name + "_bucket", labels, std::to_string(sum));
    }

    void add_histogram(const std::string& name, const MetricSample& sample) {
        std::uint64_t sum = 0;
        for (const Observations::Bucket& bucket : sample.seen.buckets) {
            sum += bucket.count;
            add_bucket(name, sample.labels, bucket.bound, sum);
        }
        sum += sample.seen.beyond;
        add_bucket(name, sample.labels, INFINITY, sum);
        add_line(name + "_sum", sample.labels, number(sample.seen.sum));
        add_line(name + "_count", sample.labels, std::to_string(sum));
    }

    std::string text_;
};

}  // namespace

Histogram::Histogram(std::span<const double> bounds) {
    for (const double bound : bounds) {
        seen_.buckets.push_back({bound, 0});
    }
}

void Histogram::observe(double value) {
    const auto bucket = std::lower_bound(
        seen_.buckets.begin(),
        seen_.buckets.end(),
        value,
        [](const Observations::Bucket& each, double wanted) { return each.bound < wanted; });
    ++(bucket == seen_.buckets.end() ? seen_.beyond : bucket->count);
    seen_.sum += value;
}

std::string to_text(const std::vector<MetricFamily>& families) {
    Writer writer;
    for (const MetricFamily& family : families) {
        writer.add(family);
    }
    return writer.take();
}

}  // namespace gang::app
