#pragma once
// What one process has been shown since it started: what its decisions are held against.

#include "config/schema.hpp"
#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "gang/event.hpp"
#include "gang/sim/base/store.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace gang::sim {

struct ShownView {
    /// It has worked the event off.
    void apply(const Event& event, std::int64_t now_ms);

    std::map<PodId, core::Pod> pods;
    std::map<std::string, core::Node> nodes;
    std::map<std::string, std::int64_t> refused_ms;  ///< when a node's kubelet last refused a pod
    std::set<PodId> confs;  ///< drivers whose conf was answered for, found or not
    std::int64_t leads_since_ms = -1;
    std::int64_t headroom_cpu_milli = 0;  ///< that the process was started with
    config::Schema file;                  ///< as it was last told
    std::int64_t clock_wrong_ms = -1;     ///< when it was last; -1: never
};

}  // namespace gang::sim
