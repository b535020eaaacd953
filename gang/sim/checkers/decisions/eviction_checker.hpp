#pragma once
// Who may be evicted, where queues allow it.
//
//   eviction   for a gang that waits for it, of drivers first, never of an executor in a slot whose
//              driver stays, unless its gang has more than the minimum that its reservation names;
//              so many a minute at most

#include "gang/sim/base/store.hpp"

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

namespace gang {
struct EvictPod;
}

namespace gang::sim {

struct ShownView;
struct World;
class Process;

class EvictionChecker {
public:
    explicit EvictionChecker(World& world) : world_(world) {}

    void process_started(std::uint32_t replica);
    void check(
        std::uint32_t replica,
        const Process& process,
        const ShownView& view,
        const EvictPod& decision);

private:
    /// What one process has asked for.
    struct Asked {
        std::set<std::string> evicted;        ///< drivers and members of groups
        std::deque<std::int64_t> victims_ms;  ///< when: of these, and of executors without a slot
    };

    bool keeps_minimum(const core::Pod& driver) const;
    bool goes_with_anchor(const Asked& asked, const ShownView& view, PodId member) const;
    void count_with_ended_anchor(Asked& asked, const ShownView& view, PodId member) const;

    World& world_;
    std::vector<Asked> asked_;  ///< by replica
};

}  // namespace gang::sim
