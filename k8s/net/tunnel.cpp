#include "k8s/net/tunnel.hpp"

#include "k8s/codec/codec_status.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <fmt/format.h>

namespace k8s {
namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

constexpr auto tunnel_awaitable = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t tunnel_header_max = 16 * 1024;
constexpr std::size_t reason_max = 100;

}  // namespace

asio::awaitable<std::string> open_tunnel(
    boost::beast::tcp_stream& stream, std::string server, std::string authorization) {
    std::string text = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", server);
    if (!authorization.empty()) text += "Proxy-Authorization: " + authorization + "\r\n";
    text += "\r\n";
    const asio::const_buffer bytes = asio::buffer(text);
    auto [unsent, written] = co_await asio::async_write(stream, bytes, tunnel_awaitable);
    if (unsent) co_return unsent.message();
    boost::beast::flat_buffer buffer(tunnel_header_max);
    http::response_parser<http::empty_body> parser;
    parser.skip(true);  // the answer has no body, whatever it says
    auto [unread, count] =
        co_await http::async_read_header(stream, buffer, parser, tunnel_awaitable);
    if (unread == boost::beast::error::timeout) co_return "timed out";
    if (unread) co_return "no answer to CONNECT: " + unread.message();
    const auto& answer = parser.get();
    if (answer.result_int() / 100 != 2) {
        const std::string reason = one_line(std::string(answer.reason()), reason_max);
        co_return fmt::format("HTTP {} {} to CONNECT", answer.result_int(), reason);
    }
    // A server speaks TLS when it is spoken to.
    if (buffer.size() != 0) co_return "more than an answer to CONNECT";
    co_return std::string();
}

}  // namespace k8s
