#include "k8s/net/tls_stream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/error.hpp>

#include <string_view>
#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr auto tls_awaitable = asio::as_tuple(asio::use_awaitable);
/// A server that sends faster than we read would have the loop for itself.
constexpr std::size_t bytes_at_a_stretch = 128 * 1024;

}  // namespace

struct TlsStream::Impl : std::enable_shared_from_this<TlsStream::Impl> {
    Impl(tcp::socket with, std::shared_ptr<TlsContext> trust)
        : socket(std::move(with)),
          session(std::move(trust), socket.native_handle()),
          timer(socket.get_executor()) {
        error_code ec;
        socket.native_non_blocking(true, ec);  // else a step would block, which the deadline ends
    }

    tcp::socket socket;
    TlsSession session;
    asio::steady_timer timer;
    Clock::time_point deadline = Clock::time_point::max();
    bool is_late = false;
    std::size_t stretch = 0;  // bytes read since others had their turn

    void watch_deadline();
    asio::awaitable<error_code> wait(TlsSession::Need need);
    asio::awaitable<void> let_others();
    void close() {
        session.close();
        error_code ec;
        socket.close(ec);
    }
};

void TlsStream::Impl::watch_deadline() {
    if (deadline == Clock::time_point::max()) return;
    timer.expires_at(deadline);
    timer.async_wait([weak = weak_from_this()](const error_code& ec) {
        const auto self = weak.lock();
        if (ec || !self || Clock::now() < self->deadline) return;
        self->is_late = true;
        error_code ignored;
        self->socket.cancel(ignored);
    });
}

asio::awaitable<error_code> TlsStream::Impl::wait(TlsSession::Need need) {
    if (!socket.is_open()) co_return asio::error::operation_aborted;
    if (deadline <= Clock::now()) co_return boost::beast::error::timeout;
    stretch = 0;
    watch_deadline();
    const tcp::socket::wait_type what =
        need == TlsSession::Need::readable ? tcp::socket::wait_read : tcp::socket::wait_write;
    auto [ec] = co_await socket.async_wait(what, tls_awaitable);
    timer.cancel();
    if (ec && is_late) co_return boost::beast::error::timeout;
    co_return ec;
}

asio::awaitable<void> TlsStream::Impl::let_others() {
    stretch = 0;
    co_await asio::post(socket.get_executor(), asio::use_awaitable);
}

TlsStream::TlsStream(tcp::socket socket, std::shared_ptr<TlsContext> trust)
    : impl_(std::make_shared<Impl>(std::move(socket), std::move(trust))) {}

TlsStream::~TlsStream() {
    close();
}

tcp::socket& TlsStream::socket() {
    return impl_->socket;
}

void TlsStream::expires_at(Clock::time_point deadline) {
    impl_->deadline = deadline;
}

std::string TlsStream::verify_problem() const {
    return impl_->session.is_ready() ? impl_->session.verify_problem() : std::string();
}

bool TlsStream::is_resuming() const {
    return impl_->session.is_resuming();
}

void TlsStream::close() {
    impl_->close();
}

asio::awaitable<error_code> TlsStream::shake_hands() {
    const auto self = impl_;
    if (!self->session.is_ready()) co_return asio::error::no_memory;
    for (;;) {
        const TlsSession::Step step = self->session.shake_hands();
        if (step.need == TlsSession::Need::nothing) co_return step.ec;
        const error_code ec = co_await self->wait(step.need);
        if (ec) co_return ec;
    }
}

asio::awaitable<TlsStream::Done> TlsStream::read_some(asio::mutable_buffer into) {
    const auto self = impl_;
    const std::span<char> room(static_cast<char*>(into.data()), into.size());
    if (self->stretch >= bytes_at_a_stretch) co_await self->let_others();
    for (;;) {
        const TlsSession::Step step = self->session.read(room);
        self->stretch += step.bytes;
        if (step.need == TlsSession::Need::nothing) co_return Done(step.ec, step.bytes);
        const error_code ec = co_await self->wait(step.need);
        if (ec) co_return Done(ec, 0);
    }
}

asio::awaitable<TlsStream::Done> TlsStream::write(asio::const_buffer bytes) {
    const auto self = impl_;
    std::string_view left(static_cast<const char*>(bytes.data()), bytes.size());
    while (!left.empty()) {
        const TlsSession::Step step = self->session.write(left);
        error_code ec = step.ec;
        left.remove_prefix(step.bytes);
        if (step.need != TlsSession::Need::nothing) ec = co_await self->wait(step.need);
        if (ec) co_return Done(ec, bytes.size() - left.size());
    }
    co_return Done(error_code(), bytes.size());
}

}  // namespace k8s
