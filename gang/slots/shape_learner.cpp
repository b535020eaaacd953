#include "gang/slots/shape_learner.hpp"

#include "gang/model/ledger.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gang {
namespace {

/// The new text must stay below the limit, past which nobody could write the driver again.
bool annotation_takes(const Application& app, const core::Pod& pod) {
    Reservation one;
    one.shapes.push_back({0, 0, pod.requests, pod.constraints, {}, 0});
    return app.published.annotation.str().size() + encode_reservation(one).size() <=
           reservation_bytes_max;
}

/// The API server's admission (DefaultTolerationSeconds) gives every pod these two, unless it
/// tolerates the taint already: they say nothing of the prediction.
bool is_given_to_all(const core::Toleration& toleration) {
    return toleration.exists && !toleration.any_effect &&
           toleration.effect == core::TaintEffect::no_execute &&
           (toleration.key == "node.kubernetes.io/not-ready" ||
            toleration.key == "node.kubernetes.io/unreachable");
}

bool are_alike(core::Constraints a, core::Constraints b) {
    std::erase_if(a.tolerations, is_given_to_all);
    std::erase_if(b.tolerations, is_given_to_all);
    // A reservation that was read back does not name these.
    a.has_host_ports = b.has_host_ports;
    a.preferred_affinity = b.preferred_affinity;
    a.images = b.images;
    a.volumes = b.volumes;  // each executor's are its own
    return a == b;
}

}  // namespace

void ShapeLearner::learn_shapes(Application& app) {
    const bool known =
        std::all_of(app.declared.shapes.begin(), app.declared.shapes.end(), [](const auto& shape) {
            return shape.learned;
        });
    if (!app.published.reserved || app.phase != Phase::running || known ||
        !leadership_.is_fence_passed()) {
        return;  // before the fence, free room is nobody's yet
    }
    for (const Rank& rank : *app.pending) {
        const PodEntry& entry = model_.pods.at(rank.uid);
        // Executors of a set are known by labels alone, which is not enough to change a shape.
        if (entry.is_ready(step_.now_ms) && entry.pod.problem.empty() &&
            entry.application_key.empty()) {
            learn_shape(app, entry.pod);
        }
    }
}

void ShapeLearner::learn_shape(Application& app, const core::Pod& pod) {
    const auto is_of_profile = [&pod](const GangShape& shape) {
        return shape.profile == profile_of(pod);
    };
    const auto shape =
        std::find_if(app.declared.shapes.begin(), app.declared.shapes.end(), is_of_profile);
    if (shape == app.declared.shapes.end() || shape->learned) {
        return;
    }
    shape->learned = true;
    const auto index = static_cast<std::size_t>(shape - app.declared.shapes.begin());
    const bool taken = std::any_of(app.slots.begin(), app.slots.end(), [index](const Slot& slot) {
        return slot.shape == index && !slot.pod.is_none();
    });
    const bool as_predicted = model_.cluster.resources(shape->id) == pod.requests &&
                              are_alike(model_.cluster.shapes().constraints(shape->id), pod.constraints);
    const bool ambiguous =
        std::count_if(app.declared.shapes.begin(), app.declared.shapes.end(), is_of_profile) > 1;
    if (!as_predicted && !taken && !ambiguous && annotation_takes(app, pod)) {
        correct_shape(app, index, pod);
    }
}

void ShapeLearner::correct_shape(Application& app, std::size_t index, const core::Pod& pod) {
    GangShape& shape = app.declared.shapes[index];
    const core::Resources predicted = model_.cluster.resources(shape.id);
    const bool grows = !fits_within(pod.requests, predicted);
    const std::int64_t generation = publisher_.rewrite(app);
    std::map<std::string, core::Resources> left;
    for (Slot& slot : app.slots) {
        if (slot.shape == index && slot.state == SlotState::open) {
            core::add_times(left[slot.node], predicted, 1);
            model_.ledger.unplace(app, slot);
            slot.leaving = true;
        }
    }
    core::Constraints constraints = *pod.constraints;
    constraints.volumes = model_.cluster.shapes().constraints(shape.id).volumes;
    const core::ShapeId corrected = model_.cluster.intern_shape(pod.requests, constraints);
    model_.ledger.resize_unplaced(app, index, model_.cluster.resources(corrected));
    model_.shapes.release(std::exchange(shape.id, corrected));

    const auto open = [&](Slot& slot, const std::string& node, bool is_stored_already) {
        model_.ledger.open(app, slot, node);
        slot.since = is_stored_already ? slot.since : app.since(generation);
        const auto had = left.find(node);
        if (had != left.end()) {
            had->second = core::difference(had->second, pod.requests);
        }
    };
    std::vector<Slot*> unplaced;
    for (Slot& slot : app.slots) {
        if (slot.shape != index) {
            continue;
        }
        const auto node = model_.cluster.nodes().find(slot.node.str());
        const bool stays =
            slot.leaving && node && model_.cluster.capacity(*node, corrected, core::View::free) > 0;
        slot.leaving = false;
        if (stays) {
            open(slot, slot.node, !grows);
        } else {
            unplaced.push_back(&slot);
        }
    }
    const auto total = std::count_if(app.slots.begin(), app.slots.end(), [index](const auto& slot) {
        return slot.shape == index;
    });
    auto next = unplaced.begin();
    const auto count = static_cast<std::int64_t>(unplaced.size());
    for (const core::NodeCount& found : count == 0
                                            ? std::vector<core::NodeCount>{}
                                            : placer_.find_free_capacity(app, corrected, count)) {
        for (std::int64_t i = 0; i < found.count; ++i, ++next) {
            open(**next, model_.cluster.nodes().name(found.node), false);
        }
    }
    for (const auto& [node, amounts] : left) {
        if (amounts != core::Resources{}) {
            model_.ledger.releases().hold(app, node, amounts, generation);
        }
    }
    report_corrected(app, predicted, corrected, {total, unplaced.end() - next});
    model_.worklist.dirty_gangs.insert(app.uid);
}

void ShapeLearner::report_corrected(
    Application& app,
    const core::Resources& predicted,
    core::ShapeId corrected,
    PlacedSlots placed) {
    const core::Resources& real = model_.cluster.resources(corrected);
    std::string text =
        predicted == real
            ? "executors have another node selector, affinity or tolerations than predicted"
            : "predicted " + core::describe_exactly(predicted) +
                  " for each executor, executors request " + core::describe_exactly(real);
    if (placed.without == 0) {
        text += "; room for all " + std::to_string(placed.total) + " is reserved";
        health_.report(app);
    } else {
        const auto nodes = model_.cluster.nodes().by_name();
        const bool never = std::none_of(nodes.begin(), nodes.end(), [&](core::NodeIndex node) {
            return model_.cluster.capacity(node, corrected, core::View::allocatable) > 0;
        });
        text += "; there is room for " + std::to_string(placed.total - placed.without) + " of " +
                std::to_string(placed.total) +
                (never ? ", and no node could take one even if it were empty"
                       : ", the rest gets room before any gang that waits");
        model_.worklist.degraded.insert(app.rank());
        app.health.reported_unplaced = true;
    }
    app.declared.diagnostics.make().notes.push_back(text);
    status_reporter_.event(model_.driver_of(app), true, "ShapeCorrected", text);
}

}  // namespace gang
