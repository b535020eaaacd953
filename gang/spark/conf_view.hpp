#pragma once
// Reads single values of a conf as Spark's ConfigBuilder does. Every error names the key, the value
// and what would be accepted.

#include "core/constraints.hpp"
#include "core/result.hpp"
#include "gang/spark/memory.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang::spark {

/// A view: the properties must outlive it.
class ConfView {
public:
    explicit ConfView(const core::StringMap& properties) : properties_(properties) {}

    /// The text as it stands, or nullptr.
    const std::string* find(std::string_view key) const;

    /// Scala's toInt: 32 bits, a sign is allowed.
    core::Result<std::optional<std::int64_t>> find_integer(std::string_view key) const;

    /// As find_integer(); less than `least` is an error.
    core::Result<std::int64_t> integer_or(
        std::string_view key, std::int64_t fallback, std::int64_t least) const;

    /// Scala's toBoolean: true or false in any case.
    core::Result<bool> boolean_or(std::string_view key, bool fallback) const;

    core::Result<std::optional<std::int64_t>> find_mebibytes(
        std::string_view key, SizeUnit without_suffix = SizeUnit::mebibytes) const;

    /// Java's Double.parseDouble, finite and greater than 0.
    core::Result<std::optional<double>> find_factor(std::string_view key) const;

    /// The names in spark.executor.resource.<name>.amount, sorted.
    std::vector<std::string_view> custom_resources() const;

    /// The labels in keys with this prefix, sorted by key.
    core::StringMap with_prefix(std::string_view prefix) const;

private:
    const core::StringMap& properties_;
};

/// `spark.executor.cores = "0.5": why`.
core::Error wrong_value(std::string_view key, std::string_view value, std::string_view why);

}  // namespace gang::spark
