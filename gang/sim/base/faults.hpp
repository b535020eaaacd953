#pragma once
// Everything that can go wrong, each kind with a name, a rate and a counter. Two sorts: those that
// may strike whenever something is done (a rate per million), and those that come by themselves
// (a mean time between two of them).

#include "gang/sim/base/random.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gang::sim {

enum class Fault : std::uint8_t {
    // A request on its way, each rate per request.
    connect_refused,
    request_lost,  ///< the connection breaks before the server has read it
    answer_lost,   ///< it breaks after the server has carried it out
    answer_never,  ///< the client waits until its own limit
    request_late,  ///< arrives when the client has long given up
    answer_slow,
    throttled,  ///< 429
    throttled_with_time,
    unavailable,  ///< 503
    unavailable_with_time,
    error_before,    ///< 500, nothing was done
    error_after,     ///< 500, and it was done
    timeout_before,  ///< 504
    timeout_after,
    // Lists and watches, each rate per request or delivery.
    version_too_large,
    continue_expired,
    page_empty,        ///< a page without objects that is not the last
    watch_gone,        ///< 410 as the answer
    watch_gone_later,  ///< 410 in the stream
    watch_error,       ///< 500 in the stream
    watch_throttled,   ///< 429 in the stream
    watch_reset,
    watch_cut_short,  ///< closed as soon as it is open
    watch_half_open,  ///< nothing more comes, and nobody says so
    watch_stalls,
    bookmark_lost,
    event_repeated,
    event_old,  ///< an earlier state of the object comes once more
    // The API servers and their store.
    cache_lags,
    server_down,
    store_pauses,  ///< its leader changes: nothing is read or written meanwhile
    compaction,
    rights_lost,    ///< 403 for a while
    token_expired,  ///< 401 for a while
    // Nodes and kubelets.
    node_removed,
    node_replaced,  ///< gone, and another one of its name
    node_cordoned,
    node_tainted,
    node_not_ready,
    node_shrinks,
    kubelet_refuses,
    kubelet_stalls,
    foreign_pod,  ///< another scheduler binds where it likes
    // Applications and tenants.
    executor_fails,
    executor_deleted,
    executor_storm,  ///< all of an application die, and what replaces them too
    driver_fails,
    driver_deleted,
    pod_evicted,  ///< with a long grace
    namespace_deleted,
    reservation_edited,
    labels_edited,
    conf_late,
    conf_replaced,
    conf_removed,
    // Our own processes.
    crash,
    crash_storm,
    pause,  ///< SIGSTOP; what it has sent goes on its way
    clock_jumps,
    clock_runs_wrong,
    config_changed,
    lease_deleted,
    lease_forged,
    terminated,  ///< SIGTERM: it ends in good order; of one, or of all in turn, as a rollout does
    // Tenants again.
    slot_forged  ///< of an executor of theirs, or of a pod that is none
};
inline constexpr auto last_fault = Fault::slot_forged;
inline constexpr std::size_t fault_count = static_cast<std::size_t>(last_fault) + 1;

std::string_view to_string(Fault fault);

/// Comes by itself; the others strike when something is done.
bool comes_by_itself(Fault fault);

using FaultCounts = std::array<std::uint64_t, fault_count>;

/// Per million, or of those the mean time between two in ms; 0: never.
using FaultRates = std::array<std::int64_t, fault_count>;

class Faults {
public:
    Faults(const FaultRates& rates, Random& random) : rates_(rates), random_(random) {}

    /// Whether it happens now; counted if so.
    bool strikes(Fault fault) {
        const std::int64_t rate = rates_[static_cast<std::size_t>(fault)];
        if (rate == 0 || is_calm_ || !random_.per_million(rate)) {
            return false;
        }
        count(fault);
        return true;
    }
    void count(Fault fault) { ++counts_[static_cast<std::size_t>(fault)]; }
    std::int64_t rate(Fault fault) const { return rates_[static_cast<std::size_t>(fault)]; }
    /// From here on it is calm: nothing goes wrong any more.
    void stop(std::int64_t now_ms) {
        is_calm_ = true;
        calm_since_ms_ = now_ms;
    }
    bool is_calm() const { return is_calm_; }
    std::int64_t calm_since_ms() const { return calm_since_ms_; }
    const FaultCounts& counts() const { return counts_; }

private:
    const FaultRates& rates_;
    Random& random_;
    FaultCounts counts_ = {};
    bool is_calm_ = false;
    std::int64_t calm_since_ms_ = 0;
};

}  // namespace gang::sim
