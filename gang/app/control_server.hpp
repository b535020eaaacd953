#pragma once
// The control endpoint: a few read-only questions over HTTP, for this machine only, as JSON.
//   GET /gangs   GET /explain?q=POD-OR-APPLICATION   GET /livez   GET /readyz
// It has no authentication, so it listens on loopback alone and answers only requests whose Host is
// loopback too (a web page that has its own name point at 127.0.0.1 gets nothing).

#include "config/address.hpp"
#include "core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace boost::asio {
class io_context;
}

namespace gang::app {

/// Called on the loop for each question; answers are JSON texts.
struct ControlSource {
    std::function<std::string()> gangs;
    std::function<std::optional<std::string>(const std::string& question)> explain;
    std::function<bool()> ready;
};

inline constexpr std::size_t control_connections_max = 16;  ///< more are closed at once
inline constexpr std::int64_t control_timeout_ms = 5'000;   ///< for a whole connection
inline constexpr std::size_t control_header_max = 8 * 1024;

class ControlServer {
public:
    /// Listens at once. An error: the port is taken, or the address is not this machine's.
    static core::Result<std::unique_ptr<ControlServer>> listen(
        boost::asio::io_context& io, const config::ListenAddress& address, ControlSource source);
    ~ControlServer();

    /// Closes the listener and every connection.
    void stop();

    std::uint16_t port() const;

private:
    struct Impl;
    explicit ControlServer(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace gang::app
