#include "k8s/codec/codec_status.hpp"

#include "k8s/json/json_fields.hpp"

#include <utility>

namespace k8s {

std::string one_line(const std::string& text, std::size_t max) {
    std::size_t end = std::min(text.size(), max);
    // Never half of a UTF-8 sequence.
    while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
        --end;
    }
    std::string line = text.substr(0, end);
    for (char& c : line) {
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
    }
    return line;
}

Status decode_status(int http_status, const std::string& body) {
    Status status;
    status.code = http_status;
    std::string text = body;
    rapidjson::Document document;
    if (parse_in_place(text, document) && document.IsObject()) {
        Fields fields;
        status.reason = one_line(fields.text(document, "reason"), status_message_max);
        status.message = one_line(fields.text(document, "message"), status_message_max);
        status.is_managers_conflict = has_cause(document, "FieldManagerConflict");
        status.version_too_large = has_cause(document, "ResourceVersionTooLarge");
    }
    if (status.message.empty()) {
        status.message = "HTTP " + std::to_string(http_status);
        if (status.reason.empty() && !body.empty()) {
            status.message += ": " + one_line(body, status_message_max);
        }
    }
    return status;
}

core::Result<std::string> body_of(Reply reply) {
    if (const auto* failure = std::get_if<Failure>(&reply)) return core::Error{failure->message};
    auto& response = std::get<Response>(reply);
    if (response.status == 200) return std::move(response.body);
    const Status status = decode_status(response.status, response.body);
    return core::Error{status.message + " (" + std::to_string(response.status) + ")"};
}

std::optional<protocol::PodState> decode_pod_state(std::string body) {
    rapidjson::Document document;
    if (!parse_in_place(body, document) || !document.IsObject()) return std::nullopt;
    const auto* metadata = find_member(document, "metadata");
    if (metadata == nullptr) return std::nullopt;
    Fields fields;
    protocol::PodState pod;
    pod.exists = true;
    pod.uid = fields.text(*metadata, "uid");
    pod.resource_version = fields.text(*metadata, "resourceVersion");
    pod.deleting = !fields.text(*metadata, "deletionTimestamp").empty();
    if (const auto* spec = find_member(document, "spec"); spec != nullptr) {
        pod.node = fields.text(*spec, "nodeName");
        pod.gated = !fields.objects(*spec, "schedulingGates").Empty();
    }
    if (pod.uid.empty() || !fields.problem().empty()) return std::nullopt;
    return pod;
}

}  // namespace k8s
