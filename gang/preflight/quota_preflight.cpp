#include "gang/preflight/quota_preflight.hpp"

#include "gang/decision.hpp"

namespace gang {

void QuotaPreflight::on(const QuotasFound& event) {
    look_again(model_.quotas.found(event, step_.now_ms));
}

void QuotaPreflight::on(const QuotasMissing& event) {
    ++step_.counters.quotas_unreadable;
    look_again(model_.quotas.missing(event, step_.now_ms));
}

void QuotaPreflight::on(const PodUpserted& event) {
    if (model_.quotas.is_on() && core::is_terminal(event.pod)) {
        model_.quotas.note_freed(event.pod.namespace_name, step_.now_ms);
    }
}

/// Of pods of others only the uid is known: what they leave is found after the next pause.
void QuotaPreflight::on(const PodDeleted& event) {
    const auto pod = model_.quotas.is_on() ? model_.pods.find(event.uid) : std::nullopt;
    if (pod) {
        model_.quotas.note_freed(model_.pods[*pod].namespace_name(), step_.now_ms);
    }
}

void QuotaPreflight::run() {
    if (!model_.quotas.is_on()) {
        return;
    }
    look_again(model_.quotas.take_overtaken());
    for (const std::string& name : model_.quotas.due(step_.now_ms)) {
        if (!is_anybody_waiting(name)) {
            model_.quotas.forget(name);
            continue;
        }
        model_.quotas.asked(name, gangs_with_room(name), step_.now_ms);
        ++step_.counters.quotas_asked;
        step_.decisions.emplace_back(FetchQuotas{name});
    }
}

/// Who waits no more is forgotten here: nobody else has to think of it.
bool QuotaPreflight::is_anybody_waiting(const std::string& namespace_name) {
    bool is_any = false;
    for (const std::string& uid : model_.quotas.waiting_in(namespace_name)) {
        const Application* const app = model_.gangs.find(uid);
        if (app == nullptr || !WaitingLine::contains(*app)) {
            model_.quotas.stop_waiting(namespace_name, uid);
        } else {
            is_any = true;
        }
    }
    return is_any;
}

std::vector<const Application*> QuotaPreflight::gangs_with_room(
    const std::string& namespace_name) const {
    std::vector<const Application*> gangs;
    for (const auto& [uid, app] : model_.gangs.all()) {
        const bool has_room = app.phase == Phase::assumed || app.phase == Phase::running;
        if (has_room && app.namespace_name.str() == namespace_name &&
            app.count(SlotState::open) + app.count(SlotState::unplaced) > 0) {
            gangs.push_back(&app);
        }
    }
    return gangs;
}

void QuotaPreflight::look_again(const std::vector<std::string>& uids) {
    for (const std::string& uid : uids) {
        Application* const app = model_.gangs.find(uid);
        if (app != nullptr && WaitingLine::contains(*app)) {
            model_.waiting.changed(*app);
            model_.worklist.queue_changed = true;
        }
    }
}

}  // namespace gang
