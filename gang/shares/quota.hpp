#pragma once
// Whether a queue's limits, those of the queues above it, and those of its users let something in.

#include "gang/shares/amounts.hpp"
#include "gang/shares/charges.hpp"
#include "gang/shares/queue_tree.hpp"
#include "gang/shares/queue_usage.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gang {

/// A limit that would be passed.
struct QuotaShortage {
    QueueIndex queue = no_queue;  ///< whose limit it is
    bool is_of_user = false;      ///< of each user in it
    std::string resource;         ///< "gangs" of maxGangs
    std::int64_t limit = 0;
    std::int64_t used = 0;
    std::int64_t needs = 0;
    bool is_for_ever = false;  ///< it needs more than the limit, whatever others hold
    friend bool operator==(const QuotaShortage&, const QuotaShortage&) = default;
};

/// What is to be let in.
struct QuotaDemand {
    Amounts amounts;
    std::int64_t gangs = 1;  ///< 0 of an executor beyond its gang's slots
};

/// Limits that somebody who waits would pass: who comes later in a fifo queue does not use them.
using QuotaShortages = std::vector<QuotaShortage>;

class Quota {
public:
    Quota(const QueueTree& tree, const QueueUsage& usage) : tree_(tree), usage_(usage) {}

    /// Empty: there is quota for it. One that is short for ever stands alone.
    QuotaShortages find_shortages(const QueueAccount& account, const QuotaDemand& demand) const;

private:
    const QueueTree& tree_;
    const QueueUsage& usage_;
};

/// Whether it would use one of the limits that others wait for, who are in the same queue and of
/// this user.
bool uses_any(
    const QuotaDemand& demand,
    const std::string& user,
    const QuotaShortages& awaited,
    const std::string& awaited_by);

}  // namespace gang
