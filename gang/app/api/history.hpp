#pragma once
// Six hours of a few sums, one point a minute: what a page can draw without a Prometheus. Bounded,
// in memory alone; a new process begins anew. No names.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gang::app {

struct HistoryPoint {
    std::int64_t unix_ms = 0;
    std::int64_t waiting = 0;   ///< gangs in line
    std::int64_t never_fit = 0;  ///< gangs that cannot fit as things are
    std::int64_t running = 0;
    std::int64_t degraded = 0;
    std::int64_t oldest_waiting_ms = 0;
    std::int64_t slots_open = 0;
    std::int64_t cpu_milli_bound = 0;
    std::int64_t cpu_milli_held = 0;
    std::int64_t cpu_milli_allocatable = 0;
    std::int64_t memory_bytes_bound = 0;
    std::int64_t memory_bytes_held = 0;
    std::int64_t memory_bytes_allocatable = 0;
    friend bool operator==(const HistoryPoint&, const HistoryPoint&) = default;
};

struct HistoryColumn {
    std::string_view name;  ///< as in JSON
    std::int64_t HistoryPoint::*member;
};

inline constexpr std::array<HistoryColumn, 13> history_columns = {{
    {"atMs", &HistoryPoint::unix_ms},
    {"waiting", &HistoryPoint::waiting},
    {"neverFit", &HistoryPoint::never_fit},
    {"running", &HistoryPoint::running},
    {"degraded", &HistoryPoint::degraded},
    {"oldestWaitingMs", &HistoryPoint::oldest_waiting_ms},
    {"slotsOpen", &HistoryPoint::slots_open},
    {"cpuMilliBound", &HistoryPoint::cpu_milli_bound},
    {"cpuMilliHeld", &HistoryPoint::cpu_milli_held},
    {"cpuMilliAllocatable", &HistoryPoint::cpu_milli_allocatable},
    {"memoryBytesBound", &HistoryPoint::memory_bytes_bound},
    {"memoryBytesHeld", &HistoryPoint::memory_bytes_held},
    {"memoryBytesAllocatable", &HistoryPoint::memory_bytes_allocatable},
}};

class History {
public:
    static constexpr std::size_t points_max = 360;
    static constexpr std::int64_t between_ms = 60'000;

    void add(const HistoryPoint& point);
    /// Oldest first.
    std::vector<HistoryPoint> points() const;

private:
    std::vector<HistoryPoint> ring_;
    std::size_t next_ = 0;  ///< where the next one goes when it is full
};

}  // namespace gang::app
