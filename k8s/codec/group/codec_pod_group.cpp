#include "k8s/codec/group/codec_pod_group.hpp"

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
    if (gang == nullptr) {
        group.min_members = 0;  // basic: each pod by itself
        return;
    }
    group.min_members = fields.integer(*gang, "minCount", 0);
    if (group.min_members < 1) {
        group.problem = "spec.schedulingPolicy.gang.minCount is to be a number of pods from 1 on";
    }
    if (find_member(spec, "parentCompositePodGroupName") != nullptr) {
        group.problem = "it is a part of a CompositePodGroup, which is not supported";
    }
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
    if (dialect == core::GroupDialect::kubernetes) {
        // The API server fills it in from the class.
        if (find_member(spec, "priority") != nullptr) {
            group.priority = static_cast<std::int32_t>(fields.integer(spec, "priority", 0));
        }
        return;
    }
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

}  // namespace

std::vector<std::string_view> api_roots(core::GroupDialect dialect) {
    switch (dialect) {
        case core::GroupDialect::kubernetes:
            return {"/apis/scheduling.k8s.io/v1beta1", "/apis/scheduling.k8s.io/v1alpha2"};
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
    PodGroupObject object;
    const Value* const spec = fields.object(document, "spec");
    if (spec != nullptr && dialect == core::GroupDialect::kubernetes) {
        read_policy(fields, *spec, object.group);
    } else if (spec != nullptr) {
        read_minimum(fields, *spec, object.group);
    }
    if (spec != nullptr) read_wishes(fields, *spec, dialect, object);
    if (const Value* const metadata = fields.object(document, "metadata")) {
        object.uid = fields.text(*metadata, "uid");
    }
    if (!fields.problem().empty()) return core::Error{"pod group: " + fields.problem()};
    object.status = decode_group_status(dialect, api_version, document);
    return object;
}

}  // namespace k8s
