#include "k8s/embedded/api/request.hpp"

#include <algorithm>

namespace k8s::embedded {

namespace {

constinit const std::string nothing;

int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Percent signs that begin no escape stay as they are.
std::string decode(std::string_view text, bool is_query) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
        if (low >= 0) {
            result.push_back(static_cast<char>(high * 16 + low));
            i += 2;
        } else {
            result.push_back(is_query && text[i] == '+' ? ' ' : text[i]);
        }
    }
    return result;
}

template <typename Take>
void split(std::string_view text, char separator, const Take& take) {
    while (!text.empty()) {
        const auto end = std::min(text.find(separator), text.size());
        if (end > 0) {
            take(text.substr(0, end));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

}  // namespace

const std::string& Target::param(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? nothing : found->second;
}

bool Target::flag(const std::string& name) const {
    const auto& value = param(name);
    return value == "true" || value == "1";
}

Target parse_target(std::string_view target) {
    Target result;
    const auto mark = std::min(target.find('?'), target.size());
    result.path = target.substr(0, mark);
    split(target.substr(0, mark), '/', [&](std::string_view segment) {
        result.segments.push_back(decode(segment, false));
    });
    target.remove_prefix(std::min(mark + 1, target.size()));
    split(target, '&', [&](std::string_view pair) {
        const auto equals = std::min(pair.find('='), pair.size());
        const auto value = pair.substr(std::min(equals + 1, pair.size()));
        result.query[decode(pair.substr(0, equals), true)] = decode(value, true);
    });
    return result;
}

}  // namespace k8s::embedded
