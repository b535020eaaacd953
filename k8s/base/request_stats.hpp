#pragma once
// How many requests were made and what came of them: counted by every connection, read by metrics.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace k8s {

/// Upper bounds of the buckets that durations are counted in, in milliseconds.
inline constexpr std::array<std::int64_t, 13> request_bounds_ms = {
    1, 2, 5, 10, 25, 50, 100, 250, 500, 1'000, 2'500, 5'000, 10'000};

/// Until the whole answer was there; of a watch, until its header was.
struct RequestTimes {
    std::array<std::uint64_t, request_bounds_ms.size() + 1> buckets{};  ///< the last: beyond all
    std::int64_t sum_ms = 0;
};

class RequestStats {
public:
    /// `status` 0: no answer came.
    void count(const std::string& method, int status, std::int64_t took_ms) {
        ++counts_[{method, status}];
        RequestTimes& times = times_[method];
        std::size_t at = 0;
        while (at < request_bounds_ms.size() && took_ms > request_bounds_ms[at]) {
            ++at;
        }
        ++times.buckets[at];
        times.sum_ms += took_ms;
    }

    const std::map<std::pair<std::string, int>, std::uint64_t>& counts() const { return counts_; }
    const std::map<std::string, RequestTimes>& times() const { return times_; }

private:
    std::map<std::pair<std::string, int>, std::uint64_t> counts_;  ///< by method and status
    std::map<std::string, RequestTimes> times_;                    ///< by method
};

}  // namespace k8s
