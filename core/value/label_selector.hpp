#pragma once
// Which pods are meant, by their labels: metav1.LabelSelector. `matchLabels` are requirements with
// one value here, and requirements are kept in order and once, so that two ways to write a selector
// make one value.

#include "core/value/constraints.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace core {

enum class LabelOperator : std::uint8_t { in, not_in, exists, does_not_exist };

struct LabelRequirement {
    std::string key;
    LabelOperator op = LabelOperator::in;
    std::vector<std::string> values;  ///< sorted, each once; of `in` and `not_in`
    friend auto operator<=>(const LabelRequirement&, const LabelRequirement&) = default;
};

/// A missing label satisfies `not_in` and `does_not_exist` only.
bool holds(const LabelRequirement& requirement, const StringMap& labels);

struct LabelSelector {
    bool is_set = false;                         ///< a selector that is not there matches nothing
    std::vector<LabelRequirement> requirements;  ///< all must hold; sorted, each once

    /// An empty selector matches everything.
    bool matches_all() const { return is_set && requirements.empty(); }
    bool matches(const StringMap& labels) const;
    /// Asks for this as well; what is asked already is not kept twice.
    void require(LabelRequirement requirement);
    friend auto operator<=>(const LabelSelector&, const LabelSelector&) = default;
};

}  // namespace core
