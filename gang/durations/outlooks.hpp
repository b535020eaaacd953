#pragma once
// What those who wait may expect: when they start, and how many others have passed them. Found by
// gang/backfill, read by whoever tells them. Empty unless backfill is on.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace gang {

struct Outlook {
    std::int64_t start_ms = 0;   ///< expected, with medians, Unix ms; 0: not known
    std::int64_t spread_ms = 0;  ///< give or take so much
    std::int64_t planned_ms = 0;  ///< it fits by then if no promise is broken; 0: none was given
    std::int64_t first_start_ms = 0;  ///< the first `start_ms` that was found
    std::int32_t bypasses = 0;        ///< later gangs that were admitted before it
};

class Outlooks {
public:
    /// By uid.
    using All = std::map<std::string, Outlook, std::less<>>;

    const Outlook* find(std::string_view uid) const {
        const auto found = all_.find(uid);
        return found == all_.end() ? nullptr : &found->second;
    }
    Outlook& ensure(const std::string& uid) { return all_[uid]; }
    All& all() { return all_; }
    std::size_t size() const { return all_.size(); }

private:
    All all_;
};

}  // namespace gang
