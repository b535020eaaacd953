#pragma once
// The names of filters: kube-scheduler's plugins, and the predicates of its old Policy files.

#include "core/value/filter_set.hpp"

#include <array>
#include <span>
#include <string_view>

namespace core {

struct FilterName {
    std::string_view name;
    FilterSet filters;  ///< that it stands for
    bool is_predicate = false;
};

/// All of them, plugins in the order of FilterId before predicates.
std::span<const FilterName> filter_names();

/// nullptr: nobody knows it.
const FilterName* find_filter_name(std::string_view name);

/// "TaintToleration"
std::string_view to_string(FilterId filter);

}  // namespace core
