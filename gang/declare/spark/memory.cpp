#include "gang/declare/spark/memory.hpp"

#include "gang/declare/spark/text.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

namespace gang::spark {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 11> suffixes = {
    {{"b", 0},
     {"k", 10},
     {"kb", 10},
     {"m", 20},
     {"mb", 20},
     {"g", 30},
     {"gb", 30},
     {"t", 40},
     {"tb", 40},
     {"p", 50},
     {"pb", 50}}};

constexpr int mebibyte_shift = 20;

core::Error refused(std::string_view text) {
    return {
        quoted(text) +
        " is not a size that Spark accepts: a whole number, and directly after it nothing or one "
        "of b, k, m, g, t, p (kb, mb, ...), such as 1536m or 4g"};
}

core::Error too_large(std::string_view text) {
    return {quoted(text) + " is too large for a size"};
}

/// ki and kib are k.
std::string_view without_binary(std::string_view suffix) {
    const bool is_long = suffix.ends_with("ib");
    return (is_long || suffix.ends_with('i')) && suffix.size() == (is_long ? 3 : 2)
               ? suffix.substr(0, 1)
               : suffix;
}

/// Shift of a suffix (2^shift bytes), -1 if Spark has no such suffix.
int shift_of(std::string_view suffix, Suffixes suffixes_known) {
    if (suffixes_known == Suffixes::jvm_and_binary && suffix != "bi" && suffix != "bib") {
        suffix = without_binary(suffix);
    }
    for (const auto& [name, shift] : suffixes) {
        if (name == suffix) {
            return shift;
        }
    }
    return -1;
}

/// What is too large in bytes is too large, although Spark itself would count on in mebibytes:
/// Kubernetes could not hold it.
core::Result<std::int64_t> convert(std::int64_t value, int shift, std::string_view text) {
    if (value > std::numeric_limits<std::int64_t>::max() >> shift) {
        return too_large(text);
    }
    return value << shift;
}

}  // namespace

core::Result<std::int64_t> parse_bytes(
    std::string_view text, SizeUnit without_suffix, Suffixes suffixes) {
    const std::string lower = lower_case(trimmed(text));
    std::int64_t value = 0;
    const char* const end = lower.data() + lower.size();
    const auto [rest, error] = std::from_chars(lower.data(), end, value);
    if (error == std::errc::result_out_of_range && lower.front() != '-') {
        return too_large(text);
    }
    if (error != std::errc{} || value < 0 || lower.front() == '-') {
        return refused(text);
    }
    const int unit = without_suffix == SizeUnit::bytes ? 0 : mebibyte_shift;
    const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
    const int shift = suffix.empty() ? unit : shift_of(suffix, suffixes);
    if (shift < 0) {
        return refused(text);
    }
    return convert(value, shift, text);
}

/// Cuts, as Spark's own conversion does.
core::Result<std::int64_t> parse_mebibytes(
    std::string_view text, SizeUnit without_suffix, Suffixes suffixes) {
    const auto bytes = parse_bytes(text, without_suffix, suffixes);
    return bytes ? core::Result(*bytes >> mebibyte_shift) : bytes;
}

}  // namespace gang::spark
