#pragma once
// The credential that a plugin has given, renewed before it expires and after a 401. Renewing runs
// beside the event loop; only who has nothing valid left waits for it.

#include "k8s/credentials/exec_plugin.hpp"

#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <string>

namespace k8s {

/// A new one is asked for so long before the old one expires, or in the last fifth of a short life.
inline constexpr std::int64_t exec_renew_before_ms = 60'000;
/// After a failure, or a 401, the plugin is not run again sooner.
inline constexpr std::int64_t exec_pause_ms = 10'000;

class ExecLogin {
public:
    using Ask = std::function<core::Result<ExecCredential>()>;

    /// `first` is what `ask` gave at `now_ms`, which is monotonic.
    ExecLogin(ExecCredential first, Ask ask, std::int64_t now_ms);

    const ExecCredential& credential() const { return credential_; }
    /// True: it is another one than before.
    bool renew_if_due(std::int64_t now_ms);
    /// The server refused it. True: there is another one now.
    bool refused(std::int64_t now_ms);
    /// Why the last renewal gave none; empty if it did.
    const std::string& problem() const { return problem_; }

private:
    bool take(core::Result<ExecCredential> answer, std::int64_t now_ms);
    void note_expiry(std::int64_t now_ms);

    ExecCredential credential_;
    Ask ask_;
    std::optional<std::int64_t> expires_ms_;  ///< monotonic
    std::optional<std::int64_t> due_ms_;      ///< likewise: when to ask again
    std::int64_t asked_ms_ = 0;
    std::future<core::Result<ExecCredential>> pending_;
    std::string problem_;
};

}  // namespace k8s
