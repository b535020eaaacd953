#pragma once
// Small text tools for what users write into their conf. ASCII only, no locale.

#include <cstdint>
#include <string>
#include <string_view>

namespace gang::spark {

/// Without leading and trailing characters up to and including the space, as String.trim() does.
std::string_view trimmed(std::string_view text);

std::string lower_case(std::string_view text);

/// The text in double quotes for a message: control characters become '?', a long text is cut.
std::string quoted(std::string_view text);

/// Appends a Unicode scalar value as UTF-8; what is none (a lone surrogate) becomes U+FFFD.
void append_utf8(std::string& to, std::uint32_t code_point);

/// Well-formed UTF-8 without overlong forms and surrogates.
bool is_utf8(std::string_view text);

}  // namespace gang::spark
