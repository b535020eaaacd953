#pragma once
// What an autoscaler may be asked for, and whose the nodes are that it brings.
//
//   demand-needless   nobody is asked for a gang that has ended, has no executors, or has all of
//                     them
//   demand-size       of a gang that waits all executors are asked for, of one that runs those
//   whose
//                     slots stand open; of a pod group the other members of its minimum, as large
//                     as they are
//   demand-for-quota  nobody is asked for a gang that waits for quota
//   bought-room       nobody is placed on a node that came after a gang was asked for, in room that
//                     this gang lacks, but for those who were asked for, too (of pod groups with
//                     pods of several sizes that is not looked at); and at rest room is held for
//                     gangs alone that wait and were asked for
//   demand-left       at rest in the calm: objects of gangs that have ended, run with all their
//                     executors, or wait for quota are deleted when they are next listed, at the
//                     latest

#include "core/value/demand/capacity_shape.hpp"
#include "core/value/resources.hpp"
#include "gang/event.hpp"
#include "gang/explain.hpp"
#include "gang/ledger_view.hpp"
#include "gang/sim/base/store.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gang {
struct BindPod;
struct WantCapacity;
struct DropCapacity;
}  // namespace gang

namespace gang::sim {

struct World;
struct Application;
class Process;

class DemandChecker {
public:
    explicit DemandChecker(World& world) : world_(world) {}

    void process_started(std::uint32_t replica);
    void event_applied(std::uint32_t replica, const Event& event);
    void wants(std::uint32_t replica, const Process& process, const WantCapacity& decision);
    void drops(std::uint32_t replica, const DropCapacity& decision);
    void binds(std::uint32_t replica, const Process& process, const BindPod& bind);
    /// Of any leader.
    void look(std::uint32_t replica, const Process& process);
    /// Of one that is at rest.
    void inspect(std::uint32_t replica, const Process& process);
    bool is_asked(std::uint32_t replica, const std::string& driver_uid) const {
        return views_[replica].asked.contains(driver_uid);
    }

private:
    struct Asked {
        std::int64_t at_ms = 0;
        bool is_certain = true;  ///< false: it was found in a list, an earlier leader's
    };
    struct View {
        std::set<std::string> nodes;
        std::map<std::string, std::int64_t> came_ms;  ///< nodes that were not there from the start
        std::set<std::string> pods_on;                ///< nodes that pods named
        std::map<std::string, Asked> asked;           ///< by driver
        std::set<std::string> dropping;
        std::set<std::string> waits_for_nodes;  ///< drivers, when it was last looked at
        bool is_complete = false;               ///< the list of nodes
        bool is_listed = false;                 ///< it was, when a node came
    };

    /// What a gang that waits was bought nodes for: pods of one size.
    struct Lacking {
        core::Resources each;
        std::int64_t pods = 0;
        std::string pool;  ///< empty: any node
    };

    const Application* find_plain(PodId driver) const;
    std::optional<Lacking> find_lacking(PodId driver) const;
    std::string what_is_wrong_with(
        PodId anchor, const std::vector<core::CapacityShape>& shapes) const;
    void node_comes(View& view, const std::string& name);
    void answered(View& view, const CapacityAnswered& answer);
    bool takes_room_of(
        const View& view,
        const std::vector<NodeLedger>& ledger,
        const BindPod& bind,
        const std::string& gang) const;

    World& world_;
    std::vector<View> views_;                            ///< by replica
    std::map<std::string, std::int64_t> left_since_ms_;  ///< by driver
};

}  // namespace gang::sim
