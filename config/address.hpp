#pragma once
// "127.0.0.1:10351": an address to listen on, as people write it in flags and in the file.

#include "core/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace config {

struct ListenAddress {
    std::string host;  ///< without brackets; "localhost" is given as 127.0.0.1
    std::uint16_t port = 0;
    friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

/// Reads host:port where host is an IPv4 address, an IPv6 address in brackets, or localhost. The
/// address must be of this machine alone: anything but loopback is an error, because what is
/// served there has no authentication.
core::Result<ListenAddress> parse_loopback(std::string_view text);

}  // namespace config
