#include "k8s/json_tape.hpp"

namespace k8s {

std::optional<JsonTape::Place> JsonTape::find(Place object, std::string_view name) const {
    if (!is_object(object)) return std::nullopt;
    Place at = object + 1;
    while (tokens_[at].kind != JsonKind::object_end) {
        const Place value = at + 1;
        if (tokens_[at].view() == name) {
            return tokens_[value].kind == JsonKind::null ? std::nullopt : std::optional(value);
        }
        const bool is_open =
            tokens_[value].kind == JsonKind::object || tokens_[value].kind == JsonKind::array;
        at = is_open ? tokens_[value].next : value + 1;
    }
    return std::nullopt;
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
