#pragma once
// What is known, in one leadership term, of the status of a PodGroup object.

#include "core/value/group/pod_group_status.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gang {

struct GroupStatusRecord {
    bool is_read = false;     ///< in this term
    std::string uid;          ///< of the object
    std::string api_version;  ///< in which it was read
    core::PodGroupStatus stored;  ///< as it stands there
    std::optional<core::PodGroupStatus> writing;
    bool is_left = false;  ///< somebody else writes it, or nobody may
    std::int64_t due_ms = 0;         ///< when it is looked at next; 0: after a change
    std::int64_t not_before_ms = 0;  ///< the next write
    std::int64_t written_ms = 0;     ///< the last one
    int failures = 0;                ///< in a row
    std::string told_problem;        ///< by the last event about the object
};

}  // namespace gang
