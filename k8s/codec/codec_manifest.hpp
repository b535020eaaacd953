#pragma once
// Objects as kubectl prints them: one object, a List, or an array of objects.

#include "core/base/result.hpp"
#include "core/value/pod.hpp"
#include "k8s/codec/codec_config_map.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace k8s {

inline constexpr std::size_t manifest_max = 64 * 1024 * 1024;  ///< bytes of text

struct Manifest {
    std::vector<core::Pod> pods;
    std::vector<ConfigMap> config_maps;
    std::size_t others = 0;  ///< objects of other kinds, not read
};

/// Reads JSON text. Not JSON, or an object without `kind`: an error.
core::Result<Manifest> decode_manifest(std::string_view json);

}  // namespace k8s
