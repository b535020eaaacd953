#pragma once
// What holds for every value that a codec lets through, whatever the text was.

#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "core/value/pod_template.hpp"
#include "gang/record/event_log.hpp"
#include "tests/fuzz/property.hpp"

#include <algorithm>
#include <variant>

namespace fuzz {

inline void check(const core::StringMap& map) {
    PROPERTY(std::is_sorted(
        map.begin(), map.end(), [](const auto& a, const auto& b) { return a.first < b.first; }));
    PROPERTY(std::adjacent_find(map.begin(), map.end(), [](const auto& a, const auto& b) {
                 return a.first == b.first;
             }) == map.end());
}

inline void check(const core::Resources& resources) {
    PROPERTY(resources.cpu_milli >= 0);
    PROPERTY(resources.memory_bytes >= 0);
    PROPERTY(resources.ephemeral_bytes >= 0);
    PROPERTY(std::is_sorted(resources.extended.begin(), resources.extended.end()));
    for (const core::ExtendedResource& entry : resources.extended) {
        PROPERTY(entry.amount > 0);
    }
}

inline void check(const core::Constraints& constraints) {
    check(constraints.node_selector);
}

inline void check(const core::Pod& pod) {
    PROPERTY(!pod.name.empty());
    check(pod.labels);
    check(pod.annotations);
    for (const auto& [key, value] : pod.annotations) {
        PROPERTY(core::is_kept_annotation(key));
    }
    check(pod.requests);
    check(pod.constraints);
}

inline void check(const core::Node& node) {
    PROPERTY(!node.name.empty());
    check(node.labels);
    check(node.allocatable);
    PROPERTY(node.pods >= 0);
}

inline void check(const core::PodTemplate& from) {
    PROPERTY(from.containers.size() == from.requests.containers.size());
    for (const core::ContainerRequest& container : from.requests.containers) {
        check(container.requests);
    }
    check(from.constraints);
    check(from.labels);
}

/// Through a recording's line and back. The answer is the event that came back.
inline gang::Event recorded(const gang::Event& event) {
    const std::string line = encode(gang::StampedEvent{1, 2, event});
    PROPERTY(line.find('\n') == line.size() - 1);
    const auto read = gang::decode_line({line.data(), line.size() - 1});
    PROPERTY(read.has_value());
    return std::get<gang::StampedEvent>(*read).event;
}

}  // namespace fuzz
