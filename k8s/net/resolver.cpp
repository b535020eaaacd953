#include "k8s/net/resolver.hpp"

#include "k8s/base/time.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace k8s {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Endpoints = std::vector<tcp::endpoint>;

namespace {

/// What the thread leaves behind. It writes `found`, then closes its end of the pipe; we read
/// `found` only after we saw that end: the pipe orders the two.
struct Lookup {
    std::string host;
    std::uint16_t port = 0;
    Endpoints found;
    int write_end = -1;
};

Endpoints look_up(const std::string& host, std::uint16_t port) {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* first = nullptr;
    Endpoints found;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &first) != 0) {
        return found;
    }
    for (const addrinfo* entry = first; entry != nullptr; entry = entry->ai_next) {
        tcp::endpoint endpoint;
        if (entry->ai_addrlen > endpoint.capacity()) continue;
        endpoint.resize(entry->ai_addrlen);
        std::memcpy(endpoint.data(), entry->ai_addr, entry->ai_addrlen);
        found.push_back(endpoint);
    }
    ::freeaddrinfo(first);
    return found;
}

void run(const std::shared_ptr<Lookup>& lookup) {
    lookup->found = look_up(lookup->host, lookup->port);
    ::close(lookup->write_end);
}

/// The reading end of the pipe, or -1 if the system has no more threads or descriptors.
int start(const std::shared_ptr<Lookup>& lookup) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
    lookup->write_end = ends[1];
    try {
        std::thread([lookup] { run(lookup); }).detach();
    } catch (const std::system_error&) {
        ::close(ends[0]);
        ::close(ends[1]);
        return -1;
    }
    return ends[0];
}

}  // namespace

struct Resolver::Wait {
    Wait(asio::io_context& io, int read_end) : descriptor(io, read_end), timer(io) {}
    asio::posix::stream_descriptor descriptor;
    asio::steady_timer timer;
};

Resolver::Resolver(asio::io_context& io) : io_(io) {}

Resolver::~Resolver() {
    cancel();
}

void Resolver::cancel() {
    if (!wait_) return;
    error_code ignored;
    wait_->descriptor.cancel(ignored);
    wait_->timer.cancel();
}

asio::awaitable<Endpoints> Resolver::resolve(
    std::string host, std::uint16_t port, std::int64_t deadline_ms) {
    Endpoints found;
    error_code ec;
    const auto literal = asio::ip::make_address(host, ec);
    if (!ec) {
        found.emplace_back(literal, port);
        co_return found;
    }
    auto lookup = std::make_shared<Lookup>();
    lookup->host = std::move(host);
    lookup->port = port;
    const int read_end = start(lookup);
    if (read_end < 0) co_return found;
    auto wait = std::make_shared<Wait>(io_, read_end);
    wait_ = wait;
    wait->timer.expires_at(
        std::chrono::steady_clock::time_point(std::chrono::milliseconds(deadline_ms)));
    wait->timer.async_wait([wait](error_code cancelled) {
        error_code ignored;
        if (!cancelled) wait->descriptor.cancel(ignored);
    });
    auto [stopped] = co_await wait->descriptor.async_wait(
        asio::posix::stream_descriptor::wait_read, asio::as_tuple(asio::use_awaitable));
    wait->timer.cancel();
    if (!stopped) found = std::move(lookup->found);
    if (wait_ == wait) wait_.reset();
    co_return found;
}

}  // namespace k8s
