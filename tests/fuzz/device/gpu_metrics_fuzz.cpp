// An answer of Prometheus about GPUs, taken over twice: the same GPUs, and nothing beyond the
// bounds, whatever it says.
#include "core/cluster/device/gpu_score.hpp"
#include "k8s/metrics/gpu_vectors.hpp"
#include "tests/fuzz/invariants.hpp"

#include <string>
#include <vector>

namespace {

void check(const core::SampledGpu& gpu) {
    PROPERTY(!gpu.id.empty());
    for (const std::int64_t value :
         {gpu.free_mib,
          gpu.size_mib,
          gpu.power_milliwatts,
          gpu.encoder_permille,
          gpu.decoder_permille,
          gpu.multiprocessors,
          gpu.shared_encoders,
          gpu.shared_decoders}) {
        PROPERTY(value >= core::not_sampled && value <= 1'000'000'000);
    }
}

void check(const std::vector<core::SampledNode>& nodes) {
    PROPERTY(nodes.size() <= k8s::GpuVectors::nodes_max);
    std::vector<std::vector<core::SampledGpu>> gpus;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        PROPERTY(i == 0 || nodes[i - 1].node < nodes[i].node);
        PROPERTY(nodes[i].gpus.size() <= k8s::GpuVectors::gpus_max);
        for (std::size_t at = 0; at < nodes[i].gpus.size(); ++at) {
            check(nodes[i].gpus[at]);
            PROPERTY(at == 0 || nodes[i].gpus[at - 1].id < nodes[i].gpus[at].id);
        }
        gpus.push_back(nodes[i].gpus);
    }
    for (const std::int64_t score : core::score_gpus(gpus, {})) {
        PROPERTY(score >= 0 && score <= 100);
    }
    const gang::MetricsSampled sampled{nodes};
    PROPERTY(std::get<gang::MetricsSampled>(fuzz::recorded(sampled)).nodes == nodes);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string body = fuzz::text(data, size);
    k8s::GpuLabelMemo memo("kubernetes_node");
    k8s::GpuVectors vectors(memo);
    const auto added = vectors.add(body);
    PROPERTY(added || !added.error().message.empty());
    const auto again = vectors.add(body);
    PROPERTY(added.has_value() == again.has_value());
    const std::vector<core::SampledNode> twice = vectors.take();
    check(twice);
    for (int poll = 0; poll < 3;
         ++poll) {  // with labels that are known, and once they are forgotten
        k8s::GpuVectors once(memo);
        PROPERTY(once.add(body).has_value() == added.has_value());
        PROPERTY(once.take() == twice);
    }
    return 0;
}
