#include "tests/bench/load/listing.hpp"

#include "tests/bench/load/clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <exception>
#include <stdexcept>
#include <string_view>

namespace load {
namespace asio = boost::asio;
namespace {

struct Listed {
    std::size_t bytes = 0;
    int pages = 0;
    std::int64_t began_us = 0;
};

/// The token of the page's metadata, which comes before its items; empty: it is the last page.
std::string continue_token(const std::string& body) {
    constexpr std::string_view key = "\"continue\":\"";
    const auto head = std::string_view(body).substr(0, body.find("\"items\""));
    const auto at = head.find(key);
    if (at == std::string_view::npos) return {};
    const auto begin = at + key.size();
    return std::string(head.substr(begin, head.find('"', begin) - begin));
}

asio::awaitable<void> read_pages(Session& session, std::string path, int page, Listed& out) {
    co_await session.open();
    out.began_us = now_us();
    std::string target = fmt::format("{}?limit={}", path, page);
    for (;;) {
        const Answer answer = co_await session.call("GET", target, "", "");
        if (answer.status != 200) throw std::runtime_error("list: " + answer.body);
        out.bytes += answer.body.size();
        ++out.pages;
        const std::string token = continue_token(answer.body);
        if (token.empty()) co_return;
        target = fmt::format("{}?limit={}&continue={}", path, page, token);
    }
}

}  // namespace

std::string read_list(const Target& target, const std::string& path, int page) {
    asio::io_context io(1);
    Session session(io, target);
    Listed listed;
    asio::co_spawn(io, read_pages(session, path, page, listed), [](std::exception_ptr error) {
        if (error) std::rethrow_exception(error);
    });
    io.run();
    return fmt::format(
        R"({{"bytes":{},"pages":{},"seconds":{:.6f}}})",
        listed.bytes,
        listed.pages,
        static_cast<double>(now_us() - listed.began_us) / 1e6);
}

}  // namespace load
