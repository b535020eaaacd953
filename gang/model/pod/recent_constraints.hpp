#pragma once
// The constraints of the last few pods, so that equal ones are kept once: executors of one gang are
// alike, and the API server gives most pods the same two tolerations.

#include "core/value/pod.hpp"

#include <array>
#include <cstddef>

namespace gang {

class RecentConstraints {
public:
    /// The pod's constraints become one with equal ones of the last few.
    void share(core::Pod& pod) {
        for (const core::Shared<core::Constraints>& known : last_constraints_) {
            if (pod.constraints.share(known)) return;
        }
        last_constraints_[oldest_constraints_] = pod.constraints;
        oldest_constraints_ = (oldest_constraints_ + 1) % last_constraints_.size();
    }

private:
    std::array<core::Shared<core::Constraints>, 4> last_constraints_;
    std::size_t oldest_constraints_ = 0;
};

}  // namespace gang
