#pragma once
// A tick has a budget in units of work, so that reading never waits long; what is left over is done
// in the next. A unit is about a nanosecond of one core (tests/bench/queue_bench.cpp).

#include <cstdint>

namespace gang {

/// For pods and repairs, once more for executors and once more for gangs: together below 5 ms.
inline constexpr std::int64_t work_per_tick = 1'500'000;
/// Of it, for messages to those behind a blocked head, and others that need none at once.
inline constexpr std::int64_t refresh_work_per_tick = 500'000;
/// A bind, with its annotations and all that follows from it.
inline constexpr std::int64_t work_per_bind = 5'000;
/// Of 64 nodes, or 64 blocks of them.
inline constexpr std::int64_t work_per_group_scanned = 60;
/// Of a node that is ranked by itself, for a score, a cost or a preference.
inline constexpr std::int64_t work_per_node_ranked = 30;
/// Of a node that is held against the rules between pods.
inline constexpr std::int64_t work_per_node_asked = 5;
/// Of a bound pod that is counted for a new rule.
inline constexpr std::int64_t work_per_pod_counted = 50;
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

}  // namespace gang
