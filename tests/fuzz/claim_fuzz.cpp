// A claim, and the volume or storage class behind it.
#include "k8s/codec/volume/codec_claim.hpp"
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
    for (const core::Claim& claim : {bound, waiting}) {
        const gang::ClaimFound found{"ns", "c", claim};
        PROPERTY(std::get<gang::ClaimFound>(fuzz::recorded(found)).claim == claim);
    }
    return 0;
}
