#pragma once
// Past usage of queues: what each held less than its part while somebody waited in it, and what
// others held more than theirs. Turns make up for it. Past usage fades, by half with each half-life
// (as Slurm's PriorityDecayHalfLife and Kueue's usageHalfLifeTime have it).
//
// A queue's part is reckoned among its siblings. Those count in which somebody waits, and those
// that hold more than these do on average; what they hold together is divided by their weights.

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
    /// 0: past usage counts for nothing. What is known stays, by the names of queues; to be called
    /// again when the tree is another one.
    void configure(std::int64_t half_life_ms);
    /// Adds the time since the call before: until now all was as observe() saw it.
    void advance(std::int64_t now_ms);
    /// From now on queues hold what their usage says, and somebody waits for room in these leaves.
    void observe(const std::vector<QueueIndex>& waiting, const Amounts& totals);
    /// To be taken from its share, in millionths; negative: it had more than its part.
    std::int64_t owed(QueueIndex queue) const;
    /// Past usage is unknown.
    void forget();

private:
    struct Entry {
        std::int64_t sum = 0;  ///< of what it lacked: millionths of the cluster by weight, times ms
        std::int64_t rate = 0;  ///< what it lacks, as last observed
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
