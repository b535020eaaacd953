#include "core/domain/selection_table.hpp"

#include <algorithm>

namespace core {

namespace {

/// The requirement that most narrows the pods down: of those by value the one with fewest values.
const LabelRequirement* find_narrowest(const LabelSelector& selector) {
    const LabelRequirement* narrowest = nullptr;
    for (const LabelRequirement& one : selector.requirements) {
        if (one.op == LabelOperator::in &&
            (narrowest == nullptr || one.values.size() < narrowest->values.size())) {
            narrowest = &one;
        }
    }
    return narrowest;
}

}  // namespace

template <typename Change>
void SelectionTable::change_lists(const PodSelection& selection, Change change) {
    if (!selection.labels.is_set) return;
    const LabelRequirement* narrowest = find_narrowest(selection.labels);
    if (narrowest == nullptr) {
        change(without_label_);
        return;
    }
    for (const std::string& value : narrowest->values) {
        const auto at = by_label_.try_emplace({narrowest->key, value}).first;
        change(at->second);
        if (at->second.empty()) by_label_.erase(at);
    }
}

SelectionTable::Interned SelectionTable::intern(const PodSelection& selection) {
    const Interned interned = selections_.intern(selection);
    if (interned.is_new) {
        change_lists(selection, [&interned](std::vector<SelectionId>& list) {
            list.push_back(interned.id);
        });
    }
    return interned;
}

bool SelectionTable::release(SelectionId id) {
    const PodSelection selection = selections_[id];
    if (!selections_.release(id)) return false;
    change_lists(selection, [id](std::vector<SelectionId>& list) {
        list.erase(std::find(list.begin(), list.end(), id));
    });
    return true;
}

}  // namespace core
