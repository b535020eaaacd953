#include "gang/sim/checkers/capacity/seen_pods.hpp"

#include <algorithm>

namespace gang::sim {
namespace {

/// Of a pod whose slot has no number that could be compared.
constexpr std::uint64_t nobody_numbers = std::uint64_t{1} << 63U;

}  // namespace

Seen& SeenPods::record(PodId pod) {
    if (pod >= pods_.size()) {
        pods_.resize(pod + 1);
    }
    return pods_[pod];
}

void SeenPods::forget_number(PodId pod) {
    pods_[pod].binder = nobody_numbers | pod;
}

void SeenPods::forget_numbers(PodId driver) {
    for (PodId id = 0; id < pods_.size(); ++id) {
        if (pods_[id].gang == driver) {
            forget_number(id);
        }
    }
}

std::int64_t SeenPods::rivals(PodId pod) const {
    const Seen& one = pods_[pod];
    if (one.slot < 0) {
        return 0;  // its gang had no slots when it was bound
    }
    return std::count_if(
               pods_.begin(),
               pods_.end(),
               [&one](const Seen& other) {
                   return other.node != nobody && other.gang == one.gang &&
                          other.slot == one.slot && other.binder == one.binder &&
                          other.node == one.node;
               }) -
           1;
}

std::int64_t SeenPods::assigned(PodId driver) const {
    return std::count_if(pods_.begin(), pods_.end(), [driver](const Seen& other) {
        return other.node != nobody && other.gang == driver && other.slot >= 0;
    });
}

}  // namespace gang::sim
