#include "k8s/codec/demand/codec_demand.hpp"

#include "k8s/base/time.hpp"
#include "k8s/codec/pod/pod_spec.hpp"
#include "k8s/json/json.hpp"

#include <charconv>
#include <string_view>

namespace k8s {
namespace {

using DemandJson = rapidjson::Writer<rapidjson::StringBuffer>;

constexpr std::string_view name_begin = "gang-demand-";
/// The class of cluster-autoscaler that makes room for all pods or for none.
constexpr std::string_view atomic_class = "best-effort-atomic-scale-up.autoscaling.x-k8s.io";

void put(DemandJson& json, std::string_view value) {
    json.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void put(DemandJson& json, const char* key, std::string_view value) {
    json.Key(key);
    put(json, value);
}

void put_map(DemandJson& json, const char* key, const core::StringMap& map) {
    if (map.empty()) return;
    json.Key(key);
    json.StartObject();
    for (const auto& [name, value] : map) {
        put(json, name);
        put(json, value);
    }
    json.EndObject();
}

/// The driver owns it and does not wait for it; the label finds it.
void put_metadata(DemandJson& json, const DemandRequest& request, const std::string& name) {
    const PodName& driver = request.driver;
    json.Key("metadata");
    json.StartObject();
    put(json, "name", name);
    put(json, "namespace", driver.namespace_name);
    put_map(json, "labels", {{demand_label, driver.uid}});
    json.Key("ownerReferences");
    json.StartArray();
    json.StartObject();
    put(json, "apiVersion", "v1");
    put(json, "kind", "Pod");
    put(json, "name", driver.name);
    put(json, "uid", driver.uid);
    json.EndObject();
    json.EndArray();
    json.EndObject();
}

const char* word(core::SelectorOperator op) {
    switch (op) {
        case core::SelectorOperator::in:
            return "In";
        case core::SelectorOperator::not_in:
            return "NotIn";
        case core::SelectorOperator::exists:
            return "Exists";
        case core::SelectorOperator::does_not_exist:
            return "DoesNotExist";
        case core::SelectorOperator::greater:
            return "Gt";
        case core::SelectorOperator::less:
            return "Lt";
    }
    return "In";
}

void put_requirements(
    DemandJson& json, const char* key, const std::vector<core::NodeSelectorRequirement>& all) {
    if (all.empty()) return;
    json.Key(key);
    json.StartArray();
    for (const core::NodeSelectorRequirement& one : all) {
        json.StartObject();
        put(json, "key", one.key);
        put(json, "operator", word(one.op));
        if (!one.values.empty()) {
            json.Key("values");
            json.StartArray();
            for (const std::string& value : one.values) put(json, value);
            json.EndArray();
        }
        json.EndObject();
    }
    json.EndArray();
}

void put_term(DemandJson& json, const core::NodeSelectorTerm& term) {
    json.StartObject();
    put_requirements(json, "matchExpressions", term.match_expressions);
    put_requirements(json, "matchFields", term.match_fields);
    json.EndObject();
}

void put_affinity(DemandJson& json, const core::Constraints& constraints) {
    if (!constraints.has_required_affinity && constraints.preferred_affinity.empty()) return;
    json.Key("affinity");
    json.StartObject();
    json.Key("nodeAffinity");
    json.StartObject();
    if (constraints.has_required_affinity) {
        json.Key("requiredDuringSchedulingIgnoredDuringExecution");
        json.StartObject();
        json.Key("nodeSelectorTerms");
        json.StartArray();
        for (const core::NodeSelectorTerm& term : constraints.required_affinity) {
            put_term(json, term);
        }
        json.EndArray();
        json.EndObject();
    }
    if (!constraints.preferred_affinity.empty()) {
        json.Key("preferredDuringSchedulingIgnoredDuringExecution");
        json.StartArray();
        for (const core::PreferredTerm& preferred : constraints.preferred_affinity) {
            json.StartObject();
            json.Key("weight");
            json.Int(preferred.weight);
            json.Key("preference");
            put_term(json, preferred.term);
            json.EndObject();
        }
        json.EndArray();
    }
    json.EndObject();
    json.EndObject();
}

void put_tolerations(DemandJson& json, const std::vector<core::Toleration>& tolerations) {
    if (tolerations.empty()) return;
    json.Key("tolerations");
    json.StartArray();
    for (const core::Toleration& one : tolerations) {
        json.StartObject();
        if (!one.key.empty()) put(json, "key", one.key);
        put(json, "operator", one.exists ? "Exists" : "Equal");
        if (!one.value.empty()) put(json, "value", one.value);
        if (!one.any_effect) put(json, "effect", effect_name(one.effect));
        if (one.seconds >= 0) {
            json.Key("tolerationSeconds");
            json.Int64(one.seconds);
        }
        json.EndObject();
    }
    json.EndArray();
}

/// Extended resources are asked as their limits, too: the API server wants both to be equal.
void put_resources(DemandJson& json, const core::Resources& requests) {
    json.Key("resources");
    json.StartObject();
    json.Key("requests");
    json.StartObject();
    if (requests.cpu_milli > 0) put(json, "cpu", std::to_string(requests.cpu_milli) + "m");
    if (requests.memory_bytes > 0) put(json, "memory", std::to_string(requests.memory_bytes));
    if (requests.ephemeral_bytes > 0) {
        put(json, "ephemeral-storage", std::to_string(requests.ephemeral_bytes));
    }
    for (const core::ExtendedResource& one : requests.extended) {
        put(json, one.name.c_str(), std::to_string(one.amount));
    }
    json.EndObject();
    if (!requests.extended.empty()) {
        json.Key("limits");
        json.StartObject();
        for (const core::ExtendedResource& one : requests.extended) {
            put(json, one.name.c_str(), std::to_string(one.amount));
        }
        json.EndObject();
    }
    json.EndObject();
}

/// The number at its end, from 1; 0: it is not named as ours are.
std::int64_t shape_number(std::string_view name, std::string_view driver_uid) {
    const std::string begin = demand_name(std::string(driver_uid)) + "-";
    if (driver_uid.empty() || !name.starts_with(begin)) return 0;
    const std::string_view digits = name.substr(begin.size());
    std::int64_t number = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_whole = problem == std::errc() && end == digits.data() + digits.size();
    constexpr std::int64_t number_max = 32;  // more than a gang has shapes
    return is_whole && number >= 0 && number < number_max ? number + 1 : 0;
}

std::string_view find_text(const rapidjson::Value& object, const char* key) {
    if (!object.IsObject()) return {};
    const auto it = object.FindMember(key);
    return it != object.MemberEnd() && it->value.IsString()
               ? std::string_view(it->value.GetString(), it->value.GetStringLength())
               : std::string_view();
}

const rapidjson::Value* find_object(const rapidjson::Value& object, const char* key) {
    if (!object.IsObject()) return nullptr;
    const auto it = object.FindMember(key);
    return it != object.MemberEnd() ? &it->value : nullptr;
}

}  // namespace

std::string demand_name(const std::string& driver_uid) {
    return std::string(name_begin) + driver_uid;
}

std::string demand_name(const std::string& driver_uid, std::size_t shape) {
    return demand_name(driver_uid) + "-" + std::to_string(shape);
}

/// Nobody runs it: the container needs a name and an image because the API server says so.
std::string encode_pod_template(const DemandRequest& request, std::size_t shape) {
    rapidjson::StringBuffer buffer;
    DemandJson json(buffer);
    const core::CapacityShape& asked = request.shapes[shape];
    json.StartObject();
    put(json, "apiVersion", "v1");
    put(json, "kind", "PodTemplate");
    put_metadata(json, request, demand_name(request.driver.uid, shape));
    json.Key("template");
    json.StartObject();
    json.Key("metadata");
    json.StartObject();
    put_map(json, "labels", {{demand_label, request.driver.uid}});
    json.EndObject();
    json.Key("spec");
    json.StartObject();
    put(json, "restartPolicy", "Never");
    put_map(json, "nodeSelector", asked.constraints.node_selector);
    put_affinity(json, asked.constraints);
    put_tolerations(json, asked.constraints.tolerations);
    json.Key("containers");
    json.StartArray();
    json.StartObject();
    put(json, "name", "executor");
    put(json, "image", "placeholder");
    put_resources(json, asked.requests);
    json.EndObject();
    json.EndArray();
    json.EndObject();
    json.EndObject();
    json.EndObject();
    return std::string(buffer.GetString(), buffer.GetSize());
}

std::string encode_capacity_buffer(const DemandRequest& request, std::size_t shape) {
    rapidjson::StringBuffer buffer;
    DemandJson json(buffer);
    const std::string name = demand_name(request.driver.uid, shape);
    json.StartObject();
    put(json, "apiVersion", "autoscaling.x-k8s.io/v1beta1");
    put(json, "kind", "CapacityBuffer");
    put_metadata(json, request, name);
    json.Key("spec");
    json.StartObject();
    put(json, "provisioningStrategy", "buffer.x-k8s.io/active-capacity");
    json.Key("podTemplateRef");
    json.StartObject();
    put(json, "name", name);
    json.EndObject();
    json.Key("replicas");
    json.Int64(request.shapes[shape].count);
    json.EndObject();
    json.EndObject();
    return std::string(buffer.GetString(), buffer.GetSize());
}

std::string encode_provisioning_request(const DemandRequest& request) {
    rapidjson::StringBuffer buffer;
    DemandJson json(buffer);
    json.StartObject();
    put(json, "apiVersion", "autoscaling.x-k8s.io/v1");
    put(json, "kind", "ProvisioningRequest");
    put_metadata(json, request, demand_name(request.driver.uid));
    json.Key("spec");
    json.StartObject();
    put(json, "provisioningClassName", atomic_class);
    json.Key("podSets");
    json.StartArray();
    for (std::size_t shape = 0; shape < request.shapes.size(); ++shape) {
        if (request.shapes[shape].count == 0) continue;
        json.StartObject();
        json.Key("podTemplateRef");
        json.StartObject();
        put(json, "name", demand_name(request.driver.uid, shape));
        json.EndObject();
        json.Key("count");
        json.Int64(request.shapes[shape].count);
        json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    json.EndObject();
    return std::string(buffer.GetString(), buffer.GetSize());
}

core::Result<DemandPage> decode_pod_templates(std::string body) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(body.c_str(), body.size());
    if (document.HasParseError()) return core::Error{"list of PodTemplates: not JSON"};
    const rapidjson::Value* const items = find_object(document, "items");
    DemandPage page;
    if (const auto* metadata = find_object(document, "metadata")) {
        page.next = find_text(*metadata, "continue");
    }
    if (items == nullptr || !items->IsArray()) return page;  // an empty list may be left out
    for (const rapidjson::Value& item : items->GetArray()) {
        const rapidjson::Value* const metadata = find_object(item, "metadata");
        const rapidjson::Value* const labels =
            metadata == nullptr ? nullptr : find_object(*metadata, "labels");
        if (labels == nullptr) continue;
        DemandFound found;
        found.driver_uid = find_text(*labels, demand_label);
        found.namespace_name = find_text(*metadata, "namespace");
        found.shapes = shape_number(find_text(*metadata, "name"), found.driver_uid);
        const auto created = parse_time(std::string(find_text(*metadata, "creationTimestamp")));
        found.created_ms = created.value_or(0);
        if (found.shapes > 0) page.found.push_back(std::move(found));
    }
    return page;
}

}  // namespace k8s
