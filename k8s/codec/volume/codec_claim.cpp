#include "k8s/codec/volume/codec_claim.hpp"

#include "core/value/volume/volume_limits.hpp"
#include "k8s/codec/pod/pod_rules.hpp"
#include "k8s/codec/pod/pod_spec.hpp"
#include "k8s/codec/volume/volume_source.hpp"
#include "k8s/json/json_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace k8s {
namespace {

using rapidjson::Value;

constexpr std::string_view bind_completed_annotation = "pv.kubernetes.io/bind-completed";
constexpr std::string_view beta_class_annotation = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view no_provisioner = "kubernetes.io/no-provisioner";

struct ZoneLabel {
    const char* name;
    const char* beta;
};
constexpr std::array zone_labels = {
    ZoneLabel{"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"},
    ZoneLabel{"topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"}};

core::Result<core::Done> parse(std::string& text, rapidjson::Document& into, const char* what) {
    auto parsed = parse_in_place(text, into);
    if (parsed && !into.IsObject()) return core::Error{std::string(what) + ": expected an object"};
    return parsed;
}

core::Result<core::Done> checked(const Fields& fields, const char* what) {
    if (fields.problem().empty()) return core::Done{};
    return core::Error{std::string(what) + ": " + fields.problem()};
}

core::NodeSelectorTerm matches(std::string key, std::vector<std::string> values) {
    return {{{std::move(key), core::SelectorOperator::in, std::move(values)}}, {}};
}

/// "a__b": the volume is in both zones.
std::vector<std::string> split_zones(const std::string& value) {
    std::vector<std::string> zones;
    std::size_t from = 0;
    for (auto to = value.find("__"); to != std::string::npos; to = value.find("__", from)) {
        zones.push_back(value.substr(from, to - from));
        from = to + 2;
    }
    zones.push_back(value.substr(from));
    return zones;
}

/// VolumeZone: a node without any label for zone or region takes every volume.
core::NodeSelectorTerm without_zones() {
    core::NodeSelectorTerm term;
    for (const ZoneLabel& label : zone_labels) {
        for (const char* name : {label.name, label.beta}) {
            term.match_expressions.push_back({name, core::SelectorOperator::does_not_exist, {}});
        }
    }
    return term;
}

/// Both names of a label mean the same, on the volume and on the node.
void add_zones(core::Claim& claim, const core::StringMap& labels) {
    for (const ZoneLabel& label : zone_labels) {
        for (const char* name : {label.name, label.beta}) {
            const std::string* value = core::find_value(labels, name);
            if (value == nullptr) continue;
            const std::vector<std::string> zones = split_zones(*value);
            claim.nodes.push_back(
                {core::VolumeRule::zone,
                 {matches(label.name, zones), matches(label.beta, zones), without_zones()}});
        }
    }
}

std::string controller_of(Fields& fields, const Value& metadata) {
    for (const Value& owner : fields.objects(metadata, "ownerReferences")) {
        if (fields.flag(owner, "controller")) return fields.text(owner, "uid");
    }
    return {};
}

void read_spec(Fields& fields, const Value& spec, ClaimObject& into) {
    core::Claim& claim = into.claim;
    VolumeWish& wish = into.wish;
    claim.volume = fields.text(spec, "volumeName");
    if (claim.storage_class.empty()) claim.storage_class = fields.text(spec, "storageClassName");
    wish.modes = fields.texts(spec, "accessModes");
    claim.one_pod =
        std::find(wish.modes.begin(), wish.modes.end(), "ReadWriteOncePod") != wish.modes.end();
    wish.is_block = fields.text(spec, "volumeMode") == "Block";
    wish.attributes_class = fields.text(spec, "volumeAttributesClassName");
    if (find_member(spec, "selector") != nullptr) {
        wish.selector = decode_selector(fields, spec, "selector");
    }
    if (const Value* resources = fields.object(spec, "resources")) {
        claim.bytes = fields.quantities(*resources, "requests").extended_amount("storage");
    }
}

/// Whether the claim may have the volume, which belongs to nobody.
bool matches(const VolumeObject& volume, const core::Claim& claim, const VolumeWish& wish) {
    return volume.is_available && volume.storage_class == claim.storage_class &&
           (!wish.selector.is_set || wish.selector.matches(volume.labels)) &&
           std::all_of(wish.modes.begin(), wish.modes.end(), [&volume](const std::string& mode) {
               return std::find(volume.modes.begin(), volume.modes.end(), mode) !=
                      volume.modes.end();
           });
}

bool is_large_enough(
    const VolumeObject& volume, const core::Claim& claim, const VolumeWish& wish) {
    return !volume.is_deleting && volume.bytes >= claim.bytes &&
           volume.is_block == wish.is_block && volume.attributes_class == wish.attributes_class;
}

bool is_promised_to(const VolumeObject& volume, const core::Claim& claim, const VolumeWish& wish) {
    return volume.claim_name == wish.name && volume.claim_namespace == wish.namespace_name &&
           (volume.claim_uid.empty() || volume.claim_uid == claim.uid);
}

}  // namespace

