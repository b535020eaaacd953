#include "k8s/codec/codec_config_map.hpp"

#include "k8s/codec/pod/codec_pod_value.hpp"
#include "k8s/json/json_fields.hpp"

namespace k8s {
namespace {

std::size_t data_size(const rapidjson::Value& data) {
    std::size_t size = 0;
    for (const auto& member : data.GetObject()) {
        size += member.name.GetStringLength();
        size += member.value.IsString() ? member.value.GetStringLength() : 0;
    }
    return size;
}

}  // namespace

core::Result<ConfigMap> decode_config_map_value(const rapidjson::Value& object) {
    const auto* metadata = find_member(object, "metadata");
    Fields fields;
    ConfigMap result;
    result.name = metadata ? fields.text(*metadata, "name") : std::string();
    if (result.name.empty()) {
        return core::Error{"this is not a config map: it has no metadata.name"};
    }
    result.namespace_name = fields.text(*metadata, "namespace", "default");
    const auto* data = fields.object(object, "data");
    if (data != nullptr && data_size(*data) > config_map_data_max) {
        return core::Error{
            "config map " + result.name + ": more than " + std::to_string(config_map_data_max) +
            " bytes of data"};
    }
    result.data = fields.map(object, "data");
    if (!fields.problem().empty()) {
        return core::Error{"config map " + result.name + ": " + fields.problem()};
    }
    return result;
}

core::Result<ConfigMap> decode_config_map(std::string_view json) {
    if (json.size() > config_map_json_max) {
        return core::Error{
            "a config map of more than " + std::to_string(config_map_json_max) + " bytes"};
    }
    std::string text(json);
    rapidjson::Document document;
    const auto parsed = parse_in_place(text, document);
    return parsed ? decode_config_map_value(document) : core::Result<ConfigMap>(parsed.error());
}

}  // namespace k8s
