#pragma once
// One process' part in the election: drives the real Election against the model's Lease, as
// k8s/lease/elector.cpp does it.

#include "gang/sim/base/call.hpp"
#include "gang/sim/replica/lease_release.hpp"
#include "k8s/protocol/election/election.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gang::sim {

class Process;
struct World;

class Elector {
public:
    Elector(World& world, Process& process, const std::string& identity);

    void go_on();
    void answered(const Call& call);
    void wakes(std::uint32_t serial);
    /// The watch of the Lease shows this state.
    void seen(const std::optional<k8s::protocol::Lease>& lease);
    void follow_broken();
    /// Gives the Lease up if this process holds it, in at most two seconds; then the process ends.
    void stop(LeaseEnd end);
    bool is_following() const { return is_following_; }
    bool may_write() const;
    const std::string& identity() const { return identity_; }

    static constexpr std::uint32_t ticket = 2;

private:
    void report();
    void write(k8s::protocol::Lease lease, Operation operation, bool acquired);
    void wake_after(std::int64_t ms);
    void send(Call call, std::int64_t limit_ms);
    void take_read(const Answer& answer);
    void take_answer(const Call& call);
    void release();
    void released(const Call& call);
    void end();
    std::int64_t limit_ms() const;

    World& world_;
    Process& process_;
    std::string identity_;
    k8s::protocol::Election election_;
    std::int64_t sent_ms_ = 0;
    std::int64_t epoch_written_ = 0;  ///< in the Lease as last seen: a renewal keeps it
    std::uint32_t serial_ = 0;
    bool reported_leader_ = false;
    bool is_following_ = false;
    bool is_over_ = false;
    std::uint32_t call_ = nobody;
    LeaseRelease release_;
};

}  // namespace gang::sim
