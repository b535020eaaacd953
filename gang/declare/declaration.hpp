#pragma once
// What a pod says about its gang in labels and annotations, whoever made it. Of two dialects the
// one that stands first in the table counts, annotations before labels; that they differ is said,
// and a value that cannot be read is a problem, never a 0.

#include "core/placement/packing_policy.hpp"
#include "core/value/pod.hpp"
#include "gang/declare/declaration_keys.hpp"
#include "gang/declare/yunikorn/task_groups.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

enum class Role : std::uint8_t { none, driver, executor };

/// From spark-role or gang-scheduler/role; any other word is no role.
Role role_of(const core::Pod& pod);

/// The application's id that driver and executors share; empty if the pod names none.
const std::string& application_id(const core::Pod& pod);
/// spark.app.name as Spark (since 3.3) writes it into a label; empty: it does not say.
const std::string& spark_app_name(const core::Pod& pod);

/// The queue that it asks for; nullptr: it asks for none.
const std::string* asked_queue(const core::Pod& pod);
/// Somebody asks that it waits: "gang-scheduler/hold" is "true".
bool asks_hold(const core::Pod& pod);

/// The queue that it names in the words of another scheduler (YuniKorn, Kueue, Volcano, KAI). It
/// counts where there is a queue of that name; nullptr: it names none.
const std::string* queue_elsewhere(const core::Pod& pod);

/// For how long it is to wait at most, if it can be read; what cannot is warned of.
std::optional<std::int64_t> asked_max_wait_ms(const core::Pod& pod);

/// Whether the pod starts a gang by what it says: it is no executor, and says how many executors
/// there will be, or at least how large.
bool declares_gang(const core::Pod& pod);

struct DeclaredAmount {
    std::int64_t value = 0;
    std::string source;  ///< "annotation spark-executor-cpu"
    friend bool operator==(const DeclaredAmount&, const DeclaredAmount&) = default;
};

struct DeclaredSize {
    std::optional<DeclaredAmount> cpu_milli;
    std::optional<DeclaredAmount> memory_bytes;
    std::optional<DeclaredAmount> gpus;
    friend bool operator==(const DeclaredSize&, const DeclaredSize&) = default;
};

struct DeclaredCount {
    std::int64_t min = 0;
    std::int64_t initial = 0;  ///< >= min; all of a fixed number
    std::int64_t max = 0;      ///< spark::unlimited_executors: none named
    bool is_dynamic = false;
    bool is_capped = false;  ///< a fixed number is the maximum, too
    std::string source;
    bool is_of_task_groups = false;
    friend bool operator==(const DeclaredCount&, const DeclaredCount&) = default;
};

/// The whole gang on nodes that have one value of a label.
struct DeclaredTopology {
    std::string key;
    bool is_required = true;  ///< else only if there is room so
    friend bool operator==(const DeclaredTopology&, const DeclaredTopology&) = default;
};

struct Declaration {
    std::optional<DeclaredCount> count;
    DeclaredSize executor;
    DeclaredSize driver;
    std::vector<core::Toleration> executor_tolerations;  ///< beside those that are known otherwise
    /// Of a driver, in YuniKorn's words: what its executors are, and how many; empty: not said.
    std::vector<yunikorn::TaskGroup> task_groups;
    std::string queue = "default";
    std::optional<core::PackingPolicy> packing;  ///< of this application alone
    std::optional<DeclaredTopology> topology;
    std::vector<std::string> warnings;  ///< contradictions, and what is not acted upon yet
    std::vector<std::string> notes;
    std::string problem;  ///< not empty: a value or key is wrong
    friend bool operator==(const Declaration&, const Declaration&) = default;
};

/// Of a pod that is no executor. Says nothing (equals Declaration{}) for most.
/// `has_queues`: the file has some, and says itself what becomes of a queue that is asked for.
Declaration read_declaration(const core::Pod& pod, bool has_queues = false);

/// What the pod says and nothing acts upon: keys that are not supported yet, and how other
/// schedulers know gangs. A sentence each; behind the latter `instead`, what happens to the pod.
std::vector<std::string> unread_warnings(const core::Pod& pod, std::string_view instead);

/// How many executors there are is known without a Spark conf.
bool is_complete(const Declaration& declaration);

}  // namespace gang
