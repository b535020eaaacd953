// A page of a list.
#include "k8s/codec/codec_watch.hpp"
#include "tests/fuzz/invariants.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string json = fuzz::text(data, size);
    if (const auto pods = k8s::decode_page(k8s::WatchKind::pods, json)) {
        for (const k8s::DecodedObject& item : pods->items) {
            fuzz::check(std::get<core::Pod>(item.object));
            PROPERTY(!item.key.name.empty());
        }
    }
    if (const auto nodes = k8s::decode_page(k8s::WatchKind::nodes, json)) {
        for (const k8s::DecodedObject& item : nodes->items) {
            fuzz::check(std::get<core::Node>(item.object));
            PROPERTY(!item.key.name.empty());
        }
    }
    return 0;
}
