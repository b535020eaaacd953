#include "core/value/label_selector.hpp"

#include "core/base/result.hpp"

#include <algorithm>
#include <utility>

namespace core {

bool holds(const LabelRequirement& requirement, const StringMap& labels) {
    const std::string* value = find_value(labels, requirement.key);
    const auto is_named = [&] {
        return std::binary_search(requirement.values.begin(), requirement.values.end(), *value);
    };
    switch (requirement.op) {
        case LabelOperator::in:
            return value != nullptr && is_named();
        case LabelOperator::not_in:
            return value == nullptr || !is_named();
        case LabelOperator::exists:
            return value != nullptr;
        case LabelOperator::does_not_exist:
            return value == nullptr;
    }
    ENSURE(!"a known label operator");
    return false;
}

bool LabelSelector::matches(const StringMap& labels) const {
    return is_set &&
           std::all_of(requirements.begin(), requirements.end(), [&labels](const auto& one) {
               return holds(one, labels);
           });
}

void LabelSelector::require(LabelRequirement requirement) {
    std::vector<std::string>& values = requirement.values;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const auto at = std::lower_bound(requirements.begin(), requirements.end(), requirement);
    if (at == requirements.end() || *at != requirement) {
        requirements.insert(at, std::move(requirement));
    }
}

}  // namespace core
