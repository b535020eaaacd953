#pragma once
// coordination.k8s.io/v1 Lease <-> protocol::Lease.

#include "core/base/result.hpp"
#include "k8s/protocol/election/lease.hpp"

#include <cstdint>
#include <string>

namespace k8s {

/// On the Lease: the epoch of its holder's leadership term.
inline constexpr const char* epoch_annotation = "gang-scheduler/epoch";
/// On a Lease that was given up with no write under way: the epoch of the leadership term that
/// ended so. Any other epoch's is of no meaning, so a leader that does not know this annotation
/// voids it.
inline constexpr const char* settled_annotation = "gang-scheduler/settled";

/// On the Lease: the scheduler names that its holder serves, in order and with commas between them.
inline constexpr const char* scheduler_names_annotation = "gang-scheduler/scheduler-names";
inline constexpr const char* api_annotation = "gang-scheduler/api";

core::Result<protocol::Lease> decode_lease(std::string json);

enum class LeaseEvent : std::uint8_t {
    none,     ///< a bookmark, or the error that ends the watch
    changed,  ///< created or modified
    deleted
};

/// One line of a watch of Leases.
struct LeaseLine {
    LeaseEvent event = LeaseEvent::none;
    std::string name;
    protocol::Lease lease;
    std::string json;  ///< of the Lease itself
    int status = 0;    ///< of an error; 0: none
    std::string message;
};

core::Result<LeaseLine> decode_lease_line(std::string json);

struct LeaseWrite {
    std::string namespace_name;
    std::string name;
    std::string holder;  ///< empty: released
    std::int64_t duration_ms = 0;
    std::int64_t transitions = 0;
    std::string resource_version;  ///< empty: a new object
    bool acquired = false;         ///< acquireTime becomes now, and `epoch` is written
    std::int64_t epoch = 0;
    std::int64_t unix_time_ms = 0;
    std::string scheduler_names;  ///< as the annotation has them; empty: it is not written
    std::string api;  ///< as its annotation has it, written when acquired; empty: there is none
    bool settled = false;  ///< of a release: protocol::Lease::settled
};

/// The object to POST or PUT. `seen`: the JSON of the Lease as last read, whose other fields
/// (labels, owners, the old acquireTime) are kept; empty for a new one.
std::string encode_lease(const LeaseWrite& write, const std::string& seen);

}  // namespace k8s
