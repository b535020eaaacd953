#pragma once
// What the history says about cards: which units of which card the pods on a node have, by the
// device plugin's word, or else by what was written with the bind. Asked at every bind of ours of a
// pod that asks for units: is its card named, is it one, and has it as much left; and of a gang's
// open slots: is there a way to put each on one card. Our own view is not asked.
//
// Excused is what somebody else has changed on the node after the view of the decision: a pod of
// another scheduler, or a plugin's word for another card. A slot that was promised before such a
// word may be lost by it.

#include "gang/sim/base/store.hpp"
#include "gang/sim/plane/device_plugins.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gang::sim {

struct World;

class CardChecker {
public:
    explicit CardChecker(World& world) : world_(world) {}

    /// After the capacity model has been told.
    void pod_changed(const Entry<core::Pod>& entry, const Author& author);

private:
    struct Held {
        NodeId node = nobody;
        std::int64_t units = 0;
        CardUnits cards;  ///< empty: nobody has said which; it may be any
        friend bool operator==(const Held&, const Held&) = default;
    };
    CardUnits free_on(const core::Node& node, NodeId id) const;
    bool is_excused(NodeId node, const Author& author) const;
    void check_bind(const Entry<core::Pod>& entry, const Author& author);
    void check_slots(const Entry<core::Pod>& entry, const Author& author);
    std::vector<std::int64_t> open_slots(NodeId node, PodId but_of) const;

    World& world_;
    std::map<PodId, Held> held_;
    std::map<NodeId, std::uint64_t> harmed_;  ///< the revision at which others last took of its cards
};

/// Whether pods of these sizes find their units on one card each; exact.
bool can_be_packed(std::vector<std::int64_t> free, std::vector<std::int64_t> sizes);

}  // namespace gang::sim
