#include "k8s/net/connection.hpp"

#include "k8s/base/time.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/net/descriptor_wait.hpp"
#include "k8s/net/resolver.hpp"
#include "k8s/net/tls_stream.hpp"
#include "k8s/net/tunnel.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <optional>
#include <sys/socket.h>
#include <tuple>
#include <utility>
#include <vector>

namespace k8s {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Parser = http::response_parser<http::string_body>;

namespace {

constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);
// Most connections see small answers, and there are dozens of them.
constexpr std::size_t read_buffer_min = 4 * 1024;
constexpr std::size_t read_buffer_max = 64 * 1024;
constexpr std::size_t spare_max = 4 * read_buffer_max;
constexpr std::uint32_t header_max =
    64 * 1024;  // long continue tokens come back in bodies, not here
constexpr std::chrono::seconds send_ahead_max(10);
constexpr std::int64_t idle_max_ms = 50'000;  // servers close idle connections after 60 to 180 s
constexpr std::int64_t address_ms_min =
    2'000;  // what one dead address may cost when there are more
constexpr std::int64_t retry_after_ms_max = 60'000;
constexpr std::int64_t retry_after_unclear_ms = 1'000;
constexpr int keepalive_idle_s = 15;
constexpr int keepalive_interval_s = 5;
constexpr int keepalive_probes = 3;
constexpr unsigned user_timeout_ms = 30'000;

std::chrono::steady_clock::time_point at(std::int64_t monotonic) {
    return std::chrono::steady_clock::time_point(std::chrono::milliseconds(monotonic));
}

void set_option(int socket, int level, int name, unsigned value) {
    // Best effort: a system without the option still has our own deadlines.
    static_cast<void>(::setsockopt(socket, level, name, &value, sizeof value));
}

void tune(tcp::socket& socket) {
    error_code ec;
    socket.set_option(tcp::no_delay(true), ec);
    socket.set_option(asio::socket_base::keep_alive(true), ec);
    const int fd = socket.native_handle();
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, keepalive_idle_s);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, keepalive_interval_s);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, keepalive_probes);
    set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, user_timeout_ms);
}

// Nothing may come on an idle connection but its end: found before a write is risked on it.
bool is_quiet(tcp::socket& socket) {
    char byte = 0;
    return ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
}

