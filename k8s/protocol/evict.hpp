#pragma once
// One eviction until it is certain or given up. It names the pod's uid, so it never touches another
// pod of the name; and the API server does not ask budgets for a pod that ends already. So it may
// be repeated when its outcome is unknown, and the repetition's answer settles both.

#include "k8s/protocol/bind.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace k8s::protocol {

enum class EvictOutcome : std::uint8_t {
    evicted,  ///< 200 or 201: the pod ends within its grace period
    budget,   ///< 429 by a PodDisruptionBudget
    gone,     ///< 404, or a pod with another uid
    refused,  ///< 400, 403, 422, or a pod of several budgets
    not_sent  ///< given up: not the leader, or no certain answer for too long
};

struct SendEviction {};
struct EvictionFinished {
    EvictOutcome outcome = EvictOutcome::not_sent;
    std::string message;
    bool unsettled = false;  ///< given up, and an attempt that had no answer may still land
};
using EvictAction = std::variant<SendEviction, Wait, EvictionFinished>;

inline constexpr std::int32_t evict_attempts_max = 6;

class Evict {
public:
    EvictAction start(bool may_write);
    EvictAction on_answer(const HttpAnswer& answer, std::uint32_t random);
    EvictAction on_no_answer(bool maybe_sent, const std::string& message, std::uint32_t random);
    EvictAction on_waited(bool may_write) { return start(may_write); }

private:
    EvictAction again(std::int64_t at_least_ms, const std::string& message, std::uint32_t random);
    EvictionFinished give_up(const std::string& message) const;

    bool maybe_sent_ = false;  ///< an attempt that had no certain answer
    std::int32_t attempts_ = 0;
};

}  // namespace k8s::protocol
