#pragma once
// Which types a std::variant may hold.

#include <type_traits>
#include <variant>

namespace core {

template <typename T, typename Variant>
inline constexpr bool is_alternative_of = false;
template <typename T, typename... Kinds>
inline constexpr bool is_alternative_of<T, std::variant<Kinds...>> =
    (std::is_same_v<T, Kinds> || ...);

/// T is one of the types of this std::variant.
template <typename T, typename Variant>
concept AlternativeOf = is_alternative_of<T, Variant>;

}  // namespace core
