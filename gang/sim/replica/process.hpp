#pragma once
// One life of one replica: the real Scheduler behind the real Host, with its watches, its writer
// and its part in the election. What has no socket in it is the product's own code.

#include "gang/host/host.hpp"
#include "gang/scheduler.hpp"
#include "gang/sim/base/call.hpp"
#include "gang/sim/base/clock.hpp"
#include "gang/sim/replica/client/clients.hpp"
#include "gang/sim/replica/elector.hpp"
#include "gang/sim/replica/local_time.hpp"
#include "gang/sim/replica/view_revisions.hpp"
#include "gang/sim/replica/wakeups.hpp"
#include "gang/sim/replica/watches.hpp"
#include "gang/sim/replica/write/writer.hpp"

#include <cstdint>

namespace gang::sim {

struct World;

class Process {
public:
    Process(
        World& world,
        std::uint32_t replica,
        std::uint32_t life,
        const Clock& clock,
        config::Schema schema);

    void start();
    void turn();
    /// SIGTERM: nothing is decided any more; what is on its way may end, then the Lease is given
    /// up.
    void terminate();

    // For its parts.
    std::uint32_t send(Call call, std::uint32_t ticket, std::int64_t limit_ms);
    /// `revision`: how new the event makes the view; 0: it does not.
    void push(Event event, bool is_of_nodes, std::uint64_t revision);
    void push_answer(Event event) { push(std::move(event), false, 0); }
    void nodes_listed();
    void lead(const LeadershipGained& term);
    void lost();
    /// All writes have ended; or not, and something of ours may still land.
    void drained(bool is_drained);
    bool may_write() const { return !host_.is_lost() && elector.may_write(); }
    /// Its claims have their volumes. `author`: who decided it, and what was seen then.
    void bind_after_volumes(const BindPod& decision, const Author& author);
    /// As whom it writes now, and what it has seen.
    Author author() const;

    std::uint32_t replica() const { return self_.replica; }
    bool is_leading() const { return host_.is_leading(); }
    std::int64_t leads_since_ms() const { return leads_since_ms_; }
    const ViewRevisions& seen() const { return seen_; }
    /// Nothing waits to be worked off, nothing is on its way, and both kinds are listed.
    bool is_quiescent() const;

    const LocalTime time;
    Wakeups wakeups;
    Scheduler scheduler;
    Watches watches;
    Elector elector;
    Writer writer;
    Clients clients;

private:
    void event_waits(bool is_of_nodes, std::uint64_t revision);
    void step(const StampedEvent& event);
    void carry_out(const Decision& decision);

    World& world_;
    Author self_;  ///< without what it has seen
    Host host_;
    ViewRevisions seen_;
    std::int64_t leads_since_ms_ = 0;
};

}  // namespace gang::sim
