#pragma once
// The codecs' inside door, for codecs that already hold a parsed document (a watch line, a list):
// it is read once. Included only from .cpp files, because RapidJSON's types are in it.

#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "k8s/codec/codec_config_map.hpp"
#include "k8s/json/json.hpp"

namespace k8s {

/// As decode_pod() of the text; the value is only read and nothing of it is kept.
core::Result<core::Pod> decode_pod_value(const rapidjson::Value& object);

/// As decode_node() of the text.
core::Result<core::Node> decode_node_value(const rapidjson::Value& object);

/// As decode_config_map() of the text.
core::Result<ConfigMap> decode_config_map_value(const rapidjson::Value& object);

/// "Running" etc.; an empty phase is pending, a strange one unknown.
core::PodPhase parse_phase(std::string_view text);

}  // namespace k8s
