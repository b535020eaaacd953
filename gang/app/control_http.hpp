#pragma once
// What the control endpoint answers, without sockets.

#include "gang/app/control_server.hpp"

#include <string>
#include <string_view>

namespace gang::app {

struct ControlRequest {
    bool is_get = false;
    std::string target;  ///< path and query as sent
    std::string host;    ///< the Host header
};

struct ControlReply {
    int status = 200;
    std::string body;  ///< JSON
    friend bool operator==(const ControlReply&, const ControlReply&) = default;
};

ControlReply control_reply(const ControlRequest& request, const ControlSource& source);

/// "/explain?q=" and the percent-encoded question.
std::string explain_target(std::string_view question);

}  // namespace gang::app
