#pragma once
// coordination.k8s.io/v1 Lease <-> protocol::Lease.

#include "core/result.hpp"
#include "k8s/protocol/lease.hpp"

#include <cstdint>
#include <string>

namespace k8s {

core::Result<protocol::Lease> decode_lease(std::string json);

struct LeaseWrite {
    std::string namespace_name;
    std::string name;
    std::string holder;  ///< empty: released
    std::int64_t duration_ms = 0;
    std::int64_t transitions = 0;
    std::string resource_version;  ///< empty: a new object
    bool acquired = false;         ///< acquireTime becomes now
    std::int64_t unix_time_ms = 0;
};

/// The object to POST or PUT. `seen`: the JSON of the Lease as last read, whose other fields
/// (labels, owners, the old acquireTime) are kept; empty for a new one.
std::string encode_lease(const LeaseWrite& write, const std::string& seen);

}  // namespace k8s
