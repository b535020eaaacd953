#include "k8s/json/scan/json_tape.hpp"

namespace k8s {

std::optional<JsonTape::Place> JsonTape::find(Place object, std::string_view name) const {
    if (!is_object(object)) return std::nullopt;
    Place at = object + 1;
    while (tokens_[at].kind != JsonKind::object_end) {
        const Place value = at + 1;
        if (tokens_[at].view() == name) {
            return tokens_[value].kind == JsonKind::null ? std::nullopt : std::optional(value);
        }
        at = behind(value);
    }
    return std::nullopt;
}

bool JsonTape::has_member(Place object, std::string_view name) const {
    Place at = object + 1;
    while (at + 1 < size() && tokens_[at].kind == JsonKind::key) {
        if (tokens_[at].view() == name) return true;
        at = behind(at + 1);
    }
    return false;
}

std::string_view JsonTape::text_of(
    Place object, std::string_view name, std::string_view fallback) const {
    const auto member = find(object, name);
    return member && tokens_[*member].kind == JsonKind::text ? tokens_[*member].view() : fallback;
}

void JsonTape::give_back_if_large() {
    constexpr std::size_t tokens_kept = 16 * 1024;
    if (tokens_.capacity() > tokens_kept) std::vector<JsonToken>().swap(tokens_);
}

}  // namespace k8s
