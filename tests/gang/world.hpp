#pragma once
// A whole cluster around one scheduler, without sockets and without time: the API server's truth,
// the edge that carries decisions out, and a referee that looks at every bind. Tests move it by
// hand.

#include "core/value/exclusive.hpp"
#include "gang/record/recording.hpp"
#include "gang/reservation/format/reservation.hpp"
#include "gang/scheduler.hpp"
#include "tests/gang/builders.hpp"
#include "tests/gang/random.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tests {

/// How the edge answers FetchSparkConf for one driver.
struct ConfAnswer {
    std::optional<gang::spark::Conf> conf;
    gang::ConfProblem problem = gang::ConfProblem::not_found;
    std::string message = "404: config map not found";
};

class World {
public:
    explicit World(config::Schema schema = sealed_schema());
    ~World();
    World(World&&);

    /// As the chart has it: whoever changes a text of ours makes it disappear, for the edge lets
    /// none pass whose seal is broken.
    static config::Schema sealed_schema();

    // --- the cluster's truth -------------------------------------------------------------------

    void add_node(core::Node node);

    /// n1, n2 and n3 with 4 cpu each, and memory enough.
    void add_small_cluster();

    /// a1 and a2 in zone a, b1 in zone b.
    void add_zones(std::int64_t cpu = 8);

    void change_node(const std::string& name, const std::function<void(core::Node&)>& change);

    void remove_node(const std::string& name);

    /// Stores a new pod under a new uid (or the one it brings) and announces it.
    std::string create(core::Pod pod);

    /// A driver with its config map.
    std::string submit(core::Pod driver, gang::spark::Conf conf);

    std::string submit(const std::string& name, std::int64_t executors, std::int64_t created);

    void change_pod(const std::string& uid, const std::function<void(core::Pod&)>& change);

    void set_phase(const std::string& uid, core::PodPhase phase);

    void remove_pod(const std::string& uid);

    bool has_pod(const std::string& uid) const { return pods_.contains(uid); }
    const core::Pod& pod(const std::string& uid) const { return pods_.at(uid); }
    const std::map<std::string, core::Pod>& pods() const { return pods_; }
    const std::map<std::string, core::Node>& nodes() const { return nodes_; }
    const std::string& node_of(const std::string& uid) const { return pods_.at(uid).node_name; }
    bool is_bound(const std::string& uid) const { return !node_of(uid).empty(); }

    std::string condition(const std::string& uid) const;

    std::int64_t bound_count(const std::vector<std::string>& uids) const;

    /// Executors of a driver that are there and have not ended.
    std::vector<std::string> executors_of(const std::string& driver_uid) const;

    /// What Spark does when its driver runs: `count` executor pods.
    std::vector<std::string> create_executors(const std::string& driver_uid, int count);

    /// The uid of the stateful set that a driver makes under Spark's statefulset allocator.
    static std::string set_of(const std::string& driver_uid) { return "set-of-" + driver_uid; }

    /// What that set makes: `count` executor pods.
    std::vector<std::string> create_set_executors(const std::string& driver_uid, int count);

    /// The driver and everything it owns goes, as the API server's garbage collector does it.
    void remove_application(const std::string& driver_uid);

    /// Grace periods are over: pods that are being deleted go, and what drivers among them own.
    void end_deleted();

    std::optional<gang::Reservation> reservation(const std::string& driver_uid) const;

    // --- the scheduler's life -----------------------------------------------------------------

    /// What the next process reads.
    void set_schema(config::Schema schema) { schema_ = std::move(schema); }

    /// A new process: knows nothing, lists, leads with the next epoch (unless told to follow).
    void restart(bool leads = true);

    /// The file is another one; a life that begins later has it from the start.
    void reconfigure(config::Schema schema);

    void lead() { answers_.emplace_back(gang::LeadershipGained{++epoch_}); }
    /// The leader before has left nothing under way, and said so.
    void take_over() { answers_.emplace_back(gang::LeadershipGained{++epoch_, true}); }
    void lose_lead() { answers_.emplace_back(gang::LeadershipLost{}); }

    /// Both kinds listed anew; what the scheduler knows and the truth does not must be given.
    void relist(const std::vector<std::string>& vanished = {});

