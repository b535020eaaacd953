#include "config/kube/policy.hpp"

#include "config/kube/extenders.hpp"
#include "config/kube/plugins/defaults.hpp"
#include "config/kube/plugins/score_arguments.hpp"
#include "config/plugins/plugins.hpp"
#include "config/scalars.hpp"
#include "core/filter/filter_names.hpp"

#include <fmt/format.h>

namespace config::kube {
namespace {

constexpr core::FilterSet mandatory = core::FilterSet{}
                                          .with(core::FilterId::taint_toleration)
                                          .with(core::FilterId::node_unschedulable);

std::vector<std::string> predicate_names() {
    std::vector<std::string> names;
    for (const core::FilterName& one : core::filter_names()) {
        if (one.is_predicate) {
            names.emplace_back(one.name);
        }
    }
    return names;
}

std::vector<std::string> priority_names() {
    std::vector<std::string> names;
    for (const core::Score& score : core::score_table) {
        if (!score.priority.empty()) {
            names.emplace_back(score.priority);
        }
    }
    return names;
}

/// One entry of `predicates` or `priorities`, as it is written.
struct Entry {
    std::string name;
    std::int64_t weight = 1;
    const Tree* argument = nullptr;
};

class PolicyReader {
public:
    PolicyReader(Profile& profile, Notes& notes) : profile_(profile), notes_(notes) {}

    void predicates(const Tree& tree) {
        filters_ = mandatory;
        const auto item = [this](const Tree& one) { predicate(one); };
        if (!read_list(tree, "predicates", item, notes_)) {
            return;
        }
        if (!filters_.contains(core::FilterId::node_resources_fit)) {
            notes_.warn(tree, fmt::format("PodFitsResources is added: {}", why_resources_stay()));
            filters_ = filters_.with(core::FilterId::node_resources_fit);
        }
        profile_.left_out = core::all_filters.without(filters_);
    }

    void priorities(const Tree& tree) {
        profile_.scores.clear();
        const auto item = [this](const Tree& one) { priority(one); };
        read_list(tree, "priorities", item, notes_);
        profile_.packing = core::PackingPolicy::first_by_name;  // what is left without any
    }

private:
    void predicate(const Tree& tree) {
        Entry entry;
        if (!read_entry(tree, "a predicate", entry, false)) {
            return;
        }
        if (entry.argument != nullptr) {
            notes_.warn(
                tree,
                fmt::format(
                    "the predicate {} with an argument has no effect here",
                    describe(*find(tree, "name"))));
            return;
        }
        const core::FilterName* const found = core::find_filter_name(entry.name);
        if (found == nullptr || !found->is_predicate) {
            unknown(tree, "predicate", entry.name, predicate_names());
            return;
        }
        warn_of_unbuilt(found->filters, tree, notes_.warnings);
        filters_ = filters_.with(found->filters);
    }

    void priority(const Tree& tree) {
        Entry entry;
        if (!read_entry(tree, "a priority", entry, true)) {
            return;
        }
        if (entry.argument != nullptr) {
            priority_with_argument(entry);
            return;
        }
        const auto id = core::find_score_id(entry.name);
        if (!id || core::score_of(*id).priority != entry.name) {
            unknown(tree, "priority", entry.name, priority_names());
            return;
        }
        warn_if_unbuilt(*id, entry.name, tree, notes_.warnings);
        profile_.scores.push_back({*id, entry.weight, {}, {}});
    }

    /// Such a priority has any name that its author liked.
    void priority_with_argument(const Entry& entry) {
        core::WeightedScore score{
            *core::find_score_id("RequestedToCapacityRatioPriority"), entry.weight, {}, {}};
        const auto ratio = [&](const Tree& value) {
            const auto keys = std::vector<Key>{
                {"shape", [&](const Tree& list) { read_shape(list, score.shape, notes_); }},
                {"resources",
                 [&](const Tree& list) { read_resources(list, score.resources, notes_); }}};
            read_map(value, "requestedToCapacityRatioArguments", keys, notes_);
            profile_.scores.push_back(score);
        };
        const auto keys = std::vector<Key>{
            {"requestedToCapacityRatioArguments", ratio},
            {"serviceAntiAffinity"},
            {"labelPreference"}};
        read_map(*entry.argument, "the argument of a priority", keys, notes_);
    }

    bool read_entry(const Tree& tree, std::string_view what, Entry& entry, bool has_weight) {
        const auto weight = [](const Tree& value) {
            return read_integer(value, 1, core::score_weight_max);
        };
        std::vector<Key> keys = {
            {"name", into(notes_, read_string, entry.name)},
            {"argument", [&entry](const Tree& value) {
                 entry.argument = value.kind == Tree::Kind::null ? nullptr : &value;
             }}};
        if (has_weight) {
            keys.push_back({"weight", into(notes_, weight, entry.weight)});
        }
        const std::size_t before = notes_.complaints.size();
        if (read_map(tree, what, keys, notes_) && find(tree, "name") == nullptr) {
            notes_.complain(tree, fmt::format("found {} without name, expected it", what));
        }
        return notes_.complaints.size() == before;
    }

    void unknown(
        const Tree& tree,
        std::string_view what,
        const std::string& name,
        const std::vector<std::string>& known) {
        notes_.complain(
            tree,
            fmt::format(
                "unknown {} {}{}", what, describe(*find(tree, "name")), meant(name, known)));
    }

    Profile& profile_;
    Notes& notes_;
    core::FilterSet filters_;
};

}  // namespace

Key hard_affinity_weight(std::string name, Profile& profile, Notes& notes) {
    return {std::move(name), [&profile, &notes](const Tree& value) {
                const auto weight = read_integer(value, 0, 100);
                if (!weight) {
                    notes.complain(value, weight.error().message);
                    return;
                }
                profile.pod_scoring.required_affinity = static_cast<std::int32_t>(*weight);
            }};
}

void read_policy(
    const Tree& document,
    Profile& profile,
    std::vector<CalledExtender>& extenders,
    Notes& notes) {
    profile.left_out = {};
    profile.scores = policy_scores();
    PolicyReader reader(profile, notes);
    const Tree* weight = nullptr;
    const auto read_weight = [&](const Tree& value) {
        weight = &value;
        hard_affinity_weight({}, profile, notes).read(value);
    };
    const auto keys = std::vector<Key>{
        ignored("kind"),
        ignored("apiVersion"),
        {"predicates", [&reader](const Tree& value) { reader.predicates(value); }},
        {"priorities", [&reader](const Tree& value) { reader.priorities(value); }},
        {"extenders",
         [&](const Tree& value) {
             read_extenders(value, ExtenderForm::policy, extenders, notes);
         }},
        {"hardPodAffinitySymmetricWeight", read_weight},
        {"hardPodAffinityScoreWeight",
         [&](const Tree& value) {
             notes.warn(
                 value,
                 "hardPodAffinityScoreWeight is no key of a Policy, and is read as "
                 "hardPodAffinitySymmetricWeight");
             read_weight(value);
         }},
        {"alwaysCheckAllPredicates"}};
    read_map(document, "a Policy", keys, notes);
    const auto is_by_affinity = [](const core::WeightedScore& one) {
        return core::plugin_name(one.score) == "InterPodAffinity";
    };
    if (weight != nullptr &&
        std::none_of(profile.scores.begin(), profile.scores.end(), is_by_affinity)) {
        notes.warn(
            *weight,
            "hardPodAffinitySymmetricWeight has no effect: InterPodAffinityPriority is not among "
            "the priorities");
    }
}

}  // namespace config::kube
