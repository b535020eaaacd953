#pragma once
// A Queue object of Volcano or kube-batch, as far as a queue of ours can say the same
// (config/queues/queue_objects.hpp).

#include "core/value/resources.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace core {

struct QueueObject {
    std::string name;
    std::int64_t weight = 1;
    /// Amounts as config::ResourceAmounts has them. `capability` bounds what the queue may hold,
    /// `guarantee` is kept for it, `deserved` is what it may have back from others.
    std::vector<ExtendedResource> capability;
    std::vector<ExtendedResource> guarantee;
    std::vector<ExtendedResource> deserved;
    bool is_reclaimable = true;
    std::string parent;      ///< another object's name; empty: none
    bool is_closed = false;  ///< nobody is let in
    std::string problem;     ///< not empty: a value that cannot be read
    friend bool operator==(const QueueObject&, const QueueObject&) = default;
};

}  // namespace core
