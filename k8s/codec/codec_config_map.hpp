#pragma once
// A config map's JSON becomes a plain map of its data. Bounded, because anyone can write one.

#include "core/base/result.hpp"
#include "k8s/protocol/write/writes.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace k8s {

/// The API server keeps a config map under 1 MiB; Spark's own bound was 1.5 MiB. JSON escapes can
/// lengthen it on the wire, hence a wider bound for the text.
inline constexpr std::size_t config_map_data_max = 1536 * 1024;
inline constexpr std::size_t config_map_json_max = 8 * 1024 * 1024;

/// Reads one ConfigMap object. Not JSON, no metadata.name, data that is not a map of strings, or
/// more than config_map_data_max bytes of it: an error.
core::Result<ConfigMap> decode_config_map(std::string_view json);

}  // namespace k8s
