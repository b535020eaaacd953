#include "config/scalars.hpp"

#include "config/address.hpp"
#include "config/duration.hpp"
#include "config/printable.hpp"
#include "core/base/suggest.hpp"
#include "core/value/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace config {
namespace {

constexpr std::size_t shown_max = 80;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_scalar(const Tree& tree) {
    return tree.kind == Tree::Kind::plain || tree.kind == Tree::Kind::quoted;
}

core::Error expected(const Tree& tree, std::string_view what) {
    return core::Error{fmt::format("found {}, expected {}", describe(tree), what)};
}

/// The words that YAML 1.1 readers take for booleans or null.
bool is_reserved_word(const std::string& text) {
    constexpr std::array<std::string_view, 9> words = {
        "yes", "no", "on", "off", "true", "false", "y", "n", "null"};
    std::string lower = text;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return std::find(words.begin(), words.end(), lower) != words.end();
}

/// Decimal, float, hexadecimal, octal: whatever some YAML reader takes for a number.
bool is_number_like(std::string_view text) {
    if (text.starts_with('+') || text.starts_with('-')) {
        text.remove_prefix(1);
    }
    if (text.starts_with("0x") || text.starts_with("0o")) {
        return text.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
    }
    if (text.empty() || text.find_first_of("0123456789") == std::string_view::npos) {
        return text == ".inf" || text == ".nan";
    }
    const auto exponent = text.find_first_of("eE");
    const std::string_view mantissa = text.substr(0, exponent);
    const bool digits = mantissa.find_first_not_of("0123456789._") == std::string_view::npos &&
                        std::count(mantissa.begin(), mantissa.end(), '.') <= 1;
    if (exponent == std::string_view::npos || !digits) {
        return digits;
    }
    std::string_view power = text.substr(exponent + 1);
    if (power.starts_with('+') || power.starts_with('-')) {
        power.remove_prefix(1);
    }
    return !power.empty() && std::all_of(power.begin(), power.end(), is_digit);
}

bool is_alphanumeric(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z');
}

bool is_label(std::string_view text) {
    const auto allowed = [](char c) { return is_alphanumeric(c) || c == '-'; };
    return !text.empty() && text.size() <= 63 && is_alphanumeric(text.front()) &&
           is_alphanumeric(text.back()) && std::all_of(text.begin(), text.end(), allowed);
}

bool is_subdomain(std::string_view text) {
    if (text.size() > 253) {
        return false;
    }
    while (true) {
        const auto dot = text.find('.');
        if (!is_label(text.substr(0, dot))) {
            return false;
        }
        if (dot == std::string_view::npos) {
            return true;
        }
        text.remove_prefix(dot + 1);
    }
}

}  // namespace

std::string describe(const Tree& tree) {
    switch (tree.kind) {
        case Tree::Kind::null:
            return "nothing";
        case Tree::Kind::plain:
        case Tree::Kind::quoted:
            return fmt::format("\"{}\"", printable(tree.scalar, shown_max));
        case Tree::Kind::sequence:
            return "a list";
        case Tree::Kind::map:
            return "a mapping";
    }
    return {};
}

core::Result<std::string> read_string(const Tree& tree) {
    if (!is_scalar(tree)) {
        return expected(tree, "a text");
    }
    const bool other_type = tree.kind == Tree::Kind::plain &&
                            (is_reserved_word(tree.scalar) || is_number_like(tree.scalar));
    if (other_type) {
        return core::Error{fmt::format(
            "found {} (not a text for every YAML reader), expected a text: put it in quotes",
            describe(tree))};
    }
    return tree.scalar;
}

core::Result<std::string> read_object_name(const Tree& tree) {
    auto text = read_string(tree);
    if (text && !is_subdomain(*text)) {
        return expected(
            tree, "a name of lower-case letters, digits, '-' and '.', at most 253 characters");
    }
    return text;
}

core::Result<std::string> read_namespace(const Tree& tree) {
    auto text = read_string(tree);
    if (text && !text->empty() && !is_label(*text)) {
        return expected(
            tree, "a namespace: lower-case letters, digits and '-', at most 63 characters");
    }
    return text;
}

namespace {

using AddressParser = core::Result<ListenAddress> (*)(std::string_view);

core::Result<std::string> read_address(const Tree& tree, AddressParser parse) {
    auto text = read_string(tree);
    if (!text) {
        return text;
    }
    if (text->empty() || *text == "none") {
        return std::string{};
    }
    const auto address = parse(printable(*text, shown_max));
    if (!address) {
        return address.error();
    }
    return text;
}

}  // namespace

core::Result<std::string> read_private_address(const Tree& tree) {
    return read_address(tree, parse_private);
}

core::Result<std::string> read_listen_address(const Tree& tree) {
    return read_address(tree, parse_listen);
}

core::Result<std::string> read_loopback_address(const Tree& tree) {
    return read_address(tree, parse_loopback);
}

