#pragma once
// One keep-alive HTTP/1.1 connection of the load generator, TLS or plain. On purpose not the
// scheduler's own (k8s/connection): what that loses must show against this one. Anything unexpected
// is an exception: a run with a broken connection measures nothing.

#include "k8s/credentials/access.hpp"
#include "k8s/net/tls.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <memory>
#include <optional>
#include <string>

namespace load {

/// Where the connections go and as whom; shared by all.
struct Target {
    k8s::Access access;
    std::shared_ptr<k8s::TlsContext> tls;  ///< nullptr: plain HTTP

    /// Throws std::runtime_error.
    static Target read(const std::string& kubeconfig);
};

struct Answer {
    int status = 0;
    std::string body;
};

class Session {
public:
    Session(boost::asio::io_context& io, const Target& target);

    boost::asio::awaitable<void> open();

    /// One exchange. The body is of this type if it is not empty.
    boost::asio::awaitable<Answer> call(
        std::string method, std::string path, std::string content_type, std::string body);

    /// Sends a GET and reads the header of its answer; 200 or an exception.
    boost::asio::awaitable<void> open_stream(std::string path);
    /// The next bytes of the stream's body; empty: it has ended.
    boost::asio::awaitable<std::string> read_stream();

private:
    using Parser = boost::beast::http::response_parser<boost::beast::http::string_body>;

    std::string text_of(
        const std::string& method,
        const std::string& path,
        const std::string& content_type,
        const std::string& body) const;
    boost::asio::awaitable<void> write(std::string text);

    const Target& target_;
    boost::beast::tcp_stream plain_;
    std::unique_ptr<boost::asio::ssl::stream<boost::beast::tcp_stream&>> tls_;
    boost::beast::flat_buffer buffer_;
    std::optional<Parser> stream_;
};

}  // namespace load
