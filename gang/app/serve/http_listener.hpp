#pragma once
// The listening socket of an HttpServer: TCP, or a Unix socket that only its owner may open.

#include "config/address.hpp"
#include "core/base/result.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace gang::app {

class HttpListener {
public:
    using Socket = boost::asio::generic::stream_protocol::socket;

    explicit HttpListener(boost::asio::io_context& io) : tcp_(io), local_(io) {}
    HttpListener(const HttpListener&) = delete;
    HttpListener& operator=(const HttpListener&) = delete;
    ~HttpListener() { close(); }

    core::Result<core::Done> open(const config::ListenAddress& address);

    /// The next connection; none: accepting failed or the listener is closed.
    boost::asio::awaitable<std::optional<Socket>> accept();

    /// Also removes the file of a Unix socket.
    void close();

    std::uint16_t port() const;

private:
    core::Result<core::Done> open_tcp(const config::ListenAddress& address);
    core::Result<core::Done> open_local(const std::string& path);

    boost::asio::ip::tcp::acceptor tcp_;
    boost::asio::local::stream_protocol::acceptor local_;
    std::string path_;  ///< of the file that is ours to remove
};

}  // namespace gang::app
