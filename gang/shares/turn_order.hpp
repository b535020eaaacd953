#pragma once
// Whose turn it is among queues in which somebody waits: at each level of the tree one that has an
// executor of before_all goes first, then one whose first gang is passed by nobody, then a queue
// below its guarantee, then the one with the smallest dominant share (less what it is owed, where past
// usage counts), then the one whose first gang is the oldest, then by name.
//
// Each queue keeps a tournament of those right below it, so a change plays some ten games a level,
// however many queues there are. Made anew for each scheduling cycle.

#include "gang/shares/amounts.hpp"
#include "gang/shares/dominant_share.hpp"
#include "gang/shares/queue_tree.hpp"
#include "gang/shares/queue_usage.hpp"
#include "gang/shares/usage_history.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace gang {

/// When it was "created" who goes before all others of all queues: the first executor of a gang that
/// runs and has lost its slots. Its driver holds room that another queue's head may need, and does
/// not end without it.
constexpr std::int64_t before_all = 0;
/// Of a queue that has its turn by what it holds.
constexpr std::int64_t by_share = std::numeric_limits<std::int64_t>::max();

/// Of who waits first in a leaf, what queues have their turns by.
struct FirstInQueue {
    std::int64_t created = 0;
    std::int64_t before = by_share;  ///< of one that is passed by nobody: the lesser goes first
    friend bool operator==(const FirstInQueue&, const FirstInQueue&) = default;
};

class TurnOrder {
public:
    /// `history` is nullptr where past usage never counts; must live as long.
    TurnOrder(
        const QueueTree& tree,
        const QueueUsage& usage,
        Amounts totals,
        const UsageHistory* history = nullptr);

    /// In this leaf somebody waits, and this one first; before begin().
    void set(QueueIndex leaf, FirstInQueue first);
    /// Plays all games.
    void begin();

    /// no_queue: nobody waits.
    QueueIndex pick() const;
    /// Another one is first in this leaf, or nobody; and it may hold more or less than before.
    void update(QueueIndex leaf, std::optional<FirstInQueue> first);

    /// As of the last change.
    const DominantShare& share(QueueIndex queue) const { return at(queue).share; }

private:
    struct Entry {
        DominantShare share;
        std::int64_t due = 0;           ///< with a history: the share in millionths, less what is owed
        QueueIndex winner = no_queue;   ///< the leaf whose turn it is below it; a leaf: itself
        FirstInQueue first;             ///< of who waits there
        std::size_t ordinal = 0;        ///< among the children of its parent
        std::vector<QueueIndex> games;  ///< the tournament: children from the middle on
    };
    const Entry& at(QueueIndex queue) const { return entries_[static_cast<std::size_t>(queue)]; }
    Entry& at(QueueIndex queue) { return entries_[static_cast<std::size_t>(queue)]; }
    QueueIndex better(QueueIndex a, QueueIndex b) const;
    void crown(QueueIndex queue);
    void measure(QueueIndex queue);
    int compare_shares(const Entry& a, const Entry& b) const;

    const QueueTree& tree_;
    const QueueUsage& usage_;
    Amounts totals_;
    const UsageHistory* history_;
    std::vector<Entry> entries_;  ///< by QueueIndex
};

}  // namespace gang
