#pragma once
// Claims that pods mount: asks for them, and lets pods that wait be looked at again when more is
// known (model/volume/claims.hpp). And what all pods have nodes attach, which is limited
// (model/volume/volume_counts.hpp), and what is left for those that are made (storage_room.hpp).

#include "core/value/volume/volume_limits.hpp"
#include "gang/classify/pod_compaction.hpp"
#include "gang/event.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gang {

class ClaimEvents {
public:
    ClaimEvents(Model& model, StepContext& step, PodCompaction& compaction)
        : model_(model), step_(step), compaction_(compaction) {}

    void on(const ClaimFound& event);
    void on(const ClaimMissing& event);
    void on(const VolumeLimitsListed& event);
    void on(const VolumeLimitsChanged& event);
    void on(const VolumeLimitsMissing& event);
    void on(const StorageListed& event);
    void on(const StorageChanged& event);
    void on(const StorageMissing& event);
    /// The pod's own bind was answered: others may wait for what it holds.
    void bind_answered(const std::string& uid, bool bound);
    /// Asks for those whose turn it is, and looks again at who waited for a claim that is free now.
    void run();

private:
    void look_at_executors(Application& app, const core::Pod& driver);
    void look_again(const std::vector<std::string>& uids);
    void limits_changed(const std::vector<std::string>& nodes);
    void count_volumes();
    void look_at_storage();
    void recount();
    void set_volumes(const std::string& uid, const std::vector<core::DriverVolume>& volumes);

    Model& model_;
    StepContext& step_;
    PodCompaction& compaction_;
    bool is_first_awaited_ = true;       ///< nobody with limited volumes could be placed yet
    std::uint64_t counted_holders_ = 0;  ///< version of who holds what, as it was last counted
};

}  // namespace gang
