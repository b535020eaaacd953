#include "gang/app/serve/query.hpp"

namespace gang::app {
namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::vector<std::string_view> pairs_of(std::string_view query) {
    std::vector<std::string_view> pairs;
    while (!query.empty()) {
        const auto end = query.find('&');
        pairs.push_back(query.substr(0, end));
        query = end == std::string_view::npos ? "" : query.substr(end + 1);
    }
    return pairs;
}

std::string_view key_name(std::string_view pair) {
    return pair.substr(0, pair.find('='));
}

}  // namespace

Target split_target(std::string_view target) {
    const auto mark = target.find('?');
    return {
        target.substr(0, mark),
        mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1)};
}

std::optional<std::string> percent_decode(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

std::optional<std::string> find_parameter(std::string_view query, std::string_view name) {
    for (const std::string_view pair : pairs_of(query)) {
        if (key_name(pair) == name && pair.size() > name.size()) {
            return percent_decode(pair.substr(name.size() + 1));
        }
    }
    return std::nullopt;
}

std::vector<std::string_view> parameter_names(std::string_view query) {
    std::vector<std::string_view> names;
    for (const std::string_view pair : pairs_of(query)) {
        names.push_back(key_name(pair));
    }
    return names;
}

}  // namespace gang::app
