#pragma once
// The engine behind Scheduler: one object, one mutator. Events change the picture at once;
// everything that is decided, is decided in plan(), which a Tick starts. Its files, engine_*.cpp,
// stand in the rooms that their parts will have; README.md says which is where.

#include "config/schema.hpp"
#include "core/cluster/cluster.hpp"
#include "core/placement/placement.hpp"
#include "gang/counters.hpp"
#include "gang/decision.hpp"
#include "gang/declare/conf_asker.hpp"
#include "gang/declare/declaration.hpp"
#include "gang/declare/gang_size.hpp"
#include "gang/declare/spark/executor/derive.hpp"
#include "gang/drift.hpp"
#include "gang/event.hpp"
#include "gang/explain.hpp"
#include "gang/lead/fence.hpp"
#include "gang/lead/leadership_term.hpp"
#include "gang/ledger_view.hpp"
#include "gang/model/app_index.hpp"
#include "gang/model/application.hpp"
#include "gang/model/application_ids.hpp"
#include "gang/model/awaited_answers.hpp"
#include "gang/model/cluster_model.hpp"
#include "gang/model/ledger.hpp"
#include "gang/model/timers.hpp"
#include "gang/model/worklist.hpp"
#include "gang/queue/waiting_line.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/totals.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gang {

// A tick has a budget in units of work, so that reading never waits long; what is left over is done
// in the next. A unit is about a nanosecond of one core (tests/bench/queue_bench.cpp).

/// For pods and repairs, once more for executors and once more for gangs: together below 5 ms.
inline constexpr std::int64_t work_per_tick = 1'500'000;
/// Of it, for messages to those behind a blocked head, and others that need none at once.
inline constexpr std::int64_t refresh_work_per_tick = 500'000;
/// A bind, with its annotations and all that follows from it.
inline constexpr std::int64_t work_per_bind = 5'000;
/// Of 64 nodes, or 64 blocks of them.
inline constexpr std::int64_t work_per_group_scanned = 60;
/// Of a refusal in numbers and words, for each node.
inline constexpr std::int64_t work_per_node_explained = 30;
/// Of it, for messages in which only numbers have changed, once a second.
inline constexpr std::int64_t refresh_messages_work = 200'000;
/// A refresh of one that waits, in numbers alone.
inline constexpr std::int64_t work_per_refresh = 50;
/// One attempt for a gang, or for a pod.
inline constexpr std::int64_t work_per_attempt = 1'000;
/// A look at one slot of a gang.
inline constexpr std::int64_t work_per_slot = 20;
/// A slot that is read back and allocated.
inline constexpr std::int64_t work_per_slot_adopted = 1'000;
/// A sentence for one pod.
inline constexpr std::int64_t work_per_message = 3'000;
/// Shapes of larger executors for which one look at a gang searches room; a tenant may vary them.
inline constexpr std::size_t searches_per_gang = 4;
/// Gangs behind a blocked head are looked at (for what is said about them) this often.
inline constexpr std::int64_t status_refresh_ms = 1'000;

