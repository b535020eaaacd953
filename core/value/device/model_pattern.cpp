#include "core/value/device/model_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace core {

namespace {

using Bytes = std::bitset<256>;

/// More would come of repeats of repeats only.
constexpr std::size_t steps_max = 4096;
constexpr int depth_max = 32;
constexpr std::int32_t repeat_max = 1000;

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// With the letter in the other case.
void add_byte(Bytes& to, char c) {
    to.set(static_cast<unsigned char>(c));
    if (is_letter(c)) to.set(static_cast<unsigned char>(c) ^ 0x20U);
}

void add_range(Bytes& to, char first, char last) {
    for (int c = static_cast<unsigned char>(first); c <= static_cast<unsigned char>(last); ++c) {
        add_byte(to, static_cast<char>(c));
    }
}

/// \d, \w, \s and their opposites; nothing: it is none of them.
std::optional<Bytes> class_of(char letter) {
    Bytes bytes;
    switch (letter | 0x20) {
        case 'd':
            add_range(bytes, '0', '9');
            break;
        case 'w':
            add_range(bytes, '0', '9');
            add_range(bytes, 'a', 'z');
            add_byte(bytes, '_');
            break;
        case 's':
            for (const char c : {' ', '\t', '\n', '\r', '\f', '\v'}) add_byte(bytes, c);
            break;
        default:
            return std::nullopt;
    }
    return is_letter(letter) && (letter & 0x20) == 0 ? ~bytes : bytes;
}

}  // namespace

/// Recursive descent; each part becomes steps with offsets of their own, so that parts can be put
/// behind one another, and repeated, as they are.
class ModelPattern::Parser {
public:
    Parser(std::string_view text, std::vector<Bytes>& sets) : text_(text), sets_(sets) {}

