#pragma once
// One client's connection: requests one after another, each answered by the ApiServer, until either
// side closes. Known to http_server.cpp only; everybody else includes http_server.hpp.
//
//   read request --> answer --> read request ...
//               \--> watch: chunks until the end, then the next request
//               \--> watch over WebSocket: frames until the end, then closed

#include "k8s/embedded/http/http_server.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/websocket.hpp>

#include <memory>
#include <optional>
#include <string>

namespace k8s::embedded {

class HttpSession : public std::enable_shared_from_this<HttpSession> {
public:
    /// The server is not owned and must outlive the session.
    HttpSession(boost::asio::ip::tcp::socket socket, ApiServer& server, HttpLimits limits);

    /// Serves until the connection ends.
    boost::asio::awaitable<void> run();
    /// Ends the connection; run() returns in one of the next turns of the loop.
    void stop();

private:
    using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
    using Message = boost::beast::http::request<boost::beast::http::string_body>;
    using Socket = boost::beast::websocket::stream<boost::beast::tcp_stream&>;

    /// True when the connection may carry another request.
    boost::asio::awaitable<bool> serve_one();
    /// Nothing when there is no request to answer: the end, or one that was refused here.
    boost::asio::awaitable<std::optional<Message>> read_request();
    boost::asio::awaitable<void> send_continue();
    boost::asio::awaitable<bool> send(const Response& response, const Message& request);
    boost::asio::awaitable<void> refuse(const Failure& failure);
    boost::asio::awaitable<bool> stream_chunks(WatchStream& watch, const Message& request);
    boost::asio::awaitable<void> stream_frames(WatchStream& watch, const Message& request);
    boost::asio::awaitable<void> read_frames();
    boost::asio::awaitable<bool> write(const std::string& bytes);

    /// Sleeps until the watch has something, a bookmark is due or the end has come.
    boost::asio::awaitable<void> wait_for_change(std::chrono::steady_clock::time_point bookmark_at);
    void notice_hang_up();
    void begin_watch(WatchStream& watch);
    bool is_over() const;

    boost::beast::tcp_stream stream_;
    ApiServer& server_;
    HttpLimits limits_;
    boost::beast::flat_buffer buffer_;
    boost::asio::steady_timer wake_;
    std::optional<Socket> frames_;
    std::chrono::steady_clock::time_point watch_ends_ = {};
    bool is_stopped_ = false;
    bool is_peer_gone_ = false;
};

}  // namespace k8s::embedded
