#pragma once
// The labels of one namespace: a plain value.

#include "core/value/constraints.hpp"

#include <compare>
#include <string>

namespace core {

struct NamespaceLabels {
    std::string name;
    StringMap labels;
    friend auto operator<=>(const NamespaceLabels&, const NamespaceLabels&) = default;
};

}  // namespace core
