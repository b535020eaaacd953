#pragma once
// Spark applications and the tenants that submit them: the driver first, its config map after it,
// executors in batches once the driver runs, replacements for lost ones, dynamic allocation up and
// down, and the end. Everything here is done to the store; nothing knows of any scheduler.

#include "gang/decision.hpp"
#include "gang/declare/spark/conf.hpp"
#include "gang/sim/base/store.hpp"
#include "gang/sim/plane/pod_rules.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gang::sim {

struct World;
using ApplicationId = std::uint32_t;

struct Application {
    enum class Phase : std::uint8_t { submitted, running, ended };
    Phase phase = Phase::submitted;
    bool by_set = false;
    bool is_dynamic = false;
    bool conf_was_edited = false;
    bool was_tampered = false;    ///< a tenant has edited what its reservation is read from
    core::StringMap first_texts;  ///< what its driver was bound with
    bool acts = false;            ///< an application_acts is planned
    PodId driver = nobody;
    std::string tenant;
    std::int64_t declared = 0;       ///< executors of the gang, by its conf of now
    std::vector<std::int64_t> ever;  ///< all numbers that its conf ever declared
    std::int64_t target = 0;         ///< executors that Spark wants now
    std::int64_t maximum = 0;
    std::int64_t minimum = 0;     ///< executors that it is never to have fewer slots than
    std::int64_t max_wait_s = 0;  ///< it is to wait for so long at most; 0: it says nothing
    std::int64_t batch = 5;
    std::int64_t cpu_milli = 1'000;
    std::int64_t memory_mib = 1'408;
    std::int64_t memory_conf_mib = 1'024;
    std::int64_t driver_cpu_milli = 1'000;
    std::int64_t gpus = 0;        ///< of each executor
    std::int64_t card_units = 0;  ///< of one card, likewise
    bool has_port = false;        ///< each executor takes `host_port`
    bool has_volumes = false;     ///< each executor has a claim of its own
    bool may_need_nodes =
        false;  ///< it may be larger than what is there without nodes that are bought
    std::string pool;             ///< of its nodes; empty: any
    GangRules rules;              ///< what its pods ask of others
    std::int64_t work = 0;        ///< executor-seconds that are left
    std::int64_t storm = 0;       ///< executors that will still die as soon as they run
    std::uint32_t conf = nobody;  ///< its config map now; nobody: there is none
    std::uint32_t executors_made = 0;
    std::vector<PodId> executors;  ///< that have not ended
    std::int64_t submitted_ms = 0;
    std::int64_t ended_ms = 0;
};

/// Whether a pod for this pool may be there; an empty one is for any node.
inline bool is_in_pool(const core::Node& node, const std::string& pool) {
    const std::string* label = core::find_value(node.labels, std::string(pool_label));
    return pool.empty() || (label != nullptr && *label == pool);
}

class Applications {
public:
    explicit Applications(World& world) : world_(world) {}

    void submit();
    void act(ApplicationId id);
    void make_conf(ApplicationId id);
    void pod_changed(const Entry<core::Pod>& entry);

    /// The number of the config map that this driver names; nobody: there is none.
    std::uint32_t find_conf(const PodRef& driver) const;
    const spark::Conf& conf(std::uint32_t number) const { return confs_[number]; }

    const std::vector<Application>& all() const { return all_; }
    Application& at(ApplicationId id) { return all_[id]; }
    /// The application of a driver or executor; nobody: of neither.
    ApplicationId find(PodId pod) const { return pod < of_pod_.size() ? of_pod_[pod] : nobody; }
    std::optional<ApplicationId> any_live();
    bool all_ended() const;

    // What the fault injector does.
    void replace_conf(ApplicationId id);
    void remove_conf(ApplicationId id) { all_[id].conf = nobody; }
    void end(ApplicationId id, core::PodPhase phase);
    void calm_down();

private:
    void create_executors(ApplicationId id);
    void create_executor(ApplicationId id, std::uint32_t number);
    void adapt(Application& application);
    void plan_act(ApplicationId id, std::int64_t after_ms);
    void remember(PodId pod, ApplicationId id);

    World& world_;
    std::vector<Application> all_;
    std::vector<ApplicationId> of_pod_;
    std::vector<spark::Conf> confs_;
    std::size_t live_ = 0;
};

}  // namespace gang::sim