core::Result<ClaimObject> decode_claim(std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse(json, document, "claim"); !parsed) return parsed.error();
    Fields fields;
    const Value* metadata = fields.object(document, "metadata");
    if (metadata == nullptr) return core::Error{"claim: it has no metadata"};
    ClaimObject result;
    core::Claim& claim = result.claim;
    result.resource_version = fields.text(*metadata, "resourceVersion");
    claim.uid = fields.text(*metadata, "uid");
    claim.is_deleting = find_member(*metadata, "deletionTimestamp") != nullptr;
    claim.owner_uid = controller_of(fields, *metadata);
    result.wish.name = fields.text(*metadata, "name");
    result.wish.namespace_name = fields.text(*metadata, "namespace");
    const core::StringMap annotations = fields.map(*metadata, "annotations");
    const auto annotation = [&annotations](std::string_view key) {
        const std::string* value = core::find_value(annotations, key);
        return value == nullptr ? std::string() : *value;
    };
    claim.selected_node = annotation(selected_node_annotation);
    claim.storage_class = annotation(beta_class_annotation);
    if (const Value* spec = fields.object(document, "spec")) read_spec(fields, *spec, result);
    const bool is_bound = !claim.volume.empty() &&
                          core::find_value(annotations, bind_completed_annotation) != nullptr;
    claim.state = is_bound ? core::ClaimState::bound : core::ClaimState::immediate;
    const Value* status = fields.object(document, "status");
    if (status != nullptr && fields.text(*status, "phase") == "Lost") {
        claim.state = core::ClaimState::lost;
    }
    if (auto fine = checked(fields, "claim"); !fine) return fine.error();
    return result;
}

core::Result<core::Done> add_volume(core::Claim& claim, std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse(json, document, "volume"); !parsed) return parsed;
    Fields fields;
    core::StringMap labels;
    if (const Value* metadata = fields.object(document, "metadata")) {
        labels = fields.map(*metadata, "labels");
        add_zones(claim, labels);
    }
    if (const Value* spec = fields.object(document, "spec")) {
        if (auto terms = decode_volume_terms(fields, *spec)) {
            claim.nodes.push_back({core::VolumeRule::affinity, *std::move(terms)});
        }
        core::DriverVolume volume = decode_driver_volume(fields, *spec, labels);
        claim.driver = std::move(volume.driver);
        claim.handle = std::move(volume.handle);
    }
    return checked(fields, "volume");
}

core::Result<std::string> add_storage_class(core::Claim& claim, std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse(json, document, "storage class"); !parsed) return parsed.error();
    Fields fields;
    if (fields.text(document, "volumeBindingMode") != "WaitForFirstConsumer") {
        if (auto fine = checked(fields, "storage class"); !fine) return fine.error();
        return std::string();
    }
    claim.state = core::ClaimState::consumer;
    const std::string provisioner = fields.text(document, "provisioner");
    claim.is_never_made = provisioner.empty() || provisioner == no_provisioner;
    const std::string_view migrated = core::migrated_driver(provisioner);
    if (!claim.is_never_made) claim.driver = migrated.empty() ? provisioner : std::string(migrated);
    core::VolumeNodes reach{core::VolumeRule::unreachable, {}};
    for (const Value& term : fields.objects(document, "allowedTopologies")) {
        auto& nodes = reach.terms.emplace_back();
        for (const Value& one : fields.objects(term, "matchLabelExpressions")) {
            nodes.match_expressions.push_back(
                {fields.text(one, "key"), core::SelectorOperator::in, fields.texts(one, "values")});
        }
    }
    if (claim.is_never_made) reach.terms.clear();  // no node, unless a volume that is there will do
    const bool is_nowhere = claim.is_never_made && claim.selected_node.empty();
    if (is_nowhere || !reach.terms.empty()) claim.nodes.push_back(std::move(reach));
    if (!claim.selected_node.empty()) {
        core::NodeSelectorTerm node;
        node.match_fields = {{"metadata.name", core::SelectorOperator::in, {claim.selected_node}}};
        claim.nodes.push_back({core::VolumeRule::unreachable, {std::move(node)}});
    }
    if (auto fine = checked(fields, "storage class"); !fine) return fine.error();
    return claim.is_never_made || !migrated.empty() ? std::string() : provisioner;
}

void add_available(core::Claim& claim, const VolumeWish& wish, const Volumes& volumes) {
    std::vector<const VolumeObject*> found;
    for (const auto& [name, volume] : volumes) {
        if (!is_large_enough(volume, claim, wish)) continue;
        if (volume.claim_name.empty()) {
            if (matches(volume, claim, wish)) found.push_back(&volume);
        } else if (is_promised_to(volume, claim, wish)) {
            found = {&volume};  // where it cannot be used the claim gets none
            claim.is_never_made = true;
            claim.nodes = {{core::VolumeRule::unreachable, {}}};
            break;
        }
    }
    std::sort(found.begin(), found.end(), [](const VolumeObject* a, const VolumeObject* b) {
        return a->bytes != b->bytes ? a->bytes < b->bytes : a->name < b->name;
    });
    for (const VolumeObject* volume : found) {
        claim.available.push_back({volume->name, volume->terms});
    }
    // Nowhere else than there, or not made at all: volumes that are there add their nodes.
    if (claim.nodes.empty()) return;
    core::VolumeNodes& reach = claim.nodes.front();
    for (const core::AvailableVolume& volume : claim.available) {
        if (volume.terms.empty()) {
            claim.nodes.clear();
            return;
        }
        reach.terms.insert(reach.terms.end(), volume.terms.begin(), volume.terms.end());
    }
}

std::string encode_selected_node(const std::string& node, const std::string& resource_version) {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    writer.StartObject();
    writer.Key("metadata");
    writer.StartObject();
    writer.Key("resourceVersion");
    writer.String(resource_version);
    writer.Key("annotations");
    writer.StartObject();
    writer.Key(selected_node_annotation);
    writer.String(node);
    writer.EndObject();
    writer.EndObject();
    writer.EndObject();
    return buffer.GetString();
}

}  // namespace k8s
