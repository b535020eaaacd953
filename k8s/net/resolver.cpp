#include "k8s/net/resolver.hpp"

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

Resolver::Resolver(asio::io_context& io) : wait_(io) {}

void Resolver::cancel() {
    wait_.cancel();
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
    const bool is_done = co_await wait_.wait(read_end, deadline_ms);
    if (is_done) found = std::move(lookup->found);
    co_return found;
}

}  // namespace k8s
