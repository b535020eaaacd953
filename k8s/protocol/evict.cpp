#include "k8s/protocol/evict.hpp"

#include "k8s/protocol/flow/backoff.hpp"

#include <algorithm>

namespace k8s::protocol {
namespace {

constexpr std::int64_t evict_retry_ms_min = 250;
constexpr std::int32_t evict_doublings_max = 4;

/// The API server has no other sign that tells a budget's 429 from one of its own load: "Cannot
/// evict pod as it would violate the pod's disruption budget.", "The disruption budget X is still
/// being processed by the server." (registry/core/pod/storage/eviction.go).
bool is_of_budget(const std::string& message) {
    return message.find("disruption budget") != std::string::npos;
}

/// "This pod has more than one PodDisruptionBudget, which the eviction subresource does not
/// support.", a 500.
bool is_of_several_budgets(const std::string& message) {
    return message.find("more than one PodDisruptionBudget") != std::string::npos;
}

/// "Precondition failed: UID in precondition: X, UID in object meta: Y", a 409.
bool is_of_uid(const std::string& message) {
    return message.find("UID in precondition") != std::string::npos;
}

}  // namespace

EvictionFinished Evict::give_up(const std::string& message) const {
    return EvictionFinished{EvictOutcome::not_sent, message, maybe_sent_};
}

EvictAction Evict::start(bool may_write) {
    if (!may_write) return give_up("not the leader");
    ++attempts_;
    return SendEviction{};
}

EvictAction Evict::again(
    std::int64_t at_least_ms, const std::string& message, std::uint32_t random) {
    if (attempts_ >= evict_attempts_max) return give_up(message);
    const std::int64_t ms = evict_retry_ms_min << std::min(attempts_ - 1, evict_doublings_max);
    const std::int64_t asked = std::clamp<std::int64_t>(at_least_ms, 0, bind_retry_after_ms_max);
    return Wait{asked + with_jitter(ms, random)};
}

EvictAction Evict::on_answer(const HttpAnswer& answer, std::uint32_t random) {
    const std::string& why = answer.message;
    if (answer.status >= 200 && answer.status < 300) {
        return EvictionFinished{EvictOutcome::evicted, ""};
    }
    if (answer.status == 404) return EvictionFinished{EvictOutcome::gone, why};
    if (answer.status == 409) {
        if (is_of_uid(why)) return EvictionFinished{EvictOutcome::gone, why};
        return again(answer.retry_after_ms, why, random);
    }
    if (answer.status == 429) {
        if (is_of_budget(why)) return EvictionFinished{EvictOutcome::budget, why};
        return again(answer.retry_after_ms, why, random);
    }
    if (is_of_several_budgets(why)) return EvictionFinished{EvictOutcome::refused, why};
    if (answer.status == 408 || answer.status >= 500) {
        maybe_sent_ = true;
        return again(answer.retry_after_ms, why, random);
    }
    return EvictionFinished{EvictOutcome::refused, why};
}

EvictAction Evict::on_no_answer(
    bool maybe_sent, const std::string& message, std::uint32_t random) {
    maybe_sent_ = maybe_sent_ || maybe_sent;
    return again(-1, message, random);
}

}  // namespace k8s::protocol
