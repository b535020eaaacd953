#pragma once
// One life of one replica: the real Scheduler behind the real Host, with its watches, its writer
// and its part in the election. What has no socket in it is the product's own code.

#include "gang/host/host.hpp"
#include "gang/scheduler.hpp"
#include "gang/sim/autoscaler/demand_client.hpp"
#include "gang/sim/base/call.hpp"
#include "gang/sim/base/clock.hpp"
#include "gang/sim/quota/quota_client.hpp"
#include "gang/sim/replica/elector.hpp"
#include "gang/sim/replica/group_client.hpp"
#include "gang/sim/replica/volume_client.hpp"
#include "gang/sim/replica/watcher.hpp"
#include "gang/sim/replica/writer.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

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
    void wakes() { post_turn(); }
    /// SIGTERM: nothing is decided any more; what is on its way may end, then the Lease is given
    /// up.
    void terminate();
    void drain_ends();
    /// ListPods: first the API server reads the store, then what it has read is here; or, during
    /// the faults, maybe nothing.
    void plan_list();
    void pods_listed();

    // For its parts.
    std::uint32_t send(Call call, std::uint32_t ticket, std::int64_t limit_ms);
    void push(Event event, bool is_of_nodes, std::uint64_t revision);
    void push_answer(Event event) { push(std::move(event), false, 0); }
    void nodes_listed();
    void lead(const LeadershipGained& term);
    void lost();
    /// All writes have ended; or not, and something of ours may still land.
    void drained(bool is_drained);
    void end();
    bool may_write() const { return !host_.is_lost() && elector.may_write(); }
    std::int64_t mono() const;
    std::int64_t wall() const;
    Author author() const;
    void wake_watcher(bool is_of_nodes, std::int64_t ms, std::uint32_t serial);
    void wake_elector(std::int64_t ms, std::uint32_t serial);
    void wake_writer(std::int64_t ms, std::uint32_t job);
    void wake_volumes(std::int64_t ms, std::uint32_t what);
    void wake_demand();
    /// Its claims have their volumes. `author`: who decided it, and what was seen then.
    void bind_after_volumes(const BindPod& decision, const Author& author);

    /// Unix time as its events are stamped: steady from the start of the process on.
    std::int64_t unix_ms() const { return unix_begin_ + mono() - mono_begin_; }
    /// Nothing waits to be worked through, nothing is on its way, and both kinds are listed.
    bool is_quiescent() const;
    bool is_leading() const { return host_.is_leading(); }
    std::uint32_t replica() const { return replica_; }
    std::uint32_t life() const { return life_; }
    bool clock_was_right_since(std::int64_t then_ms) const {
        return clock_.was_right_since(then_ms);
    }
    std::int64_t epoch() const { return epoch_; }
    std::uint64_t pods_seen() const { return pods_seen_; }
    std::uint64_t nodes_seen() const { return nodes_seen_; }
    std::int64_t leads_since_ms() const { return leads_since_ms_; }

    Scheduler scheduler;
    Watcher pods;
    Watcher nodes;
    Elector elector;
    Writer writer;
    GroupClient groups;
    VolumeClient volumes;
    QuotaClient quotas;
    DemandClient demand;

private:
    void post_turn();
    void pushed(bool is_of_nodes, std::uint64_t revision);
    void step(const StampedEvent& event);
    void arm();
    void carry_out(const Decision& decision);
    LeaseEnd lease_end(bool is_drained) const;

    World& world_;
    std::uint32_t replica_;
    std::uint32_t life_;
    const Clock& clock_;
    Host host_;
    /// To each waiting event how new it makes the view; 0: it does not.
    struct Freshness {
        bool is_of_nodes;
        std::uint64_t revision;
    };
    std::deque<Freshness> freshness_;
    std::uint64_t pods_seen_ = 0;
    std::uint64_t nodes_seen_ = 0;
    std::int64_t mono_begin_;
    std::int64_t unix_begin_;
    std::int64_t armed_ms_ = -1;
    std::int64_t epoch_ = 0;
    std::int64_t leads_since_ms_ = 0;
    std::optional<std::vector<PodListed>> listed_;  ///< read, and on the way
    bool turn_is_posted_ = false;
};

}  // namespace gang::sim