class Engine {
public:
    explicit Engine(config::Schema schema) : schema_(std::move(schema)) {
        cluster_.set_headroom(
            {schema_.nodes.headroom_cpu_milli, schema_.nodes.headroom_memory_bytes});
    }
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    Decisions step(const StampedEvent& event);
    std::vector<GangView> gangs() const;
    std::optional<Explanation> explain(std::string_view pod_or_app) const;
    const Counters& counters() const { return counters_; }
    std::size_t remembered() const;
    std::vector<core::Account> accounts() const;
    std::optional<Drift> compare(const core::Pod& listed) const;
    std::optional<Drift> compare(const core::Node& listed) const;
    void for_each_pod(
        const std::function<void(std::string_view uid, std::string_view name)>& visit) const;
    std::vector<NodeLedger> ledger() const;
    Totals totals(std::int64_t now_ms) const;
    bool is_settled() const { return term_.leads && (term_.was_handed_over || is_behind_fence()); }

private:
    using MemoKey = std::vector<std::pair<core::ShapeId, std::int64_t>>;
    /// Why gangs do not fit one state of the cluster.
    struct Memo {
        std::map<MemoKey, std::optional<core::Rejection>> gangs;  ///< nothing: it fits
        std::map<core::ShapeId, core::OpenCapacity> if_open;
        std::uint64_t version = 0;
        bool has_fits = false;
    };
    using Memos = std::array<Memo, core::view_count>;  ///< by core::View
    /// Executors with room in one scheduling cycle, by gang and resource profile.
    using Placed = std::map<std::pair<std::string, std::int32_t>, std::int64_t>;
    /// What a sentence is made with. Questions from outside bring their own, so that they leave no
    /// trace.
    struct MessageContext {
        core::Planner& planner;
        Memos& memos;
        Placed& placed;
        std::int64_t searches = 0;
    };
    /// The uid of a gang is a text that its compacted executors have, too.
    using GangsDue = DueList<core::Text>;
    enum class List : std::uint8_t { never, under_way, complete };

    // --- events ---
    void on(const PodUpserted& event);
    void on(const PodDeleted& event);
    void on(const NodeUpserted& event);
    void on(const NodeDeleted& event);
    void on(const RelistBegun& event);
    void on(const RelistEnded& event);
    void on(const SparkConfFound& event);
    void on(const SparkConfMissing& event);
    void on(const BindFinished& event);
    void on(const StatusWritten& event);
    void on(const LeadershipGained& event);
    void on(const LeadershipLost& event);
    void on(const Tick& event);

    bool is_ours(const core::Pod& pod) const;
    bool reads_gangs() const { return schema_.gang.discovery != config::Discovery::none; }
    bool reads_confs() const;
    bool reads_declarations() const;
    bool is_spark_driver(const core::Pod& pod) const;
    bool is_driver(const core::Pod& pod) const;
    bool is_executor(const core::Pod& pod) const;
    bool was_admitted(const core::Pod& pod) const;
    Declaration declaration_of(const core::Pod& pod) const;
    bool says_other(const core::Pod& before, const core::Pod& now) const;
    void promote(PodEntry& entry);
    void take_state(PodEntry& entry, const core::Pod& update);
    void compact_if_settled(PodEntry& entry);
    bool is_no_op(PodId id, const core::Pod& update);
    bool is_no_op_of_driver(const Application& app, const core::Pod& update) const;
    bool is_queued(const PodEntry& entry, const Application* owner) const;
    void observe_end(const PodEntry& entry);
    void take_role(PodEntry& entry);
    void observe(PodEntry& entry);
    void observe_driver(PodEntry& entry, bool behind_fence);
    void observe_member(PodEntry& entry);
    void driver_waits(Application& app, PodEntry& entry);
    void driver_is_bound(Application& app, PodEntry& entry, bool behind_fence);
    void confirm(Application& app, PodEntry& entry);
    void report_bound(const PodEntry& entry);
    void note_executor_bound(Application& gang) const;
    void end(Application& app);
    void forget_pod(PodEntry& entry);

    // --- executors of sets ---
    void note_application(PodEntry& entry);
    void recheck_application(const Application& app);
    void become_member(PodEntry& entry, const std::string& owner);
    bool has_unknown_driver(const PodEntry& entry) const;
    const Application* find_driver_by_id(const PodEntry& entry) const;
    const Application* find_nameless(const PodEntry& entry) const;
    const Application* find_owning_pod(const PodEntry& entry) const;
    bool takes(const Application& app, const PodEntry& entry) const;
    bool is_ownerless(const PodEntry& entry) const;
    bool is_waiting_ownerless(const PodEntry& entry) const;
    void let_ownerless_wait(const PodEntry& entry);
    template <typename Visit>
    void for_each_waiting_ownerless(const Visit& visit) const {
        application_ids_.for_each_ownerless([&](PodId id) {
            if (const PodEntry& entry = pods_.at(id); is_waiting_ownerless(entry)) visit(entry);
        });
    }
    void follow_application(PodEntry& entry);
    void follow_slot_annotation(PodEntry& entry);
    void follow_slot_annotations(const Application& app);
    void follow_labels(const Application& app, PodEntry& entry);
    void leave_owner(PodEntry& entry);

