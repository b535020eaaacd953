#pragma once
// A place where a scheduler runs: starts it, lets it crash, stop or run on a wrong clock, and
// starts it again, as a Deployment does.
//
//   down --replica_starts--> running --crash, exit, leave--> down
//                              | pause
//                              v
//                            paused: everything for it waits, in order; what it sent goes on
//
// The process of a replica that ends during one of its own happenings is only torn down after it.

#include "config/schema.hpp"
#include "gang/sim/base/clock.hpp"
#include "gang/sim/replica/process.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace gang::sim {

struct World;

class Replica {
public:
    Replica(World& world, std::uint32_t index);

    void start();
    /// At once; it starts again after so long.
    void crash(std::int64_t restart_ms);
    /// From inside its own happening: it ends when that is over.
    void exit() { exits_ = true; }
    /// The same, in good order.
    void leave();
    void end_if_asked();
    void pause(std::int64_t ms);
    /// 0: not paused, else until when.
    std::int64_t paused_until_ms() const { return paused_until_ms_; }

    bool is_running() const { return process_ != nullptr; }
    std::uint32_t life() const { return life_; }
    bool lives(std::uint64_t life) const { return process_ != nullptr && life_ == life; }
    Process& process() { return *process_; }
    const Process& process() const { return *process_; }

    void answered(const Call& call);
    template <typename Object>
    void watch_event(const Entry<Object>& entry);
    void watch_bookmark(bool is_of_nodes, const std::string& version);
    void watch_failed(bool is_of_nodes, const k8s::protocol::Trouble& trouble);
    void watch_closed(bool is_of_nodes, bool is_clean);

    Clock clock;
    config::Schema schema;

private:
    World& world_;
    std::uint32_t index_;
    std::uint32_t life_ = 0;
    std::int64_t paused_until_ms_ = 0;
    bool start_planned_ = false;
    bool exits_ = false;
    bool is_orderly_ = false;  ///< of that end
    std::unique_ptr<Process> process_;
};

}  // namespace gang::sim
