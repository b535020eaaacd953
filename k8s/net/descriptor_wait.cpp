#include "k8s/net/descriptor_wait.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>

namespace k8s {
namespace asio = boost::asio;
using boost::system::error_code;

struct DescriptorWait::Waiting {
    Waiting(asio::io_context& io, int read_end) : descriptor(io, read_end), timer(io) {}
    asio::posix::stream_descriptor descriptor;
    asio::steady_timer timer;
};

DescriptorWait::DescriptorWait(asio::io_context& io) : io_(io) {}

DescriptorWait::~DescriptorWait() {
    cancel();
}

void DescriptorWait::cancel() {
    if (!waiting_) return;
    error_code ignored;
    waiting_->descriptor.cancel(ignored);
    waiting_->timer.cancel();
}

asio::awaitable<bool> DescriptorWait::wait(int descriptor, std::int64_t deadline_ms) {
    auto waiting = std::make_shared<Waiting>(io_, descriptor);
    waiting_ = waiting;
    waiting->timer.expires_at(
        std::chrono::steady_clock::time_point(std::chrono::milliseconds(deadline_ms)));
    waiting->timer.async_wait([waiting](error_code cancelled) {
        error_code ignored;
        if (!cancelled) waiting->descriptor.cancel(ignored);
    });
    auto [stopped] = co_await waiting->descriptor.async_wait(
        asio::posix::stream_descriptor::wait_read, asio::as_tuple(asio::use_awaitable));
    waiting->timer.cancel();
    if (waiting_ == waiting) waiting_.reset();
    co_return !stopped;
}

}  // namespace k8s
