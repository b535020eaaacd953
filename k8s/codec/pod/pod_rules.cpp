#include "k8s/codec/pod/pod_rules.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace k8s {
namespace {

using rapidjson::Value;

/// Whose rules are read.
struct Owner {
    std::string_view namespace_name;
    const core::StringMap* labels;  ///< nullptr: not known yet
};

constexpr std::array<std::pair<std::string_view, core::LabelOperator>, 4> label_operators = {
    {{"In", core::LabelOperator::in},
     {"NotIn", core::LabelOperator::not_in},
     {"Exists", core::LabelOperator::exists},
     {"DoesNotExist", core::LabelOperator::does_not_exist}}};

void decode_expression(Fields& fields, const Value& expression, core::LabelSelector& into) {
    core::LabelRequirement requirement;
    requirement.key = fields.text(expression, "key");
    requirement.values = fields.texts(expression, "values");
    const std::string op = fields.text(expression, "operator");
    const auto* found = std::find_if(
        label_operators.begin(), label_operators.end(), [&](const auto& pair) { return pair.first == op; });
    if (found == label_operators.end()) {
        fields.wrong("operator of a label selector", "In, NotIn, Exists or DoesNotExist");
        return;
    }
    requirement.op = found->second;
    into.require(std::move(requirement));
}

}  // namespace

core::LabelSelector decode_selector(Fields& fields, const Value& owner, const char* name) {
    core::LabelSelector result;
    const Value* selector = fields.object(owner, name);
    if (selector == nullptr) return result;
    result.is_set = true;
    for (auto& [key, value] : fields.map(*selector, "matchLabels")) {
        result.require({std::move(key), core::LabelOperator::in, {std::move(value)}});
    }
    for (const Value& expression : fields.objects(*selector, "matchExpressions")) {
        decode_expression(fields, expression, result);
    }
    return result;
}

