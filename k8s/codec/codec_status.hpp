#pragma once
// What the API server says besides objects: Status bodies, and the few fields of a pod that settle
// the outcome of a write.

#include "core/base/result.hpp"
#include "k8s/base/http.hpp"
#include "k8s/protocol/bind.hpp"

#include <optional>
#include <string>

namespace k8s {

struct Status {
    int code = 0;
    std::string reason;              ///< "Expired", "Conflict", ... or empty
    std::string message;             ///< cut, one line, printable
    bool is_managers_conflict = false;  ///< details name the cause FieldManagerConflict
    bool version_too_large = false;  ///< details name the cause ResourceVersionTooLarge
};

inline constexpr std::size_t status_message_max = 512;

/// Reads the body of an answer that is not a success. Any body is fine: what is no Status becomes
/// its first words.
Status decode_status(int http_status, const std::string& body);

/// The body of a 200, or in words why there is none.
core::Result<std::string> body_of(Reply reply);

/// Reads a Pod. Nothing if it is none.
std::optional<protocol::PodState> decode_pod_state(std::string body);

/// Control characters become spaces, the length is bounded: for logs and conditions.
std::string one_line(const std::string& text, std::size_t max);

}  // namespace k8s
