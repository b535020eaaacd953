#include "gang/sim/checkers/naive_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace gang::sim {
namespace {

bool means(
    const core::PodAffinityTerm& term,
    const std::string& namespace_name,
    const core::StringMap& labels) {
    const bool is_namespace =
        term.namespace_selector.is_set ||
        std::count(term.namespaces.begin(), term.namespaces.end(), namespace_name) > 0;
    return is_namespace && term.selector.matches(labels);
}

/// All terms of affinity speak of the same pods: those that match every one of them.
bool means_in_all(
    const core::PodRules& rules, const std::string& namespace_name, const core::StringMap& labels) {
    return std::all_of(rules.affinity.begin(), rules.affinity.end(), [&](const auto& term) {
        return means(term, namespace_name, labels);
    });
}

bool counts_in(
    const core::SpreadConstraint& spread,
    const core::Pod& pod,
    const std::string& namespace_name,
    const core::StringMap& labels) {
    return namespace_name == pod.namespace_name && !spread.selector.matches_all() &&
           spread.selector.matches(labels);
}

class Question {
public:
    Question(const Surroundings& around, const core::Pod& pod, const std::string& node)
        : around_(around), pod_(pod), node_(node) {}

    std::optional<Broken> ask() const {
        for (const Neighbour& other : around_.pods) {
            if (pod_.rules && is_too_near(pod_.rules->anti_affinity, pod_of(other), other)) {
                return Broken{BrokenRule::anti_affinity, other.id};
            }
            if (other.pod->rules &&
                is_too_near(
                    other.pod->rules->anti_affinity, {pod_.namespace_name, pod_.labels}, other)) {
                return Broken{BrokenRule::existing_anti_affinity, other.id};
            }
        }
        if (!pod_.rules) {
            return std::nullopt;
        }
        for (std::size_t i = 0; i < pod_.rules->spread.size(); ++i) {
            if (is_uneven(pod_.rules->spread[i])) {
                return Broken{BrokenRule::spread, nobody, i};
            }
        }
        if (!is_near()) {
            return Broken{BrokenRule::affinity};
        }
        return std::nullopt;
    }

private:
    struct Named {
        const std::string& namespace_name;
        const core::StringMap& labels;
    };
    static Named pod_of(const Neighbour& other) {
        return {other.pod->namespace_name, *other.labels};
    }

    /// The node's value of the key; nullptr: it is not there, or has none.
    const std::string* domain(const std::string& node, const std::string& key) const {
        const auto found = around_.nodes.find(node);
        return found == around_.nodes.end() ? nullptr
                                            : core::find_value(found->second->labels, key);
    }
    bool share_domain(const std::string& other, const std::string& key) const {
        const std::string* here = domain(node_, key);
        const std::string* there = domain(other, key);
        return here != nullptr && there != nullptr && *here == *there;
    }

    bool is_too_near(
        const std::vector<core::PodAffinityTerm>& terms,
        const Named& whom,
        const Neighbour& other) const {
        return std::any_of(terms.begin(), terms.end(), [&](const core::PodAffinityTerm& term) {
            return means(term, whom.namespace_name, whom.labels) &&
                   share_domain(other.node, term.topology_key);
        });
    }

    /// One group's first pod may go anywhere where the labels are.
    bool is_near() const {
        const core::PodRules& rules = *pod_.rules;
        bool is_near_all = true;
        bool is_first = means_in_all(rules, pod_.namespace_name, pod_.labels);
        for (const core::PodAffinityTerm& term : rules.affinity) {
            if (domain(node_, term.topology_key) == nullptr) {
                return false;
            }
            bool is_near_one = false;
            for (const Neighbour& other : around_.pods) {
                if (domain(other.node, term.topology_key) != nullptr &&
                    means_in_all(rules, other.pod->namespace_name, *other.labels)) {
                    is_first = false;
                    is_near_one = is_near_one || share_domain(other.node, term.topology_key);
                }
            }
            is_near_all = is_near_all && is_near_one;
        }
        return is_near_all || is_first;
    }

    /// Nodes of this world are known to selectors by one value of a label, and spread minds no
    /// taints unless it is told to, which nobody does here.
    bool is_counted_node(const core::Node& node) const {
        const bool has_keys = std::all_of(
            pod_.rules->spread.begin(), pod_.rules->spread.end(), [&node](const auto& one) {
                return core::find_value(node.labels, one.topology_key) != nullptr;
            });
        const auto& wanted = pod_.constraints->node_selector;
        return has_keys && std::all_of(wanted.begin(), wanted.end(), [&node](const auto& one) {
                   const std::string* value = core::find_value(node.labels, one.first);
                   return value != nullptr && *value == one.second;
               });
    }

    bool is_uneven(const core::SpreadConstraint& spread) const {
        const std::string* here = domain(node_, spread.topology_key);
        if (here == nullptr) {
            return true;
        }
        std::map<std::string, std::int64_t> pods;
        for (const auto& [name, node] : around_.nodes) {
            if (is_counted_node(*node)) {
                pods[*domain(name, spread.topology_key)] += 0;
            }
        }
        for (const Neighbour& other : around_.pods) {
            const auto node = around_.nodes.find(other.node);
            if (node != around_.nodes.end() && is_counted_node(*node->second) &&
                !other.is_deleting &&
                counts_in(spread, pod_, other.pod->namespace_name, *other.labels)) {
                ++pods[*domain(other.node, spread.topology_key)];
            }
        }
        std::int64_t least = pods.empty() ? 0 : INT64_MAX;
        for (const auto& [name, count] : pods) {
            least = std::min(least, count);
        }
        if (static_cast<std::int64_t>(pods.size()) < spread.min_domains) {
            least = 0;
        }
        const std::int64_t itself = spread.selector.matches(pod_.labels) ? 1 : 0;
        return pods[*here] + itself - least > spread.max_skew;
    }

    const Surroundings& around_;
    const core::Pod& pod_;
    const std::string& node_;
};

}  // namespace

std::string_view to_string(BrokenRule rule) {
    switch (rule) {
        case BrokenRule::affinity:
            return "affinity";
        case BrokenRule::anti_affinity:
            return "anti-affinity";
        case BrokenRule::existing_anti_affinity:
            return "anti-affinity of one that is there";
        case BrokenRule::spread:
            return "spread";
    }
    return {};
}

std::optional<Broken> find_broken_rule(
    const Surroundings& around, const core::Pod& pod, const std::string& node) {
    return Question(around, pod, node).ask();
}

bool is_reached_by_rules(const core::Pod& pod, const std::map<PodId, core::Pod>& others) {
    return pod.rules || std::any_of(others.begin(), others.end(), [&pod](const auto& other) {
               return other.second.rules &&
                      std::any_of(
                          other.second.rules->anti_affinity.begin(),
                          other.second.rules->anti_affinity.end(),
                          [&pod](const core::PodAffinityTerm& term) {
                              return means(term, pod.namespace_name, pod.labels);
                          });
           });
}

bool is_counted(
    const core::Pod& pod,
    const Broken& broken,
    const std::string& namespace_name,
    const core::StringMap& labels) {
    return broken.rule == BrokenRule::spread
               ? counts_in(pod.rules->spread[broken.index], pod, namespace_name, labels)
               : means_in_all(*pod.rules, namespace_name, labels);
}

}  // namespace gang::sim
