#include "k8s/embedded/patch/patch.hpp"

#include "k8s/embedded/store/json_tools.hpp"

#include <charconv>
#include <optional>

namespace k8s::embedded {

namespace {

constexpr std::size_t operations_max = 10'000;  // the real server's limit

Failure does_not_apply(const std::string& why) {
    Json cause{Json::Object()};
    cause.set("reason", "UnexpectedServerResponse").set("message", why);
    Json details{Json::Object()};
    details.set("causes", Json::Array{std::move(cause)});
    return {
        422,
        "Invalid",
        "the server rejected our request due to an error in our request",
        std::move(details)};
}

/// "/a~1b/0" -> {"a/b", "0"}.
std::optional<std::vector<std::string>> parse_pointer(const std::string& text) {
    std::vector<std::string> steps;
    if (text.empty()) {
        return steps;
    }
    if (text.front() != '/') {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '/') {
            steps.emplace_back();
        } else if (text[i] == '~' && i + 1 < text.size()) {
            ++i;
            steps.back().push_back(text[i] == '1' ? '/' : '~');
        } else {
            steps.back().push_back(text[i]);
        }
    }
    return steps;
}

std::optional<std::size_t> parse_index(const std::string& text, std::size_t size_max) {
    std::size_t index = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, index);
    if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end || index > size_max) {
        return std::nullopt;
    }
    return index;
}

Json* child(Json& value, const std::string& step) {
    if (!value.is_array()) {
        return value.find(step);
    }
    const auto index = parse_index(step, value.items().size());
    return index && *index < value.items().size() ? &value.items()[*index] : nullptr;
}

Json* find(Json& document, const std::vector<std::string>& steps, std::size_t count) {
    Json* here = &document;
    for (std::size_t i = 0; i < count && here != nullptr; ++i) {
        here = child(*here, steps[i]);
    }
    return here;
}

bool add(Json& document, const std::vector<std::string>& steps, Json value) {
    if (steps.empty()) {
        document = std::move(value);
        return true;
    }
    Json* parent = find(document, steps, steps.size() - 1);
    if (parent == nullptr) {
        return false;
    }
    if (parent->is_array()) {
        auto& items = parent->items();
        const auto index =
            steps.back() == "-" ? items.size() : parse_index(steps.back(), items.size());
        if (!index) {
            return false;
        }
        items.insert(items.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
        return true;
    }
    if (!parent->is_object()) {
        return false;
    }
    parent->set(steps.back(), std::move(value));
    return true;
}

bool remove(Json& document, const std::vector<std::string>& steps) {
    Json* parent = steps.empty() ? nullptr : find(document, steps, steps.size() - 1);
    if (parent == nullptr || child(*parent, steps.back()) == nullptr) {
        return false;
    }
    if (parent->is_array()) {
        auto& items = parent->items();
        const auto index = *parse_index(steps.back(), items.size());
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
        return true;
    }
    return parent->erase(steps.back());
}

/// Moves or copies; both take the value at `from` first.
bool transfer(
    Json& document,
    const std::vector<std::string>& from,
    const std::vector<std::string>& to,
    bool is_move) {
    const Json* source = find(document, from, from.size());
    if (source == nullptr) {
        return false;
    }
    Json value = *source;
    if (is_move && !remove(document, from)) {
        return false;
    }
    return add(document, to, std::move(value));
}

/// Nothing when the operation was done, else why it was not.
std::optional<Failure> apply_operation(Json& document, const Json& operation) {
    const auto& name = operation.text({"op"});
    const auto path = parse_pointer(operation.text({"path"}));
    const auto from = parse_pointer(operation.text({"from"}));
    if (!path || !from || operation.find("path") == nullptr) {
        return bad_request("error decoding patch: an operation without a valid path");
    }
    const Json* value = operation.find("value");
    const bool needs_value = name == "add" || name == "replace" || name == "test";
    if (needs_value && value == nullptr) {
        return bad_request("error decoding patch: operation \"" + name + "\" without a value");
    }
    bool is_done = false;
    if (name == "add") {
        is_done = add(document, *path, *value);
    } else if (name == "remove") {
        is_done = remove(document, *path);
    } else if (name == "replace") {
        Json* target = find(document, *path, path->size());
        is_done = target != nullptr;
        if (is_done) {
            *target = *value;
        }
    } else if (name == "move" || name == "copy") {
        is_done = transfer(document, *from, *path, name == "move");
    } else if (name == "test") {
        const Json* target = find(document, *path, path->size());
        is_done = target == nullptr ? value->is_null() : same_json(*target, *value);
        if (!is_done) {
            return does_not_apply("testing path " + operation.text({"path"}) + " value failed");
        }
    } else {
        return bad_request("error decoding patch: unknown operation \"" + name + "\"");
    }
    if (!is_done) {
        return does_not_apply(
            name + " operation does not apply: doc is missing path: " + operation.text({"path"}));
    }
    return std::nullopt;
}

}  // namespace

Outcome<Json> json_patch(Json document, const Json& patch) {
    if (!patch.is_array()) {
        return bad_request("error decoding patch: a JSON patch is a list of operations");
    }
    if (patch.items().size() > operations_max) {
        return Failure{
            413,
            "RequestEntityTooLarge",
            "The allowed maximum operations in a JSON patch is 10000, got " +
                std::to_string(patch.items().size())};
    }
    for (const auto& operation : patch.items()) {
        if (auto failure = apply_operation(document, operation)) {
            return std::move(*failure);
        }
    }
    return document;
}

Json merge_patch(Json document, const Json& patch) {
    if (!patch.is_object()) {
        return patch;
    }
    for (const auto& [key, value] : patch.members()) {
        if (value.is_null()) {
            document.erase(key);
        } else {
            Json* known = document.find(key);
            Json base = known == nullptr ? Json() : std::move(*known);
            document.set(key, merge_patch(std::move(base), value));
        }
    }
    if (!document.is_object()) {
        return Json(Json::Object());
    }
    return document;
}

}  // namespace k8s::embedded
