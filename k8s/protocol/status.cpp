#include "k8s/protocol/status.hpp"

#include "k8s/protocol/flow/backoff.hpp"

#include <algorithm>

namespace k8s::protocol {
namespace {
constexpr std::int64_t status_retry_ms_min = 250;
constexpr std::int32_t status_doublings_max = 4;
}  // namespace

PatchFinished StatusWrite::fail(const std::string& message) const {
    return PatchFinished{false, message, false, maybe_sent_};
}

PatchAction StatusWrite::start(bool may_write) {
    if (!may_write) return fail("not the leader");
    ++attempts_;
    return SendPatch{};
}

PatchAction StatusWrite::again(
    std::int64_t at_least_ms, const std::string& message, std::uint32_t random) {
    if (attempts_ >= patch_attempts_max) return fail(message);
    const std::int64_t ms = status_retry_ms_min << std::min(attempts_ - 1, status_doublings_max);
    const std::int64_t asked = std::clamp<std::int64_t>(at_least_ms, 0, bind_retry_after_ms_max);
    return Wait{asked + with_jitter(ms, random)};
}

PatchAction StatusWrite::on_answer(const HttpAnswer& answer, std::uint32_t random) {
    if (answer.status >= 200 && answer.status < 300) return PatchFinished{true, ""};
    if (answer.status == 409) {
        if (has_precondition_ || conflicted_) {
            const bool may_land = maybe_sent_ && !has_precondition_;
            return PatchFinished{false, answer.message, true, may_land};
        }
        conflicted_ = true;
        return again(answer.retry_after_ms, answer.message, random);
    }
    // The pod is gone, and with it whatever an earlier attempt could still write to.
    if (answer.status == 404) return PatchFinished{false, answer.message};
    const bool is_unknown = answer.status == 408 || answer.status >= 500;
    maybe_sent_ = maybe_sent_ || is_unknown;
    if (is_unknown || answer.status == 429) {
        return again(answer.retry_after_ms, answer.message, random);
    }
    return fail(answer.message);
}

PatchAction StatusWrite::on_no_answer(
    bool maybe_sent, const std::string& message, std::uint32_t random) {
    maybe_sent_ = maybe_sent_ || maybe_sent;
    return again(-1, message, random);
}

}  // namespace k8s::protocol
