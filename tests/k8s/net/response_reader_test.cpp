#include "k8s/net/response_reader.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>

using namespace k8s;

namespace {

// As a socket would: as much as there is room for, again and again.
boost::system::error_code feed(ResponseReader& reader, std::string text) {
    while (!text.empty()) {
        const auto room = reader.room();
        if (room.size() == 0) return boost::beast::http::error::header_limit;
        const std::size_t bytes = std::min(room.size(), text.size());
        std::memcpy(room.data(), text.data(), bytes);
        text.erase(0, bytes);
        reader.filled(bytes);
        if (const auto ec = reader.parse()) return ec;
    }
    return {};
}

ResponseReader reader_of(const std::string& text) {
    ResponseReader reader;
    reader.open();
    reader.begin(1024 * 1024);
    REQUIRE_FALSE(feed(reader, text));
    return reader;
}

}  // namespace

TEST_CASE("response reader: an answer in pieces, and what comes behind it belongs to no answer") {
    ResponseReader reader = reader_of("HTTP/1.1 200 OK\r\nContent-");
    CHECK_FALSE(reader.is_header_done());
    CHECK(reader.has_unparsed());
    REQUIRE_FALSE(feed(reader, "Length: 3\r\n\r\nabcHTTP"));
    CHECK(reader.is_done());
    CHECK(reader.status() == 200);
    CHECK(reader.body() == "abc");
    CHECK(reader.keeps_alive());
    CHECK(reader.has_unparsed());
}

TEST_CASE("response reader: a body beyond its bound is an error, one without a bound is not") {
    const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const std::string chunk = "400\r\n" + std::string(1024, 'x') + "\r\n";
    ResponseReader bounded;
    bounded.open();
    bounded.begin(1'000);
    CHECK(feed(bounded, head + chunk) == boost::beast::http::error::body_limit);
    ResponseReader stream;
    stream.open();
    stream.begin(std::nullopt);
    CHECK_FALSE(feed(stream, head + chunk + chunk));
    CHECK(stream.body().size() == 2'048);
    CHECK_FALSE(stream.is_done());
}

TEST_CASE(
    "response reader: an answer without length ends with its connection, another is cut off") {
    ResponseReader open_end = reader_of("HTTP/1.1 200 OK\r\n\r\nabc");
    CHECK(open_end.needs_end());
    CHECK_FALSE(open_end.parse_end());
    CHECK(open_end.is_done());
    ResponseReader cut = reader_of("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
    CHECK_FALSE(cut.needs_end());
    CHECK(cut.parse_end());
}

TEST_CASE("response reader: Retry-After is seconds or a date, capped, and garbage means not now") {
    const auto retry = [](const std::string& fields) {
        return reader_of("HTTP/1.1 429 No\r\n" + fields + "Content-Length: 0\r\n\r\n")
            .retry_after_ms();
    };
    CHECK_FALSE(retry("").has_value());
    CHECK(retry("Retry-After: 2\r\n") == 2'000);
    CHECK(retry("Retry-After: 99999999999999999999\r\n") == 60'000);
    CHECK(retry("Retry-After: soon\r\n") == 1'000);
    CHECK(
        retry("Retry-After: Wed, 21 Oct 2026 07:28:05 GMT\r\n"
              "Date: Wed, 21 Oct 2026 07:28:00 GMT\r\n") == 5'000);
}

TEST_CASE("response reader: an encoding that nobody asked for is named") {
    CHECK(
        reader_of("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n")
            .unasked_encoding() == "gzip");
    CHECK(reader_of("HTTP/1.1 200 OK\r\nContent-Encoding: Identity\r\nContent-Length: 0\r\n\r\n")
              .unasked_encoding()
              .empty());
}
