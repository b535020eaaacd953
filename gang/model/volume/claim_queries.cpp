#include "gang/model/volume/claim_queries.hpp"

#include "core/filter/filters.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace gang {
namespace {

void sort_unique(std::vector<core::VolumeNodes>& nodes) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

void add_volumes(const KnownClaim& known, std::vector<core::DriverVolume>& to) {
    if (known.claim && !known.claim->driver.empty()) {
        to.push_back({known.claim->driver, known.claim->handle});
    }
}

}  // namespace

std::vector<core::VolumeNodes> ClaimQueries::nodes_of(const core::Pod& pod) const {
    std::vector<core::VolumeNodes> nodes;
    if (!pod.claims) {
        return nodes;
    }
    for (const core::ClaimUse& use : *pod.claims) {
        const KnownClaim* const known = claims_.find(claim_name(pod.namespace_name, use.name));
        if (known != nullptr && known->claim) {
            const core::Claim& claim = *known->claim;
            nodes.insert(nodes.end(), claim.nodes.begin(), claim.nodes.end());
            storage_.add_nodes(claim, nodes);
        }
    }
    sort_unique(nodes);
    return nodes;
}

std::vector<core::VolumeNodes> ClaimQueries::nodes_of(
    const core::Pod& driver, const std::vector<ForeseenClaim>& claims) const {
    std::vector<core::VolumeNodes> nodes;
    for (const ForeseenClaim& one : claims) {
        const KnownClaim* const known = claims_.find(claim_name(driver, one));
        if (known == nullptr || !known->claim) {
            continue;
        }
        const core::Claim& claim = *known->claim;
        nodes.insert(nodes.end(), claim.nodes.begin(), claim.nodes.end());
        if (one.is_class) {
            core::Claim made = claim;
            made.bytes = one.bytes;
            storage_.add_nodes(made, nodes);
        } else {
            storage_.add_nodes(claim, nodes);
        }
    }
    sort_unique(nodes);
    return nodes;
}

std::vector<core::DriverVolume> ClaimQueries::volumes_of(const core::Pod& pod) const {
    std::vector<core::DriverVolume> volumes;
    if (!pod.claims || pod.constraints->left_out.contains(core::FilterId::node_volume_limits)) {
        return volumes;
    }
    for (const core::ClaimUse& use : *pod.claims) {
        if (const KnownClaim* const known =
                claims_.find(claim_name(pod.namespace_name, use.name))) {
            add_volumes(*known, volumes);
        }
    }
    return volumes;
}

std::vector<core::DriverVolume> ClaimQueries::volumes_of(
    const core::Pod& driver, const std::vector<ForeseenClaim>& claims) const {
    std::vector<core::DriverVolume> volumes;
    if (driver.constraints->left_out.contains(core::FilterId::node_volume_limits)) {
        return volumes;
    }
    for (const ForeseenClaim& one : claims) {
        if (const KnownClaim* const known = claims_.find(claim_name(driver, one))) {
            add_volumes(*known, volumes);
        }
    }
    return volumes;
}

ClaimQueries::Choice ClaimQueries::choose_volumes(
    const core::Pod& pod, const core::Node& node) const {
    Choice choice;
    if (!pod.claims || pod.constraints->left_out.contains(core::FilterId::volume_binding)) {
        return choice;
    }
    std::vector<std::pair<std::string, const core::Claim*>> without_volume;
    for (const core::ClaimUse& use : *pod.claims) {
        const KnownClaim* const known = claims_.find(claim_name(pod.namespace_name, use.name));
        if (known != nullptr && known->claim && known->claim->state == core::ClaimState::consumer) {
            without_volume.emplace_back(use.name, &*known->claim);
        }
    }
    std::stable_sort(
        without_volume.begin(), without_volume.end(), [](const auto& a, const auto& b) {
            return a.second->bytes < b.second->bytes;
        });
    std::set<std::string> taken;
    for (const auto& [name, claim] : without_volume) {
        const bool is_decided = !claim->selected_node.empty();
        const auto is_for_node = [&](const core::AvailableVolume& volume) {
            const auto matches = [&node](const core::NodeSelectorTerm& term) {
                return core::matches_term(node, term);
            };
            return !is_decided && !taken.contains(volume.name) &&
                   (volume.terms.empty() ||
                    std::any_of(volume.terms.begin(), volume.terms.end(), matches));
        };
        const auto found =
            std::find_if(claim->available.begin(), claim->available.end(), is_for_node);
        if (found != claim->available.end()) {
            taken.insert(found->name);
            choice.there.push_back({name, found->name});
        } else if (!claim->is_never_made || is_decided) {
            choice.made.push_back(name);
        } else {
            choice.there.push_back({name, {}});
        }
    }
    std::sort(choice.made.begin(), choice.made.end());
    return choice;
}

}  // namespace gang
