#pragma once
// A queue as it is shown: what it may have, what it has, and who waits in it.

#include "config/queues/queue.hpp"
#include "core/value/resources.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gang {

struct QueueView {
    std::string name;    ///< "root.etl"
    std::string parent;  ///< empty of the root
    std::string object;  ///< the Queue object that it comes from; empty: none
    bool is_leaf = true;
    bool is_stopped = false;  ///< it, or one above it: nobody is let in
    config::QueueOrder order = config::QueueOrder::fifo;  ///< of a leaf
    std::int64_t weight = 1;
    /// Its dominant share beyond its guarantee, divided by its weight, in millionths.
    std::int64_t share_millionths = 0;
    /// Of that, what it is owed for past usage (UsageHistory); negative: it had more than its part.
    std::int64_t owed_millionths = 0;
    bool is_below_guarantee = false;
    core::Resources usage;
    // By name; "cpu" in thousandths of a core. What is not named has no bound.
    std::vector<core::ExtendedResource> guarantee;  ///< those below it included
    std::vector<core::ExtendedResource> limit;
    std::vector<core::ExtendedResource> user_limit;
    std::optional<std::int64_t> max_gangs;
    std::int64_t running = 0;  ///< gangs and lone pods that hold something
    std::int64_t waiting = 0;  ///< those that could be admitted one day
    std::string head;          ///< namespace/driver of the first of these in a leaf
    std::int64_t head_start_ms = 0;  ///< when that is expected to start, Unix ms; 0: not known
    friend bool operator==(const QueueView&, const QueueView&) = default;
};

}  // namespace gang
