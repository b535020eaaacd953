#pragma once
// A fresh, consistent list of all pods and nodes against what a scheduler believes. No I/O: whoever
// lists hands over one object after the other and keeps none; of a pod only a hash of its uid stays.
//
//   begin -> see ... see -> finish: nothing differs, or differences that may only be on their way
//                                   (the list and the watch are two streams)
//   a while later once more: what differs again, on the same state of the object, is drift

#include "gang/drift.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace core {
struct Node;
struct Pod;
}  // namespace core

namespace gang {

class Scheduler;

class ConsistencyCheck {
public:
    /// Differences kept; of more only the number is.
    static constexpr std::size_t drifts_max = 1'000;

    /// A list of both kinds begins (again).
    void begin();
    void see(const Scheduler& scheduler, const core::Node& listed);
    void see(const Scheduler& scheduler, const core::Pod& listed);
    /// Both lists have ended. True: nothing differs, or what differs did so before and is drift();
    /// false: list again after a while.
    bool finish(const Scheduler& scheduler);

    /// What has differed in two lists on the same state.
    const std::vector<Drift>& drift() const { return drift_; }
    std::size_t pods_seen() const { return pods_.size(); }

private:
    using Key = std::pair<DriftKind, std::string>;

    void note(Drift drift);

    std::vector<std::uint64_t> pods_;  ///< hashes of the uids that were listed
    std::set<std::string> nodes_;
    std::map<Key, Drift> found_;   ///< in this list
    std::map<Key, Drift> before_;  ///< in the one before it
    bool is_second_ = false;
    std::vector<Drift> drift_;
};

}  // namespace gang