    // --- gangs ---
    Application& ensure_app(const PodEntry& entry, bool is_driver);
    void erase_app(const std::string& uid);
    void forget_if_unused(const std::string& uid);
    Application* find_app(const std::string& uid);
    const Application* find_app(const std::string& uid) const;
    Application* find_owner(const PodEntry& entry);
    const Application* find_owner(const PodEntry& entry) const;
    void set_driver_shape(
        Application& app, const core::Resources& requests, const core::Constraints& constraints);
    void set_driver_shape(Application& app, const core::Pod& pod) {
        set_driver_shape(app, pod.requests, pod.constraints);
    }
    void learn_anew(Application& app, const PodEntry& entry);
    /// As far as it is remembered (Pods::copy_of), to be named in an event.
    core::Pod driver_of(const Application& app) const {
        return pods_.copy_of(pods_.id_of(app.uid)).pod;
    }
    spark::Limits limits() const;
    spark::Derivation derive(const spark::Conf& conf, const core::Pod& driver) const;
    void set_sizes(Application& app, const spark::Conf* conf);
    void report_warnings(Application& app, const PodEntry& entry);
    void note_unread(Application& app, const core::Pod& pod) const;
    void add_shape(
        Application& app,
        GangShape shape,
        const core::Resources& requests,
        const core::Constraints& constraints);
    void release_shape(core::ShapeId shape);
    void release_shapes(Application& app);
    void stop_waiting(Application& app);

    // --- answers ---
    void bind_failed(PodEntry& entry, const BindFinished& event);
    void member_bound(PodEntry& entry);
    void pause(PodEntry& entry, ReasonCode code, std::int64_t pause_ms, bool until_changed);

    // --- plan ---
    void plan();
    bool adopt_waiting();
    void adopt(Application& app);
    bool read_reservation(Application& app, const std::string* text);
    void assign_members(Application& app);
    void assign_bound(Application& app, PodEntry& entry);
    void open_remaining(Application& app);

    // --- slots that no text vouches for ---
    GangSize size_of(const core::Pod& driver, const spark::Conf* conf) const;
    void want_declaration(Application& app);
    void forget_declaration(Application& app);
    bool awaits_declaration(const Application& app, const core::Pod& driver) const;
    bool awaits_lost_declaration() const;
    void declaration_found(Application& app, GangSize size);
    void give_up_unverified();
    void settle_declarations();
    core::Resources bound_of(const Application& app, const core::Resources& declared) const;
    void bound_by(Application& app, const GangSize& size);
    void reshape(Application& app, std::size_t slot, std::size_t shape);
    bool rebuild(Application& app, const GangSize& size);
    void report_bounded(Application& app);
    void report_rebuilt(Application& app);

    // --- leadership term ---
    std::int64_t highest_epoch() const;
    void raise_fence();
    void fence_step();
    void fence_gangs();
    bool is_fence_passed() const { return fence_.passed() && gangs_to_fence_.empty(); }
    bool is_behind_fence() const {
        return term_.leads && term_.fence_is_complete && is_fence_passed();
    }
    bool needs_another_fence() const;
    bool is_rewritten_by_another(const Application& app, const std::string* text) const;
    void observe_fencing_token(const PodEntry& entry);
    void step_down(std::int64_t epoch);
    void ask_for_confs();
    void check_stuck();

