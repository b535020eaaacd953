#pragma once
// Every configuration key with its default. Plain values; the loader fills them from YAML and
// refuses whatever is not here.

#include "config/autoscaling.hpp"
#include "config/gpu_metrics.hpp"
#include "config/kube/called_extender.hpp"
#include "config/queues/queue.hpp"
#include "core/placement/packing_policy.hpp"
#include "core/score/weighted_score.hpp"
#include "core/value/filter_set.hpp"
#include "core/value/pod_rules.hpp"

#include <cstddef>
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// By how much leaseDuration is longer than renewDeadline, at least: a write that a leader sent
/// before its deadline must be answered or given up before somebody else can lead.
inline constexpr std::int64_t lease_margin_ms_min = 1'000;

struct LeaderElection {
    bool enabled = true;
    std::string lease_name = "gang-scheduler";
    std::string lease_namespace;  ///< empty: the pod's own, or that of the kubeconfig's context
    std::int64_t lease_duration_ms = 15'000;
    std::int64_t renew_deadline_ms = 10'000;
    std::int64_t retry_period_ms = 2'000;
    friend bool operator==(const LeaderElection&, const LeaderElection&) = default;
};

/// Where it is read from how large a driver's gang is.
enum class Discovery : std::uint8_t {
    automatic,    ///< "auto": its labels and annotations, and its Spark conf
    spark_conf,   ///< "sparkConf" alone
    annotations,  ///< labels and annotations alone: no config map is ever read
    none          ///< every pod is scheduled by itself, as the default scheduler does
};

enum class OrphanExecutors : std::uint8_t { wait, schedule };

enum class DynamicAllocation : std::uint8_t { reserve_min, reserve_initial, reserve_max };

/// What becomes of room that a gang holds and does not use.
enum class UnusedThen : std::uint8_t { keep, release };

struct Gang {
    Discovery discovery = Discovery::automatic;
    OrphanExecutors orphan_executors = OrphanExecutors::wait;
    std::int64_t max_gang_size = 2000;  ///< driver included
    DynamicAllocation dynamic_allocation = DynamicAllocation::reserve_initial;
    std::int64_t never_running_after_ms = 15 * 60 * 1000;
    UnusedThen never_running_then = UnusedThen::release;
    std::int64_t missing_executors_after_ms = 10 * 60 * 1000;
    UnusedThen missing_executors_then = UnusedThen::keep;
    friend bool operator==(const Gang&, const Gang&) = default;
};

struct Nodes {
    std::int64_t headroom_cpu_milli = 0;     ///< of every node, kept free of what is newly placed
    std::int64_t headroom_memory_bytes = 0;  ///< the same
    std::string cost_label = "cost";         ///< of nodes; empty: none
    /// Extended resources; nodes that offer one are filled last with pods that ask for none.
    std::vector<std::string> scarce;
    friend bool operator==(const Nodes&, const Nodes&) = default;
};

/// In whose words a pod is told why it waits.
enum class Messages : std::uint8_t {
    gang_scheduler,  ///< ours: with numbers, what is short, and a reason code
    kube_scheduler   ///< "0/2 nodes are available: 2 Insufficient cpu.", for pods outside gangs
};

/// How pods that name this scheduler are placed.
struct Profile {
    std::string scheduler_name = "gang-scheduler";
    core::PackingPolicy packing = core::PackingPolicy::tightest;
    bool gangs = true;  ///< false: every pod by itself, whatever it says of a gang
    Messages messages = Messages::gang_scheduler;
    core::FilterSet left_out = {};  ///< filters that its pods are not asked
    core::ScoreOrder scores = {};   ///< empty: by packing
    core::PodScoring pod_scoring = {};
    friend bool operator==(const Profile&, const Profile&) = default;
};

enum class LogFormat : std::uint8_t { automatic, json, console };
enum class LogLevel : std::uint8_t { debug, info, warning, error };

/// The page and its JSON (docs/reference/api.md).
struct Api {
    bool enabled = false;
    std::string listen = "127.0.0.1:10353";
    /// Names under which it is reached beside addresses and localhost; requests with another name
    /// in their Host are refused.
    std::vector<std::string> hosts;
    /// False: who asks is shown the names of those namespaces whose pods their bearer token may
    /// list, and no other names; without a token none.
    bool shows_all_namespaces = true;
    friend bool operator==(const Api&, const Api&) = default;
};

