#pragma once
// Exponential backoff with jitter, as client-go's reflector: 0.8 s doubling to 30 s, each stretched
// by up to its own length, forgotten after two healthy minutes. Chance and time are arguments.

#include <cstdint>

namespace k8s::protocol {

struct BackoffOptions {
    std::int64_t ms_min = 800;
    std::int64_t ms_max = 30'000;            ///< before jitter
    std::int64_t forget_after_ms = 120'000;  ///< this long without a failure begins anew
};

class Backoff {
public:
    explicit Backoff(BackoffOptions options) : options_(options), next_ms_(options.ms_min) {}

    /// How long to wait after a failure at `now_ms`.
    std::int64_t failed(std::int64_t now_ms, std::uint32_t random);

    void reset() { next_ms_ = options_.ms_min; }

private:
    BackoffOptions options_;
    std::int64_t next_ms_;
    std::int64_t until_ms_ = 0;  ///< end of the last wait
};

/// `ms` stretched by 0 to 100 percent of itself.
std::int64_t with_jitter(std::int64_t ms, std::uint32_t random);

}  // namespace k8s::protocol
