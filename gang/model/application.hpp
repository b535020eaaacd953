#pragma once
// What is remembered of pods that are ours and of the gangs they start. Plain values: the rules are
// in the other rooms, the arithmetic of free capacity in ledger.hpp.
//
// A gang:   waiting --admitted--> assumed --bound--> running --driver ended--> ended
//             ^-----bind failed-----'
// A slot:   open --bind sent--> assumed --bound--> bound --being deleted--> draining
//             ^----bind failed-----'  '---------- pod ended or gone ----------'  (back to open)
//           unplaced: its node was lost or overcommitted by others, and no room was found yet

#include "core/base/boxed.hpp"
#include "core/base/rare.hpp"
#include "core/base/text.hpp"
#include "core/cluster/cluster.hpp"
#include "core/placement/packing_policy.hpp"
#include "core/value/pod.hpp"
#include "core/value/quota/executor_limits.hpp"
#include "gang/event.hpp"
#include "gang/explain.hpp"
#include "gang/model/crash_loop.hpp"
#include "gang/model/refusals.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gang {

/// FIFO: the server's creation time, then the uid. Both never change, so sets may be ordered by it.
struct Rank {
    std::int64_t created = 0;
    std::string uid;
    friend auto operator<=>(const Rank&, const Rank&) = default;
};

/// The same while its uid is somewhere else: to be compared.
struct RankView {
    RankView(std::int64_t when, std::string_view whose) : created(when), uid(whose) {}
    RankView(const Rank& rank) : created(rank.created), uid(rank.uid) {}  // NOLINT: it is one
    std::int64_t created;
    std::string_view uid;
    friend auto operator<=>(const RankView&, const RankView&) = default;
};

/// Why a pod is not tried again at once.
struct Retry {
    ReasonCode code = ReasonCode::none;  ///< none: nothing stands against a try
    std::int64_t not_before_ms = 0;
    std::string stale_version;  ///< not empty: any other resourceVersion lifts the pause
    std::string message;        ///< what the API server said
    int failures = 0;           ///< in a row
};

/// A pod of ours, as long as it is known (pods.hpp).
using PodId = core::Id<struct OwnPodTag>;

/// What our own annotation says of an executor's slot.
enum class SlotAnnotation : std::uint8_t { none, slot, surplus };

/// A member of a pod group that is placed by itself: its group has its minimum without it, or asks
/// for none.
enum class Alone : std::uint8_t { no, surplus, single };

/// One of our pods.
struct PodEntry {
    PodId id;
    core::Pod pod;
    SlotAnnotation annotated_slot = SlotAnnotation::none;  ///< in its annotations
    std::int32_t profile = 0;  ///< of an executor, in its labels; of a group's member, by its size
    // What the pod was when it was first seen: labels and owners can be edited later.
    bool is_driver = false;    ///< of a Spark application in cluster mode, says it has a gang, or
                               ///< bears its pod group's reservation (group/group_former.hpp)
    bool is_executor = false;  ///< its role says so, whoever its driver is
    bool hand_made = false;    ///< a driver that no Spark made, or an executor by its labels alone
    bool is_change = true;     ///< its last event changed more than the version
    bool declares_anew = false;  ///< what it says of its gang has not been looked at
    core::Text slot_gang;        ///< Application::gang_uid() that its slot annotation names
    core::Text owner;            ///< uid of an executor's controller or driver, else empty
    core::Text application_key;  ///< namespace/application id, see ExecutorOwners
    core::Text group;            ///< key of its pod group (PodGroups), empty: none
    Alone alone = Alone::no;     ///< of a group's member
    core::Text assumed_node;     ///< from our own bind; the API server's word replaces it
    std::string bound_version;   ///< the resourceVersion that our last bind named
    bool bind_in_flight = false;
    bool is_unasked = false;   ///< kube-scheduler has to ask about it before it may be placed
    bool gone = false;         ///< the API server says so; the delete event is to come
    bool lived = false;        ///< it was seen on a node; once it has failed, that has been counted
    std::int64_t seen_ms = 0;  ///< when it came; by the server's clock if it was there before us
    std::int32_t slot = -1;    ///< index into the owner gang's slots
    core::Rare<Retry> retry;

    const std::string& node() const {
        return pod.node_name.empty() ? assumed_node.str() : pod.node_name;
    }
    Rank rank() const { return {pod.created, pod.uid}; }
    bool holds_capacity() const { return !node().empty() && !core::is_terminal(pod); }
    /// Whether nothing of earlier failures stands against a try now.
    bool is_ready(std::int64_t now_ms) const {
        const bool has_changed =
            !retry->stale_version.empty() && retry->stale_version != pod.resource_version;
        return retry->code == ReasonCode::none || now_ms >= retry->not_before_ms || has_changed;
    }
    /// Nothing in the pod itself stands against binding it.
    bool is_bindable() const {
        return node().empty() && !core::is_terminal(pod) && !gone && !pod.deleting && !pod.gated &&
               !is_unasked;
    }
};