    void repair();
    std::set<Rank> find_gangs_to_repair(bool capacity_appeared);
    void repair_gang(Application& app);
    void find_leaving(Application& app);
    std::vector<core::NodeCount> find_free_capacity(
        const Application& app, core::ShapeId shape, std::int64_t count);
    void move_slot(Application& app, Slot& slot, core::NodeIndex to);
    void report_health(Application& app);

    // --- the reservation as it is written ---
    /// What the ledger holds of the gang is not what its driver says any more: it is written anew,
    /// with the generation that is returned. The only way to change a written reservation.
    std::int64_t rewrite_reservation(Application& app);
    std::string reservation_text(const Application& app) const;
    bool may_publish(const Application& app) const;
    void publish_changed();
    void reservation_answered(Application& app, WriteOutcome outcome);
    void reservation_stored(Application& app, std::int64_t generation);
    void observe_reservation(Application& app, const std::string* text);

    void learn_shapes(Application& app);
    void learn_shape(Application& app, const core::Pod& pod);
    void correct_shape(Application& app, std::size_t index, const core::Pod& pod);
    struct PlacedSlots {
        std::int64_t total = 0;
        std::int64_t without = 0;  ///< of these, slots without room
    };
    void report_corrected(
        Application& app,
        const core::Resources& predicted,
        core::ShapeId corrected,
        PlacedSlots placed);
    void watch_missing(Application& app);
    void check_missing_at(Application& app, std::int64_t at_ms);
    void check_missing();
    void observe_executor_elsewhere(const core::Pod& pod);
    void note_failure(PodEntry& entry, Application* owner);
    /// When the gang's executors may be bound again; in the past: now.
    std::int64_t crash_backoff_until_ms(const Application& app) const;
    bool back_off_crash_loop(Application& app);
    void end_crash_backoffs();

    bool classify_dirty_pods();
    void classify(PodEntry& entry);
    void match_dirty_gangs();
    void match(Application& app);
    /// What one look at a gang's executors has found out.
    struct MatchPass {
        std::int64_t returning = 0;  ///< slots that will open again and nobody waits for yet
        std::vector<core::ShapeId> too_large;  ///< searched in vain, each held once
    };
    bool assign_open_slot(Application& app, PodEntry& entry);
    bool grow_slot(Application& app, PodEntry& entry, MatchPass& pass);
    struct Growth {
        std::size_t slot = 0;
        std::string node;
    };
    std::optional<Growth> find_growth(
        const Application& app, std::size_t first_open, const PodEntry& entry, core::ShapeId shape);
    void assign_slot(Application& app, std::size_t slot, PodEntry& entry, const std::string& node);
    void report_oversized(Application& app, const PodEntry& entry, const Slot& slot);
    void report_retry(const PodEntry& entry);
    bool is_smaller_than_unplaced(const Application& app, const core::Pod& pod) const;
    bool is_slotless(const Application* app) const;
    bool has_bound_member(const Application& app) const;
    void wait_or_go_alone(Application& app, PodEntry& entry, MatchPass& pass);
    bool is_ready(const PodEntry& entry) const;
    void end_pauses();
    void send_bind(PodEntry& entry, const std::string& node, core::StringMap annotations);

