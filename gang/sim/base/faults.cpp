#include "gang/sim/base/faults.hpp"

namespace gang::sim {
namespace {

struct Row {
    std::string_view name;
    bool comes_by_itself;
};

constexpr std::array<Row, fault_count> rows = {{
    {"connect_refused", false},   {"request_lost", false},
    {"answer_lost", false},       {"answer_never", false},
    {"request_late", false},      {"answer_slow", false},
    {"throttled", false},         {"throttled_with_time", false},
    {"unavailable", false},       {"unavailable_with_time", false},
    {"error_before", false},      {"error_after", false},
    {"timeout_before", false},    {"timeout_after", false},
    {"version_too_large", false}, {"continue_expired", false},
    {"page_empty", false},        {"watch_gone", false},
    {"watch_gone_later", false},  {"watch_error", false},
    {"watch_throttled", false},   {"watch_reset", false},
    {"watch_cut_short", false},   {"watch_half_open", false},
    {"watch_stalls", false},      {"bookmark_lost", false},
    {"event_repeated", false},    {"event_old", false},
    {"cache_lags", true},         {"server_down", true},
    {"store_pauses", true},       {"compaction", true},
    {"rights_lost", true},        {"token_expired", true},
    {"node_removed", true},       {"node_replaced", true},
    {"node_cordoned", true},      {"node_tainted", true},
    {"node_not_ready", true},     {"node_shrinks", true},
    {"kubelet_refuses", false},   {"kubelet_stalls", false},
    {"foreign_pod", true},        {"executor_fails", false},
    {"executor_deleted", true},   {"executor_storm", true},
    {"driver_fails", true},       {"driver_deleted", true},
    {"pod_evicted", true},        {"namespace_deleted", true},
    {"reservation_edited", true}, {"labels_edited", true},
    {"conf_late", false},         {"conf_replaced", true},
    {"conf_removed", true},       {"crash", true},
    {"crash_storm", true},        {"pause", true},
    {"clock_jumps", true},        {"clock_runs_wrong", true},
    {"config_changed", true},     {"lease_deleted", true},
    {"lease_forged", true},       {"terminated", true},
    {"slot_forged", true},
}};

}  // namespace

std::string_view to_string(Fault fault) {
    return rows[static_cast<std::size_t>(fault)].name;
}

bool comes_by_itself(Fault fault) {
    return rows[static_cast<std::size_t>(fault)].comes_by_itself;
}

}  // namespace gang::sim
