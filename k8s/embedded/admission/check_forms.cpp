#include "k8s/embedded/admission/check_forms.hpp"

#include "k8s/base/time.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace k8s::embedded {

namespace {

using Path = std::vector<std::string>;

constexpr std::size_t seconds_size = std::string_view("2026-01-02T03:04:05").size();
constexpr std::size_t fraction_size = std::string_view(".000006").size();

Json* find_text(Json& object, const Path& path) {
    Json* here = &object;
    for (const auto& step : path) {
        here = here == nullptr ? nullptr : here->find(step);
    }
    return here == nullptr || here->is_null() ? nullptr : here;
}

Failure no_time(const Path& path, const Json& value) {
    return bad_request(path.back() + ": " + value.dump() + " is no time of the form that belongs here");
}

std::optional<Failure> check_time(Json& object, const Path& path) {
    const Json* value = find_text(object, path);
    if (value == nullptr || (value->is_string() && parse_time(value->as_string()))) {
        return std::nullopt;
    }
    return no_time(path, *value);
}

/// Six digits after the point, no more and no fewer; clients in other languages fall over this.
bool is_micro_time(std::string_view text) {
    if (text.size() <= seconds_size + fraction_size || text[seconds_size] != '.') {
        return false;
    }
    const auto digits = text.substr(seconds_size + 1, fraction_size - 1);
    const char after = text[seconds_size + fraction_size];
    return digits.find_first_not_of("0123456789") == std::string_view::npos &&
           (after == 'Z' || after == '+' || after == '-') && parse_time(text).has_value();
}

std::optional<Failure> decode_micro_time(Json& object, const Path& path) {
    Json* value = find_text(object, path);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (!value->is_string() || !is_micro_time(value->as_string())) {
        return no_time(path, *value);
    }
    const std::string text = value->as_string();
    if (text.back() != 'Z') {
        const auto micros = text.substr(seconds_size, fraction_size);
        const auto whole = format_time(*parse_time(text));
        *value = whole.substr(0, seconds_size) + micros + "Z";
    }
    return std::nullopt;
}

bool is_base64(std::string_view text) {
    while (!text.empty() && text.back() == '=') text.remove_suffix(1);
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '+' || c == '/' || c == '\n' || c == '\r';
    });
}

std::optional<Failure> check_bytes(const Json& object, std::string_view field) {
    const Json* bag = object.find(field);
    if (bag == nullptr) {
        return std::nullopt;
    }
    for (const auto& [key, value] : bag->members()) {
        const auto& text = value.as_string();
        const auto full = text.size() - std::count(text.begin(), text.end(), '\n') -
                          std::count(text.begin(), text.end(), '\r');
        if (full % 4 != 0 || !is_base64(text)) {
            return bad_request(std::string(field) + "[" + key + "]: illegal base64 data");
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Failure> decode_forms(const Kind& kind, Json& object) {
    const std::array times = {
        Path{"metadata", "creationTimestamp"}, Path{"metadata", "deletionTimestamp"}};
    for (const auto& path : times) {
        if (auto failure = check_time(object, path)) return failure;
    }
    const std::array micro_times = {
        Path{"spec", "renewTime"},
        Path{"spec", "acquireTime"},
        Path{"eventTime"},
        Path{"series", "lastObservedTime"}};
    if (kind.plural == "leases" || kind.plural == "events") {
        for (const auto& path : micro_times) {
            if (auto failure = decode_micro_time(object, path)) return failure;
        }
    }
    if (kind.plural == "secrets") return check_bytes(object, "data");
    if (kind.plural == "configmaps") return check_bytes(object, "binaryData");
    return std::nullopt;
}

}  // namespace k8s::embedded
