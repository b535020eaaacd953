#pragma once
// The fields of every kind as text, one line per type; see schema.cpp for its form.

#include <array>
#include <span>
#include <string_view>

namespace k8s::embedded {

std::span<const std::string_view> schema_lines();

}  // namespace k8s::embedded
