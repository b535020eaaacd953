#pragma once
// ResponseReader: bytes of a connection become one HTTP answer after the other. No sockets.
//
//   begin() --room(), filled(), parse(): again and again--> is_done() --end()--> begin()

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace k8s {

class ResponseReader {
public:
    using Parser = boost::beast::http::response_parser<boost::beast::http::string_body>;

    /// A connection stands, from which bytes may come.
    void open();
    /// An answer will come. Nothing: its body is taken piece by piece and has no bound.
    void begin(std::optional<std::size_t> body_max);
    bool is_begun() const { return parser_ != nullptr; }

    /// Where the next bytes belong; empty: the header is too long.
    boost::asio::mutable_buffer room();
    void filled(std::size_t bytes);
    /// Feeds what has come to the parser; that more is needed is no error.
    boost::system::error_code parse();
    /// The connection has ended, which ends an answer without a length. Error: it was cut off.
    boost::system::error_code parse_end();
    /// Bytes have come that belong to no answer so far.
    bool has_unparsed() const { return buffered_ > 0; }

    // Of the answer that has begun.
    bool is_done() const { return parser_->is_done(); }
    bool is_header_done() const { return parser_->is_header_done(); }
    bool got_some() const { return parser_->got_some(); }
    bool needs_end() const { return parser_->need_eof(); }
    int status() const { return static_cast<int>(parser_->get().result_int()); }
    bool keeps_alive() const { return parser_->get().keep_alive(); }
    std::string& body() { return parser_->get().body(); }
    /// Of Retry-After, capped.
    std::optional<std::int64_t> retry_after_ms() const;
    /// A Content-Encoding: we unpack nothing, so nothing can swell either. Empty: there is none.
    std::string unasked_encoding() const;

    void end() { parser_.reset(); }
    /// The connection is no more.
    void drop();

private:
    bool grow();

    std::unique_ptr<Parser> parser_;
    std::vector<char> buffer_;
    std::size_t buffered_ = 0;  ///< bytes from its front that were read and not parsed yet
};

}  // namespace k8s
