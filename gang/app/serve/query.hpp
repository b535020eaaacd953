#pragma once
// Targets of requests taken apart: "/a/b%2Fc?x=1&y=2".

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

struct Target {
    std::string_view path;
    std::string_view query;  ///< without its question mark
};
Target split_target(std::string_view target);

/// Nothing: a percent sign without two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

/// The first value of that name, decoded; nothing: there is none, or it cannot be decoded.
std::optional<std::string> find_parameter(std::string_view query, std::string_view name);

/// The names of all parameters, as they stand there.
std::vector<std::string_view> parameter_names(std::string_view query);

}  // namespace gang::app
