#include "k8s/protocol/bind.hpp"

#include "k8s/protocol/flow/backoff.hpp"

#include <algorithm>
#include <utility>

namespace k8s::protocol {
namespace {

constexpr std::int64_t retry_ms_min = 250;
constexpr std::int64_t retry_ms_max = 5'000;
constexpr std::int32_t doublings_max = 5;

bool is_throttled(const HttpAnswer& answer) {
    return answer.status == 429 || (answer.status == 503 && answer.retry_after_ms >= 0);
}

bool is_unknown(int status) {
    return status == 408 || status >= 500 || status < 200;
}

}  // namespace

Bind::Bind(BindTarget target) : target_(std::move(target)) {}

BindAction Bind::finish(BindOutcome outcome, std::string message) {
    state_ = State::finished;
    return BindFinished{outcome, std::move(message)};
}

std::int64_t Bind::delay(std::uint32_t random) {
    const std::int64_t ms =
        std::min(retry_ms_min << std::min(attempt_, doublings_max), retry_ms_max);
    ++attempt_;
    return with_jitter(ms, random);
}

// A deposed leader sends nothing. If an earlier attempt may still land, only reading can settle it.
BindAction Bind::post_or_give_up(bool may_write) {
    if (may_write) {
        state_ = State::posting;
        return PostBinding{};
    }
    if (!maybe_landed_) return finish(BindOutcome::not_sent, "not the leader");
    state_ = State::waiting_to_read;
    return Wait{retry_ms_max};
}

BindAction Bind::start(bool may_write) {
    return post_or_give_up(may_write);
}

BindAction Bind::throttled(std::int64_t retry_after_ms, std::uint32_t random) {
    if (++throttled_ > bind_throttled_max && !maybe_landed_) {
        return finish(BindOutcome::not_sent, "the API server is too busy: " + why_);
    }
    state_ = State::waiting_to_post;
    // On top of what is asked of all: whoever is told "one second" must not come back together.
    const std::int64_t asked = std::clamp<std::int64_t>(retry_after_ms, 0, bind_retry_after_ms_max);
    return Wait{asked + delay(random)};
}

// At once after the first attempt. A server that fails every attempt and answers every read at once
// (an admission webhook that is down) must not be asked in a tight loop.
BindAction Bind::read(bool maybe_landed, std::uint32_t random) {
    const bool first = !maybe_landed_;
    maybe_landed_ = maybe_landed_ || maybe_landed;
    state_ = first ? State::reading : State::waiting_to_read;
    if (first) return ReadPod{};
    return Wait{delay(random)};
}

BindAction Bind::on_answer(const HttpAnswer& answer, std::uint32_t random) {
    why_ = answer.message;
    conflicted_ = answer.status == 409;
    if (answer.status >= 200 && answer.status < 300) return finish(BindOutcome::bound, "");
    if (is_throttled(answer)) return throttled(answer.retry_after_ms, random);
    // A 409 has many causes and its text is for people; the pod itself knows which one it was.
    if (conflicted_ || is_unknown(answer.status)) return read(!conflicted_, random);
    if (answer.status == 404) return finish(BindOutcome::gone, answer.message);
    if (answer.status == 401 && !maybe_landed_)
        return finish(BindOutcome::not_sent, answer.message);
    // This attempt was refused, an earlier one may have landed: the pod knows.
    if (maybe_landed_) return read(false, random);
    return finish(BindOutcome::refused, answer.message);
}

BindAction Bind::on_no_answer(bool maybe_sent, const std::string& message, std::uint32_t random) {
    why_ = message;
    conflicted_ = false;
    if (!maybe_sent && !maybe_landed_) {
        if (attempt_ >= bind_throttled_max) return finish(BindOutcome::not_sent, message);
        state_ = State::waiting_to_post;
        return Wait{delay(random)};
    }
    return read(maybe_sent, random);
}

BindAction Bind::on_pod(const PodState& pod, bool may_write) {
    if (!pod.exists || pod.uid != target_.uid) return finish(BindOutcome::gone, "the pod is gone");
    if (pod.node == target_.node) return finish(BindOutcome::bound, "");
    if (!pod.node.empty()) return finish(BindOutcome::taken, "already on node " + pod.node);
    if (pod.deleting) return finish(BindOutcome::not_bindable, "the pod is being deleted");
    // Its version has moved: an attempt still under way would fail its precondition, none can land.
    const bool moved =
        !target_.resource_version.empty() && pod.resource_version != target_.resource_version;
    if (pod.gated && (moved || !maybe_landed_)) {
        return finish(BindOutcome::not_bindable, "the pod has scheduling gates");
    }
    if (moved) return finish(BindOutcome::changed, why_);
    if (conflicted_ && !maybe_landed_) return finish(BindOutcome::changed, why_);
    return post_or_give_up(may_write);
}

BindAction Bind::on_pod_unreadable(std::uint32_t random) {
    state_ = State::waiting_to_read;
    return Wait{delay(random)};
}

BindAction Bind::on_waited(bool may_write) {
    if (state_ == State::waiting_to_post) return post_or_give_up(may_write);
    state_ = State::reading;
    return ReadPod{};
}

}  // namespace k8s::protocol
