#pragma once
// The daemon as a value: watchers -> inbox -> gang::Scheduler -> writer, and back. `run` owns one
// for the life of the process; the demo makes several after each other inside one process.
//
// Everything happens on the thread that runs the io_context. start() returns at once; an API server
// that is not there yet is tried again for ever, and the log says why.

#include "config/schema.hpp"
#include "gang/app/base/consistency_status.hpp"
#include "gang/app/daemon/daemon_options.hpp"
#include "gang/explain.hpp"
#include "gang/ledger_view.hpp"

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
