#include "k8s/write/annotations.hpp"

#include <fmt/format.h>

namespace k8s {
namespace {

constexpr std::size_t name_max = 63;
constexpr std::size_t prefix_max = 253;

bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_lower_alphanumeric(char c) {
    return is_alphanumeric(c) && !(c >= 'A' && c <= 'Z');
}

bool is_name(std::string_view name) {
    if (name.empty() || name.size() > name_max) return false;
    if (!is_alphanumeric(name.front()) || !is_alphanumeric(name.back())) return false;
    for (char c : name) {
        if (!is_alphanumeric(c) && c != '-' && c != '_' && c != '.') return false;
    }
    return true;
}

// A DNS subdomain: labels of lower case letters, digits and inner hyphens. (Annotation keys may
// have upper case prefixes, we never need one.)
bool is_subdomain(std::string_view prefix) {
    if (prefix.empty() || prefix.size() > prefix_max) return false;
    char before = '.';
    for (char c : prefix) {
        if (c == '.' || c == '-') {
            if (before == '.' || (c == '.' && before == '-')) return false;
        } else if (!is_lower_alphanumeric(c)) {
            return false;
        }
        before = c;
    }
    return before != '.' && before != '-';
}

// Length of the UTF-8 sequence at the front of the text; 0: not UTF-8.
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return lead == 0 ? 0 : 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return 0;
    }
    const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool beyond = (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF4 && byte(1) > 0x8F);
    return overlong || beyond ? 0 : length;
}

bool is_text(std::string_view value) {
    while (!value.empty()) {
        const std::size_t length = sequence_length(value);
        if (length == 0) return false;
        value.remove_prefix(length);
    }
    return true;
}

}  // namespace

bool is_qualified_name(std::string_view key) {
    const std::size_t slash = key.find('/');
    if (slash == std::string_view::npos) return is_name(key);
    return is_subdomain(key.substr(0, slash)) && is_name(key.substr(slash + 1));
}

core::Result<core::Done> check_annotations(
    const core::StringMap& annotations, std::size_t existing_bytes) {
    std::size_t bytes = existing_bytes;
    for (const auto& [key, value] : annotations) {
        if (!is_qualified_name(key)) {
            return core::Error{fmt::format("annotation key \"{}\" is not valid", key)};
        }
        if (!is_text(value)) {
            return core::Error{fmt::format("the value of annotation {} is not text", key)};
        }
        bytes += key.size() + value.size();
    }
    if (bytes > annotation_bytes_max) {
        return core::Error{fmt::format(
            "the pod's annotations would be {} bytes, Kubernetes allows {}",
            bytes,
            annotation_bytes_max)};
    }
    return core::Done{};
}

}  // namespace k8s
