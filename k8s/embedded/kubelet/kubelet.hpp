#pragma once
// Simulated kubelets: they register nodes, run the pods that are bound to them and refuse, like a
// real kubelet, what does not fit (OutOfcpu, OutOfmemory, OutOfpods). They are the referee of the
// demo and of the tests: what they saw is the truth about overcommitment and idle drivers.
//
//   bound --> refused (Failed)
//     \-----> creating (waits for its config maps) --> running --> ended (Succeeded, Failed)
//   deleted at any time --> stopping --> gone
//
// They speak to the API server as a remote kubelet would: a watch of pods, status patches, deletes.

#include "core/value/constraints.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace k8s::embedded {

class ApiServer;
class Json;

/// What a node's device plugins say of it.
struct NodeDevices {
    core::StringMap resources;    ///< quantities by name: nvidia.com/gpu
    core::StringMap annotations;  ///< of the node
};

struct KubeletOptions {
    int nodes = 3;
    std::string node_cpu = "4";       ///< quantity
    std::string node_memory = "8Gi";  ///< quantity
    int pods_per_node = 110;
    std::vector<NodeDevices> devices;   ///< of the first, the second, ... node
    std::string name_prefix = "node-";  ///< node-1, node-2, ...
    std::int64_t start_ms = 200;        ///< from bound to Running, once the config maps are there
    std::int64_t run_ms = 10'000;       ///< from Running to Succeeded; see pod_runtime.hpp
    std::int64_t stop_ms = 200;         ///< from deleted to gone, at most the pod's grace
    std::int64_t heartbeat_ms = 10'000;
    std::size_t records_max = 100'000;  ///< pods beyond run all the same, but leave no record
};

/// One pod as its kubelet saw it. Times are Unix milliseconds, 0 when it has not happened.
struct PodRecord {
    std::string namespace_name;
    std::string name;
    std::string uid;
    std::string node;
    std::string role;  ///< the label spark-role
    std::int64_t cpu_milli = 0;
    std::int64_t bound_ms = 0;
    std::int64_t started_ms = 0;
    std::int64_t ended_ms = 0;  ///< finished, refused or removed
    std::string refusal;        ///< "OutOfcpu", empty when admitted
    friend bool operator==(const PodRecord&, const PodRecord&) = default;
};

/// Called on the loop's thread, between two events. They may call the server.
struct KubeletHooks {
    std::function<void(const Json& pod)> on_running = {};
    std::function<void(const Json& pod)> on_gone = {};  ///< ended, refused or removed
};

/// All nodes of one simulated cluster, on the caller's loop. Destroying it stops all timers.
class Kubelets {
public:
    /// `loop` and `server` must outlive this.
    Kubelets(boost::asio::io_context& loop, ApiServer& server, KubeletOptions options);
    ~Kubelets();
    Kubelets(const Kubelets&) = delete;
    Kubelets& operator=(const Kubelets&) = delete;

    /// Registers the nodes and begins to look after pods.
    void start(KubeletHooks hooks = {});
    /// Ends a running pod now: Succeeded, or Failed with another exit code than 0.
    void finish(const std::string& uid, int exit_code = 0);
    /// Every pod that was bound to one of the nodes, in the order of binding; see records_max.
    const std::vector<PodRecord>& records() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace k8s::embedded
