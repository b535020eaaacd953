#pragma once
// Where one is in a JSON text: its scalars, its separators, and what can be passed over. The first
// thing that is no JSON is the problem; after it nothing is read any more. Included only from .cpp
// files.

#include "core/base/result.hpp"
#include "k8s/json/json.hpp"
#include "k8s/json/scan/json_scalar.hpp"
#include "k8s/json/scan/json_scan.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace k8s {

class JsonCursor {
public:
    using Pool = rapidjson::MemoryPoolAllocator<>;

    /// At a place of the text that is outside of any string. What is kept of odd strings is in the
    /// pool.
    JsonCursor(std::string_view text, const char* at, JsonScalarReader& scalars, Pool& pool)
        : begin_(text.data()),
          end_(text.data() + text.size()),
          at_(at),
          scanner_(at, end_),
          scalars_(scalars),
          pool_(pool) {}

    const char* at() const { return at_; }
    const char* end() const { return end_; }
    std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
    bool is_in_text(const char* place) const { return place >= begin_ && place < end_; }
    /// NUL, which is never a part of JSON, at the end.
    char look() const { return at_ < end_ ? *at_ : '\0'; }
    void pass(std::size_t bytes = 1) { at_ += bytes; }
    /// Past what is known to be JSON without a NUL, to a place outside of any string.
    void pass_known(std::size_t bytes) {
        at_ += bytes;
        scanner_.jump(at_);
    }

    void skip_space() {
        while (at_ < end_ && is_space(*at_)) ++at_;
    }

    /// Past a colon and the spaces around it. What the API server writes has none.
    bool take_colon() {
        if (end_ - at_ >= 2 && at_[0] == ':' && !is_space(at_[1])) {
            ++at_;
            return true;
        }
        skip_space();
        if (look() != ':') return fail("expected a colon");
        ++at_;
        skip_space();
        return true;
    }

    /// A string or key: what it says, which is in the text itself if it is plain. Nothing: it is
    /// none. An odd one is valid until the next odd one unless it is to be kept.
    std::optional<std::string_view> read_string(bool is_kept) {
        const auto [close, is_plain] = scanner_.find_string_end(at_);
        if (!is_plain || close == nullptr) return read_odd_string(close, is_kept);
        const char* open = std::exchange(at_, close + 1);
        return std::string_view(open + 1, static_cast<std::size_t>(close - open - 1));
    }
    /// A scalar that is no string. What follows must be a separator, which whoever called sees to.
    std::optional<JsonScalar> read_other();
    /// Past such a scalar, whatever it says.
    bool skip_other();
    /// Past the object or array that begins here.
    bool skip_nested();

    /// From this place on the first that is no space, or the end.
    const char* find_unspace(const char* place) const {
        while (place < end_ && is_space(*place)) ++place;
        return place;
    }
    /// The string at this place, if it is as it is written and can be seen before it is read.
    std::optional<std::string_view> find_plain_string(const char* place) const;

    /// To an earlier place and back. What is there was passed over without a look.
    class Detour;

    bool ends_here() {
        skip_space();
        return at_ == end_ ? !has_nul() : fail("something follows the document");
    }
    /// In what was looked at so far.
    bool has_nul() const { return scanner_.has_nul(); }
    bool fail(const char* what) {
        if (problem_ == nullptr) problem_ = what;
        return false;
    }
    core::Error problem() const;

private:
    static bool is_space(char c) {
        return static_cast<unsigned char>(c) <= ' ' &&
               (c == ' ' || c == '\n' || c == '\t' || c == '\r');
    }

    std::optional<std::string_view> read_odd_string(const char* close, bool is_kept);
    std::optional<JsonScalar> read_word(std::string_view word, JsonKind kind);
    std::optional<JsonScalar> read_number();
    std::string_view keep(std::string_view text);

    const char* begin_;
    const char* end_;
    const char* at_;
    JsonScanner scanner_;
    JsonScalarReader& scalars_;
    Pool& pool_;
    const char* problem_ = nullptr;
};

class JsonCursor::Detour {
public:
    Detour(JsonCursor& cursor, const char* to)
        : cursor_(cursor), before_(cursor.at_), scanner_before_(cursor.scanner_) {
        cursor.scanner_ = JsonScanner(to, cursor.end_);
        cursor.at_ = to;
    }
    ~Detour() {
        cursor_.scanner_ = scanner_before_;
        if (cursor_.problem_ == nullptr) cursor_.at_ = before_;
    }
    Detour(const Detour&) = delete;
    Detour& operator=(const Detour&) = delete;

private:
    JsonCursor& cursor_;
    const char* before_;
    JsonScanner scanner_before_;
};

}  // namespace k8s
