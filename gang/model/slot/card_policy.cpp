#include "gang/model/slot/card_policy.hpp"

#include "core/placement/packing_policy.hpp"
#include "core/value/device/card_dialect.hpp"

#include <string_view>

namespace gang {
namespace {

core::CardChoice choice_of_profile(const config::Schema& schema, std::string_view scheduler_name) {
    const config::Profile* const profile = schema.find_profile(scheduler_name);
    if (profile == nullptr) {
        return core::CardChoice::least_left;
    }
    return core::card_choice(
        profile->packing, profile->scores.empty() ? nullptr : &profile->scores);
}

}  // namespace

core::CardUse CardPolicy::use_of(const core::Pod& pod) const {
    if (pod.requests.extended.empty()) {
        return {};
    }
    return {
        choice_of_profile(schema_, pod.scheduler_name),
        core::read_pod_cards(pod.annotations, pod.requests, true)};
}

core::CardChoice CardPolicy::choice_of(const Application& app, const Slot& slot) const {
    if (!cluster_.demand(app.declared.shapes[slot.shape].id).wants_cards) {
        return core::CardChoice::least_left;
    }
    if (app.declared.packing) {
        return core::card_choice(*app.declared.packing, nullptr);
    }
    return choice_of_profile(schema_, pods_[pods_.id_of(app.uid)].scheduler_name());
}

}  // namespace gang
