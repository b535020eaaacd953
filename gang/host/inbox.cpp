#include "gang/host/inbox.hpp"

#include "core/base/result.hpp"

#include <algorithm>
#include <utility>

namespace gang {

void Inbox::push(Event event) {
    events_.push_back(std::move(event));
}

void Inbox::wake_at(std::int64_t time_ms) {
    wake_ms_ = wake_ms_ ? std::min(*wake_ms_, time_ms) : time_ms;
}

bool Inbox::has_work(std::int64_t now_ms) const {
    return !events_.empty() || since_tick_ > 0 || (wake_ms_ && *wake_ms_ <= now_ms);
}

bool Inbox::tick_is_due(std::int64_t now_ms) const {
    if (events_.empty()) {
        return true;
    }
    return since_tick_ > 0 && (since_tick_ >= limits_.tick_after_events ||
                               now_ms - first_since_tick_ms_ >= limits_.tick_after_ms);
}

StampedEvent Inbox::next(std::int64_t now_ms) {
    ENSURE(has_work(now_ms));
    last_ms_ = std::max(last_ms_, now_ms);
    StampedEvent stamped{++sequence_, last_ms_, Tick{}};
    if (tick_is_due(last_ms_)) {
        since_tick_ = 0;
        if (wake_ms_ && *wake_ms_ <= last_ms_) {
            wake_ms_.reset();
        }
        return stamped;
    }
    if (since_tick_ == 0) {
        first_since_tick_ms_ = last_ms_;
    }
    ++since_tick_;
    stamped.event = std::move(events_.front());
    events_.pop_front();
    return stamped;
}

bool Inbox::is_full() {
    const std::size_t mark = full_ ? limits_.full / 2 : limits_.full;
    full_ = events_.size() >= mark;
    return full_;
}

}  // namespace gang
