#pragma once
// From a driver and its conf to the executors that Spark will ask for: how many, how large, where
// they may run. The answer is Spark's own arithmetic, version by version, or a problem in words. It
// is never a guess: a gang of a wrong size is worse than one that says why it waits.

#include "config/schema.hpp"
#include "core/value/constraints.hpp"
#include "core/value/pod.hpp"
#include "core/value/quota/executor_limits.hpp"
#include "core/value/resources.hpp"
#include "gang/declare/spark/conf.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace gang::spark {

inline constexpr std::int64_t unlimited_executors = -1;
/// As a minimum: no executor that is reserved can be done without.
inline constexpr std::int64_t all_executors = std::numeric_limits<std::int32_t>::max();

struct Limits {
    std::int64_t max_gang_size = 2000;  ///< driver included
    config::DynamicAllocation dynamic_allocation = config::DynamicAllocation::reserve_initial;
    /// The scheduler names that are ours. Empty: only the driver's own.
    std::vector<std::string> scheduler_names;
};

/// A claim that Spark itself makes for each executor.
struct MadeClaim {
    std::string storage_class;
    std::int64_t bytes = 0;
    bool one_pod = false;  ///< access mode ReadWriteOncePod, else ReadWriteOnce
    friend bool operator==(const MadeClaim&, const MadeClaim&) = default;
};

/// A persistent volume claim that every executor mounts.
struct VolumeClaim {
    std::string volume;
    /// As the conf has it: for OnDemand and SPARK_EXECUTOR_ID each executor's claim has a name of
    /// its own.
    std::string claim_name;
    std::optional<MadeClaim> made;
    /// All executors mount the same one.
    bool is_shared() const {
        return !made && claim_name.find("OnDemand") == std::string::npos &&
               claim_name.find("SPARK_EXECUTOR_ID") == std::string::npos;
    }
    friend bool operator==(const VolumeClaim&, const VolumeClaim&) = default;
};

/// Executors that are alike. Everything here is about the whole pod, sidecars and overhead
/// included.
struct ExecutorShape {
    std::int32_t profile = 0;  ///< label spark-exec-resourceprofile-id; 0 is the default profile
    std::int64_t count = 0;    ///< reserved with the driver
    std::int64_t max = 0;      ///< dynamic allocation may grow to this many; unlimited_executors
    std::int64_t min = all_executors;  ///< that dynamic allocation never goes below; 1 at least
    core::Resources requests;
    std::vector<core::ContainerLimits> containers;  ///< side by side, Spark's among them
    core::Constraints constraints;
    std::optional<core::PodRules> rules;     ///< of the template, as far as they are known
    core::StringMap labels;                  ///< those that all of them have, see labels.hpp
    std::vector<core::HostPort> host_ports;  ///< sorted
    std::vector<VolumeClaim> claims;         ///< of the conf
    // The template's, compact JSON or empty.
    std::string affinity_json;
    std::string topology_spread_json;
    std::string volumes_json;  ///< see core::PodTemplate
    std::string scheduling_gates_json;
    std::string scheduler_name;
    std::string node_name;  ///< not empty: they are born on this node, past every scheduler
    std::string priority_class_name;
    std::string preemption_policy;
    std::string runtime_class_name;
    friend bool operator==(const ExecutorShape&, const ExecutorShape&) = default;
};

struct Derivation {
    std::vector<ExecutorShape> executors;  ///< to be reserved; empty for a driver that works alone
    /// Executors that the conf addresses to another scheduler: they will never be ours to bind, so
    /// the gang is the driver alone.
    std::vector<ExecutorShape> foreign_executors;
    std::string problem;             ///< not empty: not derivable, nothing else is filled
    std::vector<std::string> notes;  ///< what is doubtful about the answer, in sentences
    friend bool operator==(const Derivation&, const Derivation&) = default;
};

/// The gang of a driver in cluster mode. Values that are wrong end in Derivation::problem, which
/// names key, value and what would be accepted.
Derivation derive(const Conf& conf, const core::Pod& driver, const Limits& limits);

}  // namespace gang::spark
