#pragma once
// Reads one mapping of kube-scheduler's files: each key is known, known without effect here, or an
// error.

#include "config/tree.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config::kube {

/// What is to be said of a file.
struct Notes {
    std::vector<Complaint> complaints;
    std::vector<Complaint> warnings;

    void complain(const Tree& at, std::string text) {
        complaints.push_back({at.mark, std::move(text)});
    }
    void warn(const Tree& at, std::string text) { warnings.push_back({at.mark, std::move(text)}); }
};

struct Key {
    std::string name;
    /// Empty: understood, and without effect here, which is a warning.
    std::function<void(const Tree& value)> read = {};
};

/// Calls read() of each key that is there; `what` names the mapping ("an extender"). False: it is
/// no mapping.
bool read_map(const Tree& tree, std::string_view what, std::span<const Key> keys, Notes& notes);

/// Calls read(item) for each item; `what` names the list ("predicates"). False: it is no list.
bool read_list(
    const Tree& tree,
    std::string_view what,
    const std::function<void(const Tree& item)>& read,
    Notes& notes);

/// For a key whose value is read by one of config/scalars.hpp: complains, or stores.
template <typename Reader, typename Target>
std::function<void(const Tree&)> into(Notes& notes, Reader read, Target& target) {
    return [&notes, read, &target](const Tree& value) {
        auto result = read(value);
        if (result) {
            target = *std::move(result);
        } else {
            notes.complain(value, result.error().message);
        }
    };
}

/// A key that may be there and says nothing of use: apiVersion and kind of a part.
Key ignored(std::string name);

/// The value of a key of a mapping; nullptr: it is not there.
const Tree* find(const Tree& map, std::string_view key);

/// ", did you mean X?", or nothing.
std::string meant(std::string_view found, std::span<const std::string> known);

}  // namespace config::kube
