// Bodies of the API server's answers: Status, the pod after a write, the Lease. The first byte
// chooses the HTTP status.
#include "k8s/codec/codec_lease.hpp"
#include "k8s/codec/codec_status.hpp"
#include "tests/fuzz/property.hpp"

#include <algorithm>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string body = fuzz::text(data + 1, size - 1);
    const k8s::Status status = k8s::decode_status(400 + data[0] % 200, body);
    PROPERTY(status.message.size() <= k8s::status_message_max + sizeof "HTTP 599: ");
    PROPERTY(std::none_of(status.message.begin(), status.message.end(), [](char c) {
        return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
    }));
    static_cast<void>(k8s::decode_pod_state(body));
    static_cast<void>(k8s::decode_lease_line(body));
    const auto seen = k8s::decode_lease(body);
    if (!seen) {
        return 0;
    }
    // What we write over a Lease that somebody else made is read back as what we meant.
    k8s::LeaseWrite write;
    write.namespace_name = "kube-system";
    write.name = "gang-scheduler";
    write.holder = "me_1";
    write.duration_ms = 15'000;
    write.transitions = 3;
    write.resource_version = seen->resource_version;
    write.acquired = true;
    write.epoch = 7;
    write.unix_time_ms = 1'800'000'000'000;
    const auto again = k8s::decode_lease(k8s::encode_lease(write, body));
    PROPERTY(again.has_value());
    PROPERTY(again->holder == "me_1" && again->duration_ms == 15'000);
    PROPERTY(again->transitions == 3 && again->epoch == 7);
    PROPERTY(again->resource_version == write.resource_version);
    return 0;
}
