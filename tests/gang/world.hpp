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
    explicit World(config::Schema schema = sealed_schema()) : schema_(std::move(schema)) {
        restart();
    }

    /// As the chart has it: whoever changes a text of ours makes it disappear, for the edge lets
    /// none pass whose seal is broken.
    static config::Schema sealed_schema() {
        config::Schema schema;
        schema.seal_key_file = "key";
        return schema;
    }

    // --- the cluster's truth -------------------------------------------------------------------

    void add_node(core::Node node) {
        node.resource_version = next_version();
        nodes_[node.name] = node;
        node_stream_.emplace_back(gang::NodeUpserted{node});
    }

    void change_node(const std::string& name, const std::function<void(core::Node&)>& change) {
        core::Node node = nodes_.at(name);
        change(node);
        add_node(node);
    }

    void remove_node(const std::string& name) {
        nodes_.erase(name);
        node_stream_.emplace_back(gang::NodeDeleted{name});
    }

    /// Stores a new pod under a new uid (or the one it brings) and announces it.
    std::string create(core::Pod pod) {
        if (pod.uid.empty()) {
            char text[24];
            std::snprintf(text, sizeof text, "uid-%05d", ++uids_);
            pod.uid = text;
        }
        const std::string uid = pod.uid;
        pods_[uid] = std::move(pod);
        touch(uid);
        return uid;
    }

    /// A driver with its config map.
    std::string submit(core::Pod driver, gang::spark::Conf conf) {
        const std::string uid = create(std::move(driver));
        confs[uid].conf = std::move(conf);
        return uid;
    }

    std::string submit(const std::string& name, std::int64_t executors, std::int64_t created) {
        core::Pod pod = driver(name);
        pod.created = created;
        return submit(std::move(pod), conf(executors));
    }

    void change_pod(const std::string& uid, const std::function<void(core::Pod&)>& change) {
        change(pods_.at(uid));
        touch(uid);
    }

    void set_phase(const std::string& uid, core::PodPhase phase) {
        change_pod(uid, [phase](core::Pod& pod) { pod.phase = phase; });
    }

    void remove_pod(const std::string& uid) {
        if (pods_.erase(uid) > 0) {
            pod_stream_.emplace_back(gang::PodDeleted{uid});
        }
    }

    bool has_pod(const std::string& uid) const { return pods_.contains(uid); }
    const core::Pod& pod(const std::string& uid) const { return pods_.at(uid); }
    const std::map<std::string, core::Pod>& pods() const { return pods_; }
    const std::map<std::string, core::Node>& nodes() const { return nodes_; }
    const std::string& node_of(const std::string& uid) const { return pods_.at(uid).node_name; }
    bool is_bound(const std::string& uid) const { return !node_of(uid).empty(); }

    std::string condition(const std::string& uid) const {
        const auto& scheduled = pods_.at(uid).scheduled;
        return scheduled ? scheduled->message : "";
    }

    std::int64_t bound_count(const std::vector<std::string>& uids) const {
        return std::count_if(
            uids.begin(), uids.end(), [this](const auto& uid) { return is_bound(uid); });
    }

    /// Executors of a driver that are there and have not ended.
    std::vector<std::string> executors_of(const std::string& driver_uid) const {
        std::vector<std::string> found;
        for (const auto& [uid, pod] : pods_) {
            const core::OwnerReference* owner = core::find_controller(pod);
            const bool is_its =
                owner != nullptr && (owner->uid == driver_uid || owner->uid == set_of(driver_uid));
            if (is_its && !core::is_terminal(pod)) {
                found.push_back(uid);
            }
        }
        return found;
    }

    /// What Spark does when its driver runs: `count` executor pods.
    std::vector<std::string> create_executors(const std::string& driver_uid, int count) {
        std::vector<std::string> made;
        for (int i = 0; i < count; ++i) {
            const core::Pod& owner = pods_.at(driver_uid);
            made.push_back(
                create(executor(owner.name + "-exec-" + std::to_string(++executors_), owner)));
        }
        return made;
    }

    /// The uid of the stateful set that a driver makes under Spark's statefulset allocator.
    static std::string set_of(const std::string& driver_uid) { return "set-of-" + driver_uid; }

    /// What that set makes: `count` executor pods.
    std::vector<std::string> create_set_executors(const std::string& driver_uid, int count) {
        std::vector<std::string> made;
        for (int i = 0; i < count; ++i) {
            const core::Pod& owner = pods_.at(driver_uid);
            const std::string set =
                "spark-s-" + *core::find_value(owner.labels, "spark-app-selector") + "-0";
            core::Pod pod = executor(set + "-" + std::to_string(++executors_), owner);
            pod.owners = {{"StatefulSet", set, set_of(driver_uid), true}};
            made.push_back(create(std::move(pod)));
        }
        return made;
    }

    /// The driver and everything it owns goes, as the API server's garbage collector does it.
    void remove_application(const std::string& driver_uid) {
        for (const std::string& uid : executors_of(driver_uid)) {
            remove_pod(uid);
        }
        remove_pod(driver_uid);
    }

    /// Grace periods are over: pods that are being deleted go, and what drivers among them own.
    void end_deleted() {
        std::vector<std::string> ended;
        for (const auto& [uid, pod] : pods_) {
            if (pod.deleting) {
                ended.push_back(uid);
            }
        }
        for (const std::string& uid : ended) {
            if (pods_.contains(uid)) {
                remove_application(uid);
            }
        }
    }

    std::optional<gang::Reservation> reservation(const std::string& driver_uid) const {
        const std::string* text = core::find_value(
            pods_.at(driver_uid).annotations, std::string(gang::reservation_annotation));
        if (text == nullptr) {
            return std::nullopt;
        }
        auto read = gang::decode_reservation(*text, 1'000'000);
        REQUIRE(read);
        return *read;
    }

    // --- the scheduler's life -----------------------------------------------------------------

    /// What the next process reads.
    void set_schema(config::Schema schema) { schema_ = std::move(schema); }

    /// A new process: knows nothing, lists, leads with the next epoch (unless told to follow).
    void restart(bool leads = true) {
        scheduler.emplace(schema_);
        leads_ = false;
        sequence_ = 0;
        lines_ = gang::Recording();
        if (recording != nullptr) {
            *recording = lines_.begin("test", schema_);
        }
        seen_nodes_.clear();
        seen_pods_.clear();
        node_stream_.clear();
        pod_stream_.clear();
        answers_.clear();
        held_.clear();
        edge_versions_.clear();
        late_.clear();
        wake_ms_.reset();
        relist();
        if (leads) {
            lead();
        }
    }

    /// The file is another one; a life that begins later has it from the start.
    void reconfigure(config::Schema schema) {
        schema_ = std::move(schema);
        answers_.emplace_back(gang::ConfigChanged{schema_});
    }

    void lead() { answers_.emplace_back(gang::LeadershipGained{++epoch_}); }
    /// The leader before has left nothing under way, and said so.
    void take_over() { answers_.emplace_back(gang::LeadershipGained{++epoch_, true}); }
    void lose_lead() { answers_.emplace_back(gang::LeadershipLost{}); }

    /// Both kinds listed anew; what the scheduler knows and the truth does not must be given.
    void relist(const std::vector<std::string>& vanished = {}) {
        node_stream_.emplace_back(gang::RelistBegun{gang::Kind::nodes});
        for (const auto& [name, node] : nodes_) {
            node_stream_.emplace_back(gang::NodeUpserted{node});
        }
        node_stream_.emplace_back(gang::RelistEnded{gang::Kind::nodes});
        pod_stream_.emplace_back(gang::RelistBegun{gang::Kind::pods});
        for (const auto& [uid, pod] : pods_) {
            pod_stream_.emplace_back(gang::PodUpserted{pod});
        }
        for (const std::string& uid : vanished) {
            pod_stream_.emplace_back(gang::PodDeleted{uid});
        }
        pod_stream_.emplace_back(gang::RelistEnded{gang::Kind::pods});
    }

    // --- time ---------------------------------------------------------------------------------

    /// Delivers what is queued, with a tick when the queue is dry, until nothing more happens now.
    void settle() {
        for (int rounds = 0; rounds < 100'000; ++rounds) {
            if (deliver_one()) {
                continue;
            }
            const std::size_t before = decisions_made_;
            wake_ms_.reset();
            step(gang::Tick{});
            if (decisions_made_ == before && !(wake_ms_ && *wake_ms_ <= now_ms) && queues_empty()) {
                check_accounts();
                return;
            }
        }
        FAIL("the scheduler does not come to rest");
    }

    /// Nothing has been leaked.
    void check_accounts() const {
        for (const core::Account& account : scheduler->accounts()) {
            if (account.adds_up()) {
                continue;
            }
            FAIL_CHECK(
                account.what << ": " << account.held << " held, " << account.owned << " owned");
        }
    }

    /// Lets time pass, waking the scheduler whenever it asked for it.
    void advance(std::int64_t ms) {
        const std::int64_t until_ms = now_ms + ms;
        settle();
        while (wake_ms_ && *wake_ms_ <= until_ms) {
            ++wakes;
            now_ms = std::max(now_ms, *wake_ms_);
            settle();
        }
        now_ms = until_ms;
        settle();
    }

    /// One event of any stream; which one is by chance if there is a random source.
    bool deliver_one() {
        if (!late_watch) {
            for (const std::string& uid : std::exchange(late_, {})) {
                if (pods_.contains(uid)) {
                    pod_stream_.emplace_back(gang::PodUpserted{pods_.at(uid)});
                }
            }
        }
        std::vector<std::deque<gang::Event>*> streams;
        for (auto* stream : {&node_stream_, &pod_stream_, &answers_}) {
            if (!stream->empty() && !(hold_watch && stream == &pod_stream_)) {
                streams.push_back(stream);
            }
        }
        if (streams.empty()) {
            return false;
        }
        std::size_t chosen = 0;
        if (chaos != nullptr) {
            chosen = static_cast<std::size_t>(
                chaos->between(0, static_cast<std::int64_t>(streams.size()) - 1));
        }
        const gang::Event event = streams[chosen]->front();
        streams[chosen]->pop_front();
        step(event);
        if (chaos != nullptr && chaos->chance(10)) {
            step(event);  // a duplicate
        }
        if (chaos != nullptr && chaos->chance(10)) {
            step(gang::Tick{});
        }
        return true;
    }

    void step(const gang::Event& event) {
        if (const auto* node = std::get_if<gang::NodeUpserted>(&event)) {
            seen_nodes_[node->node.name] = node->node;
        } else if (const auto* gone = std::get_if<gang::NodeDeleted>(&event)) {
            seen_nodes_.erase(gone->name);
        } else if (const auto* pod = std::get_if<gang::PodUpserted>(&event)) {
            seen_pods_[pod->pod.uid] = pod->pod;
        } else if (std::holds_alternative<gang::LeadershipGained>(event)) {
            leads_ = true;
        } else if (std::holds_alternative<gang::LeadershipLost>(event)) {
            leads_ = false;
        }
        if (on_event) {
            on_event(event);
        }
        const gang::StampedEvent stamped{++sequence_, now_ms, event};
        const gang::Decisions view = scheduler->step(stamped);
        if (recording != nullptr) {
            *recording += lines_.before(stamped) + lines_.after(stamped, view, *scheduler);
        }
        const std::vector<gang::Decision> decisions(view.begin(), view.end());
        most_binds_in_a_step = std::max(
            most_binds_in_a_step,
            static_cast<std::size_t>(std::count_if(
                decisions.begin(), decisions.end(), [](const gang::Decision& decision) {
                    return std::holds_alternative<gang::BindPod>(decision);
                })));
        for (const gang::Decision& decision : decisions) {
            if (on_decision) {
                on_decision(decision);
            }
            std::visit([this](const auto& chosen) { carry_out(chosen); }, decision);
        }
    }

    bool queues_empty() const {
        return node_stream_.empty() && (hold_watch || pod_stream_.empty()) && answers_.empty();
    }

    /// Whether a tick was asked for at once, since this was last asked or everything settled.
    bool take_due_wake() {
        const bool due = wake_ms_ && *wake_ms_ <= now_ms;
        wake_ms_.reset();
        return due;
    }

    /// A request of an earlier life reaches the API server only now; nobody hears the answer.
    auto arrive(const gang::BindPod& request) {
        const auto chained = std::exchange(edge_versions_, {});
        const gang::BindOutcome outcome = bind(request);
        edge_versions_ = chained;
        return outcome;
    }
    auto arrive(const gang::UpdateReservation& request) {
        const auto chained = std::exchange(edge_versions_, {});
        const gang::WriteOutcome outcome = write(request);
        edge_versions_ = chained;
        return outcome;
    }

    /// Answers that were withheld, now delivered.
    void release_answers() {
        hold_bind_answers = false;
        hold_status_answers = false;
        answers_.insert(answers_.end(), held_.begin(), held_.end());
        held_.clear();
    }

    gang::GangView view(const std::string& driver_uid) const {
        for (const gang::GangView& view : scheduler->gangs()) {
            if (view.driver_uid == driver_uid) {
                return view;
            }
        }
        FAIL("no such gang");
        return {};
    }

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

    void touch(const std::string& uid) {
        pods_.at(uid).resource_version = next_version();
        pod_stream_.emplace_back(gang::PodUpserted{pods_.at(uid)});
    }

    void answer(gang::Event event, bool hold) {
        (hold ? held_ : answers_).push_back(std::move(event));
    }

    /// The edge chains its own writes to a pod: what it left itself is not a change.
    bool is_current(const core::Pod& pod, const std::string& version) const {
        const auto known = edge_versions_.find(pod.uid);
        return pod.resource_version == version ||
               (known != edge_versions_.end() && known->second == pod.resource_version);
    }

    gang::BindOutcome bind(const gang::BindPod& request) {
        if (const auto forced = on_bind ? on_bind(request) : std::nullopt) {
            return *forced;
        }
        const auto it = pods_.find(request.pod.uid);
        if (it == pods_.end()) {
            return gang::BindOutcome::gone;
        }
        core::Pod& pod = it->second;
        if (!pod.node_name.empty()) {
            return pod.node_name == request.node ? gang::BindOutcome::bound
                                                 : gang::BindOutcome::taken;
        }
        if (pod.deleting || pod.gated) {
            return gang::BindOutcome::not_bindable;
        }
        if (!is_current(pod, request.resource_version)) {
            return gang::BindOutcome::changed;
        }
        pod.node_name = request.node;
        pod.scheduled = core::ScheduledCondition{true, "", "", now_ms / 1000};
        merge(pod, request.annotations);
        referee(request);
        touch(pod.uid);
        return gang::BindOutcome::bound;
    }

    static void merge(core::Pod& pod, const core::StringMap& annotations) {
        for (const auto& [key, value] : annotations) {
            std::erase_if(
                pod.annotations, [&key](const auto& entry) { return entry.first == key; });
            pod.annotations.emplace_back(key, value);
        }
        std::sort(pod.annotations.begin(), pod.annotations.end());
    }

    void referee(const gang::BindPod& request) {
        const auto seen = seen_nodes_.find(request.node);
        if (seen == seen_nodes_.end() || !seen->second.ready || seen->second.unschedulable) {
            violations.push_back(request.pod.name + " bound to an unusable node " + request.node);
        }
        const auto node = nodes_.find(request.node);
        if (node == nodes_.end()) {
            return;  // gone since, which the scheduler could not know
        }
        core::Resources used;
        std::int64_t count = 0;
        for (const auto& [uid, pod] : pods_) {
            if (pod.node_name == request.node && !core::is_terminal(pod)) {
                used = *core::sum(used, pod.requests);
                ++count;
            }
        }
        if (used.cpu_milli > node->second.allocatable.cpu_milli ||
            used.memory_bytes > node->second.allocatable.memory_bytes ||
            count > node->second.pods || !are_offered(used, node->second.allocatable)) {
            violations.push_back(request.pod.name + " overcommits " + request.node);
        }
        const auto conf = confs.find(request.pod.uid);
        if (check_whole_gangs && conf != confs.end() && conf->second.conf) {
            check_whole(request);
        }
    }

    static bool are_offered(const core::Resources& used, const core::Resources& allocatable) {
        return std::all_of(used.extended.begin(), used.extended.end(), [&](const auto& one) {
            const std::int64_t by_all = core::is_exclusive(one.name) ? core::exclusive_all : 0;
            return one.amount <= by_all + allocatable.extended_amount(one.name);
        });
    }

    void check_whole(const gang::BindPod& request) {
        const auto declared = std::stoll(*core::find_value(
            confs.at(request.pod.uid).conf->properties, "spark.executor.instances"));
        const auto held = reservation(request.pod.uid);
        if (!held || gang::slot_count(*held) != declared) {
            violations.push_back(request.pod.name + " bound without its whole gang");
        }
    }

    /// What the scheduler has been told of the pod must allow what it asks for.
    void check_seen(const gang::BindPod& request) {
        const auto seen = seen_pods_.find(request.pod.uid);
        const core::Pod* pod = seen == seen_pods_.end() ? nullptr : &seen->second;
        if (pod == nullptr || pod->deleting || pod->gated || core::is_terminal(*pod) ||
            !pod->node_name.empty() || request.resource_version.empty() || !leads_) {
            violations.push_back(request.pod.name + " was not to be bound");
        }
    }

    void carry_out(const gang::BindPod& request) {
        ++decisions_made_;
        check_seen(request);
        binds.push_back(request);
        for (const std::string& name : request.claims) {
            core::Claim& claim = claims.at(request.pod.namespace_name + "/" + name);
            if (!no_volume.empty() || claim.state == core::ClaimState::bound) {
                answer(
                    gang::BindFinished{request.pod.uid, gang::BindOutcome::not_sent, no_volume},
                    hold_bind_answers);
                return;
            }
            claim.state = core::ClaimState::bound;
        }
        answer(gang::BindFinished{request.pod.uid, bind(request), ""}, hold_bind_answers);
    }

    void carry_out(const gang::FetchSparkConf& request) {
        ++decisions_made_;
        fetches.emplace_back(now_ms, request.driver.uid);
        const auto found = confs.find(request.driver.uid);
        if (hold_conf_answers) {
            return;
        }
        if (found != confs.end() && found->second.conf) {
            answer(gang::SparkConfFound{request.driver.uid, *found->second.conf}, false);
            return;
        }
        const ConfAnswer missing = found == confs.end() ? ConfAnswer{} : found->second;
        answer(gang::SparkConfMissing{request.driver.uid, missing.problem, missing.message}, false);
    }

    void carry_out(const gang::EvictPod& request) {
        ++decisions_made_;
        evictions.push_back(request);
        if (const auto forced = on_evict ? on_evict(request) : std::nullopt) {
            answer(gang::EvictFinished{request.pod.uid, *forced, "said the test"}, false);
            return;
        }
        const auto it = pods_.find(request.pod.uid);
        if (it != pods_.end() && !it->second.deleting) {
            it->second.deleting = true;
            touch(request.pod.uid);
        }
        answer(
            gang::EvictFinished{
                request.pod.uid,
                it == pods_.end() ? gang::EvictOutcome::gone : gang::EvictOutcome::evicted,
                ""},
            hold_evict_answers);
    }

    void carry_out(const gang::FetchClaim& request) {
        ++decisions_made_;
        claim_fetches.push_back(request.namespace_name + "/" + request.name);
        const auto found = claims.find(claim_fetches.back());
        if (found == claims.end()) {
            answer(
                gang::ClaimMissing{
                    request.namespace_name, request.name, claim_problem, "no such claim"},
                hold_claim_answers);
            return;
        }
        answer(
            gang::ClaimFound{request.namespace_name, request.name, found->second},
            hold_claim_answers);
    }

    void carry_out(const gang::FetchQuotas& request) {
        ++decisions_made_;
        ++quota_fetches;
        if (hold_quota_answers) {
            return;
        }
        if (quota_problem) {
            answer(
                gang::QuotasMissing{request.namespace_name, *quota_problem, "no answer"}, false);
            return;
        }
        answer(
            gang::QuotasFound{request.namespace_name, quotas[request.namespace_name]}, false);
    }

    void carry_out(const gang::FetchPodGroup& request) {
        ++decisions_made_;
        ++group_fetches;
        const auto found = groups.find(request.namespace_name + "/" + request.name);
        if (found == groups.end()) {
            answer(
                gang::PodGroupMissing{
                    request.dialect,
                    request.namespace_name,
                    request.name,
                    group_problem,
                    "no such group"},
                false);
            return;
        }
        answer(
            gang::PodGroupFound{
                request.dialect,
                request.namespace_name,
                request.name,
                found->second,
                group_version.empty() ? "" : "uid-of-" + request.name,
                group_version,
                group_statuses[found->first]},
            false);
    }

    void carry_out(const gang::WriteGroupStatus& request) {
        ++decisions_made_;
        group_writes.push_back(request);
        if (group_write_outcome == gang::GroupStatusOutcome::written) {
            group_statuses[request.namespace_name + "/" + request.name] = request.status;
        }
        answer(
            gang::GroupStatusWritten{
                request.dialect,
                request.namespace_name,
                request.name,
                group_write_outcome,
                "said the test"},
            false);
    }

    void carry_out(const gang::WantCapacity& request) {
        ++decisions_made_;
        capacity_asked.push_back(request);
        if (capacity_outcome == gang::CapacityOutcome::written) {
            capacity[request.driver.uid] = request;
        }
        answer(
            gang::CapacityAnswered{
                request.driver.uid, capacity_outcome, capacity_may_exist, "told so"},
            hold_capacity_answers);
    }
    void carry_out(const gang::DropCapacity& request) {
        ++decisions_made_;
        ++capacity_drops;
        capacity.erase(request.driver.uid);
        answer(
            gang::CapacityAnswered{
                request.driver.uid, gang::CapacityOutcome::dropped, false, ""},
            hold_capacity_answers);
    }
    void carry_out(const gang::ListCapacity&) {
        ++decisions_made_;
        gang::CapacityListed listed{true, {}};
        for (const auto& [uid, request] : capacity) {
            listed.found.push_back(
                {request.driver.namespace_name,
                 uid,
                 static_cast<std::int64_t>(request.shapes.size()),
                 now_ms});
        }
        answer(std::move(listed), hold_capacity_answers);
    }

    void carry_out(const gang::StepDown&) { ++steps_down; }

    void carry_out(const gang::SetCondition& request) {
        ++decisions_made_;
        conditions.push_back(request);
        const auto it = pods_.find(request.pod.uid);
        const bool written = it != pods_.end() && !fail_status_writes &&
                             !unwritable.contains(request.pod.uid) &&
                             (!request.fence || is_current(it->second, request.resource_version));
        if (written) {
            it->second.scheduled = core::ScheduledCondition{false, request.reason, request.message};
            touch(request.pod.uid);
            if (late_watch) {
                pod_stream_.pop_back();
                late_.insert(request.pod.uid);
            }
            edge_versions_[request.pod.uid] = it->second.resource_version;
        }
        if (request.fence) {
            answer(
                gang::StatusWritten{
                    request.pod.uid,
                    written ? gang::WriteOutcome::written : gang::WriteOutcome::failed,
                    ""},
                hold_status_answers);
        }
    }

    gang::WriteOutcome write(const gang::UpdateReservation& request) {
        const auto it = pods_.find(request.driver.uid);
        if (it == pods_.end() || fail_status_writes) {
            return gang::WriteOutcome::failed;
        }
        if (!is_current(it->second, request.resource_version)) {
            return gang::WriteOutcome::changed;
        }
        merge(it->second, request.annotations);
        touch(request.driver.uid);
        return gang::WriteOutcome::written;
    }

    void carry_out(const gang::UpdateReservation& request) {
        ++decisions_made_;
        updates.push_back(request);
        auto outcome = write(request);
        if (outcome == gang::WriteOutcome::written) {
            if (late_watch) {
                pod_stream_.pop_back();
                late_.insert(request.driver.uid);
            }
            edge_versions_[request.driver.uid] = pods_.at(request.driver.uid).resource_version;
            // The edge repeats a write without an answer, and is told that the pod has changed.
            outcome = lose_status_answers ? gang::WriteOutcome::changed : outcome;
        }
        answer(gang::StatusWritten{request.driver.uid, outcome, ""}, hold_status_answers);
    }

    void carry_out(const gang::ListPods&) {
        ++pod_lists;
        for (const auto& [uid, pod] : pods_) {
            if (!pod.node_name.empty() && !core::is_terminal(pod)) {
                answer(
                    gang::PodListed{uid, pod.namespace_name, pod.labels, pod.deleting},
                    hold_pod_lists);
            }
        }
        answer(gang::PodsListed{!fail_pod_lists}, hold_pod_lists);
    }

    void carry_out(const gang::RecordEvent& event) { events.push_back(event); }

    void carry_out(const gang::AskExtenders& question) {
        ++decisions_made_;
        extender_questions.push_back(question);
        if (extenders) {
            if (auto answered = extenders(question)) {
                answered->question = question.question;
                answer(*std::move(answered), false);
            }
        }
    }
    void carry_out(const gang::AnswerExtender& answer) {
        ++decisions_made_;
        extender_answers[answer.token] = answer;
    }

    void carry_out(const gang::WakeAt& wake) {
        wake_ms_ = wake_ms_ ? std::min(*wake_ms_, wake.time_ms) : wake.time_ms;
    }

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
