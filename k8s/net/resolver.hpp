#pragma once
// Names to addresses without holding up the loop, or its end. getaddrinfo() cannot be cancelled, so
// it runs in a thread of its own that shares nothing with us but a value and a pipe: when nobody
// waits any more, its answer is dropped.

#include "k8s/net/descriptor_wait.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace k8s {

class Resolver {
public:
    explicit Resolver(boost::asio::io_context& io);
    Resolver(const Resolver&) = delete;
    Resolver& operator=(const Resolver&) = delete;

    /// All addresses of the name in the system's order; none if there are none, or at the deadline
    /// (monotonic), or after cancel(). A literal address is answered at once. One call at a time.
    boost::asio::awaitable<std::vector<boost::asio::ip::tcp::endpoint>> resolve(
        std::string host, std::uint16_t port, std::int64_t deadline_ms);

    void cancel();

private:
    DescriptorWait wait_;
};

}  // namespace k8s
