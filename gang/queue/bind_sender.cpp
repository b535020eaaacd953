#include "gang/queue/bind_sender.hpp"

#include "core/value/device/card_ask.hpp"
#include "core/value/device/card_dialect.hpp"
#include "gang/decision.hpp"
#include "gang/model/work.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gang {

void BindSender::send_bind(PodEntry& entry, const std::string& node, core::StringMap annotations) {
    step_.work_left -= work_per_bind;
    ClaimQueries::Choice chosen;
    if (const auto index = model_.cluster.nodes().find(node); index && entry.pod.claims) {
        chosen = model_.claim_queries.choose_volumes(
            entry.pod, model_.cluster.nodes().node(*index));
    }
    entry.assumed_node = model_.texts.keep(node);
    entry.bind_in_flight = true;
    model_.note_placement(entry, step_.now_ms);
    entry.bound_version = entry.pod.resource_version;
    status_reporter_.forget(entry.pod.uid);
    BindPod bind{
        ref_of(entry.pod),
        entry.pod.resource_version,
        node,
        std::move(annotations),
        entry.seen_ms,
        entry.is_driver,
        std::move(chosen.made),
        std::move(chosen.there)};
    if (model_.reader.names_extender(entry.pod)) {
        model_.held_binds.hold(std::move(bind), step_.now_ms);
    } else {
        step_.decisions.emplace_back(std::move(bind));
    }
}

void BindSender::say_cards(const PodEntry& entry, std::optional<core::AllocationId> room) {
    const auto& extended = entry.pod.requests.extended;
    if (!std::any_of(extended.begin(), extended.end(), [](const core::ExtendedResource& one) {
            return core::is_card_resource(one.name) || core::is_card_ask(one.name);
        })) {
        return;
    }
    HeldBind* const held = model_.held_binds.find(entry.pod.uid);
    BindPod& bind = held != nullptr ? held->bind : std::get<BindPod>(step_.decisions.back());
    ENSURE(bind.pod.uid == entry.pod.uid);
    const auto add = [&bind](std::string_view key, std::string value) {
        bind.annotations.emplace_back(key, std::move(value));
        std::sort(bind.annotations.begin(), bind.annotations.end());
    };
    const auto cards =
        room ? model_.cluster.allocations().cards_of(*room) : std::vector<core::ExtendedResource>{};
    for (auto& [key, value] : core::bind_words(entry.pod.requests, cards, bind.node)) {
        add(key, std::move(value));
    }
    if (!cards.empty()) {
        add(core::cards_annotation, core::describe_cards(cards));
    }
}

}  // namespace gang
