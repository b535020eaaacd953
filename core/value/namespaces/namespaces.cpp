#include "core/value/namespaces/namespaces.hpp"

#include <algorithm>
#include <utility>

namespace core {

bool Namespaces::listed(const std::vector<NamespaceLabels>& all) {
    std::map<std::string, StringMap, std::less<>> now;
    for (const NamespaceLabels& one : all) now.insert_or_assign(one.name, one.labels);
    const bool is_news = !is_known_ || now != all_;
    all_ = std::move(now);
    is_known_ = true;
    why_missing_.clear();
    return is_news;
}

bool Namespaces::changed(const NamespaceLabels& one) {
    const auto [at, is_new] = all_.try_emplace(one.name, one.labels);
    if (is_new) return true;
    if (at->second == one.labels) return false;
    at->second = one.labels;
    return true;
}

bool Namespaces::deleted(std::string_view name) {
    const auto found = all_.find(name);
    if (found == all_.end()) return false;
    all_.erase(found);
    return true;
}

bool Namespaces::missing(std::string why) {
    if (is_known_) return false;
    const std::string before = std::exchange(why_missing_, std::move(why));
    return before != why_missing_;
}

const std::string* Namespaces::find(std::string_view name, std::string_view label) const {
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : find_value(found->second, label);
}

std::vector<std::string> Namespaces::matching(const LabelSelector& selector) const {
    std::vector<std::string> names;
    for (const auto& [name, labels] : all_) {
        if (selector.matches(labels)) names.push_back(name);
    }
    return names;
}

}  // namespace core
