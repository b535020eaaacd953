#pragma once
// Slots whose node was lost, cordoned or overcommitted by pods of others go elsewhere before new
// gangs are looked at; a gang for which there is no other room is degraded and stops nobody.

#include "core/cluster/cluster.hpp"
#include "gang/called/called_extenders.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/queue/placer.hpp"
#include "gang/reservation/publisher.hpp"
#include "gang/slots/gang_health.hpp"
#include "gang/slots/slot_assigner.hpp"

#include <cstdint>
#include <set>

namespace gang {

class SlotRepair {
public:
    SlotRepair(
        Model& model,
        StepContext& step,
        Publisher& publisher,
        Placer& placer,
        GangHealth& health,
        SlotAssigner& assigner,
        CalledExtenders& called)
        : model_(model),
          step_(step),
          publisher_(publisher),
          placer_(placer),
          health_(health),
          assigner_(assigner),
          called_(called) {}

    /// No gang was left over by the last run: new gangs may be admitted.
    bool is_done() const { return is_repaired_; }

    /// Spends the work of the tick at most; what is left over is for the next.
    void run();

private:
    std::set<Rank> find_gangs_to_repair(bool capacity_appeared);
    void repair_gang(Application& app);
    void find_leaving(Application& app);
    bool is_card_overdrawn(const Application& app, const Slot& slot, core::NodeIndex node) const;
    void move_slot(Application& app, Slot& slot, core::NodeIndex to);

    Model& model_;
    StepContext& step_;
    Publisher& publisher_;
    Placer& placer_;
    GangHealth& health_;
    SlotAssigner& assigner_;
    CalledExtenders& called_;
    bool is_repaired_ = true;
    std::uint64_t repaired_at_ = 0;  ///< FreeCapacityGains::version() of the last run
};

}  // namespace gang
