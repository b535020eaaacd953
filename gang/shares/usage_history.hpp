#pragma once
// What queues had less than their part of, for as long as somebody waited in them, and what others
// had more: it makes good for it when turns are given. What was long ago counts for less, by half
// with each half-life (as Slurm's PriorityDecayHalfLife and Kueue's usageHalfLifeTime have it).
//
// The part of a queue is taken beside those right below the same queue: what those who wait, and
// those who hold more than these on average, hold together, by their weights.

#include "gang/shares/amounts.hpp"
#include "gang/shares/queue_tree.hpp"
#include "gang/shares/queue_usage.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gang {

class UsageHistory {
public:
    UsageHistory(const QueueTree& tree, const QueueUsage& usage) : tree_(tree), usage_(usage) {}
    UsageHistory(const UsageHistory&) = delete;
    UsageHistory& operator=(const UsageHistory&) = delete;

    bool is_on() const { return decay_ms_ > 0; }
    /// 0: nothing is remembered. What is known stays, by the names of queues; to be called again
    /// when the tree is another one.
    void configure(std::int64_t half_life_ms);
    /// Adds up what has been since the call before: until now it was as it was then. In `waiting`,
    /// leaves, somebody waits for room from now on.
    void advance(
        std::int64_t now_ms, const std::vector<QueueIndex>& waiting, const Amounts& totals);
    /// To be taken from its share, in millionths; negative: it had more than its part.
    std::int64_t owed(QueueIndex queue) const;
    /// Nothing is known of what was.
    void forget();

private:
    struct Entry {
        std::int64_t sum =
            0;  ///< of what it lacked, in millionths of the cluster by weight, and ms
        std::int64_t rate = 0;  ///< what it lacks since the last call
    };
    void add_up(Entry& entry, std::int64_t ms) const;
    void compare_children(
        const QueueNode& parent, const std::vector<bool>& waits, const Amounts& totals);

    const QueueTree& tree_;
    const QueueUsage& usage_;
    std::int64_t decay_ms_ = 0;  ///< in which all but 1 / e of it is forgotten
    std::int64_t last_ms_ = 0;
    std::vector<Entry> entries_;  ///< by QueueIndex
    std::vector<std::string> names_;
};

}  // namespace gang
