#pragma once
// Asks a daemon's control endpoint, for the command line. Blocks, for two seconds at most.

#include "config/address.hpp"
#include "core/base/result.hpp"

#include <string>

namespace gang::app {

struct ControlAnswer {
    int status = 0;
    std::string body;
};

/// An error: nobody listens there, or whoever does speaks no HTTP.
core::Result<ControlAnswer> ask_daemon(
    const config::ListenAddress& address, const std::string& target);

}  // namespace gang::app
