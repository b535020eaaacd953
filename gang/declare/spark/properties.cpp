#include "gang/declare/spark/properties.hpp"

#include "gang/declare/spark/keys.hpp"
#include "gang/declare/spark/references.hpp"
#include "gang/declare/spark/text.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace gang::spark {
namespace {

/// Each one that is not a kept key reads the text once more.
constexpr int references_max = 8;

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\f';
}

bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

/// Hands out logical lines: comments and blank lines left out, continued lines joined, escapes
/// still in place.
class LineReader {
public:
    explicit LineReader(std::string_view text) : rest_(text) {}

    /// Nothing at the end of the text. The line lives until the next call.
    std::optional<std::string_view> next() {
        while (!rest_.empty()) {
            skip_spaces();
            if (rest_.empty()) {
                break;
            }
            const char first = rest_.front();
            if (is_line_end(first)) {
                rest_.remove_prefix(1);
            } else if (first == '#' || first == '!') {
                take_natural_line();
            } else if (const auto line = take_logical_line()) {
                return line;
            }
        }
        return std::nullopt;
    }

private:
    void skip_spaces() {
        while (!rest_.empty() && is_space(rest_.front())) {
            rest_.remove_prefix(1);
        }
    }

    std::string_view take_natural_line() {
        const auto end = std::min(rest_.find_first_of("\r\n"), rest_.size());
        const std::string_view line = rest_.substr(0, end);
        const bool is_crlf = rest_.substr(end, 2) == "\r\n";
        rest_.remove_prefix(std::min(end + (is_crlf ? 2 : 1), rest_.size()));
        return line;
    }

    /// An odd number of backslashes at the end joins the next natural line, whatever that begins
    /// with, without its leading spaces. Nothing after a lone backslash: then the next line is as
    /// good as the first, and may be a comment.
    std::optional<std::string_view> take_logical_line() {
        joined_.clear();
        while (true) {
            const std::string_view natural = take_natural_line();
            if (!is_continued(natural)) {
                if (joined_.empty()) {
                    return natural;
                }
                joined_ += natural;
                return joined_;
            }
            joined_ += natural.substr(0, natural.size() - 1);
            if (joined_.empty()) {
                return std::nullopt;
            }
            skip_spaces();
        }
    }

    static bool is_continued(std::string_view line) {
        std::size_t backslashes = 0;
        while (backslashes < line.size() && line[line.size() - 1 - backslashes] == '\\') {
            ++backslashes;
        }
        return backslashes % 2 == 1;
    }

    std::string_view rest_;
    std::string joined_;
};

struct RawPair {
    std::string_view key;
    std::string_view value;
};

/// The key ends at the first '=', ':' or space that no backslash protects.
RawPair split(std::string_view line) {
    std::size_t end = 0;
    while (end < line.size() && line[end] != '=' && line[end] != ':' && !is_space(line[end])) {
        end += line[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, line.size());
    std::size_t begin = line.find_first_not_of(" \t\f", end);
    if (begin != std::string_view::npos && (line[begin] == '=' || line[begin] == ':')) {
        begin = line.find_first_not_of(" \t\f", begin + 1);
    }
    return {line.substr(0, end), begin == std::string_view::npos ? "" : line.substr(begin)};
}

/// The four hexadecimal digits at the front.
std::optional<std::uint32_t> read_hex(std::string_view digits) {
    if (digits.size() < 4) {
        return std::nullopt;
    }
    std::uint32_t value = 0;
    for (const char c : digits.substr(0, 4)) {
        const auto digit = std::string_view("0123456789abcdef").find(lower_case({&c, 1})[0]);
        if (digit == std::string_view::npos) {
            return std::nullopt;
        }
        value = value * 16 + static_cast<std::uint32_t>(digit);
    }
    return value;
}

/// Reads what follows "\u" at the front of `rest` (without these two) and removes it. A pair of
/// surrogates is written as two escapes and is one character.
std::optional<std::uint32_t> take_unicode(std::string_view& rest) {
    const auto unit = read_hex(rest);
    if (!unit) {
        return std::nullopt;
    }
    rest.remove_prefix(4);
    if (*unit < 0xD800 || *unit > 0xDBFF || !rest.starts_with("\\u")) {
        return unit;
    }
    const auto low = read_hex(rest.substr(2));
    if (!low || *low < 0xDC00 || *low > 0xDFFF) {
        return unit;
    }
    rest.remove_prefix(6);
    return 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00);
}

char unescaped(char c) {
    switch (c) {
        case 't':
            return '\t';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 'f':
            return '\f';
        default:
            return c;
    }
}

