#pragma once
// Random nodes, pods and rules between them, on so few labels that they meet.

#include "tests/core/domain/naive_rules.hpp"
#include "tests/core/random.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tests {

class RulesDice : public Random {
public:
    template <typename T>
    T any(const std::vector<T>& list) {
        return list[static_cast<std::size_t>(
            between(0, static_cast<std::int64_t>(list.size()) - 1))];
    }

    core::Node node() {
        core::Node made;
        made.name = any<std::string>({"n1", "n2", "n3", "n4"});
        made.ready = true;
        made.labels.emplace_back("kubernetes.io/hostname", made.name);
        if (!one_in(4)) made.labels.emplace_back("pool", any<std::string>({"x", "y"}));
        if (!one_in(5)) made.labels.emplace_back("rack", any<std::string>({"1", "2", "3"}));
        if (!one_in(5)) made.labels.emplace_back("zone", any<std::string>({"a", "b"}));
        if (one_in(5)) made.taints.push_back({"own", "", core::TaintEffect::no_schedule});
        return made;
    }

    core::LabelSelector selector() {
        core::LabelSelector made{!one_in(12), {}};
        for (std::int64_t n = made.is_set ? between(0, 2) : 0; n > 0; --n) {
            core::LabelRequirement one{any<std::string>({"app", "tier"}), {}, {}};
            one.op = static_cast<core::LabelOperator>(one_in(2) ? 0 : between(0, 3));
            if (one.op == core::LabelOperator::in || one.op == core::LabelOperator::not_in) {
                for (std::int64_t i = between(1, 2); i > 0; --i) {
                    one.values.push_back(any<std::string>({"p", "q"}));
                }
            }
            made.require(one);
        }
        return made;
    }

    core::PodAffinityTerm term() {
        core::PodAffinityTerm made{key(), selector(), {"x"}, {}};
        if (one_in(3)) made.namespaces.push_back("y");
        if (one_in(6)) made.namespaces.clear(), made.namespace_selector.is_set = true;
        return made;
    }

    core::SpreadConstraint constraint() {
        core::SpreadConstraint made;
        made.max_skew = static_cast<std::int32_t>(between(1, 2));
        made.topology_key = key();
        made.selector = selector();
        made.min_domains = static_cast<std::int32_t>(one_in(3) ? between(1, 3) : 1);
        const auto policy = [this](bool is_honored) {
            return is_honored != one_in(3) ? core::NodeInclusionPolicy::honor
                                           : core::NodeInclusionPolicy::ignore;
        };
        made.node_affinity_policy = policy(true);
        made.node_taints_policy = policy(false);
        return made;
    }

    RuledPod pod() {
        RuledPod made;
        made.node = any<std::string>({"n1", "n2", "n3", "n4", "nowhere"});
        made.namespace_name = any<std::string>({"x", "x", "y"});
        for (const char* label : {"app", "tier"}) {
            if (!one_in(3)) made.labels.emplace_back(label, any<std::string>({"p", "q"}));
        }
        made.is_deleting = one_in(5);
        if (one_in(3)) made.constraints.node_selector = {{"pool", "x"}};
        if (one_in(3)) made.constraints.tolerations.push_back({"own", true, "", true, {}, -1});
        return made;
    }

    core::PodRules rules() {
        core::PodRules made;
        for (std::int64_t n = between(0, 2); n > 0; --n) {
            switch (between(0, 2)) {
                case 0:
                    made.affinity.push_back(term());
                    break;
                case 1:
                    made.anti_affinity.push_back(term());
                    break;
                default:
                    made.spread.push_back(constraint());
            }
        }
        return made;
    }

    core::PodRules preferences() {
        core::PodRules made;
        for (std::int64_t n = between(0, 3); n > 0; --n) {
            if (one_in(2)) {
                const auto weight = static_cast<std::int32_t>(between(1, 100));
                made.preferred.push_back({term(), one_in(2) ? weight : -weight});
            } else {
                made.preferred_spread.push_back(constraint());
                if (one_in(3)) made.preferred_spread.back().topology_key = "kubernetes.io/hostname";
            }
        }
        made.spreads_by_default = !made.preferred_spread.empty() && one_in(3);
        return made;
    }

private:
    std::string key() { return any<std::string>({"zone", "zone", "rack", "nothing"}); }
};

}  // namespace tests
