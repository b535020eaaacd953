// One pod's JSON: alone, in a watch line, in a page. All three must be the same pod.
#include "k8s/codec/codec_watch.hpp"
#include "k8s/codec/pod/codec_pod.hpp"
#include "tests/fuzz/invariants.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string json = fuzz::text(data, size);
    const auto alone = k8s::decode_pod(json);
    const auto line = k8s::decode_watch_line(
        k8s::WatchKind::pods, "{\"type\":\"ADDED\",\"object\":" + json + "}");
    if (alone) {
        fuzz::check(*alone);
        PROPERTY(
            std::get<gang::PodUpserted>(fuzz::recorded(gang::PodUpserted{*alone})).pod == *alone);
        PROPERTY(k8s::decode_pod(json) == alone);
    }
    if (alone && line && line->type == k8s::LineType::object) {
        PROPERTY(std::get<core::Pod>(line->object.object) == *alone);
    }
    const auto page = k8s::decode_page(
        k8s::WatchKind::pods,
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[" + json + "]}");
    if (alone && page && page->items.size() == 1) {
        PROPERTY(std::get<core::Pod>(page->items[0].object) == *alone);
    }
    return 0;
}
