#include "k8s/embedded/query/events_view.hpp"

#include <array>
#include <string_view>

namespace k8s::embedded {

namespace {

struct Renamed {
    std::string_view core;
    std::string_view newer;
};

constexpr std::array renamed = {
    Renamed{"involvedObject", "regarding"},
    Renamed{"message", "note"},
    Renamed{"source", "deprecatedSource"},
    Renamed{"firstTimestamp", "deprecatedFirstTimestamp"},
    Renamed{"lastTimestamp", "deprecatedLastTimestamp"},
    Renamed{"count", "deprecatedCount"},
    Renamed{"reportingComponent", "reportingController"}};

bool is_newer(const Kind& kind) {
    return &kind.stored_view() != &kind;
}

Json rename(const Json& object, std::string_view Renamed::*from, std::string_view Renamed::*to) {
    Json::Object members;
    for (const auto& [key, value] : object.members()) {
        std::string name = key;
        for (const auto& pair : renamed) {
            if (key == pair.*from) {
                name = pair.*to;
            }
        }
        members.emplace_back(std::move(name), value);
    }
    return Json(std::move(members));
}

}  // namespace

Json to_view(const Kind& kind, const Json& stored) {
    if (!is_newer(kind)) {
        return stored;
    }
    Json view = rename(stored, &Renamed::core, &Renamed::newer);
    view.set("apiVersion", kind.api_version());
    return view;
}

Json from_view(const Kind& kind, Json object) {
    if (!is_newer(kind)) {
        return object;
    }
    Json stored = rename(object, &Renamed::newer, &Renamed::core);
    stored.set("apiVersion", kind.stored_view().api_version());
    return stored;
}

std::string core_event_field(const std::string& label) {
    for (const auto& pair : renamed) {
        const auto head = label.substr(0, label.find('.'));
        if (head == pair.newer) {
            return std::string(pair.core) + label.substr(head.size());
        }
    }
    return label;
}

}  // namespace k8s::embedded
