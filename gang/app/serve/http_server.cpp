#include "gang/app/serve/http_server.hpp"

#include "gang/app/serve/http_listener.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <list>
#include <optional>
#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace gang::app {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

using Stream = beast::basic_stream<asio::generic::stream_protocol>;
using Parser = http::request_parser<http::string_body>;
using Response = http::response<http::string_body>;

/// What a client that was refused may still send before the connection is reset under its answer.
constexpr std::size_t linger_bytes_max = 64 * 1024;
constexpr std::int64_t linger_ms = 1'000;

/// As much of a body is read at once.
constexpr std::size_t body_chunk = 256 * 1024;

struct Connection {
    explicit Connection(HttpListener::Socket socket) : stream(std::move(socket)) {}
    Stream stream;
    beast::flat_buffer buffer;
    bool evicted = false;
};
using Connections = std::list<Connection>;

struct Refusal {
    int status = 0;
    const char* why = "";
};

/// The answer to bytes that are no request that we take; none: it is one, or nobody waits.
std::optional<Refusal> refusal(const error_code& ec, http::verb method, const HttpLimits& limits) {
    if (ec == http::error::header_limit || ec == http::error::buffer_overflow) {
        return Refusal{431, "the request's header is too long"};
    }
    if (ec == asio::error::timed_out) {
        return Refusal{408, "the request's body did not come in time"};
    }
    const bool takes_bodies = limits.body_max > 0;
    const bool has_body = ec == http::error::unexpected_body || ec == http::error::body_limit;
    const bool is_taken = method == http::verb::get || method == http::verb::head ||
                          (takes_bodies && method == http::verb::post);
    if ((!ec || has_body) && !is_taken) {
        return Refusal{
            405,
            takes_bodies ? "only GET, HEAD and POST are answered"
                         : "only GET and HEAD are answered"};
    }
    if (has_body) {
        return Refusal{
            413,
            takes_bodies ? "the request's body is too long" : "requests with a body are not taken"};
    }
    const bool is_parse_error =
        ec.category() == http::make_error_code(http::error::bad_method).category() &&
        ec != http::error::end_of_stream && ec != http::error::partial_message;
    return is_parse_error ? std::optional(Refusal{400, "this is no HTTP/1.1 request"})
                          : std::nullopt;
}

HttpReply refuse_with(const Refusal& refusal, const HttpManners& manners) {
    HttpReply plain{refusal.status, std::string(refusal.why) + "\n", plain_text};
    return manners.refuse ? manners.refuse(refusal.status, refusal.why) : std::move(plain);
}

/// What of a request an answer depends on.
struct Wish {
    unsigned version = 11;
    bool is_head = false;
    bool keep_alive = false;
};

Response make_response(HttpReply reply, const HttpManners& manners, const Wish& wish) {
    Response response(static_cast<http::status>(reply.status), wish.version);
    response.set(http::field::content_type, reply.content_type);
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    if (reply.status == 405) {
        response.set(http::field::allow, "GET, HEAD");
    }
    for (const auto& fields : {manners.fields, reply.fields}) {
        for (const HttpField& field : fields) {
            response.set(field.name, field.value);
        }
    }
    response.keep_alive(wish.keep_alive && !reply.stream);
    if (!reply.stream) {
        response.content_length(reply.body.size());
    }
    if (!wish.is_head) {
        response.body() = std::move(reply.body);
    }
    return response;
}

HttpAsk make_ask(Parser& parser) {
    auto& request = parser.get();
    const auto text = [&request](auto name) { return std::string(request[name]); };
    return HttpAsk{
        std::string(request.target()),
        text(http::field::host),
        text(http::field::origin),
        text(http::field::if_none_match),
        text("Last-Event-ID"),
        text("Sec-Gang-Scheduler"),
        request.method() == http::verb::post,
        text(http::field::content_type),
        std::move(request.body()),
        text(http::field::authorization)};
}

}  // namespace

struct HttpServer::Impl : std::enable_shared_from_this<HttpServer::Impl> {
    Impl(asio::io_context& io, HttpLimits bounds, HttpLaterHandler with, HttpManners in)
        : context(io),
          listener(io),
          retry(io),
          limits(bounds),
          handler(std::move(with)),
          manners(std::move(in)) {}

    struct Pending;

    asio::awaitable<void> accept_loop();
    asio::awaitable<void> session(Connections::iterator at);
    asio::awaitable<error_code> read(
        Connections::iterator at, Parser& parser, std::int64_t first_ms);
    asio::awaitable<error_code> read_body(Connections::iterator at, Parser& parser);
    asio::awaitable<HttpReply> answer(HttpAsk ask);
    asio::awaitable<void> refuse(Connections::iterator at, HttpReply reply);
    asio::awaitable<void> send_stream(Connections::iterator at, std::shared_ptr<HttpStream> stream);
    void begin(HttpListener::Socket socket);
    void make_room();
    void stop();

