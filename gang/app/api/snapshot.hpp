#pragma once
// What the page shows, as of one moment: all gangs and all nodes. It is made when somebody asks and
// something may have changed, and so seldom that making it takes a hundredth of the time at most;
// who asks in between gets the same once more. When nobody asks nothing is made, and after a while
// nothing is kept.

#include "config/schema.hpp"
#include "gang/app/api/access/callers.hpp"
#include "gang/app/api/history.hpp"
#include "gang/app/base/json_text.hpp"
#include "gang/explain.hpp"
#include "gang/ledger_view.hpp"
#include "gang/queue_view.hpp"
#include "gang/what_if.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gang::app {

/// Called on the loop when somebody asks.
struct ApiSource {
    std::function<Standing()> standing;
    std::function<std::string()> leader_api;  ///< host:port of the leader's; empty: not known
    std::function<bool()> synced;            ///< all pods and nodes have been listed
    std::function<std::uint64_t()> changes;  ///< another number: something may have changed
    std::function<std::vector<GangView>()> gangs;
    std::function<std::vector<NodeLedger>()> nodes;
    std::function<std::vector<QueueView>()> queues;
    std::function<WhatIfAnswer(const WhatIf&)> what_if;
    std::function<std::optional<Explanation>(const std::string& question)> explain;
    std::string server;  ///< URL of the API server
    config::Schema config;
    /// The sums as they are now, while this process leads; empty: there is no history.
    std::function<std::optional<HistoryPoint>()> history_point;
    /// Who a caller's token is and what it may see; empty: everybody sees all.
    Callers::Review review;
    /// Where it may change: what holds now. Empty: `config`.
    std::function<config::Schema()> current_config;
};

struct Snapshot {
    Standing standing;
    bool synced = false;
    std::int64_t unix_ms = 0;
    std::vector<GangView> gangs;
    std::vector<NodeLedger> nodes;
    std::vector<QueueView> queues;
    /// Hexadecimal; the same for the same content, also after a restart. It does not depend on the
    /// time at which the snapshot was made.
    std::string id;
};

class Snapshots {
public:
    explicit Snapshots(ApiSource source) : source_(std::move(source)) {}

    const ApiSource& source() const { return source_; }

    /// Good until the next call.
    const Snapshot& current();

    /// Whether somebody has asked since the last call. When nobody has, what was kept is given up.
    bool give_up_unused();

private:
    void make();

    ApiSource source_;
    std::optional<Snapshot> kept_;
    std::uint64_t made_at_ = 0;       ///< source_.changes() before it was made
    std::int64_t good_until_ms_ = 0;  ///< monotonic
    bool asked_ = false;
};

}  // namespace gang::app
