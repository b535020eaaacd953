#pragma once
// A Lease as it is read and written, as far as leader election goes by it.

#include <cstdint>
#include <string>

namespace k8s::protocol {

/// The longest that a candidate waits for a holder that is silent, whatever the Lease says.
inline constexpr std::int64_t lease_duration_ms_max = 3'600'000;
/// What a holder writes as the duration when it gives the Lease up, as client-go does.
inline constexpr std::int64_t lease_released_ms = 1'000;

struct Lease {
    std::string holder;  ///< empty: released
    std::int64_t duration_ms = 0;
    std::int64_t transitions = 0;
    std::string renewed;           ///< renewTime, opaque
    std::string resource_version;  ///< opaque
    std::string scheduler_names;   ///< that its holder serves, as it wrote; empty: no word of it
    std::int64_t epoch = 0;  ///< of the leadership term, as its leader wrote it; 0: no word of it
    bool settled =
        false;  ///< given up, with no write of this leadership term or an older one under way
    std::string api = {};  ///< host:port of its holder's API, as it wrote; empty: no word of it
    friend bool operator==(const Lease&, const Lease&) = default;
};

}  // namespace k8s::protocol
