#pragma once
// Gives equal values one small number, counted: the last release frees it for another value.
// Without the count, a tenant that varies its requests could make the daemon grow for ever.

#include "core/base/ids.hpp"
#include "core/base/result.hpp"

#include <map>
#include <optional>
#include <vector>

namespace core {

template <typename Value, typename Id>
class Interner {
public:
    Interner() = default;
    Interner(const Interner& other)
        : ids_(other.ids_), entries_(other.entries_), free_(other.free_) {
        for (auto at = ids_.begin(); at != ids_.end(); ++at) entries_[at->second.value].at = at;
    }
    Interner(Interner&&) noexcept = default;
    Interner& operator=(const Interner& other) {
        if (this != &other) *this = Interner(other);
        return *this;
    }
    Interner& operator=(Interner&&) noexcept = default;
    ~Interner() = default;

    struct Interned {
        Id id;
        bool is_new;  ///< nobody held this value before
    };

    /// Takes one reference; allocates only for a value that nobody holds.
    Interned intern(const Value& value) {
        const auto found = ids_.find(value);
        if (found != ids_.end()) {
            ++entries_[found->second.value].references;
            return {found->second, false};
        }
        const Id id = take_free_id();
        entries_[id.value] = {ids_.emplace(value, id).first, 1};
        return {id, true};
    }

    /// The number of a value that somebody holds; takes no reference.
    std::optional<Id> find(const Value& value) const {
        const auto found = ids_.find(value);
        return found == ids_.end() ? std::nullopt : std::optional(found->second);
    }

    void retain(Id id) { ++live(id).references; }

    /// Gives one reference back; true when it was the last and the value is gone.
    bool release(Id id) {
        Entry& entry = live(id);
        if (--entry.references > 0) return false;
        ids_.erase(entry.at);
        entry = {};
        free_.push_back(id);
        return true;
    }

    const Value& operator[](Id id) const {
        ENSURE(id.value < entries_.size() && entries_[id.value].references > 0);
        return entries_[id.value].at->first;
    }

    /// Distinct values held now.
    std::size_t size() const { return ids_.size(); }

    /// Of one value that somebody holds.
    std::uint64_t references(Id id) const {
        ENSURE(id.value < entries_.size());
        return entries_[id.value].references;
    }

    /// Of all values; walks them.
    std::uint64_t references() const {
        std::uint64_t sum = 0;
        for (const Entry& entry : entries_) sum += entry.references;
        return sum;
    }

    friend bool operator==(const Interner&, const Interner&) = default;

private:
    using Ids = std::map<Value, Id>;
    struct Entry {
        typename Ids::iterator at;  ///< where the value is kept, once; of a free number nowhere
        std::uint64_t references = 0;
        /// Which value has which number is for the map to say.
        friend bool operator==(const Entry& a, const Entry& b) {
            return a.references == b.references;
        }
    };

    Entry& live(Id id) {
        ENSURE(id.value < entries_.size() && entries_[id.value].references > 0);
        return entries_[id.value];
    }

    Id take_free_id() {
        if (free_.empty()) {
            entries_.emplace_back();
            return {static_cast<std::uint32_t>(entries_.size() - 1)};
        }
        const Id id = free_.back();
        free_.pop_back();
        return id;
    }

    Ids ids_;
    std::vector<Entry> entries_;
    std::vector<Id> free_;
};

}  // namespace core
