#pragma once
// The credentials of a plugin, for as long as we run.
//
//   good -- soon over, or refused by the server --> renewing -- answer --> good
//                                                       '------ failure --> good (the old ones), a
//                                                       pause
//
// Nobody needs a timer: each request and each read of a stream calls step(). Credentials are
// renewed before they are over, so a request waits only where they were refused, or where nobody
// asked in time (a machine that slept). All times are milliseconds since 1970: expiry is.

#include "k8s/credentials/exec/plugin.hpp"
#include "k8s/credentials/exec/plugin_run.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace k8s {

inline constexpr std::int64_t renewal_ahead_ms_max =
    90'000;  ///< a watch that is idle is read once a minute
inline constexpr std::int64_t renewal_retry_ms = 10'000;      ///< after a failure
inline constexpr std::int64_t renewal_gap_ms_min = 1'000;     ///< between two answers
/// A server that refuses everybody must not make us run the plugin for each request.
inline constexpr std::int64_t renewal_refused_ms_min = 5'000;

class Renewal {
public:
    Renewal(ExecPlugin plugin, ExecCredential first, std::int64_t now_ms);

    /// Takes the answer of a run that is done, and begins one when it is time. True: the credential
    /// is another one now.
    bool step(std::int64_t now_ms);

    /// The server answered 401 to a request with the credential of that number.
    void refused(std::uint64_t number, std::int64_t now_ms);

    const ExecCredential& credential() const { return credential_; }
    /// Grows with each other credential.
    std::uint64_t number() const { return number_; }

    /// A descriptor that can be read when the run in progress is done; -1: there is none.
    int under_way() const { return run_ ? run_->done() : -1; }
    bool is_expired(std::int64_t now_ms) const;

    /// Why the last run gave nothing; empty: it did.
    const std::string& problem() const { return problem_; }

private:
    void begin(std::int64_t now_ms);
    bool take(std::int64_t now_ms);
    void plan_next(std::int64_t now_ms);

    ExecPlugin plugin_;
    ExecCredential credential_;
    std::unique_ptr<PluginRun> run_;
    std::string problem_;
    std::uint64_t number_ = 0;
    std::int64_t due_ms_ = 0;
    std::int64_t refused_ms_ = 0;  ///< when a refusal last began a run
};

}  // namespace k8s
