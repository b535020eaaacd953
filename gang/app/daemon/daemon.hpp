#pragma once
// The daemon as a value: watchers -> inbox -> gang::Scheduler -> writer, and back. `run` owns one
// for the life of the process; the demo makes several after each other inside one process.
//
// Everything happens on the thread that runs the io_context. start() returns at once; an API server
// that is not there yet is tried again for ever, and the log says why.

#include "config/schema.hpp"
#include "gang/app/base/log.hpp"
#include "gang/app/base/reload_stats.hpp"
#include "gang/app/called/extender_client.hpp"
#include "gang/app/daemon/consistency_checker.hpp"
#include "gang/app/daemon/gpu_metrics_source.hpp"
#include "gang/explain.hpp"
#include "gang/reservation/format/seal.hpp"
#include "k8s/net/endpoint.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace gang::app {

class Recorder;

struct DaemonOptions {
    std::shared_ptr<k8s::Endpoint> endpoint;
    config::Schema config;
    GpuMetricsSource gpu_metrics;  ///< for config.gpu_metrics (gpu_metrics_source.hpp)
    std::vector<ExtenderTarget> extenders;  ///< for config.extenders (called/extender_client.hpp)
    Seal seal;                     ///< for config.seal_key_file (seal_keys.hpp)
    std::string identity;          ///< unique per process; holder of the lease
    std::string instance;          ///< host name, for events
    const Log* log = nullptr;      ///< must outlive the daemon
    Recorder* recorder = nullptr;  ///< none: nothing is recorded; must outlive the daemon
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

/// For readiness, tests and the demo's table.
struct DaemonStats {
    bool synced = false;  ///< both kinds have been listed completely
    bool leading = false;
    std::uint64_t events = 0;  ///< through the inbox
    std::uint64_t decisions = 0;
    std::uint64_t pauses = 0;  ///< times that the full inbox stopped the reading of watches
    std::uint64_t binds = 0;
    std::uint64_t unsealed = 0;  ///< pods shown with a text of ours that had no valid seal
};

class Daemon {
public:
    Daemon(boost::asio::io_context& io, DaemonOptions options);
    /// Stop first, and let the io_context run until `done`.
    ~Daemon();
    Daemon(const Daemon&) = delete;
    Daemon& operator=(const Daemon&) = delete;

    void start();

    /// Stops deciding at once, lets writes that wait or are in flight finish (a few seconds at
    /// most), releases the lease, then calls `done` on the loop.
    void stop(std::function<void()> done);

    /// From here on this configuration holds. Keys that need a new process must have the values that
    /// the daemon was made with (config/reload).
    void reconfigure(const config::Schema& config);

    std::vector<GangView> gangs() const;
    std::optional<Explanation> explain(std::string_view pod_or_app) const;
    DaemonStats stats() const;
    ConsistencyStatus consistency() const;
    /// Compares with the API server now, unless that is under way.
    void check_consistency();
    std::vector<NodeLedger> ledger() const;

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace gang::app