    // --- time ---------------------------------------------------------------------------------

    /// Delivers what is queued, with a tick when the queue is dry, until nothing more happens now.
    void settle();

    /// Nothing has been leaked.
    void check_accounts() const;

    /// Lets time pass, waking the scheduler whenever it asked for it.
    void advance(std::int64_t ms);

    /// One event of any stream; which one is by chance if there is a random source.
    bool deliver_one();

    void step(const gang::Event& event);

    bool queues_empty() const;

    /// Whether a tick was asked for at once, since this was last asked or everything settled.
    bool take_due_wake();

    /// A request of an earlier life reaches the API server only now; nobody hears the answer.
    gang::BindOutcome arrive(const gang::BindPod& request);
    gang::WriteOutcome arrive(const gang::UpdateReservation& request);

    /// Answers that were withheld, now delivered.
    void release_answers();

    gang::GangView view(const std::string& driver_uid) const;

    std::optional<gang::Scheduler> scheduler;
    std::int64_t now_ms = 1'800'000'000'000;
    std::map<std::string, ConfAnswer> confs;
    std::vector<gang::BindPod> binds;
    std::vector<gang::SetCondition> conditions;
    std::vector<gang::UpdateReservation> updates;
    std::vector<gang::RecordEvent> events;
    std::map<std::int64_t, gang::AnswerExtender> extender_answers;  ///< by token
    std::vector<gang::AskExtenders> extender_questions;
    /// What other people's extenders answer; nothing: not yet.
    std::function<std::optional<gang::ExtendersAnswered>(const gang::AskExtenders&)> extenders;
    std::vector<std::pair<std::int64_t, std::string>> fetches;  ///< time and driver uid
    std::vector<std::string> violations;                        ///< what the referee saw
    Random* chaos = nullptr;
    /// Answers a bind instead of the API server, e.g. not_sent.
    std::function<std::optional<gang::BindOutcome>(const gang::BindPod&)> on_bind;
    std::function<void(const gang::Event&)> on_event;        ///< is told what is stepped
    std::function<void(const gang::Decision&)> on_decision;  ///< is told what is decided
    /// Answers an eviction instead of the API server, e.g. budget.
    std::function<std::optional<gang::EvictOutcome>(const gang::EvictPod&)> on_evict;
    std::vector<gang::EvictPod> evictions;
    bool hold_evict_answers = false;
    bool hold_bind_answers = false;
    bool hold_status_answers = false;
    bool hold_conf_answers = false;
    std::map<std::string, core::Claim> claims;  ///< by namespace/name
    std::vector<std::string> claim_fetches;
    gang::ClaimProblem claim_problem = gang::ClaimProblem::not_found;
    bool hold_claim_answers = false;
    std::map<std::string, core::PodGroup> groups;  ///< objects, by namespace/name
    std::map<std::string, gang::WantCapacity> capacity;  ///< what is asked for now, by driver
    std::vector<gang::WantCapacity> capacity_asked;      ///< each time
    int capacity_drops = 0;
    gang::CapacityOutcome capacity_outcome = gang::CapacityOutcome::written;
    bool capacity_may_exist = true;
    bool hold_capacity_answers = false;
    gang::PodGroupProblem group_problem = gang::PodGroupProblem::not_found;
    int group_fetches = 0;
    std::map<std::string, core::NamespaceQuotas> quotas;  ///< by namespace
    std::optional<gang::QuotaProblem> quota_problem;      ///< instead of an answer
    bool hold_quota_answers = false;
    int quota_fetches = 0;
    /// In which their objects are; empty: no status of them is written.
    std::string group_version;
    std::map<std::string, core::PodGroupStatus> group_statuses;  ///< of the objects
    std::vector<gang::WriteGroupStatus> group_writes;
    gang::GroupStatusOutcome group_write_outcome = gang::GroupStatusOutcome::written;
    std::string no_volume;  ///< not empty: volumes cannot be made, and why
    /// What nodes can attach; nothing: nobody may look at it.
    std::optional<std::vector<core::NodeVolumeLimits>> volume_limits{std::in_place};
    /// Of all namespaces; nothing: nobody may look at them.
    std::optional<std::vector<core::NamespaceLabels>> namespaces{std::in_place};
    int namespace_watches = 0;       ///< WatchNamespaces asked for
    bool hold_namespace_answers = false;
    int limit_watches = 0;           ///< WatchVolumeLimits asked for
    /// What drivers have left; nothing: nobody may look at it.
    std::optional<std::vector<core::StorageSegment>> storage{std::in_place};
    int storage_watches = 0;         ///< WatchStorage asked for
    bool hold_limit_answers = false;
    bool hold_pod_lists = false;
    bool fail_pod_lists = false;
    int pod_lists = 0;
    bool fail_status_writes = false;
    std::set<std::string> unwritable;  ///< pods whose conditions fail
    bool lose_status_answers = false;  ///< reservations are stored, and answered `changed`
    bool check_whole_gangs = true;
    bool late_watch = false;  ///< the watch shows what was written to pods/status when this is over
    bool hold_watch = false;  ///< nothing is heard of pods; answers still come
    std::size_t most_binds_in_a_step = 0;
    int steps_down = 0;
    std::size_t wakes = 0;  ///< times that time alone woke it
    /// Set it before a restart(): the life since then, as `run --record` writes it.
    std::string* recording = nullptr;

private:
    std::string next_version() { return std::to_string(++version_); }

