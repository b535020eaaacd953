#include "k8s/embedded/query/continue_token.hpp"

namespace k8s::embedded {

namespace {

constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr unsigned letter_bits = 6;
constexpr unsigned byte_bits = 8;

std::string encode(std::string_view bytes) {
    std::string text;
    unsigned buffer = 0;
    unsigned bits = 0;
    for (const char c : bytes) {
        buffer = (buffer << byte_bits) | static_cast<unsigned char>(c);
        bits += byte_bits;
        while (bits >= letter_bits) {
            bits -= letter_bits;
            text.push_back(letters[(buffer >> bits) & 63U]);
        }
    }
    if (bits > 0) {
        text.push_back(letters[(buffer << (letter_bits - bits)) & 63U]);
    }
    return text;
}

std::optional<std::string> decode(std::string_view text) {
    std::string bytes;
    unsigned buffer = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const auto value = letters.find(c);
        if (value == std::string_view::npos) {
            return std::nullopt;
        }
        buffer = (buffer << letter_bits) | static_cast<unsigned>(value);
        bits += letter_bits;
        if (bits >= byte_bits) {
            bits -= byte_bits;
            bytes.push_back(static_cast<char>((buffer >> bits) & 255U));
        }
    }
    return bytes;
}

}  // namespace

std::string write_token(const ListPlace& place) {
    Json token{Json::Object()};
    token.set("v", "meta.k8s.io/v1").set("rv", place.revision);
    token.set("start", place.after.space + "/" + place.after.name);
    return encode(token.dump());
}

std::optional<ListPlace> read_token(std::string_view token) {
    const auto bytes = decode(token);
    const auto parsed = bytes ? Json::parse(*bytes) : core::Result<Json>(core::Error{"no base64"});
    if (!parsed || !parsed->is_object()) {
        return std::nullopt;
    }
    const Json* revision = parsed->find("rv");
    const auto& start = parsed->text({"start"});
    const auto slash = start.find('/');
    if (revision == nullptr || revision->as_int() <= 0 || slash == std::string::npos) {
        return std::nullopt;
    }
    return ListPlace{revision->as_int(), Key{start.substr(0, slash), start.substr(slash + 1)}};
}

}  // namespace k8s::embedded