    void admit_waiting();
    struct SchedulingCycle {
        bool blocked = false;                 ///< strict FIFO: nobody else is admitted there
        core::NodeBitmap blocked_nodes = {};  ///< where: on what those who wait could use
        std::uint64_t blocked_state = 0;      ///< another one for each other set of them
        std::int32_t ahead = 0;
        std::string head;        ///< uid of the first that is blocked
        bool cut_short = false;  ///< somebody behind the head was not looked at
    };
    /// What an attempt for a gang says of those of its class that come later.
    enum class AttemptResult : std::uint8_t { next, none };
    struct Attempt {
        Application* app;
        KeyedClass* gang_class;
    };
    void classify_waiting();
    void run_cycle();
    void keep_refusal(KeyedClass& gang_class, core::View view);
    std::optional<Attempt> find_attempt(
        KeyedClass& entry, Line::const_iterator from, SchedulingCycle& cycle);
    AttemptResult attempt(Application& app, KeyedClass& gang_class, SchedulingCycle& cycle);
    bool is_infeasible(const Application& app, KeyedClass& gang_class, std::int64_t size);
    bool is_refused(
        const Application& app, KeyedClass& gang_class, std::int64_t size, core::View view);
    std::uint64_t version_of(core::View view) const;
    bool waits_for_retry(Application& app, KeyedClass& gang_class, SchedulingCycle& cycle);
    bool holds_up_others(const PodEntry& entry) const;
    void block(KeyedClass& gang_class, const Application& app, SchedulingCycle& cycle);
    bool is_apart(KeyedClass& gang_class, const SchedulingCycle& cycle) const;
    void admit(Application& app, PodEntry& entry, const core::Plan& plan);
    bool annotation_fits(Application& app);
    core::PackingPolicy policy_of(const Application& app) const;
    core::PlacementRequest request_of(const Application& app, core::View view) const;
    core::Placement place(const core::PlacementRequest& request);
    std::optional<core::Plan> find_plan(const core::PlacementRequest& request);
    bool fits(const core::PlacementRequest& request);

    // --- status messages ---
    MemoKey key_of(const Application& app) const;
    Memo& memo_of(core::View view, MessageContext& context) const;
    core::OpenCapacity capacity_if_open(core::ShapeId shape, MessageContext& context) const;
    ReasonCode refusal_of(const Application& app, MessageContext& context) const;
    const std::optional<core::Rejection>& find_rejection(
        const Application& app, core::View view, MessageContext& context) const;
    std::optional<StatusMessage> find_obstacle(
        const Application& app, const PodEntry& entry, Placed& placed) const;
    bool is_not_to_be_placed(Application& app, const PodEntry& entry);
    std::optional<std::int64_t> surplus_limit(const Application& app, Placed& placed) const;
    StatusMessage message_of(
        const Application& app, const Application* head, MessageContext& context) const;
    ReasonCode code_of(const Application& app) const;
    std::int64_t work_of(const MessageContext& context) const;
    bool report(Application& app, const Application* head);
    void report_unless(bool is_known, Application& app, SchedulingCycle& cycle);
    bool set_message(Application& app, StatusMessage message);
    void refresh_status();
    void refresh_all();
    void refresh_entry(QueueEntry& queue_entry, SchedulingCycle& cycle);
    bool find_place(QueueEntry& queue_entry, SchedulingCycle& cycle);
    ReasonCode infeasible_code(const Application& app, KeyedClass& gang_class, std::int64_t size);
    void refresh_messages();
    bool refresh_message(Application& app);

    bool is_first_plan_waiting();
    void wake();
    void wake_at(std::optional<std::int64_t> time_ms) {
        if (time_ms) {
            timers_.add(*time_ms);
        }
    }

    // --- consistency check ---
    void on(const ReservationDiffers& event);
    std::optional<Drift> compare_reservation(const core::Pod& listed) const;
    void read_free(core::NodeIndex index, NodeLedger& node) const;

    // --- views ---
    GangView view_of(const Application& app, MessageContext& context) const;
    static GangState state_of_ownerless(const PodEntry& entry);
    GangView view_of_ownerless(const PodEntry& entry) const;
    Explanation explain_ownerless(const PodEntry& entry) const;
    struct SlotNumbers {
        std::int32_t open = 0;
        std::int32_t assumed = 0;
        std::int32_t bound = 0;  ///< draining ones too
        std::int32_t unplaced = 0;
    };
    static SlotNumbers slot_numbers(const Application& app);
    GangState state_of(const Application& app) const;
    std::string application_name(const Application& app) const;
    std::optional<PodEntry> find_pod(std::string_view question) const;
    void add_pending(const PodEntry& entry, PendingPods& out) const;
    static void add_retry_note(const PodEntry& entry, std::vector<std::string>& notes);
    std::string member_note(
        const Application& app, const PodEntry& asked, MessageContext& context) const;
    void add_notes(
        const Application& app,
        const PodEntry& asked,
        MessageContext& context,
        std::vector<std::string>& notes) const;

