#pragma once
// One difference between what the API server lists and what a scheduler believes.

#include <cstdint>
#include <string>

namespace gang {

enum class DriftKind : std::uint8_t {
    node_unknown,        ///< listed, and not known
    node_differs,        ///< another state is believed
    node_gone,           ///< believed, and not listed
    node_miscounted,     ///< allocatable is not what is bound, held and free together
    pod_unknown,         ///< as for nodes
    pod_differs,
    pod_gone,
    reservation_differs  ///< the driver carries another reservation than the ledger holds
};

struct Drift {
    DriftKind kind = DriftKind::pod_differs;
    std::string name;     ///< node, or namespace/pod; of a pod that is gone its uid may be all
    std::string uid;      ///< of pods
    std::string version;  ///< resourceVersion that was listed; empty: not listed
    std::string detail;   ///< what differs, for people
    friend bool operator==(const Drift&, const Drift&) = default;
};

/// "pod_gone" as "pod gone".
std::string describe(DriftKind kind);

}  // namespace gang