std::string authority(const std::string& host, std::uint16_t port) {
    const bool v6 = host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

std::string host_header(const Access& access) {
    return authority(access.host, access.port);
}

// Kubernetes sends seconds. A date counts from the answer's own: no clock of ours is in it. Garbage
// still means "not now".
std::optional<std::int64_t> read_retry_after(const Parser& parser) {
    const auto& answer = parser.get();
    const auto field = answer.find(http::field::retry_after);
    if (field == answer.end()) return std::nullopt;
    const std::string value(field->value());
    if (const auto until = parse_http_date(value)) {
        const auto now = parse_http_date(std::string(answer[http::field::date]));
        if (!now) return retry_after_unclear_ms;
        return std::clamp<std::int64_t>(*until - *now, 0, retry_after_ms_max);
    }
    std::int64_t seconds = 0;
    for (char c : value) {
        if (c < '0' || c > '9') return retry_after_unclear_ms;
        seconds = std::min<std::int64_t>(seconds * 10 + (c - '0'), retry_after_ms_max);
    }
    return std::min(seconds * 1'000, retry_after_ms_max);
}

// We unpack nothing, so nothing can swell either.
std::string unasked_encoding(const Parser& parser) {
    const auto field = parser.get().find(http::field::content_encoding);
    if (field == parser.get().end() || beast::iequals(field->value(), "identity")) return {};
    return one_line(std::string(field->value()), 32);
}

std::string describe(const error_code& ec) {
    if (ec == beast::error::timeout) return "timed out";
    if (ec == asio::error::operation_aborted) return "cancelled";
    if (ec == asio::error::eof || ec == asio::ssl::error::stream_truncated) {
        return "the server closed the connection";
    }
    return ec.message();
}

}  // namespace

struct Connection::Impl {
    Impl(asio::io_context& context, std::shared_ptr<Endpoint> to)
        : io(context), endpoint(std::move(to)), resolver(context), renewal(context) {}

    asio::io_context& io;
    std::shared_ptr<Endpoint> endpoint;
    std::uint64_t identity = 0;  // of the endpoint when the connection was opened
    std::unique_ptr<beast::tcp_stream> plain;
    std::unique_ptr<TlsStream> tls;
    Resolver resolver;
    DescriptorWait renewal;  // of credentials by a plugin
    std::unique_ptr<Parser> parser;
    std::vector<char> buffer;
    std::size_t buffered = 0;  // bytes of `buffer` from the front that were read and not parsed yet
    std::string spare;         // room for what read() gives next
    std::uint64_t closes = 0;  // counts close(), so that a connect in progress notices
    std::int64_t last_used = 0;
    bool usable = false;
    std::uint64_t sent_as = 0;  // the endpoint's credential() in the last request
    std::string ahead;          // the target of a GET that was sent and not waited for

    tcp::socket& socket() { return tls ? tls->socket() : plain->socket(); }
    void expires_at(std::chrono::steady_clock::time_point deadline) {
        if (tls) {
            tls->expires_at(deadline);
        } else {
            plain->expires_at(deadline);
        }
    }
    void expires_never() {
        if (tls) {
            tls->expires_never();
        } else {
            plain->expires_never();
        }
    }

    void close() {
        ++closes;
        usable = false;
        resolver.cancel();
        renewal.cancel();
        if (tls) tls->close();
        if (plain) plain->close();
    }

    // Only for the coroutine itself: nothing may be pending on the streams.
    void drop() {
        usable = false;
        plain.reset();
        tls.reset();
        parser.reset();
        buffer = std::vector<char>();
        buffered = 0;
        ahead.clear();
    }

    // False: it is as large as it may become.
    bool grow_buffer() {
        if (buffer.size() >= read_buffer_max) return false;
        buffer.resize(std::min(buffer.size() * 2, read_buffer_max));
        return true;
    }

    std::string request_text(const Request& request);
    asio::awaitable<void> wait_for_plugin(std::int64_t deadline);
    asio::awaitable<std::optional<Failure>> ensure_open(std::int64_t deadline);
    asio::awaitable<std::string> open(std::int64_t deadline);
    asio::awaitable<error_code> connect(std::int64_t deadline);
    asio::awaitable<std::string> shake_hands(std::int64_t deadline);
    asio::awaitable<std::tuple<error_code, std::size_t>> write(std::string text);
    asio::awaitable<void> send_ahead(Request request);
    asio::awaitable<error_code> read_more();
    error_code parse();
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

// All addresses in turn; one that is dead may use only its share of the time.
asio::awaitable<error_code> Connection::Impl::connect(std::int64_t deadline) {
    const std::uint64_t before = closes;
    const Access& access = endpoint->access();
    const std::string host = access.proxy ? access.proxy->host : access.host;
    const std::uint16_t port = access.proxy ? access.proxy->port : access.port;
    const std::vector<tcp::endpoint> addresses = co_await resolver.resolve(host, port, deadline);
    error_code result = asio::error::host_not_found;
    std::size_t left = addresses.size();
    for (const tcp::endpoint& address : addresses) {
        if (closes != before) co_return asio::error::operation_aborted;
        const std::int64_t now = monotonic_ms();
        const std::int64_t share =
            std::max((deadline - now) / static_cast<std::int64_t>(left), address_ms_min);
        --left;
        plain = std::make_unique<beast::tcp_stream>(io);
        plain->expires_at(at(std::min(now + share, deadline)));
        auto [ec] = co_await plain->async_connect(address, tuple_awaitable);
        result = ec;
        if (!ec) break;
    }
    if (closes != before) co_return asio::error::operation_aborted;
    co_return result;
}

// Empty: done.
asio::awaitable<std::string> Connection::Impl::shake_hands(std::int64_t deadline) {
    tls = std::make_unique<TlsStream>(plain->release_socket(), endpoint->tls());
    plain.reset();
    tls->expires_at(at(deadline));
    const error_code ec = co_await tls->shake_hands();
    if (!ec) co_return std::string();
    endpoint->handshake_failed(monotonic_ms());
    const std::string why = tls->verify_problem();
    co_return "TLS: " + (why.empty() ? describe(ec) : why);
}

// Empty: done.
asio::awaitable<std::string> Connection::Impl::open(std::int64_t deadline) {
    tls.reset();
    const error_code ec = co_await connect(deadline);
    const std::optional<Proxy> proxy = endpoint->access().proxy;
    const std::string by = proxy ? "proxy " + authority(proxy->host, proxy->port) + ": " : "";
    if (ec) co_return by + describe(ec);
    tune(plain->socket());
    if (proxy) {
        plain->expires_at(at(deadline));
        const std::string server = host_header(endpoint->access());
        const std::string refused = co_await open_tunnel(*plain, server, proxy->authorization);
        if (!refused.empty()) co_return by + refused;
    }
    if (endpoint->tls() == nullptr) co_return std::string();
    std::string problem = co_await shake_hands(deadline);
    co_return problem;
}

asio::awaitable<std::optional<Failure>> Connection::Impl::ensure_open(std::int64_t deadline) {
    endpoint->refresh(monotonic_ms());
    if (endpoint->is_expired()) co_await wait_for_plugin(deadline);
    const bool fresh = monotonic_ms() - last_used < idle_max_ms && identity == endpoint->identity();
    if (usable && fresh && is_quiet(socket())) co_return std::nullopt;
    drop();
    identity = endpoint->identity();
    const std::uint64_t before = closes;
    std::string problem = co_await open(deadline);
    if (!problem.empty() && closes == before && tls && tls->is_resuming()) {
        problem = co_await open(deadline);
    }
    if (problem.empty() && closes != before) problem = "cancelled";
    if (problem.empty()) {
        buffer.resize(read_buffer_min);
        usable = true;
        co_return std::nullopt;
    }
    drop();
    Failure failure;
    failure.message =
        fmt::format("cannot connect to {}: {}", host_header(endpoint->access()), problem);
    co_return failure;
}

asio::awaitable<std::tuple<error_code, std::size_t>> Connection::Impl::write(std::string text) {
    const asio::const_buffer bytes = asio::buffer(text);
    if (tls) {
        auto done = co_await tls->write(bytes);
        co_return done;
    }
    auto done = co_await asio::async_write(*plain, bytes, tuple_awaitable);
    co_return done;
}

// A write that fails may have sent a part: the call that was to wait for the answer begins anew.
asio::awaitable<void> Connection::Impl::send_ahead(Request request) {
    if (!usable || identity != endpoint->identity()) co_return;
    expires_at(std::chrono::steady_clock::now() + send_ahead_max);
    std::string text = request_text(request);
    const std::uint64_t before = closes;
    auto [ec, written] = co_await write(std::move(text));
    if (ec || closes != before) {
        drop();
        co_return;
    }
    expires_never();
    ahead = std::move(request.target);
}

asio::awaitable<error_code> Connection::Impl::read_more() {
    // What fills its room has more behind it; nothing but a header is left unparsed in it.
    if (buffered == buffer.size() && !grow_buffer())
        co_return error_code(http::error::header_limit);
    const asio::mutable_buffer room(buffer.data() + buffered, buffer.size() - buffered);
    std::tuple<error_code, std::size_t> got;
    if (tls) {
        got = co_await tls->read_some(room);
    } else {
        got = co_await plain->async_read_some(room, tuple_awaitable);
    }
    buffered += std::get<1>(got);
    if (std::get<1>(got) == room.size()) grow_buffer();
    co_return std::get<0>(got);
}

// Feeds what is buffered to the parser; need_more is not an error here.
error_code Connection::Impl::parse() {
    std::size_t used = 0;
    error_code ec;
    while (used < buffered && !parser->is_done()) {
        const asio::const_buffer rest(buffer.data() + used, buffered - used);
        const std::size_t taken = parser->put(rest, ec);
        used += taken;
        if (ec == http::error::need_more) {
            ec = {};
            break;
        }
        if (ec || taken == 0) break;
    }
    std::copy(
        buffer.begin() + static_cast<std::ptrdiff_t>(used),
        buffer.begin() + static_cast<std::ptrdiff_t>(buffered),
        buffer.begin());
    buffered -= used;
    return ec;
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
        expires_at(at(deadline));
    } else {
        auto unopened = co_await ensure_open(open_by);
        if (unopened) co_return unopened;
        // Connecting takes time, and a process may have been stopped for any time.
        if (limits.may_send && (!limits.may_send() || monotonic_ms() >= deadline)) {
            failure.message = "not sent: too late";
            co_return failure;
        }
        expires_at(at(deadline));
        std::string text = request_text(request);
        auto [problem, written] = co_await write(std::move(text));
        // Of a TLS record that failed on its way Asio says nothing: it may be out.
        failure.maybe_sent = written > 0 || (problem && tls != nullptr);
        ec = problem;
    }
    parser = std::make_unique<Parser>();
    parser->eager(true);
    parser->header_limit(header_max);
    if (streaming) {
        parser->body_limit(boost::none);
    } else {
        parser->body_limit(limits.body_max);
    }
    while (!ec && !parser->is_done()) {
        ec = co_await read_more();
        failure.answered = failure.answered || buffered > 0;
        if (ec == asio::error::eof && parser->got_some()) {
            ec = {};
            parser->put_eof(ec);
            usable = false;
            break;
        }
        if (!ec) ec = parse();
        if (!ec && !streaming) continue;
        if (!ec && parser->is_header_done() && parser->get().result_int() == 200) break;
        if (!ec && parser->get().body().size() > limits.body_max) ec = http::error::body_limit;
    }
    const std::string encoding = ec ? std::string() : unasked_encoding(*parser);
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
    response.status = static_cast<int>(parser->get().result_int());
    response.retry_after_ms = read_retry_after(*parser);
    // A stream: read() gives its body, also when all of it has come with the header.
    if (streaming && response.status == 200) return response;
    response.body = std::move(parser->get().body());
    const bool keep = usable && parser->get().keep_alive() && buffered == 0;
    if (keep) {
        parser.reset();
        last_used = monotonic_ms();
        expires_never();
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
        const std::uint64_t before = closes;
        const std::int64_t began = monotonic_ms();
        auto failure = co_await exchange(request, limits, streaming);
        const int status = failure ? 0 : static_cast<int>(parser->get().result_int());
        endpoint->requests().count(request.method, status, monotonic_ms() - began);
        if (failure) {
            const bool again = request.method == "GET" && reused && !failure->answered &&
                               !repeated && closes == before && monotonic_ms() < deadline;
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
    if (!self->parser) co_return failure;
    self->endpoint->refresh(monotonic_ms());
    if (self->identity != self->endpoint->identity()) {
        self->drop();
        co_return StreamEnd();  // to be opened anew, as whom we are now
    }
    const std::int64_t deadline = monotonic_ms() + idle_ms;
    error_code ec;
    while (self->parser->get().body().empty() && !self->parser->is_done() && !ec) {
        self->expires_at(at(deadline));
        ec = co_await self->read_more();
        if (!ec) ec = self->parse();
    }
    std::string bytes = std::exchange(self->parser->get().body(), std::move(self->spare));
    self->spare.clear();
    if (!bytes.empty()) co_return bytes;
    // A body without length and without chunks ends with the connection: that is its orderly end.
    const bool closed = ec == asio::error::eof || ec == asio::ssl::error::stream_truncated;
    const bool ended = self->parser->is_done() || (closed && self->parser->need_eof());
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
