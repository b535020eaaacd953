#pragma once
// ResourceQuotas and LimitRanges of the tenants' namespaces: what they count, whom they keep from
// being created, and what befalls them. Written from what Kubernetes says of its admission, and
// shares nothing with core/quota.
//
//   a pod is created --admits()--> counted as used at once
//   a pod ends, or goes; a quota is made or changed --some time later--> status: counted anew
//
// What counts is the status. A quota that is new has none: until it has, it keeps nobody out.

#include "core/value/pod.hpp"
#include "core/value/quota/namespace_quotas.hpp"
#include "gang/sim/base/store.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gang::sim {

struct World;
struct Call;

/// What pods take of what quotas name.
using Taken = std::map<std::string, std::int64_t>;

class NamespaceQuotas {
public:
    explicit NamespaceQuotas(World& world) : world_(world) {}

    void begin();
    /// The API server's admission; what is admitted is counted. False: the pod must not be created.
    bool admits(const core::Pod& pod);
    void pod_changed(const Entry<core::Pod>& entry);
    /// The quota controller brings the statuses of this tenant's namespace up to date.
    void sync(std::uint32_t tenant);
    void mishap();
    /// From here on there is room for what waits, one gang after the other.
    void calm_down();

    /// The API server's answer to who lists both kinds.
    void read(Call& call) const;
    core::NamespaceQuotas now_in(const std::string& namespace_name) const;

private:
    struct Quota {
        std::string name;
        Taken spec;
        Taken hard;  ///< of its status
        Taken used;  ///< likewise
    };
    struct Namespace {
        std::vector<Quota> quotas;
        std::optional<std::int64_t> memory_max;  ///< of a container, by a LimitRange
        bool sync_is_planned = false;
    };

    Quota draw();
    void change(Namespace& in);
    void plan_sync(std::uint32_t tenant);
    Taken used_by_pods(const std::string& namespace_name) const;
    Taken needed_in_calm(const std::string& namespace_name) const;

    World& world_;
    std::map<std::uint32_t, Namespace> namespaces_;  ///< by tenant: 3 is "t3"
    std::uint32_t made_ = 0;
};

/// Whether a quota counts this resource of pods that have ended, too.
inline bool counts_ended(const std::string& resource) {
    return resource == "count/pods";
}

/// Of a pod that asks for so much.
Taken taken_by(const core::Resources& requests);

}  // namespace gang::sim
