#pragma once
// Nodes whose kubelet has refused a pod of ours although it fitted, as far as we saw: there is
// something on them that we do not see yet. Nothing new is sent there until something is heard of
// the node that may be what was missing: its own state, or a pod on it that comes or goes. Spark
// counts every failed executor against its application, so one refusal should not become ten.
//
// Host ports are what a pod asks for by itself: one tenant's port that is taken says nothing of the
// node to others. Only pods that want host ports are kept off then; whoever replaces the refused
// one wants them, too, and goes elsewhere or waits, instead of failing again and again.
//
//   refused -> in quarantine --lift: something is heard of the node--> out
//                            --expire: nobody ever tells-------------> out

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gang {

class NodeQuarantine {
public:
    /// The node takes no pods, or none with host ports.
    struct State {
        bool pods = false;
        bool host_ports = false;
    };

    /// A kubelet refused a pod; `host_port` says whether for a port. The time (Unix ms) at which
    /// the quarantine ends by itself.
    std::int64_t refused(const std::string& node, bool host_port, std::int64_t now_ms);

    /// False: the node was not in quarantine.
    bool lift(const std::string& node);

    /// Nodes for which some time is over, by name: their state is another now.
    std::vector<std::string> expire(std::int64_t now_ms);

    State state(const std::string& node, std::int64_t now_ms) const;
    std::size_t size() const { return nodes_.size(); }

private:
    /// Until when at most; 0: it is not.
    struct Until {
        std::int64_t pods_ms = 0;
        std::int64_t host_ports_ms = 0;
    };

    std::map<std::string, Until> nodes_;
};

}  // namespace gang
