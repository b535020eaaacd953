#pragma once
// An amount of what a node has and pods take: cpu, memory, a place for a pod, GPUs, the host port,
// units of cards.

#include "core/value/resources.hpp"
#include "gang/sim/base/store.hpp"
#include "gang/sim/plane/group_jobs.hpp"

#include <cstdint>

namespace gang::sim {

struct Amount {
    std::int64_t cpu_milli = 0;
    std::int64_t memory_bytes = 0;
    std::int64_t pods = 0;
    std::int64_t gpus = 0;
    std::int64_t ports = 0;  ///< `host_port`, of which each node has one
    std::int64_t units = 0;  ///< of cards, whichever

    void add(const Amount& other, std::int64_t times) {
        cpu_milli += other.cpu_milli * times;
        memory_bytes += other.memory_bytes * times;
        pods += other.pods * times;
        gpus += other.gpus * times;
        ports += other.ports * times;
        units += other.units * times;
    }
    bool is_within(const Amount& bound) const {
        return cpu_milli <= bound.cpu_milli && memory_bytes <= bound.memory_bytes &&
               pods <= bound.pods && gpus <= bound.gpus && ports <= bound.ports &&
               units <= bound.units;
    }
    bool is_more_than(const Amount& before) const {
        return cpu_milli > before.cpu_milli || memory_bytes > before.memory_bytes ||
               pods > before.pods || gpus > before.gpus || ports > before.ports ||
               units > before.units;
    }
    friend bool operator==(const Amount&, const Amount&) = default;
};

/// Of one pod.
inline Amount amount_of(const core::Resources& requests) {
    return {
        requests.cpu_milli,
        requests.memory_bytes,
        1,
        requests.extended_amount(gpu_resource),
        wants_host_port(requests) ? 1 : 0,
        requests.extended_amount(card_resource)};
}

}  // namespace gang::sim