namespace {

/// The pod's own value of each label that is named. A selector that is not there stays so.
void merge_keys(
    core::LabelSelector& selector,
    const std::vector<std::string>& keys,
    core::LabelOperator op,
    const Owner& owner) {
    if (!selector.is_set || owner.labels == nullptr) return;
    for (const std::string& key : keys) {
        const std::string* value = core::find_value(*owner.labels, key);
        if (value != nullptr) selector.require({key, op, {*value}});
    }
}

/// Keys that the selector does not speak of: the API server refuses a pod that names a key twice,
/// so a key that is there has been merged, and maybe the pod's label has changed since.
std::vector<std::string> without_merged(
    std::vector<std::string> keys, const core::LabelSelector& selector) {
    keys.erase(
        std::remove_if(
            keys.begin(),
            keys.end(),
            [&selector](const std::string& key) {
                return std::any_of(
                    selector.requirements.begin(),
                    selector.requirements.end(),
                    [&key](const core::LabelRequirement& one) { return one.key == key; });
            }),
        keys.end());
    return keys;
}

/// False: the rule speaks of labels of the pod's own that are not known yet.
bool is_decided(Fields& fields, const Value& rule, const Owner& owner) {
    return owner.labels != nullptr || (fields.texts(rule, "matchLabelKeys").empty() &&
                                       fields.texts(rule, "mismatchLabelKeys").empty());
}

std::string decode_topology_key(Fields& fields, const Value& rule) {
    std::string key = fields.text(rule, "topologyKey");
    if (key.empty()) fields.wrong("topologyKey", "the name of a node label");
    return key;
}

core::PodAffinityTerm decode_term(Fields& fields, const Value& term, const Owner& owner) {
    core::PodAffinityTerm result;
    result.topology_key = decode_topology_key(fields, term);
    result.selector = decode_selector(fields, term, "labelSelector");
    const auto match_keys = without_merged(fields.texts(term, "matchLabelKeys"), result.selector);
    merge_keys(result.selector, match_keys, core::LabelOperator::in, owner);
    // Of these the pod's owner may have named a key, too.
    const auto mismatch_keys = fields.texts(term, "mismatchLabelKeys");
    merge_keys(result.selector, mismatch_keys, core::LabelOperator::not_in, owner);
    result.namespace_selector = decode_selector(fields, term, "namespaceSelector");
    result.namespaces = fields.texts(term, "namespaces");
    if (result.namespace_selector.matches_all()) {
        result.namespaces.clear();
    } else if (result.namespaces.empty() && !result.namespace_selector.is_set) {
        result.namespaces.emplace_back(owner.namespace_name);
    }
    std::sort(result.namespaces.begin(), result.namespaces.end());
    result.namespaces.erase(
        std::unique(result.namespaces.begin(), result.namespaces.end()), result.namespaces.end());
    return result;
}

std::vector<core::PodAffinityTerm> decode_terms(
    Fields& fields, const Value& affinity, const char* name, const Owner& owner) {
    std::vector<core::PodAffinityTerm> result;
    const Value* part = fields.object(affinity, name);
    if (part == nullptr) return result;
    for (const Value& term :
         fields.objects(*part, "requiredDuringSchedulingIgnoredDuringExecution")) {
        core::PodAffinityTerm decoded = decode_term(fields, term, owner);
        if (is_decided(fields, term, owner)) {
            result.push_back(std::move(decoded));
        }
    }
    return result;
}

/// Appends what `affinity` says in `name`; `sign` is -1 for anti-affinity.
void decode_preferred(
    Fields& fields,
    const Value& affinity,
    const char* name,
    const Owner& owner,
    std::int32_t sign,
    std::vector<core::PreferredPods>& into) {
    const Value* part = fields.object(affinity, name);
    if (part == nullptr) return;
    for (const Value& preference :
         fields.objects(*part, "preferredDuringSchedulingIgnoredDuringExecution")) {
        const std::int64_t weight = fields.integer(preference, "weight", 0);
        const Value* term = fields.object(preference, "podAffinityTerm");
        if (weight < 1 || weight > 100) {
            fields.wrong("weight of a preferred pod affinity term", "a number from 1 to 100");
        } else if (term == nullptr) {
            fields.wrong("podAffinityTerm", "a term");
        } else if (is_decided(fields, *term, owner)) {
            into.push_back(
                {decode_term(fields, *term, owner), sign * static_cast<std::int32_t>(weight)});
        }
    }
}

std::int32_t decode_at_least_one(Fields& fields, const Value& rule, const char* name) {
    const std::int64_t number = fields.integer(rule, name, 1);
    if (number >= 1 && number <= std::numeric_limits<std::int32_t>::max()) {
        return static_cast<std::int32_t>(number);
    }
    fields.wrong(name, "a number from 1 on, of 32 bits");
    return 1;
}

core::NodeInclusionPolicy decode_policy(
    Fields& fields, const Value& rule, const char* name, std::string_view fallback) {
    const std::string policy = fields.text(rule, name, fallback);
    if (policy != "Honor" && policy != "Ignore") fields.wrong(name, "Honor or Ignore");
    return policy == "Ignore" ? core::NodeInclusionPolicy::ignore
                              : core::NodeInclusionPolicy::honor;
}

core::SpreadConstraint decode_spread(Fields& fields, const Value& rule, const Owner& owner) {
    core::SpreadConstraint result;
    if (find_member(rule, "maxSkew") == nullptr) fields.wrong("maxSkew", "a number");
    result.max_skew = decode_at_least_one(fields, rule, "maxSkew");
    result.topology_key = decode_topology_key(fields, rule);
    result.selector = decode_selector(fields, rule, "labelSelector");
    const auto match_keys = fields.texts(rule, "matchLabelKeys");
    merge_keys(result.selector, match_keys, core::LabelOperator::in, owner);
    result.min_domains = decode_at_least_one(fields, rule, "minDomains");
    result.node_affinity_policy = decode_policy(fields, rule, "nodeAffinityPolicy", "Honor");
    result.node_taints_policy = decode_policy(fields, rule, "nodeTaintsPolicy", "Ignore");
    return result;
}

std::optional<core::PodRules> decode_rules(Fields& fields, const Value& spec, const Owner& owner) {
    core::PodRules rules;
    if (const Value* affinity = fields.object(spec, "affinity")) {
        rules.affinity = decode_terms(fields, *affinity, "podAffinity", owner);
        rules.anti_affinity = decode_terms(fields, *affinity, "podAntiAffinity", owner);
        decode_preferred(fields, *affinity, "podAffinity", owner, 1, rules.preferred);
        decode_preferred(fields, *affinity, "podAntiAffinity", owner, -1, rules.preferred);
    }
    for (const Value& rule : fields.objects(spec, "topologySpreadConstraints")) {
        const std::string when = fields.text(rule, "whenUnsatisfiable");
        if (when != "DoNotSchedule" && when != "ScheduleAnyway") {
            fields.wrong("whenUnsatisfiable", "DoNotSchedule or ScheduleAnyway");
        }
        core::SpreadConstraint spread = decode_spread(fields, rule, owner);
        if (!is_decided(fields, rule, owner)) continue;
        (when == "ScheduleAnyway" ? rules.preferred_spread : rules.spread)
            .push_back(std::move(spread));
    }
    return rules.empty() ? std::nullopt : std::optional(std::move(rules));
}

}  // namespace

std::optional<core::PodRules> decode_pod_rules(
    Fields& fields,
    const Value& spec,
    const std::string& namespace_name,
    const core::StringMap& labels) {
    return decode_rules(fields, spec, {namespace_name, &labels});
}

std::optional<core::PodRules> decode_template_rules(Fields& fields, const Value& spec) {
    return decode_rules(fields, spec, {"", nullptr});
}

}  // namespace k8s
