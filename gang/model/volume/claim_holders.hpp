#pragma once
// Which pods, of all schedulers, hold which claims. There may be as many as pods, so each costs the
// claim's name, once, and some words.

#include "core/base/uid_table.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

class ClaimHolders {
public:
    ClaimHolders() = default;
    ClaimHolders(const ClaimHolders&) = delete;
    ClaimHolders& operator=(const ClaimHolders&) = delete;

    /// `claims` are namespace/name, one at least. The pod must not hold any yet.
    void hold(std::string_view uid, const std::vector<std::string>& claims);
    /// The claims that nobody holds any more.
    std::vector<std::string> release(std::string_view uid);
    bool holds(std::string_view uid) const { return by_uid_.find(uid).has_value(); }
    std::vector<std::string> claims_of(std::string_view uid) const;
    /// A pod other than this one holds it.
    bool is_held_beside(const std::string& claim, std::string_view uid) const;
    std::size_t size() const { return by_uid_.size(); }
    /// Grows when somebody holds, or releases.
    std::uint64_t version() const { return version_; }
    /// By uid, which pod holds which claims. Copies all of it.
    std::map<std::string, std::vector<std::string>> all() const;

private:
    using Counts = std::map<std::string, std::uint32_t>;  ///< pods by claim
    using Held = Counts::value_type*;

    Counts counts_;
    core::UidTable<Held> by_uid_;                                 ///< the first of its claims
    std::map<std::string, std::vector<Held>, std::less<>> more_;  ///< of those with several
    std::uint64_t version_ = 0;
};

}  // namespace gang
