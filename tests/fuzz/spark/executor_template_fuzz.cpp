// The executor pod template: YAML or JSON that a user wrote.
#include "k8s/codec/pod/codec_executor_template.hpp"
#include "tests/fuzz/invariants.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string yaml = fuzz::text(data, size);
    const auto decoded = k8s::decode_executor_template(yaml);
    PROPERTY(decoded.has_value() || !decoded.error().message.empty());
    if (!decoded) {
        return 0;
    }
    fuzz::check(*decoded);
    // It may unfold aliases, but not without bound.
    PROPERTY(decoded->volumes_json.size() + decoded->affinity_json.size() < 64U * 1024 * 1024);
    gang::SparkConfFound found{"u1", {{}, "4.1.0", *decoded}};
    found.conf.executor_template->volumes_json.clear();  // not recorded
    PROPERTY(std::get<gang::SparkConfFound>(fuzz::recorded(found)).conf == found.conf);
    return 0;
}
