#include "gang/spark/executor_request.hpp"

#include "core/quantity.hpp"
#include "gang/spark/keys.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace gang::spark {
namespace {

constexpr std::int64_t mebibyte = 1024 * 1024;
constexpr std::int64_t mebibytes_max = std::numeric_limits<std::int64_t>::max() / mebibyte;
constexpr std::int64_t default_memory = 1024;
constexpr std::int64_t overhead_floor = 384;
constexpr double jvm_factor = 0.1;
constexpr double non_jvm_factor = 0.4;

using Mebibytes = core::Result<std::int64_t>;

bool has_resource_type(const ConfView& conf, std::string_view type) {
    const std::string* text = conf.find(keys::resource_type);
    return text != nullptr && *text == type;
}

/// The submitter writes the resolved factor into the conf; the defaults here are for confs that
/// were not written by it.
core::Result<double> overhead_factor(const ConfView& conf, Version version) {
    if (version >= executor_factor_since) {
        const auto own = conf.find_factor(keys::executor_overhead_factor);
        if (!own) {
            return own.error();
        }
        if (*own) {
            return **own;
        }
    }
    const auto common = conf.find_factor(keys::overhead_factor);
    if (!common) {
        return common.error();
    }
    const bool is_jvm = !has_resource_type(conf, "python") && !has_resource_type(conf, "r");
    return common->value_or(is_jvm ? jvm_factor : non_jvm_factor);
}

/// Scala's (factor * memory).toInt: the product of doubles, cut, and held at the largest int.
std::int64_t proportional(double factor, std::int64_t memory) {
    constexpr auto int_max = std::numeric_limits<std::int32_t>::max();
    const double product = factor * static_cast<double>(memory);
    return product >= int_max ? int_max : static_cast<std::int64_t>(product);
}

Mebibytes floor_of_overhead(const ConfView& conf, Version version) {
    if (version < min_overhead_since) {
        return overhead_floor;
    }
    const auto own = conf.find_mebibytes(keys::executor_min_overhead);
    return own ? Mebibytes(own->value_or(overhead_floor)) : Mebibytes(own.error());
}

Mebibytes overhead(const ConfView& conf, Version version, std::int64_t memory) {
    const auto fixed = conf.find_mebibytes(keys::executor_overhead);
    if (!fixed) {
        return fixed.error();
    }
    if (*fixed) {
        return **fixed;  // The floor does not apply to an amount that is given.
    }
    const auto factor = overhead_factor(conf, version);
    if (!factor) {
        return factor.error();
    }
    const auto floor = floor_of_overhead(conf, version);
    if (!floor) {
        return floor;
    }
    return std::max(proportional(*factor, memory), *floor);
}

Mebibytes off_heap(const ConfView& conf, Version version) {
    const auto enabled = conf.boolean_or(keys::off_heap_enabled, false);
    if (!enabled) {
        return enabled.error();
    }
    if (!*enabled || version < off_heap_since) {
        return 0;
    }
    const auto size = conf.find_mebibytes(keys::off_heap_size, SizeUnit::bytes);
    if (!size) {
        return size.error();
    }
    if (size->value_or(0) <= 0) {
        return core::Error{
            std::string(keys::off_heap_size) + " must be at least 1m because " +
            std::string(keys::off_heap_enabled) + " is true"};
    }
    return **size;
}

Mebibytes pyspark(const ConfView& conf) {
    if (!has_resource_type(conf, "python")) {
        return 0;
    }
    const auto size = conf.find_mebibytes(keys::executor_pyspark);
    return size ? Mebibytes(size->value_or(0)) : Mebibytes(size.error());
}

Mebibytes heap(const ConfView& conf) {
    const auto size = conf.find_mebibytes(keys::executor_memory);
    if (!size) {
        return size.error();
    }
    if (*size && **size <= 0) {
        return wrong_value(
            keys::executor_memory,
            *conf.find(keys::executor_memory),
            "expected at least 1m, such as 4g");
    }
    return size->value_or(default_memory);
}

/// Bytes of heap, overhead, off-heap and Python together.
core::Result<std::int64_t> memory_bytes(const ConfView& conf, Version version) {
    const auto own = heap(conf);
    if (!own) {
        return own;
    }
    const std::array parts = {
        overhead(conf, version, *own), off_heap(conf, version), pyspark(conf)};
    std::int64_t total = *own;
    for (const auto& part : parts) {
        if (!part) {
            return part;
        }
        if (total > mebibytes_max - std::min(*part, mebibytes_max)) {
            return core::Error{
                "the executor's memory (spark.executor.memory, memoryOverhead and "
                "the others together) is too large for a size"};
        }
        total += *part;
    }
    return total * mebibyte;
}

core::Result<std::int64_t> cpu_milli(const ConfView& conf) {
    const std::string* text = conf.find(keys::request_cores);
    if (text == nullptr) {
        const auto cores = conf.integer_or(keys::executor_cores, 1, 1);
        return cores ? core::Result(*cores * 1000) : cores;
    }
    const auto milli = core::parse_milli(*text);
    if (!milli || *milli < 0) {
        return wrong_value(
            keys::request_cores, *text, "expected a Kubernetes quantity, such as 500m or 2");
    }
    return *milli;
}

/// One spark.executor.resource.<name>.amount with its vendor.
core::Result<core::Done> add_custom(
    core::Resources& into, const ConfView& conf, std::string_view name) {
    const std::string prefix = std::string(keys::resource_prefix) + std::string(name);
    const auto amount = conf.integer_or(prefix + std::string(keys::amount_suffix), 0, 0);
    if (!amount) {
        return amount.error();
    }
    const std::string vendor_key = prefix + std::string(keys::vendor_suffix);
    const std::string* vendor = conf.find(vendor_key);
    if (vendor == nullptr || vendor->empty()) {
        return core::Error{
            vendor_key +
            " is missing: expected the prefix of the resource's name, such as nvidia.com"};
    }
    const std::string resource = *vendor + "/" + std::string(name);
    return core::set_resource(into, resource, std::to_string(*amount));
}

core::Result<core::Done> add_customs(core::Resources& into, const ConfView& conf) {
    for (const std::string_view name : conf.custom_resources()) {
        const auto added = add_custom(into, conf, name);
        if (!added) {
            return added;
        }
    }
    return core::Done{};
}

}  // namespace

core::Result<core::Resources> executor_request(const ConfView& conf, Version version) {
    core::Resources request;
    const auto memory = memory_bytes(conf, version);
    if (!memory) {
        return memory.error();
    }
    request.memory_bytes = *memory;
    const auto cpu = cpu_milli(conf);
    if (!cpu) {
        return cpu.error();
    }
    request.cpu_milli = *cpu;
    const auto custom = add_customs(request, conf);
    if (!custom) {
        return custom.error();
    }
    return request;
}

}  // namespace gang::spark
