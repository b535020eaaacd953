#pragma once
// How recordings of gang/declare show texts, results and shapes of executors: every byte and every
// field.

#include "core/base/result.hpp"
#include "core/value/resources.hpp"
#include "gang/declare/spark/executor/derive.hpp"
#include "gang/record/event_log.hpp"
#include "tests/gang/builders.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tests {

/// Visible, on one line; of a long one its ends and its length.
inline std::string told_text(std::string_view text) {
    if (text.size() > 240) {
        return told_text(text.substr(0, 24)) + ".." + std::to_string(text.size()) + ".." +
               told_text(text.substr(text.size() - 24));
    }
    constexpr std::string_view digits = "0123456789abcdef";
    std::string told = "'";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte > 0x7e) {
            told += std::string("\\x") + digits[byte / 16] + digits[byte % 16];
        } else {
            told += c;
        }
    }
    return told + "'";
}

inline std::string told_map(const core::StringMap& map) {
    std::string told = "{";
    for (const auto& [key, value] : map) {
        told += (told.size() > 1 ? ", " : "") + told_text(key) + "=" + told_text(value);
    }
    return told + "}";
}

inline std::string told_lines(const char* name, const std::vector<std::string>& texts) {
    std::string told;
    for (const std::string& text : texts) {
        told += std::string("    ") + name + ": " + text + "\n";
    }
    return told;
}

/// What `tell` makes of the value, or the error.
template <typename T, typename Tell>
std::string told_result(const core::Result<T>& result, Tell tell) {
    return result ? tell(*result) : "error: " + told_text(result.error().message);
}

/// Requests, constraints and rules as a recording of events has them.
inline std::string told_ask(
    const core::Resources& requests,
    const core::Constraints& constraints,
    const std::optional<core::PodRules>& rules = std::nullopt) {
    core::Pod pod;
    pod.requests = requests;
    pod.constraints.edit() = constraints;
    if (rules) {
        pod.rules = *rules;
    }
    return gang::encode(gang::StampedEvent{1, 1, gang::PodUpserted{pod}});
}

inline std::string told_claim(const gang::spark::VolumeClaim& claim) {
    return claim.volume + " " + claim.claim_name + (claim.is_shared() ? " shared" : "") +
           (claim.made
                ? " made " + claim.made->storage_class + " " + std::to_string(claim.made->bytes) +
                      (claim.made->one_pod ? " of one pod" : "")
                : "");
}

inline std::string told_shape(const gang::spark::ExecutorShape& shape) {
    std::string told = "    " + std::to_string(shape.count) + " of " + std::to_string(shape.min) +
                       ".." + std::to_string(shape.max) + " " +
                       told_ask(shape.requests, shape.constraints, shape.rules) + "\n      by " +
                       shape.scheduler_name + "; " + shape.node_name + "; " +
                       shape.priority_class_name + "; " + shape.preemption_policy + "; " +
                       shape.runtime_class_name + "; " + shape.affinity_json + "; " +
                       shape.topology_spread_json + "; " + shape.volumes_json + "; " +
                       shape.scheduling_gates_json + "\n      " + told_map(shape.labels) + "\n";
    for (const core::ContainerLimits& one : shape.containers) {
        told += "      container " + core::describe_exactly(one.requests) + ", at most " +
                std::to_string(one.cpu_limit_milli.value_or(-1)) + "m " +
                std::to_string(one.memory_limit_bytes.value_or(-1)) + "\n";
    }
    for (const core::HostPort& port : shape.host_ports) {
        told +=
            "      port " + port.ip + " " + port.protocol + " " + std::to_string(port.port) + "\n";
    }
    for (const gang::spark::VolumeClaim& claim : shape.claims) {
        told += "      claim " + told_claim(claim) + "\n";
    }
    return told;
}

}  // namespace tests
