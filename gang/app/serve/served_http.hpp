#pragma once
// What the served port answers: /livez (/healthz is the same), /readyz and /metrics, as plain text. Health answers as the
// API server does: "ok", or with ?verbose one line per check; a failure always shows its checks.

#include "gang/app/serve/http_server.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gang::app {

/// One line of ?verbose.
struct Check {
    const char* name;
    std::string failure = {};  ///< empty: ok. Words and numbers of ours, nothing that others wrote
    friend bool operator==(const Check&, const Check&) = default;
};

/// How long the view may be cut off from the API server before we say that we are not ready.
inline constexpr std::int64_t interrupted_ms_max = 60'000;
/// How long an event may wait for its turn before we are taken for wedged.
inline constexpr std::int64_t turn_ms_max = 30'000;

/// What the checks are made of.
struct Health {
    bool stopping = false;
    bool policy_missing = false;  ///< the configuration is not whole yet: nothing is scheduled
    bool lease_lost = false;
    bool pods_synced = false;
    bool nodes_synced = false;
    std::int64_t pods_interrupted_ms = 0;   ///< for how long no watch has been open
    std::int64_t nodes_interrupted_ms = 0;  ///< likewise
    bool leads = false;
    bool leader_known = false;    ///< somebody holds the Lease: we are a standby
    std::int64_t overdue_ms = 0;  ///< for how long events have waited without any being worked on
};

/// Whether the process is worth keeping.
std::vector<Check> live_checks(const Health& health);
/// Whether it decides, or would at once when the leader ends.
std::vector<Check> ready_checks(const Health& health);

struct ServedSource {
    std::function<Health()> health;
    std::function<std::string()> metrics;
};

HttpReply served_reply(const HttpAsk& ask, const ServedSource& source);

}  // namespace gang::app
