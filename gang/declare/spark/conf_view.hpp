#pragma once
// Reads single values of a conf as Spark's ConfigBuilder does. Every error names the key, the value
// and what would be accepted.

#include "core/base/result.hpp"
#include "core/value/constraints.hpp"
#include "gang/declare/spark/memory.hpp"
#include "gang/declare/spark/version.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang::spark {

enum class Sign : std::uint8_t { positive, any };

enum class Zero : std::uint8_t { refused, allowed };

/// A view: the properties must outlive it.
class ConfView {
public:
    explicit ConfView(const core::StringMap& properties, Version version = {})
        : properties_(properties),
          suffixes_(version >= binary_suffixes_since ? Suffixes::jvm_and_binary : Suffixes::jvm) {}

    Suffixes suffixes() const { return suffixes_; }

    /// The text as it stands, under the key or the key's former name; or nullptr.
    const std::string* find(std::string_view key) const;

    /// Scala's toInt: 32 bits, a sign is allowed.
    core::Result<std::optional<std::int64_t>> find_integer(std::string_view key) const;

    /// As find_integer(); less than `least` is an error.
    core::Result<std::int64_t> integer_or(
        std::string_view key, std::int64_t fallback, std::int64_t least) const;

    /// Scala's toBoolean: true or false in any case.
    core::Result<bool> boolean_or(std::string_view key, bool fallback) const;

    /// A size whose unit is MiB when it has none.
    core::Result<std::optional<std::int64_t>> find_mebibytes(
        std::string_view key, Sign sign = Sign::positive) const;

    /// A size whose unit is the byte when it has none; in MiB all the same.
    core::Result<std::optional<std::int64_t>> find_bytes_in_mebibytes(std::string_view key) const;

    /// Java's Double.parseDouble, greater than 0; infinite is possible (1e400).
    core::Result<std::optional<double>> find_factor(std::string_view key, Zero zero) const;

    /// What follows spark.executor.resource. up to the next dot, as Spark takes the keys apart.
    std::vector<std::string> custom_resources() const;

    /// The labels in keys with this prefix, sorted by key.
    core::StringMap with_prefix(std::string_view prefix) const;

private:
    const core::StringMap& properties_;
    Suffixes suffixes_;
};

/// `spark.executor.cores = "0.5": why`.
core::Error wrong_value(std::string_view key, std::string_view value, std::string_view why);

}  // namespace gang::spark
