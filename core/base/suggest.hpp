#pragma once
// "did you mean": the known word nearest to a mistyped one.

#include <span>
#include <string>
#include <string_view>

namespace core {

/// nullptr: nothing is near.
const std::string* find_similar(std::string_view found, std::span<const std::string> known);

/// ", did you mean \"leaseName\"?", or an empty text when nothing is near.
std::string did_you_mean(std::string_view found, std::span<const std::string> known);

}  // namespace core
