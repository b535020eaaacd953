#pragma once
// The admission plugin ResourceQuota for new pods. As without kube-controller-manager: a quota counts
// once its status names what is hard and used, a new pod adds to that, and nobody takes away what
// ended pods have used.

#include "k8s/embedded/store/kinds.hpp"
#include "k8s/embedded/store/status.hpp"
#include "k8s/embedded/store/store.hpp"

#include <string>
#include <vector>

namespace k8s::embedded {

/// The quotas of its namespace with the pod counted; 403 when one has not enough left.
Outcome<std::vector<Json>> charge_quotas(
    const Store& store, const Kind& pods, const std::string& space, const Json& pod);

}  // namespace k8s::embedded