    asio::io_context& context;
    HttpListener listener;
    asio::steady_timer retry;
    HttpLimits limits;
    HttpLaterHandler handler;
    HttpManners manners;
    Connections connections;  ///< the one that has waited longest is first
    Connections closing;      ///< closed, their coroutines have not ended yet
    bool stopped = false;
};

asio::awaitable<void> HttpServer::Impl::accept_loop() {
    while (!stopped) {
        std::optional<HttpListener::Socket> socket = co_await listener.accept();
        if (stopped) {
            co_return;
        }
        if (!socket) {
            // Out of descriptors, most likely: rest instead of spinning.
            error_code ec;
            retry.expires_after(std::chrono::seconds(1));
            co_await retry.async_wait(asio::redirect_error(asio::use_awaitable, ec));
            continue;
        }
        begin(*std::move(socket));
    }
}

void HttpServer::Impl::make_room() {
    while (connections.size() >= limits.connections_max) {
        connections.front().evicted = true;
        connections.front().stream.close();
        closing.splice(closing.end(), connections, connections.begin());
    }
}

void HttpServer::Impl::begin(HttpListener::Socket socket) {
    make_room();
    connections.emplace_back(std::move(socket));
    const auto at = std::prev(connections.end());
    // The handler keeps the server's state alive and drops the connection however it ended.
    asio::co_spawn(
        context, session(at), [self = shared_from_this(), at](const std::exception_ptr&) {
            (at->evicted ? self->closing : self->connections).erase(at);
        });
}

/// One request: its first byte within `first_ms`, the rest within the deadlines of header and body.
asio::awaitable<error_code> HttpServer::Impl::read(
    Connections::iterator at, Parser& parser, std::int64_t first_ms) {
    error_code ec;
    if (at->buffer.size() == 0) {
        at->stream.expires_after(std::chrono::milliseconds(first_ms));
        const std::size_t got = co_await at->stream.async_read_some(
            at->buffer.prepare(1024), asio::redirect_error(asio::use_awaitable, ec));
        at->buffer.commit(got);
    }
    if (!ec) {
        at->stream.expires_after(std::chrono::milliseconds(limits.header_ms));
        co_await http::async_read_header(
            at->stream, at->buffer, parser, asio::redirect_error(asio::use_awaitable, ec));
    }
    if (!ec && !parser.is_done()) {
        ec = co_await read_body(at, parser);
    }
    co_return ec;
}

/// The stream's own deadline would close it, and nobody would hear that the body was too slow.
asio::awaitable<error_code> HttpServer::Impl::read_body(Connections::iterator at, Parser& parser) {
    at->stream.expires_never();
    struct Wait {
        bool is_over = false;  ///< then the connection may be gone
        bool is_late = false;
    };
    const auto wait = std::make_shared<Wait>();
    asio::steady_timer deadline(context);
    deadline.expires_after(std::chrono::milliseconds(limits.body_ms));
    deadline.async_wait([at, wait](const error_code&) {
        if (!wait->is_over) {
            wait->is_late = true;
            at->stream.cancel();
        }
    });
    error_code ec;
    co_await http::async_read(
        at->stream, at->buffer, parser, asio::redirect_error(asio::use_awaitable, ec));
    wait->is_over = true;
    if (wait->is_late) {
        ec = asio::error::timed_out;
    }
    co_return ec;
}

/// What an answer is waited for with; the handler may keep it for longer than we do.
struct HttpServer::Impl::Pending {
    explicit Pending(asio::io_context& io) : timer(io) {}
    asio::steady_timer timer;
    std::optional<HttpReply> reply;
};