enum class SlotState : std::uint8_t { open, assumed, bound, draining, unplaced };
inline constexpr std::size_t slot_state_count = 5;

/// Room for one executor. Allocated on its node in every state but unplaced: by the shape while
/// open, by the larger of shape and pod while a pod is in it, so that it can always be opened
/// again.
struct Slot {
    core::Text node;  ///< unplaced: where it was last
    PodId pod;        ///< the executor in it
    core::AllocationId allocation;
    /// The generation that first names it on `node`, counted by Application::since(): no executor
    /// is sent there before it is stored, or another leader could give the room away while that
    /// bind is under way.
    std::uint32_t since = 0;
    std::uint16_t shape = 0;
    SlotState state = SlotState::unplaced;
    bool leaving = false;  ///< while repairing: it had room on `node` until a moment ago
};

/// What executors ask of other pods, and what those see of them.
struct ExecutorRules {
    core::PodRules rules;
    core::StringMap labels;  ///< those that all of them have
};

/// A claim that each executor will mount, as far as it is known before there are any.
struct ForeseenClaim {
    std::string name;       ///< of the claim; or of the storage class,
    bool is_class = false;  ///< of which one will be made for each executor,
    std::int64_t bytes = 0;  ///< of this size
    friend bool operator==(const ForeseenClaim&, const ForeseenClaim&) = default;
};

/// As a minimum: no slot can be done without.
inline constexpr std::int32_t all_slots = std::numeric_limits<std::int32_t>::max();

/// Executors that are alike.
struct GangShape {
    std::int32_t profile = 0;
    std::int64_t count = 0;
    std::int64_t max = 0;  ///< with dynamic allocation; -1: no limit
    core::ShapeId id;
    bool learned = false;  ///< a real executor has shown what it asks
    /// Open slots beyond so many may be given to others (preempt/victim_list.hpp).
    std::int32_t min = all_slots;
    /// As foreseen from their template. Not remembered in the reservation: executors that exist
    /// bring their own.
    core::Boxed<ExecutorRules> rules = {};
    core::Boxed<std::vector<ForeseenClaim>> claims = {};  ///< of their conf, likewise
    core::Boxed<core::ExecutorLimits> limits = {};  ///< likewise, if quotas are looked at
};

/// Room that a slot has left, kept until the API server has the new reservation.
struct PendingRelease {
    core::AllocationId allocation;
    std::int64_t generation = 0;  ///< of the reservation that no longer names it
};

enum class Phase : std::uint8_t { waiting, assumed, running, ended };

/// Of a driver whose conf was asked for in vain.
struct ConfMisses {
    int misses = 0;
    std::int64_t first_miss_ms = 0;
    ConfProblem problem = ConfProblem::not_found;
    std::string message;
};

/// What was found in what a driver says, or with what it was bound.
struct Diagnostics {
    std::string problem;  ///< not empty: misconfigured
    std::vector<std::string> notes;
    std::vector<std::string> warnings;  ///< to be said once, by an event
};

/// Of a gang whose reservation had to be written anew.
struct Rewrites {
    std::string written_on;  ///< the resourceVersion that the last write named
    std::int64_t not_before_ms = 0;
    bool waits_for_change = false;  ///< the last write came too late: a new state lifts the pause
    int failures = 0;               ///< in a row
    Refusals refusals;              ///< of these, as the fence counts them
    int disputes = 0;               ///< times in a row that somebody else changed the annotation
    std::int64_t disputed_ms = 0;   ///< when they last did
};

/// The index of a gang that does not wait.
inline constexpr std::uint32_t no_entry = UINT32_MAX;

/// What the gang is to be: what its driver says, and what was found in that.
/// Its pods are all on nodes with one value of a label.
struct GangTopology {
    core::TopologyKeyId key;  ///< held by GangStore
    core::Text name;
    bool is_required = true;  ///< else only if there is room so
};

struct Declared {
    bool conf_needed = false;  ///< a driver whose gang is not known yet
    /// Of the PodGroup that its driver names is to be known how large it is.
    bool group_needed = false;
    core::Rare<ConfMisses> conf;
    core::Rare<Diagnostics> diagnostics;
    core::Text source;  ///< what count and size were taken from
    std::optional<core::ShapeId> driver_shape;
    std::vector<GangShape> shapes;
    core::Text queue;
    core::Text user;                             ///< "namespace/serviceaccount": who is charged
    bool is_held = false;                        ///< somebody asks that it waits
    bool is_overdue = false;                     ///< it has waited for longer than it is to
    std::int32_t max_wait_s = 0;                 ///< as it says; 0: it says nothing
    std::uint32_t overdue_from_s = 0;            ///< Unix time; 0: never
    core::Rare<std::string> queue_problem;       ///< it cannot wait in the queue that it asks for
    std::optional<core::PackingPolicy> packing;  ///< its driver says so
    core::Boxed<GangTopology> topology;
    /// So much must be free on all nodes together as well, when it starts; nothing: its own pods' room.
    core::Boxed<core::Resources> min_resources;
};

