#pragma once
// One pass over a JSON text with a handler of RapidJSON's events, for whoever needs no document of
// it. Included only from .cpp files.

#include "core/base/result.hpp"
#include "k8s/json/json.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace k8s {

/// A sequence of UTF-8 that the text ends in the middle of. RapidJSON takes all of its bytes before
/// it looks at them, up to two past the terminating zero. No JSON ends like that.
inline bool ends_inside_a_character(std::string_view text) {
    const std::string_view tail = text.substr(text.size() - std::min<std::size_t>(text.size(), 2));
    return std::any_of(
        tail.begin(), tail.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xC0; });
}

/// Strings that the handler is given point into `text`. Nesting cannot exhaust the stack.
template <typename Handler>
core::Result<core::Done> read_in_place(std::string& text, Handler& handler) {
    if (text.find('\0') != std::string::npos) {
        return core::Error{"this is not JSON: it contains a NUL byte"};
    }
    if (ends_inside_a_character(text)) {
        return core::Error{"this is not JSON: it ends inside a character"};
    }
    constexpr unsigned flags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                               rapidjson::kParseValidateEncodingFlag;
    rapidjson::Reader reader;
    rapidjson::InsituStringStream stream(text.data());
    const rapidjson::ParseResult result = reader.Parse<flags>(stream, handler);
    if (result.IsError()) {
        return core::Error{
            std::string("this is not JSON: ") + rapidjson::GetParseError_En(result.Code()) +
            " (byte " + std::to_string(result.Offset()) + ")"};
    }
    return core::Done{};
}

}  // namespace k8s
