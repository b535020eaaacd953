#include "config/plugins/profile_view.hpp"

#include "core/filter/filter_names.hpp"

namespace config {

std::string_view to_string(Messages messages) {
    return messages == Messages::kube_scheduler ? "kube-scheduler" : "gang-scheduler";
}

ProfileView view(const Profile& profile) {
    ProfileView out;
    out.scheduler_name = profile.scheduler_name;
    for (std::size_t i = 0; i < core::filter_count; ++i) {
        const auto id = static_cast<core::FilterId>(i);
        if (profile.left_out.contains(id)) {
            continue;
        }
        out.filters.emplace_back(core::to_string(id));
        if (!core::is_built(id)) {
            out.not_built.push_back(out.filters.back());
        }
    }
    for (const core::WeightedScore& score : profile.scores) {
        const bool is_built = core::score_of(score.score).use != core::ScoreUse::unbuilt;
        out.scores.push_back({std::string(core::plugin_name(score.score)), score.weight, is_built});
    }
    out.packing = profile.scores.empty() ? core::to_string(profile.packing) : "";
    out.messages = to_string(profile.messages);
    out.gangs = profile.gangs;
    return out;
}

}  // namespace config
