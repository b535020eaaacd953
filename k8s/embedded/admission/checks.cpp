#include "k8s/embedded/admission/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace k8s::embedded {
namespace {

// A hostile object could otherwise be answered with a text much larger than itself.
constexpr std::size_t causes_max = 64;
constexpr std::size_t shown_max = 512;

// Cut between characters, never inside one: half a UTF-8 sequence is no JSON text.
std::string shown(const Json& value) {
    std::string text = value.dump();
    if (text.size() <= shown_max) return text;
    std::size_t end = shown_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return Json(text.substr(0, end) + "...").dump();
}

}  // namespace

void Checks::add(
    std::string field, const char* reason, std::string message, std::string_view detail) {
    if (causes_.size() >= causes_max) return;
    if (!detail.empty()) message += fmt::format(": {}", detail);
    causes_.push_back({std::move(field), reason, std::move(message)});
}

void Checks::required(std::string field, std::string_view detail) {
    add(std::move(field), "FieldValueRequired", "Required value", detail);
}

void Checks::invalid(std::string field, const Json& value, std::string_view detail) {
    add(std::move(field), "FieldValueInvalid", "Invalid value: " + shown(value), detail);
}

void Checks::duplicate(std::string field, const Json& value) {
    add(std::move(field), "FieldValueDuplicate", "Duplicate value: " + shown(value), "");
}

void Checks::not_found(std::string field, const Json& value) {
    add(std::move(field), "FieldValueNotFound", "Not found: " + shown(value), "");
}

void Checks::forbidden(std::string field, std::string_view detail) {
    add(std::move(field), "FieldValueForbidden", "Forbidden", detail);
}

void Checks::too_long(std::string field, std::size_t bytes_max) {
    add(std::move(field),
        "FieldValueTooLong",
        "Too long",
        fmt::format("may not be more than {} bytes", bytes_max));
}

void Checks::one_of(
    std::string field, const std::string& value, std::initializer_list<const char*> supported) {
    if (value.empty()) return required(std::move(field));
    this->supported(std::move(field), value, supported);
}

void Checks::supported(
    std::string field, const std::string& value, std::initializer_list<const char*> supported) {
    const auto is_value = [&](const char* each) { return value == each; };
    if (std::any_of(supported.begin(), supported.end(), is_value)) return;
    std::string detail;
    for (const char* each : supported) {
        detail += fmt::format("{}\"{}\"", detail.empty() ? "supported values: " : ", ", each);
    }
    add(std::move(field), "FieldValueNotSupported", "Unsupported value: " + shown(value), detail);
}

void Checks::syntax(
    const std::string& field, const std::string& value, const Complaints& complaints) {
    for (const std::string& complaint : complaints) invalid(field, value, complaint);
}

std::string at_index(const std::string& field, std::size_t index) {
    return fmt::format("{}[{}]", field, index);
}

}  // namespace k8s::embedded
