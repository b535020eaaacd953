#pragma once
// How new the view of one process is: up to which revisions of pods and of nodes it has worked off
// what it was shown. Each event that waits in the host has an entry here, in the same order.

#include <algorithm>
#include <cstdint>
#include <deque>

namespace gang::sim {

class ViewRevisions {
public:
    /// An event waits. `revision`: how new it makes the view; 0: it does not.
    void event_waits(bool is_of_nodes, std::uint64_t revision) {
        waiting_.push_back(Waiting{is_of_nodes, revision});
    }
    /// The oldest one that waits is worked off.
    void event_is_done() {
        const Waiting done = waiting_.front();
        waiting_.pop_front();
        std::uint64_t& seen = done.is_of_nodes ? nodes_ : pods_;
        seen = std::max(seen, done.revision);
    }
    std::uint64_t pods() const { return pods_; }
    std::uint64_t nodes() const { return nodes_; }

private:
    struct Waiting {
        bool is_of_nodes;
        std::uint64_t revision;
    };
    std::deque<Waiting> waiting_;
    std::uint64_t pods_ = 0;
    std::uint64_t nodes_ = 0;
};

}  // namespace gang::sim
