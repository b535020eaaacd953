#pragma once
// The status of an object that is applied for others to read, and what came of it: plain values.

#include <cstdint>
#include <string>

namespace k8s {

/// Applied: fields that another field manager has set to another value are refused, unless the write
/// is forced.
struct ObjectStatusWrite {
    std::string path;  ///< of the object: "/apis/scheduling.volcano.sh/v1beta1/queues/q"
    /// As whom we apply: fields that we applied under this name and that are not in it any more go.
    std::string field_manager;
    std::string body;  ///< JSON: names, uid as a precondition, and the whole status that we write
    /// Not empty: in some clusters the status of this kind is no subresource but a part of the object.
    std::string kind_with_status = {};
    bool is_forced = false;
};

enum class ObjectStatusOutcome : std::uint8_t {
    written,
    others,     ///< 409: another field manager has other values there
    gone,       ///< 404, or another uid
    forbidden,  ///< 401/403
    refused,    ///< any other 4xx
    failed      ///< no answer, 429, 5xx: it may have been written
};

struct ObjectStatusResult {
    ObjectStatusOutcome outcome = ObjectStatusOutcome::failed;
    std::string message;  ///< why not
};

}  // namespace k8s
