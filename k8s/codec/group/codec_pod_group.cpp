#include "k8s/codec/group/codec_pod_group.hpp"

#include "k8s/codec/group/read_pod_group.hpp"

#include "k8s/codec/group/codec_group_status.hpp"
#include "k8s/json/json_fields.hpp"

#include <algorithm>
#include <cstdint>

namespace k8s {
namespace {

using rapidjson::Value;

void read_policy(Fields& fields, const Value& spec, core::PodGroup& group) {
    const Value* const policy = fields.object(spec, "schedulingPolicy");
    const Value* const gang = policy == nullptr ? nullptr : fields.object(*policy, "gang");
    group.min_members = 0;  // basic: each pod by itself
    if (gang != nullptr) {
        group.min_members = fields.integer(*gang, "minCount", 0);
        if (group.min_members < 1) {
            group.problem =
                "spec.schedulingPolicy.gang.minCount is to be a number of pods from 1 on";
        }
    }
    // Its parent may ask for more than it: whatever its own policy is, it does not start alone.
    if (const std::string parent = fields.text(spec, "parentCompositePodGroupName");
        !parent.empty()) {
        group.problem = "it is a part of CompositePodGroup " + parent +
                        " (spec.parentCompositePodGroupName), which is not supported";
    }
}

/// A gang that is split may be worth nothing to its owner: what cannot be kept is refused.
void read_topology(Fields& fields, const Value& spec, core::PodGroup& group) {
    const Value* const constraints = fields.object(spec, "schedulingConstraints");
    if (constraints == nullptr) return;
    const auto keys = fields.objects(*constraints, "topology");
    if (keys.Empty()) return;
    group.topology_key = fields.text(keys[0], "key");
    if (keys.Size() > 1 || group.topology_key.empty()) {
        group.problem = "spec.schedulingConstraints.topology is to have one entry, with a key";
    } else if (group.min_members < 2 && group.problem.empty()) {
        group.problem =
            "spec.schedulingConstraints.topology is supported for gangs with a minCount from 2 on";
    }
}

/// 1.37 has an object there, 1.36 a word.
bool reads_whole(const Value& spec) {
    const Value* const mode = find_member(spec, "disruptionMode");
    if (mode == nullptr) return false;
    return find_member(*mode, "all") != nullptr ||
           (mode->IsString() && view(*mode) == "PodGroup");
}

/// The API server fills in the priority of the class, and 0 where nobody names one: that says
/// nothing.
void read_priority(Fields& fields, const Value& spec, core::PodGroup& group) {
    const auto priority = static_cast<std::int32_t>(fields.integer(spec, "priority", 0));
    if (priority != 0 || !fields.text_view(spec, "priorityClassName").empty()) {
        group.priority = priority;
    }
    group.never_preempts = fields.text_view(spec, "preemptionPolicy") == "Never";
}

void read_native(Fields& fields, const Value& spec, core::PodGroup& group) {
    read_policy(fields, spec, group);
    read_topology(fields, spec, group);
    read_priority(fields, spec, group);
    group.goes_whole = reads_whole(spec);
}

/// Minima of Volcano's tasks, by name: an object of numbers.
void read_roles(const Value& minima, core::PodGroup& group) {
    for (const auto& member : minima.GetObject()) {
        if (!member.value.IsInt64() || member.value.GetInt64() < 0) {
            group.problem = "spec.minTaskMember." + std::string(view(member.name)) +
                            " is to be a number of pods";
            return;
        }
        if (member.value.GetInt64() > 0) {
            group.roles.push_back({std::string(view(member.name)), member.value.GetInt64()});
        }
    }
}

void read_minimum(Fields& fields, const Value& spec, core::PodGroup& group) {
    group.min_members = fields.integer(spec, "minMember", 1);
    if (group.min_members < 0) {
        group.problem =
            "spec.minMember is " + std::to_string(group.min_members) + ": no number of pods";
    }
    if (const Value* const minima = fields.object(spec, "minTaskMember")) {
        read_roles(*minima, group);
    }
    std::int64_t of_roles = 0;
    for (const core::RoleMinimum& role : group.roles) {
        of_roles = role.count > INT64_MAX - of_roles ? INT64_MAX : of_roles + role.count;
    }
    group.min_members = std::max(group.min_members, of_roles);
}

void read_wishes(
    Fields& fields, const Value& spec, core::GroupDialect dialect, PodGroupObject& object) {
    core::PodGroup& group = object.group;
    group.min_resources = fields.quantities(spec, "minResources");
    // Volcano's controllers write amounts of quotas beside those of pods.
    std::erase_if(group.min_resources.extended, [](const core::ExtendedResource& one) {
        const std::string_view name = one.name;
        return name.starts_with("requests.") || name.starts_with("limits.") ||
               name.starts_with("count/");
    });
    if (dialect == core::GroupDialect::volcano) {
        group.queue = fields.text(spec, "queue");
        object.priority_class = fields.text(spec, "priorityClassName");
    }
}

/// The second is the older name.
std::string read_max_wait(Fields& fields, const Value& metadata) {
    const Value* const annotations = fields.object(metadata, "annotations");
    if (annotations == nullptr) return {};
    std::string said = fields.text(*annotations, "volcano.sh/sla-waiting-time");
    return said.empty() ? fields.text(*annotations, "sla-waiting-time") : said;
}

}  // namespace

std::vector<std::string_view> api_roots(core::GroupDialect dialect) {
    switch (dialect) {
        case core::GroupDialect::kubernetes:
            return {
                "/apis/scheduling.k8s.io/v1beta1",
                "/apis/scheduling.k8s.io/v1alpha3",
                "/apis/scheduling.k8s.io/v1alpha2"};
        case core::GroupDialect::coscheduling:
            return {"/apis/scheduling.x-k8s.io/v1alpha1"};
        case core::GroupDialect::volcano:
            return {
                "/apis/scheduling.volcano.sh/v1beta1",
                "/apis/scheduling.incubator.k8s.io/v1alpha1",
                "/apis/scheduling.sigs.dev/v1alpha2"};
        case core::GroupDialect::labels:
            break;
    }
    return {};
}

core::Result<std::int32_t> decode_priority_class(std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_in_place(json, document); !parsed) return parsed.error();
    const Value* const value = document.IsObject() ? find_member(document, "value") : nullptr;
    if (value == nullptr || !value->IsInt()) {
        return core::Error{"priority class: expected a number in value"};
    }
    return value->GetInt();
}

