#pragma once
// Who holds the room that a waiting gang lacks, and what would give it room: sentences for the
// asker, never for a condition, for they name pods of others.

#include "core/cluster/cluster.hpp"
#include "core/placement/placement.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"

#include <string>
#include <vector>

namespace gang {

class RoomHolders {
public:
    /// The gang waits for room, and does not fit because of `rejection`; all three outlive this.
    RoomHolders(const Model& model, const Application& app, const core::Rejection& rejection);

    /// The most helpful first. None: nobody of ours is in the way, and no smaller gang would fit.
    std::vector<std::string> notes() const;

private:
    struct Holder {
        std::string name;  ///< namespace/name
        std::string node;  ///< of a pod
        core::Resources held;
        bool runs = true;
    };

    std::vector<Holder> leftover_executors() const;
    std::vector<Holder> running_gangs() const;
    void sort(std::vector<Holder>& holders) const;
    bool is_useful(const std::string& node) const;
    std::string leftovers_note(const std::vector<Holder>& pods) const;
    std::string gangs_note(const std::vector<Holder>& gangs) const;
    std::string smaller_note() const;

    const Model& model_;
    const Application& app_;
    const core::Rejection& rejection_;
    core::NodeBitmap eligible_;  ///< nodes that may take a pod of the gang, room aside
};

}  // namespace gang
