#include "k8s/embedded/api/field_validation.hpp"

#include <algorithm>

namespace k8s::embedded {

namespace {

// A hostile object could otherwise be answered with more than clients read of a head; the bounds are
// the real server's.
constexpr std::size_t shown_max = 64;
constexpr std::size_t path_bytes_max = 256;
constexpr std::size_t warnings_bytes_max = 4096;

/// A name may hold anything, a header may not.
std::string printable(const std::string& path) {
    std::string text = path.substr(0, path_bytes_max);
    std::erase_if(text, [](unsigned char byte) { return byte < 0x20U || byte >= 0x7fU; });
    return text;
}

std::string unknown_field(const std::string& path) {
    return "unknown field \"" + printable(path) + "\"";
}

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result.push_back('\\');
        result.push_back(c);
    }
    return result + "\"";
}

}  // namespace

FieldValidation::FieldValidation(const Call& call, Json& object)
    : call_(call), verdict_(apply_schema(*call.kind, object)) {
    verdict_.unknown.resize(std::min(verdict_.unknown.size(), shown_max));
}

std::optional<Failure> FieldValidation::refusal() const {
    std::string text;
    if (!verdict_.mismatched.empty()) {
        text = "json: cannot unmarshal field " + printable(verdict_.mismatched.front());
    } else if (!unknown().empty() && call_.param("fieldValidation") == "Strict") {
        text = "strict decoding error: ";
        for (const auto& path : unknown()) {
            text += (&path == &unknown().front() ? "" : ", ") + unknown_field(path);
        }
    } else {
        return std::nullopt;
    }
    if (call_.request->method == "PATCH") return bad_patch(text);
    const std::string kind(call_.kind->kind);
    return bad_request(
        kind + " in version \"" + std::string(call_.kind->version) + "\" cannot be handled as a " +
        kind + ": " + text);
}

Outcome<Response> FieldValidation::warn(Outcome<Response> answer) const {
    const auto& mode = call_.param("fieldValidation");
    if (!answer || (!mode.empty() && mode != "Warn")) return answer;
    std::size_t bytes = 0;
    for (const auto& path : unknown()) {
        bytes += std::min(path.size(), path_bytes_max);
        if (bytes > warnings_bytes_max) break;
        answer->headers.emplace_back("Warning", "299 - " + quoted(unknown_field(path)));
    }
    return answer;
}

}  // namespace k8s::embedded
