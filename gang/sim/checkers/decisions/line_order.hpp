#pragma once
// Where one stands among those who wait, by what the file and its own words say: from the
// definition, and apart from gang/quota. What the time alone may have changed just now is not said.

#include "config/queues/queue_name.hpp"
#include "config/schema.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

namespace gang::sim {

/// What the file says of a queue and of those above it.
struct QueueWords {
    config::QueueOrder order = config::QueueOrder::fifo;
    std::int64_t aging_per_hour = 0;
    std::int64_t max_wait_s = 0;  ///< 0: for ever
    bool is_strict = false;       ///< who is overdue is passed by nobody
};

inline QueueWords words_of(const config::Schema& schema, std::string_view queue) {
    constexpr std::int64_t second_ms = 1'000;
    QueueWords words;
    for (std::string_view name = queue; !name.empty(); name = config::parent_queue(name)) {
        const auto said = std::find_if(
            schema.queues.begin(), schema.queues.end(), [name](const config::Queue& one) {
                return one.name == name;
            });
        if (said == schema.queues.end()) {
            continue;
        }
        if (name == queue) {
            words.order = said->order;
            words.aging_per_hour = said->aging_per_hour;
        }
        words.is_strict = words.is_strict || said->is_max_wait_strict;
        words.max_wait_s = words.max_wait_s == 0 ? said->max_wait_ms / second_ms : words.max_wait_s;
    }
    return words;
}

struct Standing {
    enum class Due : std::uint8_t { not_yet, maybe, overdue };
    Due due = Due::not_yet;
    bool is_strict = false;
    std::int64_t due_lane = 0;  ///< of one that is overdue: the lesser goes first
    config::QueueOrder order = config::QueueOrder::fifo;
    std::int64_t points = 0;  ///< by priority: the more goes first
    std::int64_t created = 0;
    std::string uid;
};

/// `own_s`: for how long it says itself that it is to wait; 0: it says nothing.
inline Standing standing_of(
    const QueueWords& words,
    std::int64_t created,
    std::int64_t priority,
    std::int64_t own_s,
    std::string uid,
    std::int64_t now_ms) {
    constexpr std::int64_t lane_s = 600;
    constexpr std::int64_t doubtful_ms = 1'000;
    constexpr std::int64_t hour_s = 3'600;
    Standing made;
    made.is_strict = words.is_strict;
    made.order = words.order;
    made.created = created;
    made.uid = std::move(uid);
    made.points = words.order == config::QueueOrder::priority
                      ? priority - created * words.aging_per_hour / hour_s
                      : 0;
    const bool may_say = own_s != 0 && (!words.is_strict || own_s >= words.max_wait_s);
    const std::int64_t wait_s = may_say ? own_s : words.max_wait_s;
    if (wait_s > 0) {
        const std::int64_t late_ms = now_ms - (created + wait_s) * 1'000;
        made.due = late_ms > doubtful_ms    ? Standing::Due::overdue
                   : late_ms < -doubtful_ms ? Standing::Due::not_yet
                                            : Standing::Due::maybe;
        made.due_lane = (created + wait_s) / lane_s;
    }
    return made;
}

/// Of two in one queue: whether it is sure that `a` goes first. Between users nothing is.
inline bool goes_first(const Standing& a, const Standing& b) {
    if (a.due == Standing::Due::maybe || b.due == Standing::Due::maybe) {
        return false;
    }
    if (a.due != b.due) {
        return a.due == Standing::Due::overdue;
    }
    if (a.due == Standing::Due::overdue) {
        return std::tie(a.due_lane, a.created, a.uid) < std::tie(b.due_lane, b.created, b.uid);
    }
    if (a.order == config::QueueOrder::fair) {
        return false;
    }
    return a.points != b.points ? b.points < a.points
                                : std::tie(a.created, a.uid) < std::tie(b.created, b.uid);
}

/// Of two in any queues: whether it is sure that `a` is passed by nobody, and goes before `b`.
inline bool is_passed_by_none(const Standing& a, const Standing& b) {
    if (a.due != Standing::Due::overdue || !a.is_strict || b.due == Standing::Due::maybe) {
        return false;
    }
    return b.due == Standing::Due::not_yet || !b.is_strict ||
           std::tie(a.due_lane, a.created) < std::tie(b.due_lane, b.created);
}

}  // namespace gang::sim
