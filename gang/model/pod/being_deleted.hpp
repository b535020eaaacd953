#pragma once

#include "gang/model/pod/pods.hpp"

namespace gang {

/// The API server was asked to delete the pod, which is still there. A pod that is compacted is not
/// being deleted: it would have been expanded by that change.
inline bool is_being_deleted(const Pods& pods, PodId pod) {
    return !pods.is_compacted(pod) && pods.at(pod).pod.deleting;
}

}  // namespace gang
