#pragma once
// Has others evicted for a gang that waits, as the file's queues allow it
// (docs/manage/preemption.md).
//
//   the first of a queue waits for room --victims, plan--> nominated: room is held as it appears
//     --EvictPod for each driver (or executor beyond a reservation), then for its gang's other pods;
//       open slots beyond a minimum leave their reservation, and nobody is evicted; those with an
//       executor leave it before he is evicted
//     --the gang fits--> admitted by Admission, with the room that was held
//     --it is gone, or a budget refuses a victim--> given back; others are looked for a minute later
//
// Nothing is remembered beyond the process: a new leader sees whose pods are being deleted, counts
// their room as coming, and evicts only for what is still missing.

#include "core/cluster/cluster.hpp"
#include "core/value/pod.hpp"
#include "gang/event.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/preempt/victim_list.hpp"
#include "gang/preempt/victim_sender.hpp"
#include "gang/queue/domain_placer.hpp"
#include "gang/queue/placer.hpp"
#include "gang/queue/status/waiting_status.hpp"
#include "gang/quota/quota_gate.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/reservation/publisher.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

class Preemption {
public:
    /// Gangs for which others go at a time.
    static constexpr std::size_t nominations_max = 8;

    Preemption(
        Model& model,
        StepContext& step,
        StatusReporter& status_reporter,
        Publisher& publisher,
        Placer& placer,
        DomainPlacer& domain_placer,
        QuotaGate& quota,
        WaitingStatus& status);

    void on(const EvictFinished& event) { sender_.on(event); }
    void on(const LeadershipLost& event);
    /// The file is another one: what it does not allow any more is given back.
    void config_changed();

    /// Before anybody else is placed: room that has come free at nominated places is held.
    void hold_room();
    /// After those who fit were admitted: whom to evict, and for whom.
    void run();

    std::size_t remembered() const {
        return sender_.remembered() + searched_.size();
    }

private:
    /// What has come of a nomination, and since when nothing more.
    struct Progress {
        std::int64_t gone = 0;
        std::size_t held = 0;
        std::int64_t since_ms = 0;
    };

    void forget_plans();
    void forget_old();
    void give_back(const std::string& gang);
    void give_way();
    std::size_t review();
    bool may_start(const Application& app);
    bool is_stalled(const std::string& gang, const Nomination& nomination);
    bool is_valid(const std::string& gang, Nomination& nomination) const;
    void count_gone(const std::string& gang, Nomination& nomination);
    void search();
    bool is_candidate(Application& app);
    bool goes_with_gang(const Victim& victim, const std::vector<Evictable>& victims) const;
    bool nominate(Application& app);
    std::string names_of(std::vector<Victim> victims, const std::string& reader) const;

    Model& model_;
    StepContext& step_;
    Placer& placer_;
    DomainPlacer& domain_placer_;
    QuotaGate& quota_;
    WaitingStatus& status_;
    VictimSender sender_;
    bool is_on_;
    std::map<std::string, std::int64_t> searched_;  ///< gangs: not again before (ms)
    std::map<std::string, Progress> progress_;  ///< by gang that something is nominated for
};

}  // namespace gang
