#pragma once
// Which config maps a Spark driver mounts. Included only from .cpp files, because RapidJSON's types
// are in it.

#include "core/value/pod.hpp"
#include "k8s/json/json_fields.hpp"

#include <optional>

namespace k8s {

/// The file named by --properties-file in the container whose first argument is `driver`, traced
/// through mount and volume to a config map and its key. Never found by a name pattern: submitters
/// name the config map as they like. A pod that is no Spark driver, or is malformed: nothing.
std::optional<core::ConfigMapKey> find_spark_properties(const rapidjson::Value& spec);

/// The executor template in the volume that Spark calls pod-template-volume.
std::optional<core::ConfigMapKey> find_executor_template(const rapidjson::Value& spec);

}  // namespace k8s
