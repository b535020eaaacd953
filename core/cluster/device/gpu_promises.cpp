#include "core/cluster/device/gpu_promises.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace core {

void GpuPromises::add(AllocationId pod, std::shared_ptr<const GpuAsk> ask, std::int64_t count) {
    if (memory_of(ask->wish()) == 0) return;
    if (promises_.empty()) begin_measuring();
    promises_.push_back({pod, std::move(ask), count, 0});
}

void GpuPromises::remove(AllocationId pod) {
    std::erase_if(promises_, [pod](const Promise& one) { return one.pod == pod; });
}

void GpuPromises::begin_measuring() {
    before_.clear();
    for (const SampledGpu& gpu : gpus_) before_.push_back(gpu.free_mib);
}

/// A card that is new was as free before as it is now; one on which memory was given back had more.
void GpuPromises::sampled(std::vector<SampledGpu> gpus) {
    std::map<std::string, std::int64_t> before;
    for (std::size_t i = 0; i < gpus_.size() && i < before_.size(); ++i) {
        before.emplace(gpus_[i].id, before_[i]);
    }
    gpus_ = std::move(gpus);
    begin_measuring();
    if (promises_.empty()) return;
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        const auto known = before.find(gpus_[i].id);
        if (known != before.end()) before_[i] = std::max(before_[i], known->second);
    }
    settle();
}

void GpuPromises::settle() {
    std::vector<std::int64_t> used(gpus_.size());
    std::int64_t all = 0;
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        used[i] = before_[i] - gpus_[i].free_mib;
        all += used[i];
    }
    for (Promise& one : promises_) {
        one.shown = 0;
        const std::int64_t wanted = one.left();
        one.shown = std::min(all, wanted);
        all -= one.shown;
        if (one.shown < wanted) continue;
        // It is over, and what it uses is nobody else's: the most used card first.
        std::int64_t mib = wanted;
        while (mib > 0) {
            const auto most = std::max_element(used.begin(), used.end());
            const std::int64_t here = std::min(mib, *most);
            *most -= here;
            before_[static_cast<std::size_t>(most - used.begin())] -= here;
            mib -= here;
        }
    }
    std::erase_if(promises_, [](const Promise& one) { return one.left() == 0; });
}

std::vector<std::int64_t> GpuPromises::free() const {
    std::vector<std::int64_t> free;
    for (const SampledGpu& gpu : gpus_) free.push_back(std::max<std::int64_t>(gpu.free_mib, 0));
    for (const Promise& one : promises_) {
        std::int64_t left = one.left();
        const std::int64_t each = memory_of(one.ask->wish());
        for (; left > 0; left -= each) {
            take_gpu_memory(*one.ask, std::min(left, each), gpus_, free);
        }
    }
    return free;
}

std::vector<AllocationId> GpuPromises::pods() const {
    std::vector<AllocationId> pods;
    for (const Promise& one : promises_) pods.push_back(one.pod);
    return pods;
}

std::int64_t GpuPromises::unseen() const {
    std::int64_t sum = 0;
    for (const Promise& one : promises_) sum += one.left();
    return sum;
}

}  // namespace core
