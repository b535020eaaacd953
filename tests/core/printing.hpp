#pragma once
// How core's values look when a check fails.

#include "core/base/ids.hpp"
#include "core/placement/placement.hpp"
#include "core/value/resources.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace doctest {

template <typename Tag>
struct StringMaker<core::Id<Tag>> {
    static String convert(const core::Id<Tag>& id) {
        return (id.is_none() ? std::string("none") : fmt::format("#{}", id.value)).c_str();
    }
};

template <>
struct StringMaker<core::Resources> {
    static String convert(const core::Resources& resources) {
        return core::describe(resources).c_str();
    }
};

template <>
struct StringMaker<core::NodeCount> {
    static String convert(const core::NodeCount& entry) {
        return fmt::format("{} on #{}", entry.count, entry.node.value).c_str();
    }
};

}  // namespace doctest
