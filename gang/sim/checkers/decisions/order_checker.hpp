#pragma once
// Whose turn it is among those who wait.
//
//   fifo      no gang is admitted while an older one, by our own words, waits for room, and would
//             fit the nodes if only pods of others were there
//             in a world with queues: none while one waits that goes first in the same queue, by
//             what the file says (line_order.hpp): by creation, by priority with aging, or because
//             it is overdue
//   overdue   likewise, none in any queue while one waits whom nobody is to pass
//   bypass    with backfill nobody is passed more often than the file says

#include "gang/sim/base/store.hpp"
#include "gang/sim/checkers/decisions/line_order.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gang {
struct BindPod;
struct GangView;
}  // namespace gang

namespace gang::sim {

struct ShownView;
struct World;
class Process;

class OrderChecker {
public:
    explicit OrderChecker(World& world) : world_(world) {}

    void process_started(std::uint32_t replica);
    /// `bind` starts a gang.
    void check(
        std::uint32_t replica, const Process& process, const ShownView& view, const BindPod& bind);

private:
    bool may_be_passed(std::uint32_t replica, const GangView& gang);
    bool could_fit(std::uint32_t replica, const ShownView& view, PodId driver) const;
    void count_overdue(const Standing& admitted);

    World& world_;
    /// By replica and the driver's uid: how often its process has passed it.
    std::vector<std::map<std::string, std::int64_t>> passed_;
};

}  // namespace gang::sim
