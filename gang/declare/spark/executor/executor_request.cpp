#include "gang/declare/spark/executor/executor_request.hpp"

#include "core/value/quantity.hpp"
#include "gang/declare/spark/keys.hpp"
#include "gang/declare/spark/labels.hpp"
#include "gang/declare/spark/text.hpp"

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
        const auto own = conf.find_factor(keys::executor_overhead_factor, Zero::refused);
        if (!own) {
            return own.error();
        }
        if (*own) {
            return **own;
        }
    }
    const auto common = conf.find_factor(keys::overhead_factor, Zero::allowed);
    if (!common) {
        return common.error();
    }
    const bool is_jvm = !has_resource_type(conf, "python") && !has_resource_type(conf, "r");
    return common->value_or(is_jvm ? jvm_factor : non_jvm_factor);
}

/// Scala's (factor * memory).toInt: the product of doubles, cut, and held at the largest int.
std::int64_t proportional(double factor, std::int64_t memory) {
    constexpr auto largest_int = std::numeric_limits<std::int32_t>::max();
    const double product = factor * static_cast<double>(memory);
    return product >= largest_int ? largest_int : static_cast<std::int64_t>(product);
}

/// It may be negative, and is then none.
Mebibytes floor_of_overhead(const ConfView& conf, Version version) {
    if (version < min_overhead_since) {
        return overhead_floor;
    }
    const auto own = conf.find_mebibytes(keys::executor_min_overhead, Sign::any);
    return own ? Mebibytes(own->value_or(overhead_floor)) : Mebibytes(own.error());
}

/// Spark reads factor and floor, and ends on wrong ones, even where a given amount replaces them.
Mebibytes overhead(const ConfView& conf, Version version, std::int64_t memory) {
    const auto factor = overhead_factor(conf, version);
    if (!factor) {
        return factor.error();
    }
    const auto floor = floor_of_overhead(conf, version);
    if (!floor) {
        return floor;
    }
    const auto fixed = conf.find_mebibytes(keys::executor_overhead);
    if (!fixed) {
        return fixed.error();
    }
    return fixed->value_or(std::max(proportional(*factor, memory), *floor));
}

Mebibytes off_heap(const ConfView& conf, Version version) {
    const auto enabled = conf.boolean_or(keys::off_heap_enabled, false);
    if (!enabled) {
        return enabled.error();
    }
    if (!*enabled || version < off_heap_since) {
        return 0;
    }
    const auto size = conf.find_bytes_in_mebibytes(keys::off_heap_size);
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
    const auto size = conf.find_mebibytes(keys::executor_pyspark);
    if (!size) {
        return size.error();
    }
    return has_resource_type(conf, "python") ? size->value_or(0) : 0;
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

/// The cores of an executor, enough for one task at least: otherwise the driver ends at once.
core::Result<std::int64_t> task_slots(const ConfView& conf) {
    const auto cores = conf.integer_or(keys::executor_cores, 1, 1);
    if (!cores) {
        return cores;
    }
    const auto needed = conf.integer_or(keys::task_cpus, 1, 1);
    if (!needed) {
        return needed;
    }
    if (*needed > *cores) {
        return wrong_value(
            keys::task_cpus,
            *conf.find(keys::task_cpus),
            "more than the " + std::to_string(*cores) + " of " + std::string(keys::executor_cores) +
                ", so no task could run");
    }
    return cores;
}

core::Result<std::int64_t> cpu_milli(const ConfView& conf) {
    const auto cores = task_slots(conf);
    const std::string* text = conf.find(keys::request_cores);
    if (!cores || text == nullptr) {
        return cores ? core::Result(*cores * 1000) : cores;
    }
    const auto milli = core::parse_milli(trimmed(*text));
    if (!milli || *milli < 0) {
        return wrong_value(
            keys::request_cores, *text, "expected a Kubernetes quantity, such as 500m or 2");
    }
    return *milli;
}

/// One spark.executor.resource.<name>. Without an amount Spark fails, with an amount of 0 it asks
/// for nothing.
core::Result<core::Done> add_custom(
    core::Resources& into, const ConfView& conf, std::string_view name) {
    const std::string prefix = std::string(keys::resource_prefix) + std::string(name);
    const std::string amount_key = prefix + std::string(keys::amount_suffix);
    const auto amount = conf.find_integer(amount_key);
    if (!amount) {
        return amount.error();
    }
    if (!*amount) {
        return core::Error{amount_key + " is missing: expected a whole number, such as 1"};
    }
    if (**amount <= 0) {
        return core::Done{};
    }
    const std::string vendor_key = prefix + std::string(keys::vendor_suffix);
    const std::string* vendor = conf.find(vendor_key);
    if (vendor == nullptr || vendor->empty()) {
        return core::Error{
            vendor_key +
            " is missing: expected the prefix of the resource's name, such as nvidia.com"};
    }
    const std::string resource = *vendor + "/" + std::string(name);
    if (!is_label_key(resource)) {
        return wrong_value(
            vendor_key, *vendor, "expected the prefix of the resource's name, such as nvidia.com");
    }
    return core::set_resource(into, resource, std::to_string(**amount));
}

/// A task that needs more of a resource than an executor has ends the driver.
core::Result<core::Done> check_tasks(const ConfView& conf) {
    for (const auto& [rest, text] : conf.with_prefix(keys::task_resource_prefix)) {
        const std::string key = std::string(keys::task_resource_prefix) + rest;
        if (!key.ends_with(keys::amount_suffix)) {
            continue;
        }
        const auto needed = conf.find_factor(key, Zero::allowed);
        if (!needed) {
            return needed.error();
        }
        const auto has = conf.find_integer(std::string(keys::resource_prefix) + rest);
        const double amount = has ? static_cast<double>(has->value_or(0)) : 0;
        if (**needed > amount) {
            return wrong_value(
                key,
                text,
                "more than an executor has by " + std::string(keys::resource_prefix) + rest);
        }
    }
    return core::Done{};
}

core::Result<core::Done> add_customs(core::Resources& into, const ConfView& conf) {
    if (const auto checked = check_tasks(conf); !checked) {
        return checked;
    }
    for (const std::string& name : conf.custom_resources()) {
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
