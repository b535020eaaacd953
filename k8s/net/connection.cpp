#include "k8s/net/connection.hpp"

#include "k8s/base/time.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/net/descriptor_wait.hpp"
#include "k8s/net/response_reader.hpp"
#include "k8s/net/transport.hpp"

#include <boost/asio/ssl/error.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <optional>
#include <utility>

namespace k8s {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;

namespace {

constexpr std::size_t spare_max = 256 * 1024;
constexpr std::chrono::seconds send_ahead_max(10);
constexpr std::int64_t idle_max_ms = 50'000;  // servers close idle connections after 60 to 180 s

}  // namespace

struct Connection::Impl {
    Impl(asio::io_context& io, std::shared_ptr<Endpoint> to)
        : endpoint(std::move(to)), transport(io, endpoint), renewal(io) {}

    std::shared_ptr<Endpoint> endpoint;
    std::uint64_t identity = 0;  // of the endpoint when the connection was opened
    Transport transport;
    ResponseReader reader;
    DescriptorWait renewal;  // of credentials by a plugin
    std::string spare;       // room for what read() gives next
    std::int64_t last_used = 0;
    bool usable = false;
    std::uint64_t sent_as = 0;  // the endpoint's credential() in the last request
    std::string ahead;          // the target of a GET that was sent and not waited for

    void close() {
        usable = false;
        transport.close();
        renewal.cancel();
    }

    // Only for the coroutine itself: nothing may be pending on the streams.
    void drop() {
        usable = false;
        transport.drop();
        reader.drop();
        ahead.clear();
    }

