#include "gang/slots/slot_assigner.hpp"

#include "core/cluster/cluster.hpp"
#include "gang/model/pod/being_deleted.hpp"
#include "gang/model/pod/pods.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace gang {
namespace {

bool is_of_shape(const Application& app, std::size_t slot, std::int32_t profile) {
    return app.declared.shapes[app.slots[slot].shape].profile == profile;
}

/// The first that nobody is in and that `fits(index)`.
template <typename Fits>
std::optional<std::size_t> find_empty(const Application& app, const Fits& fits) {
    for (std::size_t i = 0; i < app.slots.size(); ++i) {
        if (app.slots[i].pod.is_none() && fits(i)) {
            return i;
        }
    }
    return std::nullopt;
}

}  // namespace

void SlotAssigner::assign_members(Application& app) {
    std::map<std::string_view, std::vector<std::size_t>> empty;  // by node, the first slot last
    for (std::size_t i = app.slots.size(); i-- > 0;) {
        if (app.slots[i].pod.is_none()) {
            empty[app.slots[i].node.str()].push_back(i);
        }
    }
    const std::vector<PodId> members = members_in_no_slot(app);
    // Those of other sizes come second: whose slot is given up later is then of its own size.
    for (const bool any_shape : {false, true}) {
        for (const PodId member : members) {
            const auto here = empty.find(model_.pods[member].node());
            if (model_.pods[member].slot() >= 0 || here == empty.end() ||
                model_.pods[member].annotated_slot() == SlotAnnotation::surplus) {
                continue;
            }
            std::vector<std::size_t>& slots = here->second;
            const auto found = std::find_if(slots.rbegin(), slots.rend(), [&](std::size_t slot) {
                return any_shape || is_of_shape(app, slot, model_.pods[member].profile());
            });
            if (found != slots.rend()) {
                assign(app, *found, member);
                slots.erase(std::next(found).base());
            }
        }
    }
    std::size_t next = 0;
    for (const PodId member : members) {
        if (model_.pods[member].slot() >= 0 ||
            model_.pods[member].annotated_slot() != SlotAnnotation::slot) {
            continue;
        }
        while (next < app.slots.size() && !app.slots[next].pod.is_none()) {
            ++next;
        }
        if (next < app.slots.size()) {
            assign(app, next, member);
        }
    }
    // Who has lost the annotation comes last: without a slot of its own it would leave one held for
    // nobody.
    for (const PodId member : members) {
        if (model_.pods[member].slot() < 0 && has_lost_annotation(member)) {
            const auto slot = find_empty(app, [&](std::size_t i) {
                return is_of_shape(app, i, model_.pods[member].profile());
            });
            if (slot) {
                assign(app, *slot, member);
            }
        }
    }
    app.has_slotless = std::any_of(members.begin(), members.end(), [this](PodId member) {
        return model_.pods[member].slot() < 0 &&
               model_.pods[member].annotated_slot() == SlotAnnotation::slot;
    });
}

/// Those that run, in order. A pod of another namespace may name our driver as its owner.
std::vector<PodId> SlotAssigner::members_in_no_slot(const Application& app) const {
    std::vector<PodId> members = model_.pods.owners().sorted_members_of(app.uid);
    std::erase_if(members, [this, &app](PodId member) {
        return model_.pods[member].slot() >= 0 || !model_.pods[member].holds_capacity() ||
               is_bound_beyond_slots(member) ||
               model_.pods[member].namespace_name() != app.namespace_name.str();
    });
    return members;
}

/// Its bind, which may not be shown yet, says that it has none of its gang's slots.
bool SlotAssigner::is_bound_beyond_slots(PodId member) const {
    const Application* const lone = model_.gangs.find(model_.pods.uid(member));
    return lone != nullptr && lone->is_surplus;
}

/// Not so if our own bind is on its way: it will say what the executor has.
bool SlotAssigner::has_lost_annotation(PodId member) const {
    return model_.pods[member].annotated_slot() == SlotAnnotation::none &&
           (model_.pods.is_compacted(member) ||
            !model_.pods.find_active(model_.pods.uid(member))->pod.node_name.empty());
}

void SlotAssigner::assign_bound(Application& app, PodEntry& entry) {
    if (app.count_empty() == 0) {
        app.has_slotless |= entry.annotated_slot == SlotAnnotation::slot && !entry.pod.deleting;
        return;
    }
    if (entry.annotated_slot == SlotAnnotation::surplus) {
        return;
    }
    for (const bool any_shape : {false, true}) {
        const auto slot = find_empty(app, [&](std::size_t i) {
            return app.slots[i].node == entry.node() &&
                   (any_shape || is_of_shape(app, i, entry.profile));
        });
        if (slot) {
            model_.ledger.assign(app, *slot, entry);
            return;
        }
    }
}

/// Only where it runs: a slot that moved would have to be written first. Who was asked to go has
/// none to take.
void SlotAssigner::slot_opened(Application& app) {
    if (!app.has_slotless) {
        return;
    }
    app.has_slotless = false;
    for (const PodId member : members_in_no_slot(app)) {
        const bool is_slotless =
            model_.pods[member].annotated_slot() == SlotAnnotation::slot && !is_going(member);
        const auto slot = !is_slotless ? std::nullopt : find_empty(app, [&](std::size_t i) {
            return app.slots[i].node == model_.pods[member].node();
        });
        if (slot) {
            assign(app, *slot, member);
        }
        app.has_slotless = app.has_slotless || (is_slotless && !slot);
    }
}

bool SlotAssigner::is_going(PodId member) const {
    return model_.evicting.contains(model_.pods.uid(member)) ||
           is_being_deleted(model_.pods, member);
}

void SlotAssigner::assign(Application& app, std::size_t slot, PodId member) {
    if (model_.pods.is_compacted(member)) {
        model_.ledger.assign(app, slot, member);
    } else {
        model_.ledger.assign(app, slot, model_.pods.expand(member));
    }
}

void SlotAssigner::open_remaining(Application& app) {
    for (Slot& slot : app.slots) {
        const auto node =
            slot.pod.is_none() ? model_.cluster.nodes().find(slot.node.str()) : std::nullopt;
        const core::ShapeId shape = app.declared.shapes[slot.shape].id;
        if (node && capacity_in_all(model_.cluster, *node, shape, core::View::free) > 0) {
            model_.ledger.open(app, slot, slot.node.str());
        }
    }
    if (app.count(SlotState::unplaced) > 0) {
        model_.worklist.degraded.insert(app.rank());
    }
}

}  // namespace gang
