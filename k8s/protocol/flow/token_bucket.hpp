#pragma once
// So many per second, with a burst. Integers; time is an argument.

#include <cstdint>

namespace k8s::protocol {

class TokenBucket {
public:
    TokenBucket(std::int64_t per_second, std::int64_t burst)
        : per_second_(per_second),
          thousandths_max_(burst * 1'000),
          thousandths_(thousandths_max_) {}

    /// Takes one if there is one.
    bool take(std::int64_t now_ms);

    /// Milliseconds until take() can succeed: 0 if now, -1 if never (a rate of zero).
    std::int64_t wait_ms(std::int64_t now_ms);

private:
    void fill(std::int64_t now_ms);

    std::int64_t per_second_;
    std::int64_t thousandths_max_;
    std::int64_t thousandths_;
    std::int64_t filled_at_ms_ = 0;
};

}  // namespace k8s::protocol
