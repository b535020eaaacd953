#include "k8s/json/scan/json_cursor.hpp"

#include <cstring>
#include <string>

namespace k8s {
namespace {

/// Of a whole number that surely has 64 bits.
constexpr std::ptrdiff_t digits_max = 18;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool may_be_in_number(char c) {
    return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

}  // namespace

core::Error JsonCursor::problem() const {
    const std::string where = " (byte " + std::to_string(at_ - begin_) + ")";
    const bool nul = has_nul() || (at_ < end_ && *at_ == '\0');
    const char* what = nul                                  ? "it contains a NUL byte"
                       : at_ >= end_ || problem_ == nullptr ? "it ends too early"
                                                            : problem_;
    return core::Error{"this is not JSON: " + std::string(what) + where};
}

std::optional<std::string_view> JsonCursor::read_odd_string(const char* close, bool is_kept) {
    if (close == nullptr) {
        fail("a string never ends");
        at_ = end_;
        return std::nullopt;
    }
    const auto scalar = scalars_.read({at_, static_cast<std::size_t>(close + 1 - at_)});
    if (!scalar) {
        fail("a string with a wrong escape or encoding");
        return std::nullopt;
    }
    at_ = close + 1;
    return is_kept ? keep(scalar->text) : scalar->text;
}

/// A copy that lives as long as the pool.
std::string_view JsonCursor::keep(std::string_view text) {
    if (text.empty()) return "";
    char* copy = static_cast<char*>(pool_.Malloc(text.size()));
    std::memcpy(copy, text.data(), text.size());
    return {copy, text.size()};
}

std::optional<JsonScalar> JsonCursor::read_word(std::string_view word, JsonKind kind) {
    if (static_cast<std::size_t>(end_ - at_) < word.size() ||
        std::memcmp(at_, word.data(), word.size()) != 0) {
        fail("not a value");
        return std::nullopt;
    }
    at_ += word.size();
    return JsonScalar{kind, 0, {}};
}

std::optional<JsonScalar> JsonCursor::read_other() {
    switch (look()) {
        case 'n':
            return read_word("null", JsonKind::null);
        case 't':
            return read_word("true", JsonKind::true_value);
        case 'f':
            return read_word("false", JsonKind::false_value);
        default:
            return read_number();
    }
}

std::optional<JsonScalar> JsonCursor::read_number() {
    const char* first = at_;
    const char* at = at_;
    std::uint64_t number = 0;
    for (; at < end_ && is_digit(*at) && at - first <= digits_max; ++at) {
        number = number * 10 + static_cast<std::uint64_t>(*at - '0');
    }
    const std::ptrdiff_t digits = at - first;
    const bool is_whole =
        digits > 0 && (at == end_ || !may_be_in_number(*at)) && (*first != '0' || digits == 1);
    if (is_whole && digits <= digits_max) {
        at_ = at;
        return JsonScalar{JsonKind::natural, number, {}};
    }
    while (at < end_ && may_be_in_number(*at)) ++at;
    const auto scalar = scalars_.read({first, static_cast<std::size_t>(at - first)});
    if (!scalar) {
        fail("not a value");
        return std::nullopt;
    }
    at_ = at;
    return scalar;
}

/// Digits, and more behind a point, are known for a number without its value.
bool JsonCursor::skip_other() {
    const auto pass_digits = [this](const char* at) {
        while (at < end_ && is_digit(*at)) ++at;
        return at;
    };
    const char* const point = pass_digits(at_);
    const bool is_usual =
        point > at_ && point - at_ <= digits_max && (*at_ != '0' || point - at_ == 1);
    if (is_usual && point < end_ && *point == '.') {
        const char* const behind = pass_digits(point + 1);
        if (behind > point + 1 && (behind == end_ || !may_be_in_number(*behind))) {
            at_ = behind;
            return true;
        }
    }
    return read_other().has_value();
}

bool JsonCursor::skip_nested() {
    const char* closing = scanner_.find_closing(at_);
    if (closing == nullptr) {
        at_ = end_;
        return fail("a bracket is never closed");
    }
    if (*closing != (*at_ == '{' ? '}' : ']')) return fail("a bracket is closed by another");
    at_ = closing + 1;
    return true;
}

std::optional<std::string_view> JsonCursor::find_plain_string(const char* place) const {
    if (place >= end_ || *place != '"') return std::nullopt;
    const std::string_view rest(place + 1, static_cast<std::size_t>(end_ - place - 1));
    const std::size_t size = rest.find('"');
    if (size == std::string_view::npos) return std::nullopt;
    const std::string_view text = rest.substr(0, size);
    return text.find('\\') == std::string_view::npos ? std::optional(text) : std::nullopt;
}

}  // namespace k8s
