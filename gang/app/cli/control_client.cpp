#include "gang/app/cli/control_client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/system/system_error.hpp>
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
    Question(asio::generic::stream_protocol::endpoint to, std::string own_host, std::string path)
        : endpoint(to), host(std::move(own_host)), target(std::move(path)) {}
    asio::generic::stream_protocol::endpoint endpoint;
    std::string host;
    std::string target;
};

Question question_to(const config::ListenAddress& address, const std::string& target) {
    if (!address.path.empty()) {
        return {asio::local::stream_protocol::endpoint(address.path), "localhost", target};
    }
    const auto host = asio::ip::make_address(address.host);
    return {
        asio::ip::tcp::endpoint(host, address.port),
        host.is_v6() ? "[" + address.host + "]" : address.host,
        target};
}

asio::awaitable<ControlAnswer> ask(Question question) {
    boost::beast::basic_stream<asio::generic::stream_protocol> stream(
        co_await asio::this_coro::executor);
    stream.expires_after(timeout);
    co_await stream.async_connect(question.endpoint, asio::use_awaitable);
    http::request<http::empty_body> request(http::verb::get, question.target, 11);
    request.set(http::field::host, question.host);
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
    try {
        asio::io_context io(1);
        ControlAnswer answer;
        std::exception_ptr failure;
        asio::co_spawn(
            io, ask(question_to(address, target)), [&](std::exception_ptr e, ControlAnswer got) {
                failure = e;
                answer = std::move(got);
            });
        io.run();
        if (failure) {
            std::rethrow_exception(failure);
        }
        return answer;
    } catch (const boost::system::system_error& e) {
        // what() names a place in a library.
        return core::Error{fmt::format(
            "no daemon answers at {}: {}", config::describe(address), e.code().message())};
    } catch (const std::exception& e) {
        return core::Error{
            fmt::format("no daemon answers at {}: {}", config::describe(address), e.what())};
    }
}

}  // namespace gang::app
