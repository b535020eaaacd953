#pragma once
// What a node's GPUs have free between two samples: what the last one showed, less what pods were
// promised since and no sample shows yet. A pod's memory shows when its program has started, which
// may be minutes after the pod was placed, or never all of it.
//
//   promised --a sample shows as much less free--> shown (the promise is over)
//            --the pod ends--> gone
//
// A promise is never given up for its age: what a pod has asked for is its own. What is used on
// another card of the node than was reckoned with counts as well, the oldest promise first. If a
// stranger's program starts on the node in between, its use is taken for ours: the next sample
// after our program's start puts that right.

#include "core/base/ids.hpp"
#include "core/cluster/device/sampled_room.hpp"
#include "core/value/device/sampled_gpu.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace core {

class GpuPromises {
public:
    /// Of as many pods as one allocation stands for.
    void add(AllocationId pod, std::shared_ptr<const GpuAsk> ask, std::int64_t count = 1);
    /// The pod ended, or is not placed there any more.
    void remove(AllocationId pod);
    /// Samples show by now what it uses, as far as anybody can tell.
    void take_as_shown(AllocationId pod) { remove(pod); }

    /// The next sample of the node's GPUs.
    void sampled(std::vector<SampledGpu> gpus);

    const std::vector<SampledGpu>& gpus() const { return gpus_; }
    /// By GPU, as gpus(), MiB.
    std::vector<std::int64_t> free() const;
    /// MiB that no sample shows yet.
    std::int64_t unseen() const;
    /// Whose promises are not over.
    std::vector<AllocationId> pods() const;
    bool is_empty() const { return promises_.empty(); }

private:
    struct Promise {
        AllocationId pod;
        std::shared_ptr<const GpuAsk> ask;
        std::int64_t count = 1;
        std::int64_t shown = 0;  ///< MiB, of all `count` together
        std::int64_t left() const { return memory_of(ask->wish()) * count - shown; }
    };
    void begin_measuring();
    void settle();

    std::vector<SampledGpu> gpus_;
    std::vector<std::int64_t> before_;  ///< by GPU: what was free before what is promised was used
    std::vector<Promise> promises_;     ///< the oldest first
};

}  // namespace core
