#pragma once
// The HTTP proxy between us and the API server: from a kubeconfig's proxy-url, or from the
// variables HTTPS_PROXY and NO_PROXY, which have the meaning of Go's
// golang.org/x/net/http/httpproxy.

#include "core/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace k8s {

struct Proxy {
    std::string host;
    std::uint16_t port = 80;
    std::string authorization;  ///< the header Proxy-Authorization; empty: none

    friend bool operator==(const Proxy&, const Proxy&) = default;
};

/// "http://[user:password@]host[:port]". Errors, which do not quote it: another scheme, no host, a
/// bad port.
core::Result<Proxy> parse_proxy(std::string_view url);

/// Whether NO_PROXY's list names this server. One on loopback is always named.
bool is_reached_directly(const std::string& host, std::uint16_t port, std::string_view no_proxy);

/// The proxy that the environment wants for an https server; nothing: none.
core::Result<std::optional<Proxy>> proxy_of_environment(
    const std::string& host, std::uint16_t port);

}  // namespace k8s
