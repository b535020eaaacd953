#pragma once
// How a leader's fence is known in the condition of a pod: by the epoch in its text.

#include <cstdint>
#include <string>
#include <string_view>

namespace gang {

/// What is in the text of every write of this leader's fence and in no other's.
std::string fencing_token(std::int64_t epoch);

/// The epoch of the leader whose fence wrote this text; 0: nobody's did.
std::int64_t find_fence_epoch(std::string_view message);

}  // namespace gang
