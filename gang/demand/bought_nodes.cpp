#include "gang/demand/bought_nodes.hpp"

#include "gang/quota/quota_messages.hpp"

#include <algorithm>
#include <tuple>

namespace gang {
namespace {

core::ShapeId shape_of(const Application& app, std::size_t shape) {
    return shape == 0 ? *app.declared.driver_shape : app.declared.shapes[shape - 1].id;
}

}  // namespace

void BoughtNodes::on(const NodeUpserted& event) {
    is_listed_ = is_listed_ || model_.nodes_list == ListState::complete;
    if (model_.demand.is_on() && is_listed_ && young_.size() < young_max &&
        !model_.cluster.nodes().find(event.node.name)) {
        young_.emplace(event.node.name, step_.now_ms);
    }
}

void BoughtNodes::on(const NodeDeleted& event) {
    young_.erase(event.name);
}

void BoughtNodes::on(const LeadershipLost&) {
    forget_all();
}

void BoughtNodes::forget_all() {
    while (model_.bought.size() > 0) {
        model_.bought.give_back(std::string(model_.bought.all().begin()->first), model_.cluster);
    }
    young_.clear();
}

void BoughtNodes::hold_room() {
    give_back_over();
    std::erase_if(young_, [this](const auto& one) {
        return one.second + young_ms <= step_.now_ms;
    });
    if (young_.empty()) {
        return;
    }
    const std::size_t before = model_.bought.held_count();
    for (const Application* const app : in_order_of_asking()) {
        hold_for(*app);
    }
    if (model_.bought.held_count() != before) {
        model_.fit_cache.forget_fits();
    }
}

void BoughtNodes::run() {
    if (model_.bought.size() == 0 && young_.empty()) {
        return;
    }
    hold_room();
    while (admitter_.admit_with_held_room()) {
        hold_room();
    }
}

/// It waits for nodes, and for nothing else. What a quota said last holds until the gang is tried again.
bool BoughtNodes::may_have_room(const std::string& gang) const {
    const Application* const app = model_.gangs.find(gang);
    const QueueEntry* const entry = app == nullptr ? nullptr : model_.waiting.find_entry(*app);
    return entry != nullptr && app->phase == Phase::waiting && app->declared.driver_shape &&
           entry->gang_class != nullptr && !is_about_quota(entry->code) && model_.demand.is_asked(gang) &&
           !quota_.passes_overdue(*app) &&
           !domain_placer_.is_reached(*app);
}

/// Also while it is looked at anew: whoever is tried in that tick would have the room meanwhile.
bool BoughtNodes::keeps_room(const std::string& gang) const {
    Application* const app = model_.gangs.find(gang);
    return may_have_room(gang) ||
           (app != nullptr && app->phase == Phase::waiting && model_.demand.is_asked(gang) &&
            model_.waiting.is_unclassified(*app));
}

void BoughtNodes::give_back_over() {
    std::vector<std::string> over;
    for (const auto& [gang, room] : model_.bought.all()) {
        if (keeps_room(gang) && step_.now_ms < room.until_ms) {
            step_.wake_at(room.until_ms);
            continue;
        }
        over.push_back(gang);
        if (step_.now_ms < room.until_ms) {
            continue;
        }
        // They have waited for the rest in vain: from here on they are for everybody.
        for (const BoughtRoom::Place& place : room.places) {
            young_.erase(model_.cluster.nodes().name(model_.cluster.allocations().of(place.room).node));
        }
    }
    for (const std::string& gang : over) {
        model_.bought.give_back(gang, model_.cluster);
        model_.worklist.queue_changed = true;
    }
    // A wish gives way to what exists.
    model_.bought.give_back_if(model_.cluster, [this](const BoughtRoom::Place& place) {
        const core::NodeIndex node = model_.cluster.allocations().of(place.room).node;
        return !model_.cluster.nodes().find(model_.cluster.nodes().name(node)) ||
               model_.cluster.columns().is_overcommitted(node);
    });
}

/// Who asked first; they are asked for in the line's order. Nodes on which one waits whom nobody
/// passes are for nobody else.
std::vector<Application*> BoughtNodes::in_order_of_asking() const {
    std::vector<std::pair<std::int64_t, Application*>> asked;
    for (const auto& [uid, request] : model_.demand.all()) {
        if (may_have_room(uid)) {
            asked.emplace_back(request.asked_ms, model_.gangs.find(uid));
        }
    }
    std::sort(asked.begin(), asked.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : a.second->order() < b.second->order();
    });
    std::vector<Application*> gangs;
    for (const auto& one : asked) {
        gangs.push_back(one.second);
    }
    return gangs;
}

/// Executors first: the driver goes wherever there is a place.
void BoughtNodes::hold_for(const Application& app) {
    const std::int64_t asked_ms = model_.demand.find_asked(app.uid)->asked_ms;
    for (const auto& [name, came_ms] : young_) {
        const auto node = model_.cluster.nodes().find(name);
        if (!node || came_ms < asked_ms) {
            continue;
        }
        for (std::size_t shape = 1; shape <= app.declared.shapes.size(); ++shape) {
            hold_on(app, *node, shape);
        }
        hold_on(app, *node, 0);
    }
}

/// As many as it lacks.
void BoughtNodes::hold_on(const Application& app, core::NodeIndex node, std::size_t shape) {
    const BoughtRoom* const held = model_.bought.find(app.uid);
    const std::int64_t wanted = shape == 0 ? 1 : app.declared.shapes[shape - 1].count;
    const std::int64_t lacks = wanted - (held == nullptr ? 0 : held->count(shape));
    const core::ShapeId id = shape_of(app, shape);
    const std::int64_t count =
        std::min(lacks, model_.cluster.capacity(node, id, core::View::free));
    for (std::int64_t i = 0; i < count; ++i) {
        model_.bought.hold(
            app.uid,
            {model_.cluster.allocate(node, id, core::UsedBy::gang), shape},
            step_.now_ms + kept_ms);
    }
}

}  // namespace gang