    Result<Steps> run() {
        Steps steps = alternatives();
        if (error_.empty() && at_ < text_.size()) fail("has a ) without (");
        if (!error_.empty()) return Error{error_};
        steps.push_back({});
        return steps;
    }

private:
    bool is_over() const { return !error_.empty() || at_ >= text_.size(); }
    bool take(char c) {
        if (is_over() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void fail(std::string_view what) {
        if (error_.empty()) error_ = fmt::format("the expression {}", what);
    }
    static Step split(std::int32_t other) { return {Op::split, 1, other, 0}; }
    static Step jump(std::int32_t by) { return {Op::jump, by, 1, 0}; }
    static Step edge(Op op) { return {op, 1, 1, 0}; }
    static std::int32_t size(const Steps& steps) { return static_cast<std::int32_t>(steps.size()); }
    void append(Steps& to, const Steps& more) {
        if (to.size() + more.size() > steps_max) return fail("is too large");
        to.insert(to.end(), more.begin(), more.end());
    }
    Steps one(Bytes bytes) {
        sets_.push_back(bytes);
        return {Step{Op::bytes, 1, 1, static_cast<std::uint32_t>(sets_.size() - 1)}};
    }

    Steps alternatives() {
        if (++depth_ > depth_max) fail("is nested too deeply");
        Steps steps = sequence();
        while (take('|')) {
            const Steps other = sequence();
            Steps both = {split(size(steps) + 2)};
            append(both, steps);
            both.push_back(jump(size(other) + 1));
            append(both, other);
            steps = std::move(both);
        }
        --depth_;
        return steps;
    }

    Steps sequence() {
        Steps steps;
        while (!is_over() && text_[at_] != '|' && text_[at_] != ')') {
            Steps part = atom();
            while (!is_over() && repeat(part)) {
            }
            append(steps, part);
        }
        return steps;
    }

    /// False: no repeat stands here.
    bool repeat(Steps& part) {
        if (take('*')) {
            part = repeated(part, 0, -1);
        } else if (take('+')) {
            part = repeated(part, 1, -1);
        } else if (take('?')) {
            part = repeated(part, 0, 1);
        } else if (take('{')) {
            std::int32_t least = number();
            std::int32_t most = least;
            if (take(',')) most = !is_over() && text_[at_] == '}' ? -1 : number();
            if (!take('}') || (most >= 0 && most < least))
                fail("has a repeat that is none, such as {2,1}");
            if (error_.empty()) part = repeated(part, least, most);
        } else {
            return false;
        }
        return true;
    }

    std::int32_t number() {
        std::int32_t value = 0;
        if (is_over() || !is_digit(text_[at_])) fail("has a { without a number");
        for (; !is_over() && is_digit(text_[at_]); ++at_) {
            value = value * 10 + (text_[at_] - '0');
            if (value > repeat_max) fail("repeats something more than 1000 times");
        }
        return value;
    }

    /// `most` -1: as often as it comes.
    Steps repeated(const Steps& part, std::int32_t least, std::int32_t most) {
        Steps steps;
        for (std::int32_t i = 0; i < least && error_.empty(); ++i) append(steps, part);
        if (most < 0) {
            steps.push_back(split(size(part) + 2));
            append(steps, part);
            steps.push_back(jump(-(size(part) + 1)));
        }
        for (std::int32_t i = least; i < most && error_.empty(); ++i) {
            steps.push_back(split(size(part) + 1));
            append(steps, part);
        }
        return steps;
    }

    Steps atom() {
        const char c = text_[at_++];
        switch (c) {
            case '(':
                return group();
            case '[':
                return one(bracket());
            case '.':
                return one(~Bytes{}.set('\n'));
            case '^':
                return {edge(Op::text_begin)};
            case '$':
                return {edge(Op::text_end)};
            case '\\':
                return one(escaped());
            case '*':
            case '+':
            case '?':
            case '{':
                fail(fmt::format("repeats nothing: {} has nothing before it", c));
                return {};
            default:
                break;
        }
        Bytes bytes;
        add_byte(bytes, c);
        return one(bytes);
    }

    Steps group() {
        if (take('?') && !take(':'))
            fail("has a group that begins with (?, of which only (?: is understood");
        if (!error_.empty()) return {};
        Steps steps = alternatives();
        if (error_.empty() && !take(')')) fail("has a ( without )");
        return steps;
    }

    Bytes escaped() {
        Bytes bytes;
        if (is_over()) {
            fail("ends with a backslash");
            return bytes;
        }
        const char c = text_[at_++];
        if (const auto known = class_of(c)) return *known;
        if (is_letter(c) || is_digit(c)) fail(fmt::format("has \\{}, which is not understood", c));
        add_byte(bytes, c);
        return bytes;
    }

    /// Behind the "[".
    Bytes bracket() {
        const bool is_negated = take('^');
        Bytes bytes;
        bool is_first = true;
        for (;; is_first = false) {
            if (is_over()) {
                fail("has a [ without ]");
                return bytes;
            }
            const char c = text_[at_++];
            if (c == ']' && !is_first) break;
            if (c == '[' && !is_over() && text_[at_] == ':')
                fail("has a [: class, which is not understood");
            if (c == '\\') {
                bytes |= escaped();
                continue;
            }
            const bool is_range =
                at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']';
            if (!is_range) {
                add_byte(bytes, c);
                continue;
            }
            ++at_;
            const char last = text_[at_++];
            if (last == '\\' || static_cast<unsigned char>(last) < static_cast<unsigned char>(c)) {
                fail("has a range that is none, such as [z-a]");
            }
            add_range(bytes, c, last);
        }
        return is_negated ? ~bytes : bytes;
    }

    std::string_view text_;
    std::vector<Bytes>& sets_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::string error_;
};

/// The states in which a match may be, at one place of the text.
class ModelPattern::Run {
public:
    explicit Run(const ModelPattern& pattern)
        : pattern_(pattern), seen_(pattern.steps_.size(), 0) {}

    bool matches(std::string_view text) {
        for (std::size_t at = 0; at <= text.size(); ++at) {
            add(0, at == 0, at == text.size());  // a match may begin here
            if (has_matched_) return true;
            if (at == text.size()) break;
            std::swap(now_, before_);
            now_.clear();
            ++place_;
            const auto byte = static_cast<unsigned char>(text[at]);
            for (const std::size_t step : before_) {
                if (pattern_.sets_[pattern_.steps_[step].bytes].test(byte)) {
                    add(step + 1, false, at + 1 == text.size());
                }
            }
            if (has_matched_) return true;
        }
        return false;
    }

private:
    /// With all that it leads to without a byte of the text.
    void add(std::size_t from, bool is_begin, bool is_end) {
        open_.assign(1, from);
        while (!open_.empty()) {
            const std::size_t at = open_.back();
            open_.pop_back();
            if (seen_[at] == place_) continue;
            seen_[at] = place_;
            const Step& step = pattern_.steps_[at];
            const auto next = [at](std::int32_t offset) {
                return static_cast<std::size_t>(static_cast<std::int64_t>(at) + offset);
            };
            switch (step.op) {
                case Op::bytes:
                    now_.push_back(at);
                    break;
                case Op::split:
                    open_.push_back(next(step.second));
                    open_.push_back(next(step.first));
                    break;
                case Op::jump:
                    open_.push_back(next(step.first));
                    break;
                case Op::text_begin:
                    if (is_begin) open_.push_back(at + 1);
                    break;
                case Op::text_end:
                    if (is_end) open_.push_back(at + 1);
                    break;
                case Op::match:
                    has_matched_ = true;
                    break;
            }
        }
    }

    const ModelPattern& pattern_;
    std::vector<std::size_t> seen_;  ///< by step: the place at which it was added last
    std::size_t place_ = 1;
    std::vector<std::size_t> now_;
    std::vector<std::size_t> before_;
    std::vector<std::size_t> open_;
    bool has_matched_ = false;
};

Result<ModelPattern> ModelPattern::make(std::string_view expression) {
    if (expression.size() > model_pattern_max) {
        return Error{fmt::format("the expression is longer than {} bytes", model_pattern_max)};
    }
    ModelPattern made;
    auto steps = Parser(expression, made.sets_).run();
    if (!steps) return steps.error();
    made.steps_ = *std::move(steps);
    return made;
}

bool ModelPattern::matches(std::string_view text) const {
    return Run(*this).matches(text);
}

std::string quote_for_pattern(std::string_view text) {
    std::string quoted;
    for (const char c : text) {
        const bool is_plain = is_letter(c) || is_digit(c) || c == ' ' || c == '-' || c == '_' ||
                              static_cast<unsigned char>(c) >= 0x80;
        if (!is_plain) quoted += '\\';
        quoted += c;
    }
    return quoted;
}

}  // namespace core
