#pragma once
// "127.0.0.1:10351", ":10352", "unix:/run/gang-scheduler.sock": an address to listen on, as people
// write it in flags and in the file.

#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace config {

/// The longest path that a Unix socket's address takes on Linux.
inline constexpr std::size_t socket_path_max = 107;

struct ListenAddress {
    std::string host;  ///< without brackets; "localhost" is given as 127.0.0.1; empty: every one
    std::uint16_t port = 0;
    std::string path = {};  ///< of a Unix socket; then host and port say nothing
    friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

/// Reads host:port where host is an IPv4 address, an IPv6 address in brackets, or localhost. The
/// address must be of this machine alone: anything but loopback is an error, because what is
/// served there has no authentication.
core::Result<ListenAddress> parse_loopback(std::string_view text);

/// As parse_loopback, or unix: and the absolute path of a socket that only its owner may open.
core::Result<ListenAddress> parse_private(std::string_view text);

/// Reads host:port where host is any IPv4 address, any IPv6 address in brackets, localhost, or
/// nothing: every address of this machine.
core::Result<ListenAddress> parse_listen(std::string_view text);

/// As people write it: "[::1]:80", ":80", "unix:/run/x".
std::string describe(const ListenAddress& address);

}  // namespace config
