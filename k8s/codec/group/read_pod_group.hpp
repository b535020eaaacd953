#pragma once
// What codec_pod_group.hpp reads, of JSON that is parsed. For the codecs alone.

#include "k8s/codec/group/codec_pod_group.hpp"
#include "k8s/json/json.hpp"

#include <string_view>

namespace k8s {

/// Whatever its kind says.
core::Result<PodGroupObject> read_pod_group(
    core::GroupDialect dialect, std::string_view api_version, const rapidjson::Value& object);

}  // namespace k8s
