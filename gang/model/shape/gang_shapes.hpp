#pragma once
// What the pods of a gang ask: the shapes of its driver and of its executors, as the cluster knows
// them. They are shared, so each is held once for every gang that has it.

#include "core/base/text.hpp"
#include "core/cluster/cluster.hpp"
#include "core/domain/domain_index.hpp"
#include "core/value/pod.hpp"
#include "gang/declare/declaration_reader.hpp"
#include "gang/model/application.hpp"
#include "gang/model/cluster/fit_cache.hpp"
#include "gang/model/cluster/inter_pod_rules.hpp"
#include "gang/model/pod/pods.hpp"
#include "gang/model/volume/claims.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/model/worklist.hpp"

#include <optional>
#include <vector>

namespace gang {

class GangShapes {
public:
    /// Where else something is known of shapes.
    struct Places {
        const ProfileRules& profiles;
        core::Cluster& cluster;
        core::DomainIndex& domains;
        InterPodRules& pod_rules;
        FitCache& fit_cache;
        core::Texts& texts;
        const Pods& pods;
        WaitingLine& waiting;
        Claims& claims;
        Worklist& worklist;
    };
    explicit GangShapes(Places places) : in_(places) {}

    /// That of its driver.
    void set_driver(
        Application& app, const core::Resources& requests, const core::Constraints& constraints);
    void set_driver(Application& app, const core::Pod& pod) {
        set_driver(app, pod.requests, pod.constraints);
    }
    /// One more, of executors.
    void add(
        Application& app,
        GangShape shape,
        const core::Resources& requests,
        const core::Constraints& constraints);
    /// That all its pods shall be in one domain; nothing: anywhere.
    void set_topology(Application& app, const std::optional<DeclaredTopology>& declared);
    /// Where its executors' claims let them go, and what they have attached. Of a gang that waits: no
    /// slot is of these shapes.
    void set_volumes(
        Application& app,
        GangShape& shape,
        std::vector<core::VolumeNodes> nodes,
        const std::vector<core::DriverVolume>& volumes);
    /// While others hold the shape, and pods come and go all the time, what is known of it stays.
    void release(core::ShapeId shape);
    /// Those of its executors.
    void release_all(Application& app);

private:
    core::ShapeId intern_shape(
        const Application& app,
        const core::Resources& requests,
        const core::Constraints& constraints);

    Places in_;
};

}  // namespace gang
