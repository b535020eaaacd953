#include "k8s/json/scan/json_scalar.hpp"

#include <bit>

namespace k8s {
namespace {

constexpr unsigned flags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                           rapidjson::kParseValidateEncodingFlag;
constexpr std::size_t text_bytes_kept = 256 * 1024;
/// RapidJSON takes all bytes of a character before it looks at them, up to two past the NUL.
constexpr std::size_t padding = 4;

}  // namespace

class JsonScalarReader::Handler
    : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, JsonScalarReader::Handler> {
public:
    bool Default() { return false; }
    bool Null() { return found(JsonKind::null); }
    bool Bool(bool b) { return found(b ? JsonKind::true_value : JsonKind::false_value); }
    bool Int(int i) { return Int64(i); }
    bool Uint(unsigned i) { return Uint64(i); }
    bool Int64(std::int64_t i) { return found(JsonKind::integer, static_cast<std::uint64_t>(i)); }
    bool Uint64(std::uint64_t i) { return found(JsonKind::natural, i); }
    bool Double(double d) { return found(JsonKind::real, std::bit_cast<std::uint64_t>(d)); }
    bool String(const char* text, rapidjson::SizeType length, bool) {
        scalar.text = {text, length};
        return found(JsonKind::text);
    }

    JsonScalar scalar;

private:
    bool found(JsonKind kind, std::uint64_t bits = 0) {
        scalar.kind = kind;
        scalar.bits = bits;
        return true;
    }
};

std::optional<JsonScalar> JsonScalarReader::read(std::string_view source) {
    text_.clear();
    text_.reserve(source.size() + padding);
    text_.assign(source.begin(), source.end());
    text_.insert(text_.end(), padding, '\0');
    rapidjson::InsituStringStream stream(text_.data());
    Handler handler;
    if (reader_.Parse<flags>(stream, handler).IsError()) return std::nullopt;
    return handler.scalar;
}

void JsonScalarReader::give_back_if_large() {
    if (text_.capacity() > text_bytes_kept) std::vector<char>().swap(text_);
}

}  // namespace k8s