asio::awaitable<HttpReply> HttpServer::Impl::answer(HttpAsk ask) {
    const auto pending = std::make_shared<Pending>(context);
    HttpAnswer take = [pending](HttpReply reply) {
        pending->reply = std::move(reply);
        pending->timer.cancel();
    };
    pending->timer.expires_after(std::chrono::milliseconds(limits.answer_ms));
    handler(std::move(ask), std::move(take));
    if (!pending->reply) {
        error_code ignored;
        co_await pending->timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    if (pending->reply) {
        co_return *std::move(pending->reply);
    }
    co_return refuse_with(Refusal{504, "no answer came in time"}, manners);
}

asio::awaitable<void> HttpServer::Impl::refuse(Connections::iterator at, HttpReply reply) {
    error_code ec;
    Response response = make_response(std::move(reply), manners, Wish());
    at->stream.expires_after(std::chrono::milliseconds(limits.write_ms));
    co_await http::async_write(at->stream, response, asio::redirect_error(asio::use_awaitable, ec));
    at->stream.socket().shutdown(asio::socket_base::shutdown_send, ec);
    at->buffer.clear();
    at->stream.expires_after(std::chrono::milliseconds(linger_ms));
    for (std::size_t taken = 0; !ec && taken < linger_bytes_max;) {
        taken += co_await at->stream.async_read_some(
            at->buffer.prepare(4096), asio::redirect_error(asio::use_awaitable, ec));
    }
}

asio::awaitable<void> HttpServer::Impl::session(Connections::iterator at) {
    at->buffer.max_size(
        limits.body_max > 0 ? std::max(body_chunk, 2 * limits.header_max) : 2 * limits.header_max);
    for (std::size_t served = 0; served < limits.requests_max; ++served) {
        const std::int64_t first_ms = served == 0 ? limits.header_ms : limits.idle_ms;
        Parser parser;
        parser.header_limit(static_cast<std::uint32_t>(limits.header_max));
        parser.body_limit(limits.body_max);
        error_code ec = co_await read(at, parser, first_ms);
        if (stopped) {
            co_return;
        }
        const auto& request = parser.get();
        const std::optional<Refusal> refused = refusal(ec, request.method(), limits);
        if (refused && !at->evicted) {
            HttpReply refused_with = refuse_with(*refused, manners);
            co_await refuse(at, std::move(refused_with));
        }
        if (ec || refused) {
            co_return;
        }
        const bool is_head = request.method() == http::verb::head;
        const Wish wish{request.version(), is_head, request.keep_alive()};
        HttpAsk ask = make_ask(parser);
        HttpReply reply = co_await answer(std::move(ask));
        if (stopped || at->evicted) {
            co_return;
        }
        const std::shared_ptr<HttpStream> stream = reply.stream;
        Response response = make_response(std::move(reply), manners, wish);
        at->stream.expires_after(std::chrono::milliseconds(limits.write_ms));
        http::response_serializer<http::string_body> serializer(response);
        if (is_head) {
            co_await http::async_write_header(
                at->stream, serializer, asio::redirect_error(asio::use_awaitable, ec));
        } else {
            co_await http::async_write(
                at->stream, serializer, asio::redirect_error(asio::use_awaitable, ec));
        }
        if (ec || stopped || at->evicted) {
            co_return;
        }
        if (stream && !is_head) {
            co_await send_stream(at, stream);
        }
        if (!response.keep_alive()) {
            at->stream.socket().shutdown(asio::socket_base::shutdown_send, ec);
            co_return;
        }
        connections.splice(connections.end(), connections, at);
    }
}

/// Its end is the connection's: no length is said, so it needs no framing either.
asio::awaitable<void> HttpServer::Impl::send_stream(
    Connections::iterator at, std::shared_ptr<HttpStream> stream) {
    asio::steady_timer pause(context);
    error_code ec;
    while (!ec && !stopped && !at->evicted) {
        const std::string part = stream->next();
        if (part.empty() && stream->is_over()) {
            co_return;
        }
        if (!part.empty()) {
            at->stream.expires_after(std::chrono::milliseconds(limits.write_ms));
            co_await asio::async_write(
                at->stream, asio::buffer(part), asio::redirect_error(asio::use_awaitable, ec));
            if (!ec && !at->evicted) {
                connections.splice(connections.end(), connections, at);
            }
        }
        error_code ignored;
        at->stream.expires_never();
        pause.expires_after(std::chrono::milliseconds(limits.stream_ms));
        co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
}

void HttpServer::Impl::stop() {
    if (std::exchange(stopped, true)) {
        return;
    }
    listener.close();
    retry.cancel();
    for (Connection& connection : connections) {
        connection.stream.close();
    }
}

HttpServer::HttpServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
    stop();
}

core::Result<std::unique_ptr<HttpServer>> HttpServer::listen(
    asio::io_context& io,
    const config::ListenAddress& address,
    HttpLimits limits,
    HttpHandler handler,
    HttpManners manners) {
    HttpLaterHandler at_once = [handler = std::move(handler)](
                                   const HttpAsk& ask, const HttpAnswer& answer) {
        answer(handler(ask));
    };
    return listen_later(io, address, limits, std::move(at_once), std::move(manners));
}

core::Result<std::unique_ptr<HttpServer>> HttpServer::listen_later(
    asio::io_context& io,
    const config::ListenAddress& address,
    HttpLimits limits,
    HttpLaterHandler handler,
    HttpManners manners) {
    auto impl = std::make_shared<Impl>(io, limits, std::move(handler), std::move(manners));
    if (auto opened = impl->listener.open(address); !opened) {
        return opened.error();
    }
    asio::co_spawn(io, impl->accept_loop(), [impl](const std::exception_ptr&) {});
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

void HttpServer::stop() {
    impl_->stop();
}

std::uint16_t HttpServer::port() const {
    return impl_->listener.port();
}

}  // namespace gang::app
