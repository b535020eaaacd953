#include "k8s/embedded/http/http_session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace k8s::embedded {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto session_awaitable = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::seconds write_time_max(30);
constexpr std::chrono::seconds body_time_max(60);
constexpr std::chrono::seconds drain_time_max(2);
constexpr std::size_t chunk_bytes = 64U << 10U;  // events that wait are sent together up to this
constexpr std::size_t frame_bytes_max = 64U << 10U;  // a watching client has nothing to say
constexpr std::size_t drain_bytes_max = 16U << 20U;

std::string header_text(const http::fields& fields, http::field name) {
    const auto value = fields[name];
    return {value.data(), value.size()};
}

Request to_request(const http::request<http::string_body>& message) {
    Request request;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    request.body = message.body();
    request.content_type = header_text(message, http::field::content_type);
    request.accept = header_text(message, http::field::accept);
    request.user_agent = header_text(message, http::field::user_agent);
    return request;
}

http::response<http::string_body> to_message(const Response& response, bool is_head) {
    http::response<http::string_body> message;
    message.version(11);
    message.result(static_cast<unsigned>(response.status));
    message.set(http::field::content_type, response.content_type);
    message.set(http::field::cache_control, "no-cache, private");
    for (const auto& [name, value] : response.headers) {
        message.insert(name, value);  // a name may come again: Warning
    }
    const bool has_body = response.status != 204 && response.status != 304;
    if (has_body) {
        message.content_length(response.body.size());
    }
    if (has_body && !is_head) {
        message.body() = response.body;
    }
    return message;
}

Failure too_big() {
    return {413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728"};
}

/// The next lines of a watch, up to one chunk's size.
std::string take_lines(WatchStream& watch) {
    std::string lines;
    while (lines.size() < chunk_bytes) {
        const auto line = watch.next();
        if (!line) {
            break;
        }
        lines += *line;
        lines += '\n';
    }
    return lines;
}

std::string in_chunk(const std::string& bytes) {
    const auto chunk = http::make_chunk(asio::buffer(bytes));
    return beast::buffers_to_string(chunk);
}

}  // namespace

HttpSession::HttpSession(tcp::socket socket, ApiServer& server, HttpLimits limits)
    : stream_(std::move(socket)), server_(server), limits_(limits), wake_(stream_.get_executor()) {
    buffer_.reserve(limits_.header_bytes_max);
}

void HttpSession::stop() {
    is_stopped_ = true;
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.close();
    wake_.cancel();
}

bool HttpSession::is_over() const {
    return is_stopped_ || is_peer_gone_;
}

asio::awaitable<void> HttpSession::run() {
    beast::error_code ignored;
    stream_.socket().set_option(tcp::no_delay(true), ignored);
    bool goes_on = true;
    while (goes_on && !is_over()) {
        goes_on = co_await serve_one();
    }
    stop();
}

asio::awaitable<bool> HttpSession::serve_one() {
    auto message = co_await read_request();
    if (!message || is_over()) {
        co_return false;
    }
    const auto request = to_request(*message);
    // The body is in `request` now; a watch would otherwise hold it for ever.
    message->body().clear();
    auto response = server_.handle(request);
    if (response.watch == nullptr) {
        co_return co_await send(response, *message);
    }
    if (message->method() == http::verb::head) {
        Response bare;
        co_return co_await send(bare, *message);
    }
    if (websocket::is_upgrade(*message)) {
        co_await stream_frames(*response.watch, *message);
        co_return false;
    }
    co_return co_await stream_chunks(*response.watch, *message);
}

