#include "k8s/protocol/status.hpp"

#include "k8s/protocol/backoff.hpp"

#include <algorithm>

namespace k8s::protocol {
namespace {
constexpr std::int64_t retry_ms_min = 250;
constexpr std::int32_t doublings_max = 4;
}  // namespace

PatchAction StatusWrite::start(bool may_write) {
    if (!may_write) return PatchFinished{false, "not the leader"};
    ++attempts_;
    return SendPatch{};
}

PatchAction StatusWrite::again(
    std::int64_t at_least_ms, const std::string& message, std::uint32_t random) {
    if (attempts_ >= patch_attempts_max) return PatchFinished{false, message};
    const std::int64_t ms = retry_ms_min << std::min(attempts_ - 1, doublings_max);
    const std::int64_t asked = std::clamp<std::int64_t>(at_least_ms, 0, bind_retry_after_ms_max);
    return Wait{asked + with_jitter(ms, random)};
}

PatchAction StatusWrite::on_answer(const HttpAnswer& answer, std::uint32_t random) {
    if (answer.status >= 200 && answer.status < 300) return PatchFinished{true, ""};
    if (answer.status == 409) {
        if (has_precondition_ || conflicted_) return PatchFinished{false, answer.message, true};
        conflicted_ = true;
        return again(answer.retry_after_ms, answer.message, random);
    }
    const bool worth_repeating =
        answer.status == 408 || answer.status == 429 || answer.status >= 500;
    if (worth_repeating) return again(answer.retry_after_ms, answer.message, random);
    return PatchFinished{false, answer.message};
}

PatchAction StatusWrite::on_no_answer(const std::string& message, std::uint32_t random) {
    return again(-1, message, random);
}

}  // namespace k8s::protocol
