#pragma once
// Reading into a Json tree without asking at each step whether the member exists.

#include "k8s/embedded/store/json_value.hpp"

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace k8s::embedded {

using JsonPath = std::initializer_list<std::string_view>;

/// The array there; empty when there is none.
const Json::Array& items_at(const Json& object, JsonPath path);

/// The integer there; 0 when there is none.
std::int64_t int_at(const Json& object, JsonPath path);

/// True only when `true` is there.
bool true_at(const Json& object, JsonPath path);

}  // namespace k8s::embedded
