#pragma once
// When something is to be looked at: single times, and lists of who is due. Nobody reads a clock
// here; the caller says what time it is.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace gang {

/// A pause that doubles with each time, from `start_ms` up to `max_ms`.
inline std::int64_t doubled(std::int64_t start_ms, int times, std::int64_t max_ms) {
    return std::min(start_ms << std::min(times, 16), max_ms);
}

/// Times (Unix ms) at which a tick is wanted.
class Timers {
public:
    void add(std::int64_t at_ms) { times_.insert(at_ms); }
    /// Those up to now are over: the tick that runs is theirs.
    void forget_past(std::int64_t now_ms) {
        times_.erase(times_.begin(), times_.upper_bound(now_ms));
    }
    std::optional<std::int64_t> next_ms() const {
        return times_.empty() ? std::nullopt : std::optional(*times_.begin());
    }
    /// Times before `now_ms`: a tick has not ended them.
    std::size_t count_past(std::int64_t now_ms) const {
        return static_cast<std::size_t>(std::distance(times_.begin(), times_.lower_bound(now_ms)));
    }

private:
    std::set<std::int64_t> times_;
};

/// Who is due when, the earliest first, by uid among equals. `Uid` is std::string, or core::Text
/// where many records share the text. One uid may stand there at several times.
template <typename Uid>
class DueList {
public:
    void add(std::int64_t at_ms, Uid uid) { entries_.insert({at_ms, std::move(uid)}); }
    /// Takes out the first whose time has come.
    std::optional<std::string> take(std::int64_t now_ms) {
        if (entries_.empty() || entries_.begin()->at_ms > now_ms) {
            return std::nullopt;
        }
        const std::string uid = entries_.begin()->uid;
        entries_.erase(entries_.begin());
        return uid;
    }
    std::optional<std::int64_t> next_ms() const {
        return entries_.empty() ? std::nullopt : std::optional(entries_.begin()->at_ms);
    }
    std::size_t size() const { return entries_.size(); }

private:
    struct Entry {
        std::int64_t at_ms;
        Uid uid;
        friend bool operator<(const Entry& a, const Entry& b) {
            const std::string& a_uid = a.uid;
            const std::string& b_uid = b.uid;
            return a.at_ms != b.at_ms ? a.at_ms < b.at_ms : a_uid < b_uid;
        }
    };

    std::set<Entry> entries_;
};

}  // namespace gang
