// A config map, and manifests as kubectl prints them.
#include "k8s/codec/codec_config_map.hpp"
#include "k8s/codec/codec_manifest.hpp"
#include "tests/fuzz/invariants.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string json = fuzz::text(data, size);
    if (const auto map = k8s::decode_config_map(json)) {
        PROPERTY(!map->name.empty());
        fuzz::check(map->data);
        std::size_t bytes = 0;
        for (const auto& [key, value] : map->data) {
            bytes += key.size() + value.size();
        }
        PROPERTY(bytes <= k8s::config_map_data_max);
    }
    if (const auto manifest = k8s::decode_manifest(json)) {
        for (const core::Pod& pod : manifest->pods) {
            fuzz::check(pod);
        }
        for (const k8s::ConfigMap& map : manifest->config_maps) {
            fuzz::check(map.data);
        }
    }
    return 0;
}
