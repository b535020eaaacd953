#pragma once
// The life of one gang in the order of time: from the pods and Events that the API server still
// has, and from what the daemon saw if it is at hand. Pure.

#include "core/base/result.hpp"
#include "gang/explain.hpp"
#include "k8s/codec/pod/pod_history.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

struct TimelineEntry {
    std::int64_t time_ms = 0;  ///< Unix
    std::string step;          ///< one CamelCase word for programs
    std::string text;          ///< for people
    /// Kubernetes writes most times in whole seconds; ours, and those of new Events, are finer.
    bool is_whole_second() const { return time_ms % 1'000 == 0; }
    friend bool operator==(const TimelineEntry&, const TimelineEntry&) = default;
};

struct Timeline {
    std::string namespace_name;
    std::string driver;
    std::string application;
    std::vector<TimelineEntry> entries;  ///< oldest first, to the second
};

/// A driver, or a pod that is alone, and the executors that exist.
struct GangHistory {
    k8s::PodHistory driver;
    std::vector<k8s::PodHistory> executors;
};

/// By pod name, namespace/name, uid or application id; an executor's name means its gang. An error
/// says that nothing or several are called so.
core::Result<GangHistory> find_gang(
    const std::vector<k8s::PodHistory>& pods, std::string_view pod_or_app);

/// `declared`: executors that the gang reserved, 0 if unknown. `milestones`: the daemon's, if
/// known.
Timeline make_timeline(
    const GangHistory& gang,
    const std::vector<k8s::RecordedEvent>& events,
    std::int32_t declared,
    const std::optional<Milestones>& milestones);

std::string timeline_text(const Timeline& timeline);
std::string to_json(const Timeline& timeline);

}  // namespace gang::app
