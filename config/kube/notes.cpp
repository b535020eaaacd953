#include "config/kube/notes.hpp"

#include "config/scalars.hpp"
#include "core/base/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace config::kube {

namespace {

void complain_of_key(
    const Tree& key, std::string_view what, std::span<const Key> known, Notes& notes) {
    std::vector<std::string> names;
    for (const Key& one : known) {
        names.push_back(one.name);
    }
    notes.complain(
        key, fmt::format("unknown key {} in {}{}", describe(key), what, meant(key.scalar, names)));
}

}  // namespace

bool read_map(const Tree& tree, std::string_view what, std::span<const Key> keys, Notes& notes) {
    if (tree.kind != Tree::Kind::map) {
        notes.complain(tree, fmt::format("found {}, expected {}", describe(tree), what));
        return false;
    }
    std::vector<std::string> seen;
    for (const auto& [key, value] : tree.pairs) {
        const auto known =
            std::find_if(keys.begin(), keys.end(), [&name = key.scalar](const Key& one) {
                return one.name == name;
            });
        if (known == keys.end()) {
            complain_of_key(key, what, keys, notes);
            continue;
        }
        if (std::find(seen.begin(), seen.end(), key.scalar) != seen.end()) {
            notes.complain(
                key, fmt::format("found {} a second time, expected it once", describe(key)));
            continue;
        }
        seen.push_back(key.scalar);
        if (known->read) {
            known->read(value);
        } else {
            notes.warn(key, fmt::format("{} is understood, and has no effect here", key.scalar));
        }
    }
    return true;
}

bool read_list(
    const Tree& tree,
    std::string_view what,
    const std::function<void(const Tree& item)>& read,
    Notes& notes) {
    if (tree.kind != Tree::Kind::sequence) {
        notes.complain(tree, fmt::format("found {}, expected a list of {}", describe(tree), what));
        return false;
    }
    for (const Tree& item : tree.items) {
        read(item);
    }
    return true;
}

Key ignored(std::string name) {
    return {std::move(name), [](const Tree&) {}};
}

const Tree* find(const Tree& map, std::string_view key) {
    const auto found =
        std::find_if(map.pairs.begin(), map.pairs.end(), [key](const TreeEntry& entry) {
            return entry.key.scalar == key;
        });
    return found == map.pairs.end() ? nullptr : &found->value;
}

std::string meant(std::string_view found, std::span<const std::string> known) {
    const std::string* const near = core::find_similar(found, known);
    return near == nullptr ? "" : fmt::format(", did you mean {}?", *near);
}

}  // namespace config::kube
