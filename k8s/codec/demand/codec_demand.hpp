#pragma once
// The objects by which an autoscaler is asked for room: a PodTemplate for each shape of executor,
// and a CapacityBuffer for each of them or one ProvisioningRequest for all. All are owned by the
// driver, so they end with it, and are named after its uid, so they are found again.

#include "core/base/result.hpp"
#include "k8s/protocol/write/demand.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace k8s {

/// Of a PodTemplate and its CapacityBuffer.
std::string demand_name(const std::string& driver_uid, std::size_t shape);
/// Of a ProvisioningRequest.
std::string demand_name(const std::string& driver_uid);

/// Bodies of server-side apply.
std::string encode_pod_template(const DemandRequest& request, std::size_t shape);
std::string encode_capacity_buffer(const DemandRequest& request, std::size_t shape);
std::string encode_provisioning_request(const DemandRequest& request);

struct DemandPage {
    std::vector<DemandFound> found;  ///< one for each template
    std::string next;                ///< token of the next page; empty: there is none
};

/// Reads a PodTemplateList. What is not named as ours are is left out.
core::Result<DemandPage> decode_pod_templates(std::string body);

}  // namespace k8s
