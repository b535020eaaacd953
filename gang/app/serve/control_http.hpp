#pragma once
// What the control endpoint answers: a few read-only questions over HTTP, for this machine only, as
// JSON.
//   GET /gangs   GET /explain?q=POD-OR-APPLICATION   GET /ledger[?audit=now]   GET /queues
// It has no authentication, so it listens on loopback or on a Unix socket alone and answers only
// requests whose Host is loopback too (a web page that has its own name point at 127.0.0.1 gets
// nothing).

#include "gang/app/serve/http_server.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gang::app {

/// Called on the loop for each question; answers are JSON texts.
struct ControlSource {
    std::function<std::string()> gangs;
    std::function<std::optional<std::string>(const std::string& question)> explain;
    std::function<std::string(bool check_consistency)> ledger;
    std::function<std::string()> queues;
};

/// A Host field that names this machine as its own. Any port is fine: a port-forward or a tunnel
/// may have changed it.
bool is_own_host(std::string_view host);

/// Of all connections together; answers of thousands of gangs take their time on a slow reader.
HttpLimits control_limits();

HttpReply control_reply(const HttpAsk& ask, const ControlSource& source);

/// "/explain?q=" and the percent-encoded question.
std::string explain_target(std::string_view question);

}  // namespace gang::app