asio::awaitable<std::optional<HttpSession::Message>> HttpSession::read_request() {
    Parser parser;
    parser.header_limit(static_cast<std::uint32_t>(limits_.header_bytes_max));
    parser.body_limit(limits_.body_bytes_max);
    stream_.expires_after(std::chrono::milliseconds(limits_.idle_ms));
    auto [head_error, head_size] =
        co_await http::async_read_header(stream_, buffer_, parser, session_awaitable);
    auto error = head_error;
    if (!error) {
        stream_.expires_after(body_time_max);
        if (header_text(parser.get(), http::field::expect) == "100-continue") {
            co_await send_continue();
        }
        auto [body_error, body_size] = co_await http::async_read(stream_, buffer_, parser, session_awaitable);
        error = body_error;
    }
    if (!error) {
        co_return parser.release();
    }
    if (error == http::error::body_limit) {
        co_await refuse(too_big());
    } else if (error == http::error::header_limit) {
        const Failure failure{431, "RequestHeaderFieldsTooLarge", "request header is too large"};
        co_await refuse(failure);
    } else if (
        error.category() == http::make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message) {
        co_await refuse(bad_request("not an HTTP/1.1 request: " + error.message()));
    }
    co_return std::nullopt;
}

asio::awaitable<void> HttpSession::send_continue() {
    const std::string text = "HTTP/1.1 100 Continue\r\n\r\n";
    co_await write(text);
}

/// Answers and closes; what the client still sends is read for a moment, or the reset of the
/// connection would overtake the answer.
asio::awaitable<void> HttpSession::refuse(const Failure& failure) {
    Response response;
    response.status = failure.code;
    response.body = failure.status().dump();
    auto message = to_message(response, false);
    message.keep_alive(false);
    stream_.expires_after(write_time_max);
    co_await http::async_write(stream_, message, session_awaitable);
    beast::error_code error;
    stream_.socket().shutdown(tcp::socket::shutdown_send, error);
    stream_.expires_after(drain_time_max);
    std::string sink(chunk_bytes, '\0');
    std::size_t drained = 0;
    while (!error && drained < drain_bytes_max) {
        auto [read_error, size] = co_await stream_.async_read_some(asio::buffer(sink), session_awaitable);
        error = read_error;
        drained += size;
    }
}

asio::awaitable<bool> HttpSession::send(const Response& response, const Message& request) {
    auto message = to_message(response, request.method() == http::verb::head);
    message.keep_alive(request.keep_alive());
    stream_.expires_after(write_time_max);
    http::response_serializer<http::string_body> serializer(message);
    // A HEAD answer has the length of a body that does not follow.
    if (request.method() == http::verb::head) {
        auto [error, size] = co_await http::async_write_header(stream_, serializer, session_awaitable);
        co_return !error && request.keep_alive();
    }
    auto [error, size] = co_await http::async_write(stream_, serializer, session_awaitable);
    co_return !error && request.keep_alive();
}

asio::awaitable<bool> HttpSession::write(const std::string& bytes) {
    stream_.expires_after(write_time_max);
    auto [error, size] = co_await asio::async_write(stream_, asio::buffer(bytes), session_awaitable);
    stream_.expires_never();
    co_return !error;
}

void HttpSession::begin_watch(WatchStream& watch) {
    watch_ends_ = Clock::now() + std::chrono::seconds(watch.timeout_s());
    // Destroying the stream ends the callback, so it never outlives this session.
    watch.on_change([this] { wake_.cancel(); });
}

/// A client that goes away says nothing; its socket becomes readable with nothing to read.
void HttpSession::notice_hang_up() {
    stream_.socket().async_wait(
        tcp::socket::wait_read, [session = shared_from_this()](const beast::error_code& error) {
            beast::error_code ignored;
            const bool has_data = !error && session->stream_.socket().available(ignored) > 0;
            if (error != asio::error::operation_aborted && !has_data) {
                session->is_peer_gone_ = true;
                session->wake_.cancel();
            }
        });
}

asio::awaitable<void> HttpSession::wait_for_change(Clock::time_point bookmark_at) {
    wake_.expires_at(std::min(bookmark_at, watch_ends_));
    co_await wake_.async_wait(session_awaitable);
}