/// kube-scheduler asks us about pods that name another scheduler (docs/manage/extender.md).
struct Extender {
    bool enabled = false;
    std::string listen = "127.0.0.1:10354";  ///< this machine alone: nobody is asked who they are
    std::string prefix = "/";                ///< the verbs stand below it: /filter
    std::string scheduler_name = "default-scheduler";  ///< of the pods that we are asked about
    /// kube-scheduler has the stanza's bindVerb: we bind. Else it binds, and what a driver reserves
    /// is written before kube-scheduler is told its node.
    bool binds = true;
    friend bool operator==(const Extender&, const Extender&) = default;
};

/// Later gangs may pass earlier ones, if they keep what those were promised
/// (docs/manage/backfill.md).
struct Backfill {
    BackfillMode mode = BackfillMode::off;  ///< where no queue says otherwise
    std::int64_t max_bypass = 100;          ///< so many gangs may pass one that waits
    friend bool operator==(const Backfill&, const Backfill&) = default;
};

/// How queues come to their part where several wait (docs/manage/queues.md).
struct FairShare {
    /// So long ago counts half of what is now; 0: what was counts for nothing.
    std::int64_t usage_half_life_ms = 0;
    friend bool operator==(const FairShare&, const FairShare&) = default;
};

/// Quotas of namespaces, looked at before a driver is bound (docs/manage/quota.md).
struct Quota {
    bool preflight = false;
    friend bool operator==(const Quota&, const Quota&) = default;
};

/// Queue objects of Volcano and kube-batch (queues/queue_objects.hpp).
struct QueueObjects {
    bool enabled = true;   ///< they are read where the cluster has them
    bool reclaim = false;  ///< gangs of those that say reclaimable may be evicted
    /// Not in the file: the cluster has them, and a PodGroup's queue must be one.
    bool are_there = false;
    friend bool operator==(const QueueObjects&, const QueueObjects&) = default;
};

/// What Volcano's scheduler does for its PodGroups beside placing pods, where it does not run.
struct Volcano {
    /// Groups are let in (phase Inqueue): its controllers make a job's pods only then.
    bool enqueue = false;
    /// What groups that were let in ask for may be so much of what all nodes have together.
    std::int64_t overcommit_percent = 120;
    /// The oldest of a queue that does not fit holds up those of it that come later.
    bool is_strict_order = false;
    /// A group that was let in counts for so long without its pods; 0: for ever.
    std::int64_t pods_within_ms = 10 * 60'000;
    friend bool operator==(const Volcano&, const Volcano&) = default;
};

struct Schema {
    std::string kubeconfig;  ///< clientConnection.kubeconfig
    LeaderElection leader_election;
    std::string server_listen = ":10352";  ///< server.listen; empty: no health, no metrics
    std::string control_listen = "127.0.0.1:10351";  ///< control.listen; empty: no control endpoint
    Api api;
    Extender extender;
    std::vector<CalledExtender> extenders;  ///< asked in this order; of kube-scheduler's files alone
    LogFormat log_format = LogFormat::automatic;
    LogLevel log_level = LogLevel::info;
    std::vector<Profile> profiles = {Profile{}};  ///< at least one, each name once
    Gang gang;
    Nodes nodes;
    GpuMetrics gpu_metrics;
    Autoscaling autoscaling;
    Quota quota;
    Backfill backfill;
    FairShare fair_share;
    /// Empty: one line for all, first come first served.
    std::vector<Queue> queues;
    /// With queues: never empty.
    std::vector<PlacementRule> placement;
    QueueObjects queue_objects;
    Volcano volcano;
    Preemption preemption;
    /// seal.keyFile: the keys that seal what is written into annotations. Empty: nothing is sealed,
    /// and a reservation found there counts only as far as the declaration goes.
    std::string seal_key_file;
    /// conditions.nameOtherNamespaces. False: what is written to a pod names no gang and no pod of
    /// another namespace.
    bool names_other_namespaces = true;
    std::int64_t events_per_second = 10;
    std::int64_t audit_interval_ms = 5 * 60 * 1000;  ///< 0: only when asked
    friend bool operator==(const Schema&, const Schema&) = default;

    bool is_sealed() const { return !seal_key_file.empty(); }

    /// nullptr: pods that name this scheduler are none of ours.
    /// Some profile goes by the images that nodes have.
    bool asks_images() const {
        return std::any_of(profiles.begin(), profiles.end(), [](const Profile& profile) {
            return core::asks_images(profile.scores);
        });
    }
    const Profile* find_profile(std::string_view scheduler_name) const {
        for (const Profile& profile : profiles) {
            if (profile.scheduler_name == scheduler_name) return &profile;
        }
        return nullptr;
    }
    std::vector<std::string> scheduler_names() const {
        std::vector<std::string> names;
        for (const Profile& profile : profiles) names.push_back(profile.scheduler_name);
        return names;
    }
};

}  // namespace config
