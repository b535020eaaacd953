#pragma once
// What an autoscaler is asked for, and what came of that: plain values.

#include "core/value/demand/capacity_shape.hpp"
#include "k8s/protocol/write/writes.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace k8s {

enum class DemandKind : std::uint8_t { capacity_buffer, provisioning_request };

/// On every object of ours: the uid of the driver whose executors it is for.
inline constexpr const char* demand_label = "gang-scheduler/driver-uid";

struct DemandRequest {
    PodName driver;
    std::vector<core::CapacityShape> shapes;  ///< those with a count of 0 have no object
    std::size_t shapes_max = 0;  ///< objects of so many may be there from before; not fewer than shapes
};

enum class DemandOutcome : std::uint8_t {
    done,
    no_kind,    ///< 404: there is no such kind of object
    forbidden,  ///< 401/403
    refused,    ///< any other 4xx
    failed      ///< no answer, 429, 5xx: worth another try
};

struct DemandResult {
    DemandOutcome outcome = DemandOutcome::failed;
    bool may_exist = true;  ///< some object of the driver may be there
    std::string message;    ///< why it is not done
};

struct DemandFound {
    std::string namespace_name;
    std::string driver_uid;
    std::int64_t shapes = 0;      ///< highest number of a shape that has an object, from 1
    std::int64_t created_ms = 0;  ///< of the first of its objects
};

struct DemandList {
    bool is_complete = false;
    std::vector<DemandFound> found;  ///< by namespace and uid
    std::string message;             ///< why it is not complete
};

}  // namespace k8s
