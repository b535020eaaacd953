#pragma once
// Who attaches a persistent volume. Included only from .cpp files, because RapidJSON's types are in
// it.

#include "core/value/volume/volume_limits.hpp"
#include "k8s/json/json_fields.hpp"

namespace k8s {

/// Of a PersistentVolume's spec: its CSI driver and handle, also where they stand for a plugin that
/// was once built in. Without a driver: none of them.
core::DriverVolume decode_driver_volume(Fields& fields, const rapidjson::Value& spec);

}  // namespace k8s
