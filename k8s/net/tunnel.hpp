#pragma once
// CONNECT (RFC 9110, 9.3.6): an HTTP proxy passes bytes on to the API server, which TLS then
// protects.

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include <string>

namespace k8s {

/// Asks the proxy at the other end for a tunnel to `server` ("host:port"), until the stream's
/// deadline. Empty: the stream leads to the server; else why not.
boost::asio::awaitable<std::string> open_tunnel(
    boost::beast::tcp_stream& stream, std::string server, std::string authorization);

}  // namespace k8s