/// Nothing if a \u escape is malformed.
std::optional<std::string> unescape(std::string_view rest) {
    std::string result;
    while (!rest.empty()) {
        const char c = rest.front();
        rest.remove_prefix(1);
        if (c != '\\' || rest.empty()) {
            result += c;
            continue;
        }
        const char escaped = rest.front();
        rest.remove_prefix(1);
        if (escaped != 'u') {
            result += unescaped(escaped);
            continue;
        }
        const auto code_point = take_unicode(rest);
        if (!code_point) {
            return std::nullopt;
        }
        append_utf8(result, *code_point);
    }
    return result;
}

core::Error not_properties(const std::string& why) {
    return {"this is not what Spark writes: " + why};
}

std::optional<core::Error> find_wrong_text(std::string_view text) {
    if (text.size() > properties_bytes_max) {
        return not_properties("larger than " + std::to_string(properties_bytes_max) + " bytes");
    }
    if (text.find('\0') != std::string_view::npos) {
        return not_properties("it contains a NUL byte");
    }
    if (!is_utf8(text)) {
        return not_properties("it is not UTF-8 text");
    }
    return std::nullopt;
}

/// One pair of the text, unescaped.
struct Pair {
    std::string key;
    std::string value;
};

/// Most values are of no interest, and are only looked at for escapes that Java would refuse.
core::Result<Pair> read_pair(std::string_view line, bool (*wants)(std::string_view key)) {
    const RawPair raw = split(line);
    auto key = unescape(raw.key);
    const bool is_wanted = key && wants(*key);
    const bool has_unicode = raw.value.find("\\u") != std::string_view::npos;
    auto value = is_wanted || has_unicode ? unescape(raw.value) : std::string();
    if (!key || !value) {
        // The value may be a secret, the key is not.
        return not_properties("a malformed \\u escape at key " + quoted(raw.key));
    }
    return Pair{*std::move(key), *std::move(value)};
}

/// The value of a key that was not kept: one more reading of a text that is known to be good.
std::optional<std::string> find_in(std::string_view text, std::string_view wanted) {
    std::optional<std::string> found;
    LineReader reader(text);
    while (const auto line = reader.next()) {
        auto pair = read_pair(*line, [](std::string_view) { return true; });
        if (pair && pair->key == wanted) {
            found = std::move(pair->value);
        }
    }
    return found;
}

core::Result<core::StringMap> with_references(core::StringMap kept, std::string_view text) {
    int readings = 0;
    const LookUp look_up = [&](std::string_view name) {
        return ++readings > references_max ? std::nullopt : find_in(text, name);
    };
    for (auto& [key, value] : kept) {
        if (value.find("${") == std::string::npos || !is_expanded(key)) {
            continue;
        }
        auto result = expanded(key, value, look_up);
        if (!result) {
            return result.error();
        }
        value = *std::move(result);
    }
    if (readings > references_max) {
        return not_properties("more than " + std::to_string(references_max) + " references");
    }
    return kept;
}

}  // namespace

bool is_relevant(std::string_view key) {
    if (std::find(keys::exact.begin(), keys::exact.end(), key) != keys::exact.end()) {
        return true;
    }
    return std::any_of(keys::prefixes.begin(), keys::prefixes.end(), [&](const auto prefix) {
        return key.starts_with(prefix);
    });
}

core::Result<core::StringMap> read_properties(std::string_view text) {
    if (auto wrong = find_wrong_text(text)) {
        return *wrong;
    }
    std::map<std::string, std::string> kept;
    std::size_t pairs = 0;
    bool has_spark_key = false;
    LineReader reader(text);
    while (const auto line = reader.next()) {
        if (++pairs > properties_keys_max) {
            return not_properties("more than " + std::to_string(properties_keys_max) + " keys");
        }
        auto pair = read_pair(*line, is_relevant);
        if (!pair) {
            return pair.error();
        }
        has_spark_key = has_spark_key || pair->key.starts_with("spark.");
        if (!is_relevant(pair->key)) {
            continue;
        }
        if (pair->value.size() > relevant_value_max) {
            return not_properties("the value of " + quoted(pair->key) + " is too long");
        }
        kept.insert_or_assign(std::move(pair->key), std::move(pair->value));
        if (kept.size() > relevant_keys_max) {
            return not_properties(
                "more than " + std::to_string(relevant_keys_max) + " keys about executors");
        }
    }
    if (!has_spark_key) {
        return not_properties("no key begins with \"spark.\"");
    }
    return with_references(core::StringMap(kept.begin(), kept.end()), text);
}

}  // namespace gang::spark
