#include "gang/app/control_client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include <chrono>
#include <exception>

namespace gang::app {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::chrono::seconds timeout(2);
constexpr std::uint64_t body_max = 64ULL * 1024 * 1024;

struct Question {
    Question(asio::ip::tcp::endpoint to, std::string path)
        : endpoint(to), target(std::move(path)) {}
    asio::ip::tcp::endpoint endpoint;
    std::string target;
};

asio::awaitable<ControlAnswer> ask(Question question) {
    boost::beast::tcp_stream stream(co_await asio::this_coro::executor);
    stream.expires_after(timeout);
    co_await stream.async_connect(question.endpoint, asio::use_awaitable);
    http::request<http::empty_body> request(http::verb::get, question.target, 11);
    const auto address = question.endpoint.address();
    request.set(
        http::field::host, address.is_v6() ? "[" + address.to_string() + "]" : address.to_string());
    request.keep_alive(false);
    co_await http::async_write(stream, request, asio::use_awaitable);
    boost::beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    parser.body_limit(body_max);
    co_await http::async_read(stream, buffer, parser, asio::use_awaitable);
    ControlAnswer answer;
    answer.status = parser.get().result_int();
    answer.body = std::move(parser.get().body());
    co_return answer;
}

}  // namespace

core::Result<ControlAnswer> ask_daemon(
    const config::ListenAddress& address, const std::string& target) {
    const std::string where = fmt::format("{}:{}", address.host, address.port);
    try {
        asio::io_context io(1);
        const asio::ip::tcp::endpoint endpoint(asio::ip::make_address(address.host), address.port);
        ControlAnswer answer;
        std::exception_ptr failure;
        asio::co_spawn(
            io, ask(Question(endpoint, target)), [&](std::exception_ptr e, ControlAnswer got) {
                failure = e;
                answer = std::move(got);
            });
        io.run();
        if (failure) {
            std::rethrow_exception(failure);
        }
        return answer;
    } catch (const std::exception& e) {
        return core::Error{fmt::format("no daemon answers at {}: {}", where, e.what())};
    }
}

}  // namespace gang::app
