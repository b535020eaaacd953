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

/// What the status of a Queue object of Volcano says, as far as we write it.
struct QueueObjectStatus {
    std::string state;          ///< "Open", "Closed", ...; empty: nothing is said
    std::int64_t pending = 0;   ///< groups that wait
    std::int64_t running = 0;   ///< groups that hold something
    std::vector<ExtendedResource> allocated;  ///< by name, "cpu" in thousandths of a core
    friend bool operator==(const QueueObjectStatus&, const QueueObjectStatus&) = default;
};

}  // namespace core
