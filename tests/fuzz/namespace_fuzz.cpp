// Objects of the whole cluster that say who belongs where: namespaces, and Queue objects of Volcano.
#include "k8s/codec/namespaces/codec_namespace.hpp"
#include "k8s/codec/queue/codec_queue_object.hpp"
#include "k8s/codec/queue/codec_queue_status.hpp"
#include "tests/fuzz/invariants.hpp"

#include <algorithm>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string json = fuzz::text(data, size);
    if (const auto page = k8s::decode_namespaces(json)) {
        for (const core::NamespaceLabels& one : page->namespaces) {
            PROPERTY(std::is_sorted(one.labels.begin(), one.labels.end()));
        }
        const gang::NamespacesListed listed{page->namespaces};
        PROPERTY(
            std::get<gang::NamespacesListed>(fuzz::recorded(listed)).namespaces ==
            page->namespaces);
    }
    (void)k8s::decode_namespace_line(json);
    if (const auto page = k8s::decode_queue_objects(json)) {
        for (const k8s::SeenQueueObject& seen : page->queues) {
            for (const core::ExtendedResource& amount : seen.queue.capability) {
                PROPERTY(amount.amount >= 0);
            }
            // What is written of a status is read back.
            const k8s::QueueStatusWrite write{
                seen.queue.name, seen.uid, k8s::QueueStatusPart::usage, seen.status};
            const auto again = k8s::decode_queue_objects(
                R"({"metadata":{"resourceVersion":"1"},"items":[)" +
                k8s::encode_queue_status(write) + "]}");
            PROPERTY(again && again->queues.size() == 1);
            core::QueueObjectStatus wanted = seen.status;
            wanted.state.clear();
            PROPERTY(again->queues[0].status == wanted);
        }
    }
    (void)k8s::decode_queue_object_line(json);
    return 0;
}
