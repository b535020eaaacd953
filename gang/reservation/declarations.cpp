#include "gang/reservation/declarations.hpp"

#include "gang/model/leadership_term.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace gang {

void Declarations::want_declaration(Application& app) {
    model_.wanted.to_rebuild.insert(app.rank());
    app.published.is_unproven = true;
    const PodEntry* entry = model_.pods.find_active(app.uid);
    if (entry == nullptr || entry->pod.node_name.empty() ||
        model_.wanted.found.contains(app.rank())) {
        return;
    }
    if (model_.reader.is_spark_driver(entry->pod)) {
        app.declared.conf_needed = true;
        model_.conf_asker.want(app.uid, step_.now_ms);
    } else {
        declaration_found(app, model_.reader.size_of(entry->pod, nullptr));
    }
}

void Declarations::forget_declaration(Application& app) {
    model_.wanted.unverified.erase(app.rank());
    if (std::exchange(app.published.is_unproven, false)) {
        model_.wanted.to_rebuild.erase(app.rank());
        app.declared.conf_needed = false;
        model_.conf_asker.forget(app.uid);
        model_.wanted.found.erase(app.rank());
    }
}

bool Declarations::awaits_declaration(const Application& app, const core::Pod& driver) const {
    if (app.published.is_unproven || !model_.reader.reads_gangs()) {
        return app.published.is_unproven;
    }
    const std::string* text = core::find_value(driver.annotations, reservation_annotation);
    const bool is_known =
        app.published.reserved && text != nullptr && *text == app.published.annotation;
    const bool is_vouched_for = model_.schema.is_sealed() && text != nullptr;
    return !is_known && !is_vouched_for && model_.worklist.to_adopt.contains(app.rank());
}

bool Declarations::awaits_lost_declaration() const {
    return std::any_of(
        model_.wanted.to_rebuild.begin(), model_.wanted.to_rebuild.end(), [this](const Rank& rank) {
            return model_.conf_asker.is_asking(rank.uid) && !model_.wanted.found.contains(rank);
        });
}

void Declarations::declaration_found(Application& app, GangSize size) {
    const bool is_lost = !size.problem.empty();
    if (!is_lost) {
        app.declared.conf_needed = false;
        model_.conf_asker.forget(app.uid);
    }
    if (!is_lost || !model_.wanted.found.contains(app.rank())) {
        model_.wanted.found.insert_or_assign(app.rank(), std::move(size));
        model_.wanted.settled_capacity = 0;
    }
}

void Declarations::give_up_unverified() {
    if (model_.wanted.unverified.empty()) {
        return;
    }
    const std::int64_t until_ms = model_.term.fence_raised_ms + fence_give_up_ms;
    if (!model_.term.fence_is_raised || step_.now_ms < until_ms) {
        step_.wake_at(model_.term.fence_is_raised ? until_ms : step_.now_ms + fence_give_up_ms);
        return;
    }
    for (const Rank& rank : model_.wanted.unverified) {
        if (Application* app = model_.gangs.find(rank.uid); app != nullptr) {
            GangSize lost;
            lost.problem = "its Spark conf could not be read";
            declaration_found(*app, std::move(lost));
        }
    }
}

}  // namespace gang
