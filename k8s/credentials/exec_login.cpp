#include "k8s/credentials/exec_login.hpp"

#include "k8s/base/time.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace k8s {

ExecLogin::ExecLogin(ExecCredential first, Ask ask, std::int64_t now_ms)
    : credential_(std::move(first)), ask_(std::move(ask)), asked_ms_(now_ms) {
    note_expiry(now_ms);
}

void ExecLogin::note_expiry(std::int64_t now_ms) {
    expires_ms_.reset();
    due_ms_.reset();
    if (!credential_.expires_unix_ms) return;
    const std::int64_t life_ms = *credential_.expires_unix_ms - unix_ms();
    expires_ms_ = now_ms + life_ms;
    due_ms_ = *expires_ms_ - std::clamp<std::int64_t>(life_ms / 5, 0, exec_renew_before_ms);
    // A plugin that gives what has expired is not asked without end.
    due_ms_ = std::max(*due_ms_, now_ms + std::min(exec_pause_ms, std::max<std::int64_t>(life_ms, 1'000)));
}

bool ExecLogin::take(core::Result<ExecCredential> answer, std::int64_t now_ms) {
    if (!answer) {
        problem_ = answer.error().message;
        due_ms_ = now_ms + exec_pause_ms;
        return false;
    }
    problem_.clear();
    const bool is_other = answer->token != credential_.token ||
                          answer->certificate_pem != credential_.certificate_pem;
    credential_ = *std::move(answer);
    note_expiry(now_ms);
    return is_other;
}

bool ExecLogin::renew_if_due(std::int64_t now_ms) {
    if (!pending_.valid()) {
        if (!due_ms_ || now_ms < *due_ms_) return false;
        asked_ms_ = now_ms;
        pending_ = std::async(std::launch::async, ask_);
    }
    const bool is_expired = expires_ms_ && now_ms >= *expires_ms_;
    const bool is_ready =
        is_expired || pending_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    return is_ready && take(pending_.get(), now_ms);
}

bool ExecLogin::refused(std::int64_t now_ms) {
    if (pending_.valid()) return take(pending_.get(), now_ms);
    if (now_ms - asked_ms_ < exec_pause_ms) return false;
    asked_ms_ = now_ms;
    return take(ask_(), now_ms);
}

}  // namespace k8s
