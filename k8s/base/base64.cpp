#include "k8s/base/base64.hpp"

#include <cstddef>

namespace k8s {
namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

unsigned byte_at(std::string_view bytes, std::size_t at) {
    return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
    std::string encoded;
    encoded.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const unsigned group =
            byte_at(bytes, at) << 16 | byte_at(bytes, at + 1) << 8 | byte_at(bytes, at + 2);
        encoded += digits[group >> 18];
        encoded += digits[group >> 12 & 63];
        encoded += at + 1 < bytes.size() ? digits[group >> 6 & 63] : '=';
        encoded += at + 2 < bytes.size() ? digits[group & 63] : '=';
    }
    return encoded;
}

std::optional<std::string> base64_decode(std::string_view encoded) {
    std::string decoded;
    unsigned bits = 0;
    int count = 0;
    bool is_padded = false;
    for (char c : encoded) {
        if (c == '\n' || c == '\r' || c == ' ') continue;
        if (c == '=') {
            is_padded = true;
            continue;
        }
        const std::size_t value = digits.find(c);
        if (value == std::string_view::npos || is_padded) return std::nullopt;
        bits = (bits << 6 | static_cast<unsigned>(value)) & 0xFFFFFF;
        count += 6;
        if (count >= 8) {
            count -= 8;
            decoded += static_cast<char>(bits >> count & 0xFF);
        }
    }
    return decoded;
}

}  // namespace k8s