    std::string request_text(const Request& request);
    asio::awaitable<void> wait_for_plugin(std::int64_t deadline);
    asio::awaitable<std::optional<Failure>> ensure_open(std::int64_t deadline);
    asio::awaitable<void> send_ahead(Request request);
    asio::awaitable<error_code> read_more();
    asio::awaitable<std::optional<Failure>> exchange(
        Request request, CallLimits limits, bool streaming);
    asio::awaitable<Reply> attempts(Request request, CallLimits limits, bool streaming);
    Response finish_response(bool streaming);
};

std::string Connection::Impl::request_text(const Request& request) {
    const Access& access = endpoint->access();
    std::string text = fmt::format(
        "{} {}{} HTTP/1.1\r\nHost: {}\r\nUser-Agent: {}\r\nAccept: {}\r\n"
        "Accept-Encoding: identity\r\n",
        request.method,
        access.path_prefix,
        request.target,
        host_header(access),
        endpoint->user_agent(),
        request.accept);
    sent_as = endpoint->credential();
    const std::string& token = endpoint->token(monotonic_ms());
    if (!token.empty()) text += "Authorization: Bearer " + token + "\r\n";
    if (!request.body.empty()) {
        text += fmt::format(
            "Content-Type: {}\r\nContent-Length: {}\r\n",
            request.content_type,
            request.body.size());
    }
    text += request.more_fields;
    text += "\r\n";
    text += request.body;
    return text;
}

// Until a plugin that runs has answered; at once where none does.
asio::awaitable<void> Connection::Impl::wait_for_plugin(std::int64_t deadline) {
    const int answered = endpoint->renewal();
    const int descriptor = answered < 0 ? -1 : ::fcntl(answered, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) co_return;
    const bool is_done = co_await renewal.wait(descriptor, deadline);
    if (is_done) endpoint->refresh(monotonic_ms());
}

asio::awaitable<std::optional<Failure>> Connection::Impl::ensure_open(std::int64_t deadline) {
    endpoint->refresh(monotonic_ms());
    if (endpoint->is_expired()) co_await wait_for_plugin(deadline);
    const bool fresh = monotonic_ms() - last_used < idle_max_ms && identity == endpoint->identity();
    if (usable && fresh && transport.is_quiet()) co_return std::nullopt;
    drop();
    identity = endpoint->identity();
    const std::string problem = co_await transport.open(deadline);
    if (problem.empty()) {
        reader.open();
        usable = true;
        co_return std::nullopt;
    }
    drop();
    Failure failure;
    failure.message =
        fmt::format("cannot connect to {}: {}", host_header(endpoint->access()), problem);
    co_return failure;
}

// A write that fails may have sent a part: the call that was to wait for the answer begins anew.
asio::awaitable<void> Connection::Impl::send_ahead(Request request) {
    if (!usable || identity != endpoint->identity()) co_return;
    transport.expires_at(std::chrono::steady_clock::now() + send_ahead_max);
    std::string text = request_text(request);
    const std::uint64_t before = transport.closes();
    auto [ec, written] = co_await transport.write(std::move(text));
    if (ec || transport.closes() != before) {
        drop();
        co_return;
    }
    transport.expires_never();
    ahead = std::move(request.target);
}

asio::awaitable<error_code> Connection::Impl::read_more() {
    const asio::mutable_buffer room = reader.room();
    if (room.size() == 0) co_return error_code(http::error::header_limit);
    const auto [ec, bytes] = co_await transport.read_some(room);
    reader.filled(bytes);
    co_return ec;
}

// One request and its answer (or, streaming, its header). A value: it failed.
asio::awaitable<std::optional<Failure>> Connection::Impl::exchange(
    Request request, CallLimits limits, bool streaming) {
    const std::int64_t deadline = monotonic_ms() + limits.total_ms;
    const std::int64_t open_by = std::min(deadline, monotonic_ms() + limits.connect_ms);
    const bool is_sent =
        usable && ahead == request.target && request.method == "GET" && !limits.may_send;
    if (!is_sent && !ahead.empty()) drop();
    ahead.clear();
    Failure failure;
    error_code ec;
    if (is_sent) {
        failure.maybe_sent = true;
        transport.expires_at(steady_time(deadline));
    } else {
        auto unopened = co_await ensure_open(open_by);
        if (unopened) co_return unopened;
        // Connecting takes time, and a process may have been stopped for any time.
        if (limits.may_send && (!limits.may_send() || monotonic_ms() >= deadline)) {
            failure.message = "not sent: too late";
            co_return failure;
        }
        transport.expires_at(steady_time(deadline));
        std::string text = request_text(request);
        auto [problem, written] = co_await transport.write(std::move(text));
        // Of a TLS record that failed on its way Asio says nothing: it may be out.
        failure.maybe_sent = written > 0 || (problem && transport.is_tls());
        ec = problem;
    }
    std::optional<std::size_t> body_max;
    if (!streaming) body_max = limits.body_max;
    reader.begin(body_max);
    while (!ec && !reader.is_done()) {
        ec = co_await read_more();
        failure.answered = failure.answered || reader.has_unparsed();
        if (ec == asio::error::eof && reader.got_some()) {
            ec = reader.parse_end();
            usable = false;
            break;
        }
        if (!ec) ec = reader.parse();
        if (!ec && !streaming) continue;
        if (!ec && reader.is_header_done() && reader.status() == 200) break;
        if (!ec && reader.body().size() > limits.body_max) ec = http::error::body_limit;
    }
    const std::string encoding = ec ? std::string() : reader.unasked_encoding();
    if (!ec && encoding.empty()) co_return std::nullopt;
    if (!ec) {
        failure.message = fmt::format(
            "{} {}: Content-Encoding {}, which nobody asked for",
            request.method,
            request.target,
            encoding);
        drop();
        co_return failure;
    }
    failure.message = fmt::format("{} {}: {}", request.method, request.target, describe(ec));
    drop();
    co_return failure;
}

Response Connection::Impl::finish_response(bool streaming) {
    Response response;
    response.status = reader.status();
    response.retry_after_ms = reader.retry_after_ms();
    // A stream: read() gives its body, also when all of it has come with the header.
    if (streaming && response.status == 200) return response;
    response.body = std::move(reader.body());
    const bool keep = usable && reader.keeps_alive() && !reader.has_unparsed();
    if (keep) {
        reader.end();
        last_used = monotonic_ms();
        transport.expires_never();
    } else {
        drop();
    }
    return response;
}

asio::awaitable<Reply> Connection::Impl::attempts(
    Request request, CallLimits limits, bool streaming) {
    const std::int64_t deadline = monotonic_ms() + limits.total_ms;
    bool token_refused = false;
    bool repeated = false;
    for (;;) {
        limits.total_ms = deadline - monotonic_ms();
        const bool reused = usable;
        const std::uint64_t before = transport.closes();
        const std::int64_t began = monotonic_ms();
        auto failure = co_await exchange(request, limits, streaming);
        const int status = failure ? 0 : reader.status();
        endpoint->requests().count(request.method, status, monotonic_ms() - began);
        if (failure) {
            const bool is_unread = reused && !failure->answered && transport.closes() == before;
            const bool again = request.method == "GET" && is_unread && !repeated &&
                               monotonic_ms() < deadline;
            if (!again) co_return *failure;
            repeated = true;
            continue;
        }
        Response response = finish_response(streaming);
        if (response.status == 401 && !token_refused) {
            token_refused = true;
            bool is_new = endpoint->token_refused(sent_as, monotonic_ms());
            if (!is_new) {
                co_await wait_for_plugin(deadline);
                is_new = endpoint->credential() != sent_as;
            }
            if (is_new && monotonic_ms() < deadline) continue;
        }
        co_return response;
    }
}

Connection::Connection(asio::io_context& io, std::shared_ptr<Endpoint> endpoint)
    : impl_(std::make_shared<Impl>(io, std::move(endpoint))) {}

Connection::~Connection() {
    impl_->close();
}

asio::awaitable<Reply> Connection::call(Request request, CallLimits limits) {
    auto self = impl_;
    Reply reply = co_await self->attempts(std::move(request), limits, false);
    co_return reply;
}

asio::awaitable<void> Connection::send_ahead(Request request) {
    auto self = impl_;
    co_await self->send_ahead(std::move(request));
}

asio::awaitable<Reply> Connection::open_stream(Request request, CallLimits limits) {
    auto self = impl_;
    Reply reply = co_await self->attempts(std::move(request), limits, true);
    co_return reply;
}

asio::awaitable<StreamPart> Connection::read(std::int64_t idle_ms) {
    auto self = impl_;
    Failure failure;
    failure.maybe_sent = true;
    failure.answered = true;
    failure.message = "no stream is open";
    if (!self->reader.is_begun()) co_return failure;
    self->endpoint->refresh(monotonic_ms());
    if (self->identity != self->endpoint->identity()) {
        self->drop();
        co_return StreamEnd();  // to be opened anew, as whom we are now
    }
    const std::int64_t deadline = monotonic_ms() + idle_ms;
    error_code ec;
    while (self->reader.body().empty() && !self->reader.is_done() && !ec) {
        self->transport.expires_at(steady_time(deadline));
        ec = co_await self->read_more();
        if (!ec) ec = self->reader.parse();
    }
    std::string bytes = std::exchange(self->reader.body(), std::move(self->spare));
    self->spare.clear();
    if (!bytes.empty()) co_return bytes;
    // A body without length and without chunks ends with the connection: that is its orderly end.
    const bool closed = ec == asio::error::eof || ec == asio::ssl::error::stream_truncated;
    const bool ended = self->reader.is_done() || (closed && self->reader.needs_end());
    self->drop();
    if (ended) co_return StreamEnd();
    failure.message = describe(ec);
    failure.silent = ec == beast::error::timeout;
    co_return failure;
}

void Connection::give_back(std::string bytes) {
    bytes.clear();
    if (bytes.capacity() <= spare_max) impl_->spare = std::move(bytes);
}

void Connection::close() {
    impl_->close();
}

bool Connection::is_open() const {
    return impl_->usable;
}

}  // namespace k8s
