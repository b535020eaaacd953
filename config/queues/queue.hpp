#pragma once
// Queues as the file has them, or Queue objects (queue_objects.hpp). A queue's name is its place in
// a tree: "root.etl.nightly" is below "root.etl"; here it always begins with "root".

#include "core/value/resources.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace config {

inline constexpr std::string_view root_queue = "root";
/// Where gangs go that ask for nothing else, if no rule says otherwise.
inline constexpr std::string_view default_queue = "root.default";
/// Counts what runs in queues that the file has no more. No file may name it.
inline constexpr std::string_view lost_queue = "root.lost";
/// Of a name, `root` included.
inline constexpr std::size_t queue_name_max = 63;
inline constexpr std::int64_t queue_weight_max = 65'535;

/// Sorted by name, each once: "cpu" in thousandths of a core, all else in bytes or whole units. A
/// resource that is not named has no bound; one of 0 may not be used at all.
using ResourceAmounts = std::vector<core::ExtendedResource>;

/// Who is first of those that wait in one queue.
enum class QueueOrder : std::uint8_t {
    fifo,      ///< by creation
    priority,  ///< by spec.priority (and age, if that counts), then creation
    fair       ///< by what its user holds in the queue, then creation
};

/// As the file has it.
constexpr std::string_view name_of(QueueOrder order) {
    switch (order) {
        case QueueOrder::fifo:
            return "fifo";
        case QueueOrder::priority:
            return "priority";
        case QueueOrder::fair:
            break;
    }
    return "fair";
}

/// Whether a queue lets anybody in. Whoever runs in it goes on.
enum class QueueState : std::uint8_t { running, stopped };

/// Whom a gang that waits may have evicted in its own queue.
enum class PreemptionWithin : std::uint8_t { never, lower_priority };

/// What may be evicted, and for whom, as far as a queue says so.
struct QueuePreemption {
    /// Its gangs may be evicted for others: of a queue below its guarantee, or, with
    /// Preemption::across_queues, of a higher priority.
    bool is_reclaimable = false;
    PreemptionWithin within_queue = PreemptionWithin::never;
    friend bool operator==(const QueuePreemption&, const QueuePreemption&) = default;
};

/// What holds for all queues.
struct Preemption {
    /// A gang may have gangs of a lower priority evicted in other queues that are reclaimable.
    bool across_queues = false;
    std::int64_t max_victims_per_minute = 10;  ///< gangs, lone pods, executors that go alone
    friend bool operator==(const Preemption&, const Preemption&) = default;
};

/// Whether later gangs may run before one that waits for room.
enum class BackfillMode : std::uint8_t {
    off,          ///< nobody passes it on nodes that it could use
    easy,         ///< those who do not delay the first of its queue
    conservative  ///< those who delay nobody of its queue
};

struct Queue {
    std::string name;
    std::int64_t weight = 1;
    ResourceAmounts guarantee;
    ResourceAmounts limit;
    ResourceAmounts user_limit;  ///< of each user by himself
    std::optional<std::int64_t> max_gangs;
    QueueOrder order = QueueOrder::fifo;
    /// By priority: so many points of it an hour of waiting is worth, in whole points; 0: none.
    std::int64_t aging_per_hour = 0;
    /// Who waits for longer goes before the others of the queue; 0: as the queue above it says.
    std::int64_t max_wait_ms = 0;
    /// Nobody of any queue passes who has waited for longer, in it or a queue below it.
    bool is_max_wait_strict = false;
    QueuePreemption preemption;
    std::optional<BackfillMode> backfill;  ///< nothing: as the queue above it, or Schema::backfill
    /// Who may use it, as "namespace/serviceaccount", and pods of which namespaces. Both empty:
    /// whoever may use the queue above it.
    std::vector<std::string> users;
    std::vector<std::string> namespaces;
    QueueState state = QueueState::running;  ///< stopped: so are the queues below it
    /// The Queue object that it comes from, by which gangs may name it; empty: the file has it.
    std::string object;
    friend bool operator==(const Queue&, const Queue&) = default;
};

/// A rule that may say in which queue a gang is; the first that does is followed.
struct PlacementRule {
    enum class Kind : std::uint8_t {
        annotation,       ///< what the pod itself says
        namespace_name,   ///< root.<its namespace>, if there is such a queue
        namespace_label,  ///< root.<what this label of its namespace says>, likewise
        fixed             ///< `queue`
    };
    Kind kind = Kind::annotation;
    std::string queue = {};  ///< fixed
    std::string label = {};  ///< namespace_label
    friend bool operator==(const PlacementRule&, const PlacementRule&) = default;
};

/// "etl" and "root.etl" are "root.etl"; "root" is itself.
std::string full_queue_name(std::string_view name);

/// Of a full name: dots between parts of letters, digits, '-' and '_'.
bool is_queue_name(std::string_view full_name);

/// "root.etl" of "root.etl.nightly"; empty of "root".
std::string_view parent_queue(std::string_view full_name);

}  // namespace config
