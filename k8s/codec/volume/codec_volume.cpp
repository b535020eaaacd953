#include "k8s/codec/volume/codec_volume.hpp"

#include "core/value/volume/inline_volumes.hpp"
#include "k8s/codec/list_page.hpp"
#include "k8s/codec/pod/pod_spec.hpp"
#include "k8s/codec/volume/volume_source.hpp"
#include "k8s/json/json_fields.hpp"

#include <array>
#include <utility>

namespace k8s {
namespace {

using rapidjson::Value;

constexpr std::string_view class_annotation = "volume.beta.kubernetes.io/storage-class";

/// A source that CSI drivers have taken over.
struct InTreeSource {
    const char* source;
    const char* handle;
    std::string_view plugin;
};
constexpr std::array in_tree_sources = {
    InTreeSource{"awsElasticBlockStore", "volumeID", "kubernetes.io/aws-ebs"},
    InTreeSource{"azureDisk", "diskURI", "kubernetes.io/azure-disk"},
    InTreeSource{"cinder", "volumeID", "kubernetes.io/cinder"},
    InTreeSource{"gcePersistentDisk", "pdName", "kubernetes.io/gce-pd"},
    InTreeSource{"portworxVolume", "volumeID", "kubernetes.io/portworx-volume"}};

std::string_view zones_of(const core::StringMap& labels) {
    for (const char* name :
         {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"}) {
        const std::string* value = core::find_value(labels, name);
        if (value != nullptr && !value->empty()) return *value;
    }
    return {};
}

void read_volume_spec(Fields& fields, const Value& spec, VolumeObject& into) {
    if (into.storage_class.empty()) into.storage_class = fields.text(spec, "storageClassName");
    into.bytes = fields.quantities(spec, "capacity").extended_amount("storage");
    into.modes = fields.texts(spec, "accessModes");
    into.is_block = fields.text(spec, "volumeMode") == "Block";
    into.attributes_class = fields.text(spec, "volumeAttributesClassName");
    if (const Value* claim = fields.object(spec, "claimRef")) {
        into.claim_namespace = fields.text(*claim, "namespace");
        into.claim_name = fields.text(*claim, "name");
        into.claim_uid = fields.text(*claim, "uid");
    }
    into.terms = decode_volume_terms(fields, spec).value_or(std::vector<core::NodeSelectorTerm>());
}

VolumeObject read_volume(Fields& fields, const Value& object) {
    VolumeObject volume;
    if (const Value* metadata = fields.object(object, "metadata")) {
        volume.name = fields.text(*metadata, "name");
        volume.resource_version = fields.text(*metadata, "resourceVersion");
        volume.labels = fields.map(*metadata, "labels");
        volume.is_deleting = find_member(*metadata, "deletionTimestamp") != nullptr;
        const core::StringMap annotations = fields.map(*metadata, "annotations");
        if (const std::string* name = core::find_value(annotations, class_annotation)) {
            volume.storage_class = *name;
        }
    }
    if (const Value* spec = fields.object(object, "spec")) read_volume_spec(fields, *spec, volume);
    if (const Value* status = fields.object(object, "status")) {
        const std::string phase = fields.text(*status, "phase");
        volume.is_available = phase == "Available";
        volume.is_used = phase == "Bound" || phase == "Released" || phase == "Failed";
    }
    return volume;
}

}  // namespace

core::DriverVolume decode_driver_volume(
    Fields& fields, const Value& spec, const core::StringMap& labels) {
    if (const Value* csi = fields.object(spec, "csi")) {
        return {fields.text(*csi, "driver"), fields.text(*csi, "volumeHandle")};
    }
    for (const InTreeSource& one : in_tree_sources) {
        if (const Value* source = fields.object(spec, one.source)) {
            return {
                std::string(core::migrated_driver(one.plugin)),
                core::migrated_handle(
                    one.plugin, fields.text_view(*source, one.handle), zones_of(labels))};
        }
    }
    return {};
}

std::optional<std::vector<core::NodeSelectorTerm>> decode_volume_terms(
    Fields& fields, const Value& spec) {
    const Value* affinity = fields.object(spec, "nodeAffinity");
    const Value* required = affinity ? fields.object(*affinity, "required") : nullptr;
    if (required == nullptr) return std::nullopt;
    std::vector<core::NodeSelectorTerm> terms;
    for (const Value& term : fields.objects(*required, "nodeSelectorTerms")) {
        terms.push_back(decode_node_term(fields, term));
    }
    return terms;
}

core::Result<VolumeObject> decode_volume(std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_in_place(json, document); !parsed) return parsed.error();
    if (!document.IsObject()) return core::Error{"volume: expected an object"};
    Fields fields;
    VolumeObject volume = read_volume(fields, document);
    if (!fields.problem().empty()) return core::Error{"volume: " + fields.problem()};
    return volume;
}

/// One that makes no sense is nobody's.
core::Result<VolumePage> decode_volumes(std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_in_place(json, document); !parsed) return parsed.error();
    if (!document.IsObject()) return core::Error{"volumes: expected a list"};
    Fields fields;
    VolumePage page;
    for (const Value& item : fields.objects(document, "items")) {
        Fields own;
        VolumeObject volume = read_volume(own, item);
        if (!own.problem().empty() || volume.is_used || volume.name.empty()) continue;
        page.volumes.push_back(std::move(volume));
    }
    return finish_page(fields, document, "volumes", std::move(page));
}

core::Result<VolumeLine> decode_volume_line(std::string text) {
    rapidjson::Document document;
    if (auto parsed = parse_in_place(text, document); !parsed) return parsed.error();
    if (!document.IsObject()) return core::Error{"volume: expected a watch event"};
    Fields fields;
    const auto read = read_watch_line(fields, document, "volume");
    if (!read) return read.error();
    VolumeLine line{read->type, {}};
    const bool is_of_one =
        line.type == VolumeLine::Type::changed || line.type == VolumeLine::Type::gone;
    if (!is_of_one) return line;
    line.volume = read_volume(fields, *read->object);
    if (!fields.problem().empty()) line.type = VolumeLine::Type::gone;
    if (line.volume.name.empty()) return core::Error{"volume: a watch event without a name"};
    return line;
}

std::string encode_claim_ref(
    const std::string& namespace_name,
    const std::string& name,
    const std::string& uid,
    const std::string& resource_version) {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    const auto member = [&writer](const char* key, const std::string& value) {
        writer.Key(key);
        writer.String(value);
    };
    writer.StartObject();
    writer.Key("metadata");
    writer.StartObject();
    member("resourceVersion", resource_version);
    writer.Key("annotations");
    writer.StartObject();
    member("pv.kubernetes.io/bound-by-controller", "yes");
    writer.EndObject();
    writer.EndObject();
    writer.Key("spec");
    writer.StartObject();
    writer.Key("claimRef");
    writer.StartObject();
    member("apiVersion", "v1");
    member("kind", "PersistentVolumeClaim");
    member("namespace", namespace_name);
    member("name", name);
    member("uid", uid);
    writer.EndObject();
    writer.EndObject();
    writer.EndObject();
    return buffer.GetString();
}

}  // namespace k8s
