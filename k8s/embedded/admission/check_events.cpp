#include "k8s/embedded/admission/check_events.hpp"

#include "k8s/embedded/store/json_tools.hpp"

#include <fmt/format.h>

namespace k8s::embedded {

namespace {

constexpr std::size_t note_bytes_max = 1024;
constexpr std::size_t word_bytes_max = 128;

void check_word(const Json& event, const char* field, Checks& checks) {
    const auto& text = event.text({field});
    if (text.empty()) checks.required(field);
    if (text.size() > word_bytes_max) {
        checks.invalid(field, "", fmt::format("can have at most {} characters", word_bytes_max));
    }
}

}  // namespace

void default_event(Json& event) {
    set_if_missing(event, "source", Json(Json::Object()));
    set_if_missing(event, "reportingComponent", "");
    set_if_missing(event, "reportingInstance", "");
}

void check_event(const Json& event, Checks& checks) {
    const auto& space = event.text({"metadata", "namespace"});
    const auto& about = event.text({"involvedObject", "namespace"});
    const bool is_of_cluster = about.empty() && space == "default";
    if (about != space && !is_of_cluster) {
        checks.invalid("involvedObject.namespace", about, "does not match event.namespace");
    }
}

void check_new_event(const Json& event, Checks& checks) {
    if (event.text({"eventTime"}).empty()) checks.required("eventTime");
    check_word(event, "reportingController", checks);
    check_word(event, "reportingInstance", checks);
    check_word(event, "action", checks);
    check_word(event, "reason", checks);
    const auto& type = event.text({"type"});
    if (type != "Normal" && type != "Warning") {
        checks.invalid("type", "", "has invalid value: " + type);
    }
    if (event.text({"note"}).size() > note_bytes_max) {
        checks.invalid("message", "", fmt::format("can have at most {} characters", note_bytes_max));
    }
    for (const char* old : {"deprecatedCount", "deprecatedFirstTimestamp", "deprecatedLastTimestamp"}) {
        const Json* value = event.find(old);
        if (value == nullptr || value->is_null() || (value->is_int() && value->as_int() == 0)) continue;
        // Named as in the stored form, its first letter lower.
        const std::string name = std::string(old).substr(std::string("deprecated").size());
        checks.invalid(std::string(1, static_cast<char>(name[0] + ('a' - 'A'))) + name.substr(1),
                       "", "needs to be unset");
    }
}

}  // namespace k8s::embedded
