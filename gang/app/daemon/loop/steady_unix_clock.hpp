#pragma once
// Unix time that never goes back and does not jump when somebody sets the clock.

#include "k8s/base/time.hpp"

#include <cstdint>

namespace gang::app {

class SteadyUnixClock {
public:
    /// In ms.
    std::int64_t now() const { return unix_start_ + (k8s::monotonic_ms() - start_); }

private:
    std::int64_t start_ = k8s::monotonic_ms();
    std::int64_t unix_start_ = k8s::unix_ms();
};

}  // namespace gang::app
