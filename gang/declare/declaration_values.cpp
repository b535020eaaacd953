#include "gang/declare/declaration_values.hpp"

#include "core/value/quantity.hpp"
#include "gang/declare/spark/labels.hpp"
#include "gang/declare/spark/text.hpp"
#include "gang/declare/taint_effects.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

namespace gang {
namespace {

constexpr std::size_t digits_max = 9;
constexpr std::int64_t mebibyte = 1 << 20;
constexpr int gibibyte_shift = 30;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_whole(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// Digits with at most one point among them.
bool is_decimal(std::string_view text) {
    const std::size_t point = text.find('.');
    return point == std::string_view::npos
               ? is_whole(text)
               : is_whole(text.substr(0, point)) && is_whole(text.substr(point + 1));
}

core::Error refused(std::string_view text, const char* accepted) {
    return {spark::quoted(text) + ", expected " + accepted};
}

core::Error no_memory(std::string_view text) {
    return refused(text, "an amount of memory such as 4Gi, 4096Mi, 4g or 4096m");
}

/// 2^shift per unit.
core::Result<std::int64_t> shifted(std::string_view number, int shift, std::string_view text) {
    std::int64_t value = 0;
    if (!is_whole(number)) {
        return no_memory(text);
    }
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc{} || value > std::numeric_limits<std::int64_t>::max() >> shift) {
        return core::Error{spark::quoted(text) + " is too large"};
    }
    return value << shift;
}

/// The shift of a JVM suffix, 0 if it is none: k, m, g, t, each with or without b.
int jvm_shift(std::string_view suffix) {
    if (suffix.empty() || suffix.size() > 2 || (suffix.size() == 2 && suffix[1] != 'b')) {
        return 0;
    }
    const std::size_t order = std::string_view("kmgt").find(suffix[0]);
    return order == std::string_view::npos ? 0 : static_cast<int>(order + 1) * 10;
}

bool is_kubernetes_suffix(std::string_view suffix) {
    constexpr std::string_view letters = "KMGTPE";
    return !suffix.empty() && letters.find(suffix[0]) != std::string_view::npos &&
           (suffix.size() == 1 || suffix.substr(1) == "i");
}

core::Result<std::int64_t> read_quantity(std::string_view number, std::string_view suffix) {
    // Kubernetes writes a thousand with a small k, which is 1024 here.
    const std::string spelled = suffix == "K" ? "k" : std::string(suffix);
    return core::parse_whole(std::string(number) + spelled);
}

core::Result<std::int64_t> read_bare(std::string_view text, BareMemory bare) {
    if (bare == BareMemory::gibibytes) {
        return shifted(text, gibibyte_shift, text);
    }
    const auto bytes = shifted(text, 0, text);
    if (bytes && *bytes < mebibyte) {
        return core::Error{
            spark::quoted(text) + " is a number of bytes, expected a unit such as in 4Gi or 4g"};
    }
    return bytes;
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

core::Result<core::Toleration> read_toleration(std::string_view item) {
    const std::string_view text = trimmed(item);
    core::Toleration toleration;
    toleration.exists = true;
    if (text == "*") {
        return toleration;
    }
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view taint = text.substr(0, colon);
    const std::size_t equals = std::min(taint.find('='), taint.size());
    toleration.key = taint.substr(0, equals);
    if (!spark::is_label_key(toleration.key)) {
        return refused(text, "taints such as dedicated, dedicated=spark or dedicated:NoSchedule");
    }
    if (equals < taint.size()) {
        toleration.exists = false;
        toleration.value = taint.substr(equals + 1);
    }
    if (colon < text.size()) {
        const std::string_view effect = text.substr(colon + 1);
        const auto* const found =
            std::find_if(taint_effects.begin(), taint_effects.end(), [effect](const auto& one) {
                return one.first == effect;
            });
        if (found == taint_effects.end()) {
            return refused(text, "an effect NoSchedule, PreferNoSchedule or NoExecute");
        }
        toleration.any_effect = false;
        toleration.effect = found->second;
    }
    return toleration;
}

}  // namespace

core::Result<std::int64_t> read_count(std::string_view text) {
    std::int64_t value = 0;
    if (!is_whole(text)) {
        return refused(text, "a whole number of executors");
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || text.size() > digits_max) {
        return core::Error{spark::quoted(text) + " is more executors than any gang may have"};
    }
    return value;
}

core::Result<std::int64_t> read_cpu(std::string_view text) {
    const bool in_milli = text.ends_with('m');
    const bool plain = in_milli ? is_whole(text.substr(0, text.size() - 1)) : is_decimal(text);
    const auto milli = plain ? core::parse_milli(text) : core::Result<std::int64_t>(core::Error{});
    if (!milli || *milli == 0) {
        return plain && !milli
                   ? milli
                   : refused(text, "a number of cores greater than 0 such as 2, 0.5 or 500m");
    }
    return milli;
}

core::Result<std::int64_t> read_memory(std::string_view text, BareMemory bare) {
    const auto first =
        std::find_if_not(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; });
    const auto length = static_cast<std::size_t>(first - text.begin());
    const std::string_view number = text.substr(0, length);
    const std::string_view suffix = text.substr(length);
    const int shift = jvm_shift(suffix);
    const auto bytes = suffix.empty()                ? read_bare(text, bare)
                       : shift > 0                   ? shifted(number, shift, text)
                       : is_kubernetes_suffix(suffix) && is_decimal(number)
                           ? read_quantity(number, suffix)
                           : core::Result<std::int64_t>(no_memory(text));
    return bytes && *bytes == 0 ? no_memory(text) : bytes;
}

core::Result<std::int64_t> read_devices(std::string_view text) {
    const auto count = read_count(text);
    return count ? count : refused(text, "a whole number of devices");
}

core::Result<std::vector<core::Toleration>> read_tolerations(std::string_view text) {
    std::vector<core::Toleration> tolerations;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        auto toleration = read_toleration(text.substr(begin, comma - begin));
        if (!toleration) {
            return toleration.error();
        }
        tolerations.push_back(*std::move(toleration));
        begin = comma + 1;
    }
    return tolerations;
}

core::Result<bool> read_flag(std::string_view text) {
    const std::string lower = spark::lower_case(text);
    if (lower != "true" && lower != "false") {
        return refused(text, "true or false");
    }
    return lower == "true";
}

core::Result<std::int64_t> read_priority(std::string_view text) {
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
        return refused(text, "a whole number of 32 bits");
    }
    return value;
}

}  // namespace gang
