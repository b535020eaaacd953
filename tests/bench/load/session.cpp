#include "tests/bench/load/session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace load {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

namespace {
constexpr std::size_t buffer_size = 256 * 1024;
}

Target Target::read(const std::string& kubeconfig) {
    auto access = k8s::load_kubeconfig({kubeconfig});
    if (!access) throw std::runtime_error(access.error().message);
    Target out;
    out.access = *std::move(access);
    if (out.access.tls) {
        auto tls = k8s::TlsContext::make(out.access);
        if (!tls) throw std::runtime_error(tls.error().message);
        out.tls = *std::move(tls);
    }
    return out;
}

Session::Session(asio::io_context& io, const Target& target) : target_(target), plain_(io) {
    buffer_.reserve(buffer_size);
}

asio::awaitable<void> Session::open() {
    const asio::ip::tcp::endpoint server(
        asio::ip::make_address(target_.access.host), target_.access.port);
    co_await plain_.async_connect(server, asio::use_awaitable);
    plain_.socket().set_option(asio::ip::tcp::no_delay(true));
    if (target_.tls == nullptr) co_return;
    tls_ = std::make_unique<asio::ssl::stream<beast::tcp_stream&>>(plain_, target_.tls->native());
    if (!target_.tls->prepare(tls_->native_handle())) throw std::runtime_error("TLS: server name");
    co_await tls_->async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
}

std::string Session::text_of(
    const std::string& method,
    const std::string& path,
    const std::string& content_type,
    const std::string& body) const {
    std::string text = fmt::format(
        "{} {}{} HTTP/1.1\r\nHost: {}:{}\r\nUser-Agent: gang-load\r\nAccept: application/json\r\n",
        method,
        target_.access.path_prefix,
        path,
        target_.access.host,
        target_.access.port);
    if (!target_.access.token.empty()) {
        text += "Authorization: Bearer " + target_.access.token + "\r\n";
    }
    if (!body.empty()) {
        text +=
            fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", content_type, body.size());
    }
    return text + "\r\n" + body;
}

asio::awaitable<void> Session::write(std::string text) {
    if (tls_) {
        co_await asio::async_write(*tls_, asio::buffer(text), asio::use_awaitable);
    } else {
        co_await asio::async_write(plain_, asio::buffer(text), asio::use_awaitable);
    }
}

asio::awaitable<Answer> Session::call(
    std::string method, std::string path, std::string content_type, std::string body) {
    std::string text = text_of(method, path, content_type, body);
    co_await write(std::move(text));
    Parser parser;
    parser.body_limit(boost::none);
    if (tls_) {
        co_await http::async_read(*tls_, buffer_, parser, asio::use_awaitable);
    } else {
        co_await http::async_read(plain_, buffer_, parser, asio::use_awaitable);
    }
    if (!parser.keep_alive()) throw std::runtime_error("the server closes its connections");
    Answer answer;
    answer.status = static_cast<int>(parser.get().result_int());
    answer.body = std::move(parser.get().body());
    co_return answer;
}

asio::awaitable<void> Session::open_stream(std::string path) {
    std::string text = text_of("GET", path, "", "");
    co_await write(std::move(text));
    stream_.emplace();
    stream_->body_limit(boost::none);
    stream_->eager(true);
    if (tls_) {
        co_await http::async_read_header(*tls_, buffer_, *stream_, asio::use_awaitable);
    } else {
        co_await http::async_read_header(plain_, buffer_, *stream_, asio::use_awaitable);
    }
    const unsigned status = stream_->get().result_int();
    if (status != 200) throw std::runtime_error(fmt::format("GET {}: {}", path, status));
}

asio::awaitable<std::string> Session::read_stream() {
    constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);
    while (stream_->get().body().empty() && !stream_->is_done()) {
        boost::system::error_code ec;
        if (tls_) {
            auto [error, size] =
                co_await http::async_read_some(*tls_, buffer_, *stream_, tuple_awaitable);
            ec = error;
        } else {
            auto [error, size] =
                co_await http::async_read_some(plain_, buffer_, *stream_, tuple_awaitable);
            ec = error;
        }
        if (ec) throw std::runtime_error("the watch broke: " + ec.message());
    }
    std::string bytes = std::move(stream_->get().body());
    stream_->get().body().clear();
    co_return bytes;
}

}  // namespace load