/// The reservation on the driver, as far as it is written and known to be.
struct Published {
    bool reserved = false;     ///< bound with the reservation that the slots say
    bool is_unproven = false;  ///< no valid text vouches for its slots: its declaration is wanted
    bool is_shown = false;     ///< the watch has shown `annotation`; what differs now is not ours
    std::int64_t first_generation = 0;  ///< as admitted or adopted
    std::int64_t generation = 0;
    std::int64_t epoch = 0;
    core::Text gang;  ///< uid of its first anchor, if that was another: slot annotations name it
    core::Text annotation;             ///< the reservation as adopted or last sent
    std::int64_t text_generation = 0;  ///< that `annotation` says
    std::int64_t stored = 0;           ///< the newest generation known to have been written
    std::int64_t writing = 0;          ///< generation under way to the API server, 0: none
    core::Rare<Rewrites> rewrites;
};

/// How a gang that runs is doing, and what its user was told of that.
struct Health {
    bool driver_runs = false;
    bool stuck = false;               ///< bound, but never ran
    bool reported_unplaced = false;   ///< said so
    bool reported_oversized = false;  ///< once per gang is enough
    bool reported_elsewhere = false;  ///< alike
    bool reported_missing = false;    ///< until all are there
    bool missing_is_due = false;  ///< a look at them is; one at a time, however often they change
    std::int64_t missing = 0;     ///< slots that no executor is there for
    std::int64_t missing_since_ms = 0;
    core::Rare<CrashLoop> crash_loop;
};

/// A gang: a driver with its executors, a pod group or a lone pod. Of a group one member, the
/// anchor, is what the driver is of a Spark application, and the others are its executors. There
/// are as many as run and wait, so what few of them have, or none for long, is core::Rare.
struct Application {
    std::string uid;  ///< of the driver or lone pod
    core::Text namespace_name;
    std::string name;
    std::int64_t created = 0;
    std::uint32_t entry_index = no_entry;  ///< of its entry in the waiting line (waiting_line.hpp)
    bool is_driver = false;
    bool is_surplus = false;  ///< an executor without a slot, or a group's member beyond what it
                              ///< needs: holds up nobody (queue/admission.hpp)
    bool has_slotless = false;  ///< an executor runs whose annotation names a slot, and is in none
    core::Text group;         ///< of a pod group: its key; `uid` is its anchor's
    Phase phase = Phase::waiting;
    core::Text surplus_of;  ///< uid of its driver, if that is one of ours
    std::int64_t waiting_since_ms = 0;
    core::Rare<Milestones> milestones;
    core::Text assumed_node;  ///< where the driver's bind was sent
    std::int64_t bound_ms = 0;
    std::int32_t priority = 0;  ///< its driver's

    Declared declared;
    Published published;
    Health health;

    std::vector<Slot> slots;
    std::array<std::uint32_t, slot_state_count> slots_in{};  ///< by state, see count()
    std::size_t open_from = 0;                               ///< no slot before it is open
    core::Rare<std::vector<PendingRelease>> pending_releases;
    core::Rare<std::set<Rank>> pending;  ///< executors that wait for a slot

    Rank rank() const { return {created, uid}; }
    RankView order() const { return {created, uid}; }
    /// What the slot annotations of its members name it by.
    const std::string& gang_uid() const {
        return published.gang.empty() ? uid : published.gang.str();
    }
    /// As Slot::since has it.
    std::uint32_t since(std::int64_t later_generation) const {
        return static_cast<std::uint32_t>(later_generation - published.first_generation);
    }
    void remove_pending(const Rank& executor) {
        if (pending.is_made()) pending.make().erase(executor);
    }
    /// Allocates nothing for no problem.
    void set_problem(std::string text) {
        if (declared.diagnostics.is_made() || !text.empty()) {
            declared.diagnostics.make().problem = std::move(text);
        }
    }
    /// Slots in this state; the ledger keeps it.
    std::size_t count(SlotState state) const { return slots_in[static_cast<std::size_t>(state)]; }
    /// Slots that nobody is in.
    std::size_t count_empty() const { return count(SlotState::open) + count(SlotState::unplaced); }
    /// A bound driver's whose slots were lost, or given back because it took too long to run: its
    /// executors are placed as they come.
    bool is_slotless() const {
        const bool has_lost_all = slots.empty() && !declared.shapes.empty();
        return phase == Phase::running &&
               (!published.reserved || published.is_unproven || has_lost_all);
    }
};

}  // namespace gang
