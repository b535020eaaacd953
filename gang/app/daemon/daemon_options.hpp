#pragma once
// What a daemon is made with.

#include "config/schema.hpp"
#include "gang/app/base/log.hpp"
#include "gang/app/base/reload_stats.hpp"
#include "gang/app/called/extender_client.hpp"
#include "gang/app/daemon/gpu_metrics_source.hpp"
#include "gang/reservation/format/seal.hpp"
#include "k8s/net/endpoint.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gang::app {

class Recorder;

struct DaemonOptions {
    std::shared_ptr<k8s::Endpoint> endpoint;
    config::Schema config;
    GpuMetricsSource gpu_metrics;           ///< for config.gpu_metrics (gpu_metrics_source.hpp)
    std::vector<ExtenderTarget> extenders;  ///< for config.extenders (called/extender_client.hpp)
    Seal seal;                              ///< for config.seal_key_file (seal_keys.hpp)
    std::string identity;                   ///< unique per process; holder of the lease
    std::string instance;                   ///< host name, for events
    const Log* log = nullptr;               ///< must outlive the daemon
    Recorder* recorder = nullptr;           ///< none: nothing is recorded; must outlive the daemon
    /// What the consistency check has found is looked at again after this time, before it is called
    /// drift.
    std::int64_t second_list_after_ms = 5'000;
    /// The lease went to somebody else, or could not be renewed: nothing is written any more. The
    /// owner should stop() and leave the process. May be empty.
    std::function<void()> lost_lease;
    /// Of the configuration file that is read again, for metrics. May be empty.
    std::function<ReloadStats()> reloads;
    /// After each full list of a kind, once both are known and nothing waits or is being written.
    /// May be empty.
    std::function<void()> on_idle;
    std::int64_t idle_after_ms = 1'000;  ///< from the list's end; and how often it is tried
};

}  // namespace gang::app
