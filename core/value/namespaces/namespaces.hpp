#pragma once
// The namespaces of the cluster with their labels, as far as they are known.
//
//   unknown --listed()--> known
//      '--missing()--> not to be had: what was known once stays known

#include "core/value/label_selector.hpp"
#include "core/value/namespaces/namespace_labels.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace core {

class Namespaces {
public:
    // Each says whether anything is other than before.

    /// All that there are; from here on they are known.
    bool listed(const std::vector<NamespaceLabels>& all);
    /// One came, or its labels are others.
    bool changed(const NamespaceLabels& one);
    bool deleted(std::string_view name);
    /// We may not list them; `why` is for those who need them.
    bool missing(std::string why);

    bool is_known() const { return is_known_; }
    /// It is known what there is, or that nobody will say.
    bool is_answered() const { return is_known_ || !why_missing_.empty(); }
    /// Why they are not known; empty: they are, or nobody was asked yet.
    const std::string& why_missing() const { return why_missing_; }

    /// A pod may be seen before its namespace is.
    bool has(std::string_view name) const { return all_.contains(name); }
    /// What this label of a namespace says; nullptr: it has none, or is not known.
    const std::string* find(std::string_view name, std::string_view label) const;
    /// Those that the selector means, sorted.
    std::vector<std::string> matching(const LabelSelector& selector) const;

private:
    std::map<std::string, StringMap, std::less<>> all_;
    bool is_known_ = false;
    std::string why_missing_;
};

}  // namespace core
