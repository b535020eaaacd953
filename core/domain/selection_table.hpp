#pragma once
// The selections in use, each once and counted; and for a pod those that match it. A selection that
// asks for a label by value is looked at for pods with that value only, so thousands of selections
// of one application each cost a pod of another one nothing.

#include "core/base/ids.hpp"
#include "core/base/interner.hpp"
#include "core/domain/pod_selection.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

class SelectionTable {
public:
    using Interned = Interner<PodSelection, SelectionId>::Interned;

    /// Takes one reference.
    Interned intern(const PodSelection& selection);
    std::optional<SelectionId> find(const PodSelection& selection) const {
        return selections_.find(selection);
    }
    void retain(SelectionId id) { selections_.retain(id); }
    /// True: nobody holds it any more, and its number may come to mean another selection.
    bool release(SelectionId id);
    const PodSelection& operator[](SelectionId id) const { return selections_[id]; }
    std::size_t size() const { return selections_.size(); }

    /// visit(id) for each selection that matches such a pod, once.
    template <typename Visit>
    void for_each_match(
        std::string_view namespace_name, const StringMap& labels, Visit visit) const {
        const auto look_at = [&](const std::vector<SelectionId>& ids) {
            for (const SelectionId id : ids) {
                if (selections_[id].matches(namespace_name, labels)) visit(id);
            }
        };
        look_at(without_label_);
        if (by_label_.empty()) return;
        for (const Label& label : labels) {
            if (const auto found = by_label_.find(label); found != by_label_.end()) {
                look_at(found->second);
            }
        }
    }

    friend bool operator==(const SelectionTable&, const SelectionTable&) = default;

private:
    using Label = StringMap::value_type;

    /// change(list) for the lists that the selection belongs in.
    template <typename Change>
    void change_lists(const PodSelection& selection, Change change);

    Interner<PodSelection, SelectionId> selections_;
    std::map<Label, std::vector<SelectionId>> by_label_;
    std::vector<SelectionId> without_label_;  ///< those that ask for no label by value
};

}  // namespace core