core::Result<PodGroupObject> decode_pod_group(
    core::GroupDialect dialect, std::string_view api_version, std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_in_place(json, document); !parsed) return parsed.error();
    Fields fields;
    if (!document.IsObject() || fields.text(document, "kind") != "PodGroup") {
        return core::Error{"pod group: expected an object of kind PodGroup"};
    }
    return read_pod_group(dialect, api_version, document);
}

core::Result<PodGroupObject> read_pod_group(
    core::GroupDialect dialect, std::string_view api_version, const Value& object) {
    Fields fields;
    PodGroupObject read;
    const Value* const spec = fields.object(object, "spec");
    if (spec != nullptr && dialect == core::GroupDialect::kubernetes) {
        read_native(fields, *spec, read.group);
    } else if (spec != nullptr) {
        read_minimum(fields, *spec, read.group);
        read_wishes(fields, *spec, dialect, read);
    }
    if (const Value* const metadata = fields.object(object, "metadata")) {
        read.uid = fields.text(*metadata, "uid");
        if (dialect == core::GroupDialect::volcano) {
            read.group.max_wait = read_max_wait(fields, *metadata);
        }
    }
    if (!fields.problem().empty()) return core::Error{"pod group: " + fields.problem()};
    read.status = decode_group_status(dialect, api_version, object);
    return read;
}

}  // namespace k8s
