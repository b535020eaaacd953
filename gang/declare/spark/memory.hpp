#pragma once
// JVM memory sizes as Spark reads them ("4g", "512m", "1536"): JavaUtils.byteStringAs. They are not
// Kubernetes quantities: g and gb are 2^30, and fractions do not exist.

#include "core/base/result.hpp"

#include <cstdint>
#include <string_view>

namespace gang::spark {

enum class SizeUnit : std::uint8_t { bytes, mebibytes };

/// Spark 4.2 and later read Gi and GiB too, which are what g and gb always were.
enum class Suffixes : std::uint8_t { jvm, jvm_and_binary };

/// The size in mebibytes, cut down. `without_suffix` is the unit of a bare number, which depends on
/// the key. A fraction, a Kubernetes suffix, a space inside, a sign, an overflow: an error whose
/// text quotes the value and names the forms that Spark accepts.
core::Result<std::int64_t> parse_mebibytes(
    std::string_view text, SizeUnit without_suffix, Suffixes suffixes = Suffixes::jvm);

/// The same in bytes.
core::Result<std::int64_t> parse_bytes(
    std::string_view text, SizeUnit without_suffix, Suffixes suffixes = Suffixes::jvm);

}  // namespace gang::spark
