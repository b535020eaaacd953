#include "k8s/protocol/flow/token_bucket.hpp"

#include <algorithm>

namespace k8s::protocol {
namespace {
constexpr std::int64_t one = 1'000;
}

void TokenBucket::fill(std::int64_t now_ms) {
    // It begins full, whenever that was. One per second is one thousandth per millisecond. More
    // than a minute away the bucket is as full as it gets, and the product stays small.
    const std::int64_t passed = std::clamp<std::int64_t>(now_ms - filled_at_ms_, 0, 60'000);
    thousandths_ = std::min(thousandths_ + passed * per_second_, thousandths_max_);
    filled_at_ms_ = now_ms;
}

bool TokenBucket::take(std::int64_t now_ms) {
    fill(now_ms);
    if (thousandths_ < one) return false;
    thousandths_ -= one;
    return true;
}

std::int64_t TokenBucket::wait_ms(std::int64_t now_ms) {
    fill(now_ms);
    if (thousandths_ >= one) return 0;
    if (per_second_ <= 0) return -1;
    return (one - thousandths_ + per_second_ - 1) / per_second_;
}

}  // namespace k8s::protocol
