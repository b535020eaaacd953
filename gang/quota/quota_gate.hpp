#pragma once
// Holds back what a limit of its queue does not let in: gangs, lone pods, and executors beyond
// their gang's slots. Who is held back holds up nobody but, in a queue in order of creation, those
// behind it who use the same limit; one that is passed by nobody (max_waits.hpp) those of all queues.

#include "gang/explain.hpp"
#include "gang/model/model.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/quota/cluster_totals.hpp"
#include "gang/shares/quota.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gang {

/// Limits that somebody waits for, in one pass over those who wait. Those at a queue hold for who is
/// in it, or in one below it.
struct AwaitedQuota {
    struct Wait {
        QuotaShortages shortages;
        std::string user;
    };
    std::map<QueueIndex, std::vector<Wait>> by_queue;
};

struct QuotaAnswer {
    ReasonCode code = ReasonCode::none;  ///< none: it may be admitted
    QuotaShortages shortages;            ///< its own; none of one that waits behind others
};

class QuotaGate {
public:
    explicit QuotaGate(Model& model) : model_(model) {}

    bool is_active() const { return model_.shares.is_active(); }
    /// Of which shares are parts.
    const Amounts& totals() { return totals_.of(model_); }

    /// Where it stands, and whose limits it uses.
    void place(const Application& app, EquivalenceKey& key) const;
    /// Its queue lets nobody in. An executor beyond its gang's slots belongs to a gang that runs.
    bool is_stopped(const Application& app) const;
    /// Of one that is classified, in its turn.
    QuotaAnswer ask(const QueueEntry& entry, const AwaitedQuota& awaited) const;
    /// Its limits, as they are now.
    QuotaShortages find_shortages(const QueueEntry& entry) const;
    /// Neither these nor a quota of its namespace stands against one that is classified.
    bool keeps_to_quotas(const Application& app) const;
    /// Those behind one of it that waits for a limit wait as well: it is by creation, or overdue.
    bool keeps_order(const EquivalenceKey& key) const;
    /// It waits for these: those behind it who use them wait as well.
    void await(
        const EquivalenceKey& key, const QuotaShortages& shortages, AwaitedQuota& awaited) const;
    /// Whether all of a class wait behind others who are awaiting quota, of this size or larger.
    bool holds_up(
        const EquivalenceKey& key, std::int64_t size, const AwaitedQuota& awaited) const;
    /// It waits, and somebody whom nobody passes waits for nodes that it could use, or for a limit
    /// of which it would use something; of two of those the one that is overdue for longer.
    bool passes_overdue(const Application& app) const;

private:
    QuotaDemand demand_of(const QueueEntry& entry) const;
    Amounts amounts_of(const EquivalenceKey& key, std::int64_t size) const;
    bool passes(const QueueEntry& entry, const QueueEntry& overdue) const;
    bool is_behind(
        const EquivalenceKey& key, const QuotaDemand& demand, const AwaitedQuota& awaited) const;

    Model& model_;
    ClusterTotals totals_;
};

}  // namespace gang
