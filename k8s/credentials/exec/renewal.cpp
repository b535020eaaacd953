#include "k8s/credentials/exec/renewal.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace k8s {

Renewal::Renewal(ExecPlugin plugin, ExecCredential first, std::int64_t now_ms)
    : plugin_(std::move(plugin)), credential_(std::move(first)) {
    plan_next(now_ms);
}

bool Renewal::step(std::int64_t now_ms) {
    const bool is_new = run_ && run_->is_done() && take(now_ms);
    if (!run_ && now_ms >= due_ms_) begin(now_ms);
    return is_new;
}

void Renewal::refused(std::uint64_t number, std::int64_t now_ms) {
    if (number != number_ || run_ || now_ms - refused_ms_ < renewal_refused_ms_min) return;
    refused_ms_ = now_ms;
    begin(now_ms);
}

bool Renewal::is_expired(std::int64_t now_ms) const {
    return credential_.expires_ms && now_ms >= *credential_.expires_ms;
}

void Renewal::begin(std::int64_t now_ms) {
    run_ = PluginRun::start(plugin_);
    if (run_) return;
    problem_ = "the credential plugin cannot be started: no more threads or descriptors";
    due_ms_ = now_ms + renewal_retry_ms;
}

bool Renewal::take(std::int64_t now_ms) {
    auto answer = run_->take();
    run_.reset();
    if (!answer) {
        problem_ = answer.error().message;
        due_ms_ = now_ms + renewal_retry_ms;
        return false;
    }
    problem_.clear();
    const bool is_other = answer->token != credential_.token ||
                          answer->client_certificate_pem != credential_.client_certificate_pem ||
                          answer->client_key_pem != credential_.client_key_pem;
    credential_ = *std::move(answer);
    if (is_other) ++number_;
    plan_next(now_ms);
    return is_other;
}

// A plugin with a cache of its own may give the same once more, near its end: the gaps shrink with
// what is left.
void Renewal::plan_next(std::int64_t now_ms) {
    if (!credential_.expires_ms) {
        due_ms_ = std::numeric_limits<std::int64_t>::max();
        return;
    }
    const std::int64_t left = *credential_.expires_ms - now_ms;
    if (left <= 0) {
        due_ms_ = now_ms + renewal_retry_ms;  // a clock of theirs or ours is wrong
        return;
    }
    const std::int64_t ahead = std::min(renewal_ahead_ms_max, left / 4);
    due_ms_ = now_ms + std::max(left - ahead, renewal_gap_ms_min);
}

}  // namespace k8s
