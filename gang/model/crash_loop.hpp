#pragma once
// Executors that fail as fast as they are started: a wrong JVM option makes Spark ask for a new one
// each second, for ever in versions before 3.5. What a gang costs us is bounded: each failure fills
// a bucket, time empties it, and while it is too full no executor of the gang is bound.

#include <cstdint>

namespace gang {

/// The bucket of one gang. Levels are in ms of the time that empties them.
struct CrashLoop {
    std::int64_t level_ms = 0;  ///< at `at_ms`
    std::int64_t at_ms = 0;
    std::int64_t reported_ms = 0;  ///< when the driver was told last

    /// An executor that ran has failed. `executors` is how many the gang declares.
    void note_failure(std::int64_t executors, std::int64_t now_ms);

    /// From when on executors may be bound (again); in the past: now.
    std::int64_t crash_backoff_until_ms(std::int64_t executors) const;

    /// Whether the driver is to be told (again); it counts as told from here on.
    bool is_to_be_told(std::int64_t now_ms);
};

/// The longest time for which no executor is bound.
inline constexpr std::int64_t crash_loop_pause_ms_max = 60'000;

}  // namespace gang