    void touch(const std::string& uid);

    void answer(gang::Event event, bool hold);

    /// The edge chains its own writes to a pod: what it left itself is not a change.
    bool is_current(const core::Pod& pod, const std::string& version) const;

    gang::BindOutcome bind(const gang::BindPod& request);

    static void merge(core::Pod& pod, const core::StringMap& annotations);

    void referee(const gang::BindPod& request);

    static bool are_offered(const core::Resources& used, const core::Resources& allocatable);

    void check_whole(const gang::BindPod& request);

    /// What the scheduler has been told of the pod must allow what it asks for.
    void check_seen(const gang::BindPod& request);

    void carry_out(const gang::BindPod& request);
    void carry_out(const gang::FetchSparkConf& request);
    void carry_out(const gang::EvictPod& request);
    void carry_out(const gang::FetchClaim& request);
    void carry_out(const gang::WatchVolumeLimits& request);
    void carry_out(const gang::WatchStorage& request);
    void carry_out(const gang::WatchNamespaces& request);
    void carry_out(const gang::FetchQuotas& request);
    void carry_out(const gang::FetchPodGroup& request);
    void carry_out(const gang::WriteGroupStatus& request);
    void carry_out(const gang::WantCapacity& request);
    void carry_out(const gang::DropCapacity& request);
    void carry_out(const gang::ListCapacity&);
    void carry_out(const gang::StepDown&) { ++steps_down; }
    void carry_out(const gang::SetCondition& request);
    gang::WriteOutcome write(const gang::UpdateReservation& request);
    void carry_out(const gang::UpdateReservation& request);
    void carry_out(const gang::ListPods&);
    void carry_out(const gang::RecordEvent& event) { events.push_back(event); }
    void carry_out(const gang::AskExtenders& question);
    void carry_out(const gang::AnswerExtender& answer);
    void carry_out(const gang::WakeAt& wake);

    config::Schema schema_;
    std::map<std::string, core::Node> nodes_;
    std::map<std::string, core::Node> seen_nodes_;  ///< as the scheduler was told
    std::map<std::string, core::Pod> seen_pods_;    ///< alike, those that are gone as well
    std::map<std::string, core::Pod> pods_;
    std::deque<gang::Event> node_stream_;
    std::deque<gang::Event> pod_stream_;
    std::deque<gang::Event> answers_;
    std::deque<gang::Event> held_;
    std::map<std::string, std::string> edge_versions_;
    std::set<std::string> late_;
    std::optional<std::int64_t> wake_ms_;
    std::uint64_t sequence_ = 0;
    gang::Recording lines_;
    std::int64_t version_ = 100;
    std::int64_t epoch_ = 0;
    std::size_t decisions_made_ = 0;
    bool leads_ = false;  ///< as the scheduler was told
    int uids_ = 0;
    int executors_ = 0;
};

}  // namespace tests