asio::awaitable<bool> HttpSession::stream_chunks(WatchStream& watch, const Message& request) {
    const bool is_chunked = request.version() >= 11;
    http::response<http::empty_body> head;
    head.version(request.version());
    head.set(http::field::content_type, "application/json");
    head.set(http::field::cache_control, "no-cache, private");
    head.chunked(is_chunked);
    head.keep_alive(is_chunked && request.keep_alive());
    http::response_serializer<http::empty_body> serializer(head);
    stream_.expires_after(write_time_max);
    auto [error, size] = co_await http::async_write_header(stream_, serializer, session_awaitable);
    bool is_writable = !error;
    stream_.expires_never();
    begin_watch(watch);
    notice_hang_up();

    const auto bookmark_every = std::chrono::milliseconds(limits_.bookmark_ms);
    auto bookmark_at = Clock::now() + bookmark_every;
    bool is_last = false;
    while (is_writable && !is_over() && !is_last) {
        auto lines = take_lines(watch);
        const auto now = Clock::now();
        is_last = lines.empty() && (watch.is_finished() || now >= watch_ends_);
        // The last bookmark spares a client that comes back the events it has seen.
        if (lines.empty() && (is_last || now >= bookmark_at)) {
            lines = watch.bookmark().value_or("");
            lines += lines.empty() ? "" : "\n";
            bookmark_at = now + bookmark_every;
        }
        if (lines.empty() && !is_last) {
            co_await wait_for_change(bookmark_at);
        } else if (!lines.empty()) {
            const auto bytes = is_chunked ? in_chunk(lines) : lines;
            is_writable = co_await write(bytes);
        }
    }
    watch.on_change({});
    stream_.socket().cancel();
    if (is_writable && is_chunked && !is_over()) {
        const std::string end = "0\r\n\r\n";
        is_writable = co_await write(end);
    }
    co_return is_writable&& is_chunked&& request.keep_alive();
}

asio::awaitable<void> HttpSession::stream_frames(WatchStream& watch, const Message& request) {
    stream_.expires_never();
    frames_.emplace(stream_);
    // Pings find out about a client that is gone or reads no more.
    frames_->set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    frames_->read_message_max(frame_bytes_max);
    frames_->text(true);
    // One frame per event, as the real one sends: Spark 4.1's client loses what comes in pieces.
    frames_->auto_fragment(false);
    auto protocol = header_text(request, http::field::sec_websocket_protocol);
    protocol = protocol.substr(0, protocol.find(','));
    frames_->set_option(
        websocket::stream_base::decorator([protocol](websocket::response_type& answer) {
            if (!protocol.empty()) {
                answer.set(http::field::sec_websocket_protocol, protocol);
            }
        }));
    auto [error] = co_await frames_->async_accept(request, session_awaitable);
    if (error) {
        co_return;
    }
    begin_watch(watch);
    asio::co_spawn(
        stream_.get_executor(),
        read_frames(),
        [session = shared_from_this()](const std::exception_ptr&) {
            session->is_peer_gone_ = true;
            session->wake_.cancel();
        });

    const auto bookmark_every = std::chrono::milliseconds(limits_.bookmark_ms);
    auto bookmark_at = Clock::now() + bookmark_every;
    bool is_last = false;
    while (!is_over() && !is_last) {
        auto frame = watch.next();
        const auto now = Clock::now();
        is_last = !frame && (watch.is_finished() || now >= watch_ends_);
        if (!frame && (is_last || now >= bookmark_at)) {
            frame = watch.bookmark();
            bookmark_at = now + bookmark_every;
        }
        if (frame) {
            auto [write_error, size] = co_await frames_->async_write(asio::buffer(*frame), session_awaitable);
            is_last = is_last || write_error;
        } else if (!is_last) {
            co_await wait_for_change(bookmark_at);
        }
    }
    watch.on_change({});
    if (!is_over()) {
        const websocket::close_reason reason(websocket::close_code::normal);
        co_await frames_->async_close(reason, session_awaitable);
    }
}

/// Answers pings and notices the close; what a client sends here has no meaning.
asio::awaitable<void> HttpSession::read_frames() {
    beast::flat_buffer sink;
    bool is_open = true;
    while (is_open) {
        auto [error, size] = co_await frames_->async_read(sink, session_awaitable);
        is_open = !error;
        sink.clear();
    }
}

}  // namespace k8s::embedded
