#pragma once
// The dialects in which a pod may say what its gang is, as one table: a further dialect is one more
// row. What stands first is believed first, for the count and for the size separately.

#include <cstdint>
#include <span>
#include <string_view>

namespace gang {

/// What a key says.
enum class Field : std::uint8_t {
    role,
    application,
    executors,
    executors_min,
    executors_max,
    dynamic,
    executor_cpu,
    executor_memory,
    executor_gpu,
    executor_tolerations,
    driver_cpu,
    driver_memory,
    driver_gpu,
    queue,
    hold,
    queue_elsewhere,  ///< another scheduler's queue; counts where there is one of that name
    priority,
    packing,
    expected_duration,
    max_wait,
    topology_key,
    topology_mode,
    pod_group,        ///< of pods without a driver: see group_membership.hpp
    task_groups,      ///< YuniKorn's, of pods with and without a driver: see yunikorn/
    other_scheduler,  ///< how another scheduler knows its gangs; not read
    not_yet           ///< known, and refused to be passed over in silence: nothing acts upon it yet
};

/// What a memory value without a suffix means.
enum class BareMemory : std::uint8_t { bytes, gibibytes };

struct DeclarationKey {
    std::string_view name;
    Field field;
};

struct Dialect {
    std::string_view name;
    std::span<const DeclarationKey> keys;  ///< of two keys for one field the first is believed
    BareMemory bare_memory = BareMemory::bytes;
    /// Its keys are words of everyday use, so they count on pods with spark-role=driver only.
    bool needs_role = false;
    /// Executors beyond a fixed count are refused, not placed in room that nobody has reserved.
    bool is_capped = false;
};

/// Keys under this prefix are all ours: an unknown one is a mistake.
inline constexpr std::string_view own_prefix = "gang-scheduler/";

/// In the order in which they are believed.
std::span<const Dialect> dialects();

}  // namespace gang
