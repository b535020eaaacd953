#pragma once
// Asks those to go whom a nomination names, and notes what comes of it: drivers and executors beyond
// a reservation by EvictPod, at most so many a minute; open slots leave their reservation; soft
// executors lose their slot, and are asked when that is written.

#include "gang/event.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/preempt/evictions.hpp"
#include "gang/preempt/soft_executors.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/reservation/publisher.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <string>

namespace gang {

/// Nomination::nodes_version of a plan that counts no more.
inline constexpr std::uint64_t void_plan = std::numeric_limits<std::uint64_t>::max();

class VictimSender {
public:
    VictimSender(
        Model& model, StepContext& step, StatusReporter& status_reporter, Publisher& publisher);

    void on(const EvictFinished& event);
    /// Those of one nomination, which is for `gang`: as far as they may go now.
    void send(const std::string& gang, Nomination& nomination);
    /// Room of soft executors who have left stays held until their reservation is written.
    void hold_unwritten() { soft_.hold_unwritten(); }
    /// Asks the other pods of gangs that have lost their driver to go.
    void follow() { evictions_.follow(); }
    /// Slots of soft executors who were not asked yet, and whose room nobody wants any more.
    void put_back_unwanted();

    /// Of a victim: those that are there, and hold room.
    std::int64_t pods_of(const Victim& victim) const;
    const Evictions& evictions() const { return evictions_; }
    /// Victims that were refused, and until when (Unix ms) they are not asked again.
    const std::map<std::string, std::int64_t>& spared() const { return spared_; }

    void forget_old();
    void forget_spared() { spared_.clear(); }
    void forget_all();
    std::size_t remembered() const {
        return evictions_.remembered() + soft_.remembered() + spared_.size();
    }

private:
    void finish_soft(const EvictFinished& event, const Evictions::Asked& asked);
    void send_soft(const std::string& gang, Nomination& nomination, Victim& victim);
    void take_slots(const std::string& gang, Nomination& nomination, const Victim& first);
    void plan_anew(Nomination& nomination);
    bool has_victims_left(std::size_t promised);
    bool may_take_victim();

    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    Publisher& publisher_;
    Evictions evictions_;
    SoftExecutors soft_;
    std::map<std::string, std::int64_t> spared_;
    std::deque<std::int64_t> taken_ms_;  ///< victims of the last minute
};

}  // namespace gang
