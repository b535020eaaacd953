#pragma once
// Writes of a fence that were refused, until nothing is to be hoped of them any more.
//
// A write that came too late counts when a newer state of the pod is shown: until then it is our
// view that is old, and no reason to give up.

#include "gang/model/leadership_term.hpp"

#include <cstdint>
#include <utility>

namespace gang {

class Refusals {
public:
    /// Nobody may write, or so the answer said.
    void refused() {
        ++count_;
        is_past_view_ = false;
    }
    /// The pod is past the state that was named.
    void conflicted() { is_past_view_ = true; }
    /// Another state than the one that was named last.
    void newer_state_shown() { count_ += std::exchange(is_past_view_, false) ? 1 : 0; }

    int count() const { return count_; }
    /// `since_ms`: when the first write was wanted.
    bool are_hopeless(std::int64_t since_ms, std::int64_t now_ms) const {
        return count_ >= fence_refusals_max && now_ms - since_ms >= fence_give_up_ms;
    }

private:
    int count_ = 0;
    bool is_past_view_ = false;  ///< the last write came too late, and nothing newer was shown
};

}  // namespace gang
