#pragma once
// Who attaches a persistent volume, and where it can be used. Included only from .cpp files, because
// RapidJSON's types are in it.

#include "core/value/constraints.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "k8s/json/json_fields.hpp"

#include <optional>
#include <vector>

namespace k8s {

/// Of a PersistentVolume's spec: its CSI driver and handle, also where they stand for a plugin that
/// was once built in; `labels` are the volume's. Without a driver: none of them.
core::DriverVolume decode_driver_volume(
    Fields& fields, const rapidjson::Value& spec, const core::StringMap& labels);

/// Of a PersistentVolume's spec: the terms of its required node affinity; nothing: it has none.
std::optional<std::vector<core::NodeSelectorTerm>> decode_volume_terms(
    Fields& fields, const rapidjson::Value& spec);

}  // namespace k8s
