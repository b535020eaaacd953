#include "config/printable.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace config {
namespace {

/// Length of the UTF-8 sequence at the front, 0 if it is not one; `code` gets its code point.
std::size_t sequence_length(std::string_view rest, std::uint32_t& code) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80             ? 1
                               : (first & 0xE0) == 0xC0 ? 2
                               : (first & 0xF0) == 0xE0 ? 3
                               : (first & 0xF8) == 0xF0 ? 4
                                                        : 0;
    if (length == 0 || length > rest.size()) {
        return 0;
    }
    code = length == 1 ? first : first & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) {
            return 0;
        }
        code = (code << 6U) | (byte(i) & 0x3FU);
    }
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code < least[length] || code > 0x10FFFF || surrogate ? 0 : length;
}

/// C1 controls, line separators, and marks that reorder or hide text.
bool is_deceptive(std::uint32_t code) {
    return (code >= 0x7F && code <= 0x9F) || code == 0xAD || (code >= 0x200B && code <= 0x200F) ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) ||
           code == 0xFEFF || (code >= 0xE0000 && code <= 0xE007F);
}

std::string escaped(std::uint32_t code) {
    switch (code) {
        case '\n':
            return "\\n";
        case '\r':
            return "\\r";
        case '\t':
            return "\\t";
        default:
            return code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
    }
}

}  // namespace

std::string printable(std::string_view text, std::size_t bytes_max) {
    std::string out;
    while (!text.empty()) {
        if (out.size() >= bytes_max) {
            return out + "...";
        }
        std::uint32_t code = 0;
        const std::size_t length = sequence_length(text, code);
        if (length == 0) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
            text.remove_prefix(1);
            continue;
        }
        if (code < 0x20 || is_deceptive(code)) {
            out += escaped(code);
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return out;
}

}  // namespace config
