#pragma once
// The kubelets and the controllers around them: pods that are bound are admitted, refused or left
// waiting; pods that are deleted go after their grace; what a dead node or a dead owner leaves
// behind is collected. A kubelet counts what it has admitted itself, with nobody's reservations.

#include "gang/sim/base/store.hpp"
#include "gang/sim/plane/device_plugins.hpp"

#include <cstdint>
#include <vector>

namespace gang::sim {

struct World;

class Kubelets {
public:
    explicit Kubelets(World& world) : world_(world), plugins_(world) {}

    void pod_changed(const Entry<core::Pod>& entry);
    void node_removed(NodeId node);
    void admit(PodId pod);
    /// Its containers have ended: the object goes.
    void end(PodId pod);
    /// The driver is gone: what it owned is deleted.
    void collect(PodId owner);

private:
    struct Known {
        NodeId node = nobody;
        bool is_admitted = false;
        bool is_planned = false;
        bool ends = false;
        std::int64_t cpu_milli = 0;
        std::int64_t memory_bytes = 0;
        std::int64_t gpus = 0;
        std::int64_t ports = 0;
        std::int64_t units = 0;
    };
    struct Used {
        std::int64_t cpu_milli = 0;
        std::int64_t memory_bytes = 0;
        std::int64_t gpus = 0;
        std::int64_t ports = 0;
        std::int64_t units = 0;
        std::int64_t pods = 0;
    };
    void count(Known& known, int sign);

    World& world_;
    DevicePlugins plugins_;
    std::vector<Known> pods_;
    std::vector<Used> nodes_;
};

}  // namespace gang::sim
