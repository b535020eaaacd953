// A claim, and the volume or storage class behind it.
#include "k8s/codec/volume/codec_claim.hpp"
#include "k8s/codec/volume/codec_csi_node.hpp"
#include "k8s/codec/volume/codec_storage.hpp"
#include "k8s/codec/volume/codec_volume.hpp"
#include "tests/fuzz/invariants.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string json = fuzz::text(data, size);
    if (const auto decoded = k8s::decode_claim(json)) {
        const core::Claim& claim = decoded->claim;
        PROPERTY(claim.state != core::ClaimState::bound || !claim.volume.empty());
        PROPERTY(claim.nodes.empty());
    }
    core::Claim bound;
    if (k8s::add_volume(bound, json)) {
        for (const core::VolumeNodes& nodes : bound.nodes) {
            PROPERTY(nodes.rule != core::VolumeRule::unreachable);
        }
    }
    core::Claim waiting;
    waiting.selected_node = "n1";
    if (k8s::add_storage_class(waiting, json)) {
        const bool waits = waiting.state == core::ClaimState::consumer;
        PROPERTY(waits || waiting.state == core::ClaimState::immediate);
        PROPERTY(waits != waiting.nodes.empty());
    }
    if (const auto page = k8s::decode_volumes(json)) {
        k8s::Volumes volumes;
        for (const k8s::VolumeObject& volume : page->volumes) {
            PROPERTY(!volume.name.empty() && !volume.is_used);
            volumes.insert_or_assign(volume.name, volume);
        }
        k8s::VolumeWish wish;
        core::Claim choosing;
        choosing.is_never_made = true;
        choosing.nodes = {{core::VolumeRule::unreachable, {}}};
        k8s::add_available(choosing, wish, volumes);
        PROPERTY(choosing.available.size() <= page->volumes.size());
    }
    if (const auto page = k8s::decode_csi_nodes(json)) {
        for (const core::NodeVolumeLimits& node : page->nodes) {
            PROPERTY(!node.limits.empty());
            PROPERTY(node.limits.front().count >= 0);
            const gang::VolumeLimitsChanged changed{node};
            PROPERTY(std::get<gang::VolumeLimitsChanged>(fuzz::recorded(changed)).node == node);
        }
    }
    (void)k8s::decode_csi_node_line(json);
    (void)k8s::decode_counts_storage(json);
    (void)k8s::decode_storage_line(json);
    if (const auto page = k8s::decode_storage(json)) {
        for (const core::StorageSegment& segment : page->segments) {
            PROPERTY(segment.nodes.is_set);
            const gang::StorageChanged changed{segment};
            PROPERTY(std::get<gang::StorageChanged>(fuzz::recorded(changed)).segment == segment);
        }
    }
    if (const auto line = k8s::decode_volume_line(json)) {
        using Type = k8s::VolumeLine::Type;
        const bool is_of_one = line->type == Type::changed || line->type == Type::gone;
        PROPERTY(!is_of_one || !line->volume.name.empty());
    }
    for (const core::Claim& claim : {bound, waiting}) {
        const gang::ClaimFound found{"ns", "c", claim};
        PROPERTY(std::get<gang::ClaimFound>(fuzz::recorded(found)).claim == claim);
    }
    return 0;
}
