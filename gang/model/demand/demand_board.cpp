#include "gang/model/demand/demand_board.hpp"

#include <algorithm>
#include <utility>

namespace gang {

const CapacityRequest* DemandBoard::find_asked(const std::string& uid) const {
    const auto it = requests_.find(uid);
    return it != requests_.end() && it->second.asked_ms > 0 ? &it->second : nullptr;
}

bool DemandBoard::is_about_to_ask(const std::string& uid, std::int64_t now_ms) const {
    const auto it = requests_.find(uid);
    return it != requests_.end() && it->second.asked_ms == 0 && !it->second.is_answered &&
           now_ms - it->second.since_ms < capacity_patience_ms;
}

ReasonCode DemandBoard::code_of(const std::string& uid, ReasonCode code) const {
    if (is_asked(uid)) {
        return ReasonCode::waiting_for_nodes;
    }
    return is_beyond_quota(uid) ? ReasonCode::waiting_for_quota : code;
}

bool DemandBoard::is_about_room(ReasonCode code) {
    return code == ReasonCode::waiting_for_capacity || code == ReasonCode::waiting_for_nodes ||
           code == ReasonCode::exceeds_cluster || code == ReasonCode::constraints_unsatisfiable;
}

std::int64_t DemandBoard::count_asked() const {
    return std::count_if(requests_.begin(), requests_.end(), [](const auto& entry) {
        return entry.second.asked_ms > 0;
    });
}

/// A lone pod is seen by autoscalers itself.
void DemandBoard::add(const Application& app, std::int64_t now_ms) {
    const bool has_executors =
        std::any_of(app.declared.shapes.begin(), app.declared.shapes.end(), [](const auto& shape) {
            return shape.count > 0;
        });
    if (!app.is_driver || app.is_surplus || !has_executors || requests_.contains(app.uid) ||
        requests_.size() >= capacity_requests_max) {
        return;
    }
    CapacityRequest request;
    request.driver = {app.namespace_name, app.name, app.uid};
    request.since_ms = now_ms;
    requests_.emplace(app.uid, std::move(request));
}

}  // namespace gang
