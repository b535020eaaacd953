#pragma once
// ${spark.other.key} inside a value: Spark puts in the other value when it reads a key of its own.

#include "core/base/result.hpp"
#include "core/value/constraints.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gang::spark {

/// The value of any key of the conf, or nothing.
using LookUp = std::function<std::optional<std::string>(std::string_view key)>;

/// Whether Spark would look for references in the value of this key: it does for the keys that it
/// knows by name, not for those that it finds by their prefix.
bool is_expanded(std::string_view key);

/// The value with its references replaced, those in the replacements too. What names no key of the
/// conf stays as it is, as in Spark. An error: references in a circle, and references to the
/// driver's environment or its JVM (${env:HOME}), which nobody knows yet.
core::Result<std::string> expanded(
    std::string_view key, const std::string& value, const LookUp& look_up);

}  // namespace gang::spark