    config::Schema schema_;
    ClusterModel cluster_model_;
    core::Cluster& cluster_{cluster_model_.cluster()};
    core::Planner planner_;
    core::Texts texts_;
    Pods pods_{texts_};
    Ledger ledger_{cluster_, pods_, texts_};
    ApplicationIds application_ids_;                ///< by PodEntry::application_key
    std::map<std::string_view, Application> apps_;  ///< by their own uid
    AppIndex app_index_;                            ///< of apps_
    WaitingLine waiting_;                           ///< gangs that want to be admitted
    ConfAsker asker_;
    Fence fence_;
    /// Live gangs with slots to fill, whose reservation an older leader may be moving. See
    /// fence_gangs().
    struct GangFence {
        std::string text;           ///< that we began from
        std::int64_t again_ms = 0;  ///< our write should have been shown by then
    };
    std::map<std::string, GangFence> gangs_to_fence_;
    StatusReporter status_reporter_;
    Counters counters_;
    std::vector<Decision> decisions_;
    AwaitedAnswers awaited_;

    std::int64_t now_ms_ = 0;
    std::int64_t idle_milli_ms_ = 0;  ///< cpu of open slots times time, while we lead
    LeadershipTerm term_;
    List pods_list_ = List::never;
    List nodes_list_ = List::never;

    Worklist worklist_;
    std::set<Rank> to_rebuild_;  ///< bound drivers whose declaration is wanted
    std::set<Rank> unverified_;  ///< of these, whose unsealed text is held but not compared yet
    std::map<Rank, GangSize> declarations_;  ///< of these, what was found: not settled yet
    std::uint64_t settled_capacity_ = 0;     ///< free_capacity_version when that was last tried
    GangsDue stuck_due_;
    DueList<std::string> retry_due_;
    GangsDue missing_due_;
    GangsDue crash_backoff_due_;
    std::set<std::string> executors_elsewhere_;  ///< of our drivers, bound by somebody else
    Timers timers_;

    std::uint64_t repaired_at_ = 0;     ///< free_capacity_version of the last repair
    bool is_repaired_ = true;           ///< no gang was left over by that
    std::uint64_t oversized_capacity_ =
        0;  ///< free_capacity_version when oversized executors were last tried
    std::uint64_t cycle_capacity_ = 0;
    std::uint64_t cycle_ceiling_ = 0;
    std::uint64_t admitted_ = 0;  ///< gangs, so far
    Placed placed_;
    bool queue_changed_ = true;
    std::optional<Rank> cycle_from_;  ///< where the last tick's work was used up
    SchedulingCycle paused_cycle_;    ///< of that cycle, what it knew there
    std::uint64_t cycle_nodes_ = 0;
    std::uint64_t blocked_states_ = 0;
    // The status refresh, which may take several ticks.
    std::int64_t next_refresh_ms_ = 0;
    bool is_refresh_due_ = false;
    std::optional<SchedulingCycle> refresh_cycle_;  ///< under way
    std::optional<Rank> refresh_all_from_;          ///< where it goes on
    std::uint64_t refreshed_nodes_ = 0;
    std::string refreshed_head_;         ///< uid of the first who was blocked in the last one
    std::size_t messages_left_ = 0;      ///< gangs whose message may have other numbers by now
    std::optional<Rank> messages_from_;  ///< whose turn it is
    std::int64_t work_left_ = 0;
    Memos memos_;
};

}  // namespace gang