core::Result<std::string> read_url_path(const Tree& tree) {
    constexpr std::string_view taken = "-._~/";
    const auto path = read_string(tree);
    const bool is_path =
        path && path->starts_with('/') && path->find("//") == std::string::npos &&
        std::all_of(path->begin(), path->end(), [taken](char c) {
            const char lower = static_cast<char>(c | ' ');
            return is_digit(c) || (lower >= 'a' && lower <= 'z') || taken.find(c) != taken.npos;
        });
    return is_path ? path : expected(tree, "the path of a URL, such as /scheduler");
}

core::Result<bool> read_bool(const Tree& tree) {
    if (tree.kind == Tree::Kind::plain && (tree.scalar == "true" || tree.scalar == "false")) {
        return tree.scalar == "true";
    }
    return expected(tree, "true or false");
}

core::Result<std::int64_t> read_integer(const Tree& tree, std::int64_t least, std::int64_t most) {
    const std::string wanted = fmt::format("a whole number from {} to {}", least, most);
    if (tree.kind != Tree::Kind::plain) {
        return expected(tree, wanted);
    }
    const std::string& text = tree.scalar;
    if (text.size() > 1 && text[0] == '0' && is_digit(text[1])) {
        return expected(
            tree, wanted + " without a leading zero (some YAML readers take it for octal)");
    }
    std::int64_t value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
        return expected(tree, wanted);
    }
    return value;
}

core::Result<std::int64_t> read_duration(
    const Tree& tree, std::int64_t least_ms, std::int64_t most_ms) {
    if (!is_scalar(tree)) {
        return expected(tree, "a duration with its unit, such as 15s, 1m30s or 500ms");
    }
    auto value = parse_duration(printable(tree.scalar, shown_max));
    if (value && (*value < least_ms || *value > most_ms)) {
        return expected(
            tree,
            fmt::format(
                "a duration from {} to {}", format_duration(least_ms), format_duration(most_ms)));
    }
    return value;
}

core::Result<std::int64_t> read_cpu(const Tree& tree) {
    const auto value = is_scalar(tree) ? core::parse_milli(tree.scalar)
                                       : core::Result<std::int64_t>(core::Error{});
    if (!value || *value < 0) {
        return expected(tree, "an amount of cpu such as 250m or 1");
    }
    return value;
}

core::Result<std::int64_t> read_memory(const Tree& tree) {
    const auto value = is_scalar(tree) ? core::parse_whole(tree.scalar)
                                       : core::Result<std::int64_t>(core::Error{});
    // A thousandth of a byte is what 256m says here, and never what is meant.
    if (!value || *value < 0 || tree.scalar.ends_with('m')) {
        return expected(tree, "an amount of memory such as 256Mi or 1Gi");
    }
    return value;
}

core::Result<std::string> read_label_key(const Tree& tree) {
    auto text = read_string(tree);
    const auto allowed = [](char c) {
        return is_alphanumeric(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.' ||
               c == '/';
    };
    const bool is_key = text && text->size() <= 317 &&
                        std::all_of(text->begin(), text->end(), allowed) &&
                        std::count(text->begin(), text->end(), '/') <= 1;
    if (text && !is_key) {
        return expected(tree, "the key of a label such as cost or example.com/cost");
    }
    return text;
}

core::Result<std::vector<std::string>> read_resource_names(const Tree& tree) {
    const auto wrong = [](const std::string& found) {
        return core::Error{fmt::format(
            "found {}, expected a list of extended resources, such as [nvidia.com/gpu]", found)};
    };
    if (tree.kind != Tree::Kind::sequence) {
        return wrong(describe(tree));
    }
    std::vector<std::string> names;
    for (const Tree& item : tree.items) {
        const auto name = read_label_key(item);
        if (!name || name->find('/') == std::string::npos) {
            return wrong(describe(item) + " in it");
        }
        if (std::find(names.begin(), names.end(), *name) != names.end()) {
            return wrong(describe(item) + " twice");
        }
        names.push_back(*name);
    }
    return names;
}

core::Result<std::vector<std::string>> read_host_names(const Tree& tree) {
    const auto wrong = [](const std::string& found) {
        return core::Error{fmt::format(
            "found {}, expected a list of host names without ports, such as [gangs.example.com]",
            found)};
    };
    if (tree.kind != Tree::Kind::sequence) {
        return wrong(describe(tree));
    }
    std::vector<std::string> names;
    for (const Tree& item : tree.items) {
        const auto name = read_object_name(item);
        if (!name) {
            return wrong(describe(item) + " in it");
        }
        names.push_back(*name);
    }
    return names;
}

core::Result<std::size_t> read_word(const Tree& tree, std::span<const std::string> words) {
    const auto at = std::find(words.begin(), words.end(), tree.scalar);
    if (!is_scalar(tree) || at == words.end()) {
        const std::string near = is_scalar(tree) ? core::did_you_mean(tree.scalar, words) : "";
        return expected(tree, fmt::format("one of {}{}", fmt::join(words, ", "), near));
    }
    return static_cast<std::size_t>(at - words.begin());
}

}  // namespace config
