#pragma once
// The question of /api/v1/whatif, as its parameters say it.

#include "core/base/result.hpp"
#include "gang/what_if.hpp"

#include <string_view>

namespace gang::app {

inline constexpr std::int64_t what_if_executors_max = 100'000;

/// An error says which parameter is wrong and what it is to be.
core::Result<WhatIf> read_what_if(std::string_view query);

}  // namespace gang::app
