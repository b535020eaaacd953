#pragma once
// The event loop of a run: takes what is due from the queue of virtual time and tells whom it
// concerns, until all is done or a checker has found a violation.
//
//   chaos: submissions, injected faults ---calm---> everything is healed; all must finish ---> end

#include "gang/sim/base/event_queue.hpp"

#include <cstdint>

namespace gang::sim {

struct World;

class EventLoop {
public:
    explicit EventLoop(World& world) : world_(world) {}

    void run();

private:
    void begin();
    bool is_for_later(const Planned& planned);
    std::uint32_t replica_of(const Planned& planned) const;
    void happen(const Planned& planned);
    template <typename Tell>
    void tell(std::uint32_t replica, std::uint64_t life, Tell to_process);
    void change_file(std::uint32_t file);
    void calm_down();
    void inspect();

    World& world_;
    bool is_over_ = false;
};

}  // namespace gang::sim
