#include "k8s/net/response_reader.hpp"

#include "k8s/base/time.hpp"
#include "k8s/codec/codec_status.hpp"

#include <boost/beast/core/string.hpp>

#include <algorithm>

namespace k8s {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;

namespace {

// Most connections see small answers, and there are dozens of them.
constexpr std::size_t read_buffer_min = 4 * 1024;
constexpr std::size_t read_buffer_max = 64 * 1024;
// Long continue tokens come back in bodies, not here.
constexpr std::uint32_t header_max = 64 * 1024;
constexpr std::int64_t retry_after_ms_max = 60'000;
constexpr std::int64_t retry_after_unclear_ms = 1'000;

}  // namespace

void ResponseReader::open() {
    buffer_.resize(read_buffer_min);
}

void ResponseReader::begin(std::optional<std::size_t> body_max) {
    parser_ = std::make_unique<Parser>();
    parser_->eager(true);
    parser_->header_limit(header_max);
    if (body_max) {
        parser_->body_limit(*body_max);
    } else {
        parser_->body_limit(boost::none);
    }
}

void ResponseReader::drop() {
    parser_.reset();
    buffer_ = std::vector<char>();
    buffered_ = 0;
}

// False: it is as large as it may become.
bool ResponseReader::grow() {
    if (buffer_.size() >= read_buffer_max) return false;
    buffer_.resize(std::min(buffer_.size() * 2, read_buffer_max));
    return true;
}

asio::mutable_buffer ResponseReader::room() {
    // Nothing but a header is left unparsed in it.
    if (buffered_ == buffer_.size() && !grow()) return {};
    return {buffer_.data() + buffered_, buffer_.size() - buffered_};
}

void ResponseReader::filled(std::size_t bytes) {
    buffered_ += bytes;
    // What fills its room has more behind it.
    if (buffered_ == buffer_.size()) grow();
}

error_code ResponseReader::parse() {
    std::size_t used = 0;
    error_code ec;
    while (used < buffered_ && !parser_->is_done()) {
        const asio::const_buffer rest(buffer_.data() + used, buffered_ - used);
        const std::size_t taken = parser_->put(rest, ec);
        used += taken;
        if (ec == http::error::need_more) {
            ec = {};
            break;
        }
        if (ec || taken == 0) break;
    }
    std::copy(
        buffer_.begin() + static_cast<std::ptrdiff_t>(used),
        buffer_.begin() + static_cast<std::ptrdiff_t>(buffered_),
        buffer_.begin());
    buffered_ -= used;
    return ec;
}

error_code ResponseReader::parse_end() {
    error_code ec;
    parser_->put_eof(ec);
    return ec;
}

// Kubernetes sends seconds. A date counts from the answer's own: no clock of ours is in it. Garbage
// still means "not now".
std::optional<std::int64_t> ResponseReader::retry_after_ms() const {
    const auto& answer = parser_->get();
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

std::string ResponseReader::unasked_encoding() const {
    const auto field = parser_->get().find(http::field::content_encoding);
    if (field == parser_->get().end() || beast::iequals(field->value(), "identity")) return {};
    return one_line(std::string(field->value()), 32);
}

}  // namespace k8s
