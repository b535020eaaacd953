#include "gang/sim/checkers/quiescence_checker.hpp"

#include "gang/explain.hpp"
#include "gang/sim/base/shown_digest.hpp"
#include "gang/sim/checkers/decisions/lease_checker.hpp"
#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace gang::sim {
namespace {
constexpr std::int64_t leak_ms_max = 60'000;
}  // namespace

void QuiescenceChecker::process_started(std::uint32_t replica) {
    if (replica >= versions_.size()) {
        versions_.resize(replica + 1);
    }
    versions_[replica].clear();
}

void QuiescenceChecker::lease_was_touched() {
    two_may_lead_until_ms_ = world_.now_ms + lease_doubtful_ms;
}

/// Within one life no object goes back to an earlier state.
void QuiescenceChecker::event_applied(std::uint32_t replica, const Event& event) {
    const core::Pod* pod = nullptr;
    if (const auto* upserted = std::get_if<PodUpserted>(&event)) {
        pod = &upserted->pod;
    }
    if (pod == nullptr) {
        return;
    }
    const PodId id = number_of(pod->uid);
    auto& versions = versions_[replica];
    if (id >= versions.size()) {
        versions.resize(id + 1);
    }
    const std::uint64_t version = std::stoull(pod->resource_version);
    if (version < versions[id]) {
        world_.checkers.violated(
            "monotone-view",
            fmt::format(
                "r{} was shown {} at {} after {}",
                replica,
                full_name(*pod),
                version,
                versions[id]));
    }
    versions[id] = version;
}

void QuiescenceChecker::check_view(std::uint32_t replica, const Process& process) {
    for (const auto& pod : world_.store.pods) {
        if (!pod) {
            continue;
        }
        core::Pod listed = *pod;
        world_.cluster.seal.open(listed);
        const auto drift = process.scheduler.compare(listed);
        // An edit that is the first text shown after our write is found by the consistency check,
        // which is not simulated: the watch alone cannot tell it from a late state. So is what
        // another leader of the same moment writes.
        const ApplicationId application = world_.cluster.applications.find(number_of(pod->uid));
        const GroupId group = world_.cluster.group_jobs.find(number_of(pod->uid));
        const bool may_be_edited =
            (group != nobody && world_.cluster.group_jobs.at(group).was_tampered) ||
            (application != nobody && world_.cluster.applications.at(application).was_tampered) ||
            world_.now_ms < two_may_lead_until_ms_;
        const bool is_edit =
            drift && drift->kind == DriftKind::reservation_differs && may_be_edited;
        if (drift && !is_edit) {
            world_.checkers.violated(
                "convergence",
                fmt::format(
                    "r{}: {} {}: {}", replica, drift->name, describe(drift->kind), drift->detail));
        }
    }
    for (const auto& node : world_.store.nodes) {
        if (!node) {
            continue;
        }
        if (const auto drift = process.scheduler.compare(*node)) {
            world_.checkers.violated(
                "convergence",
                fmt::format(
                    "r{}: {} {}: {}", replica, drift->name, describe(drift->kind), drift->detail));
        }
    }
    process.scheduler.for_each_pod([&](std::string_view uid, std::string_view name) {
        if (world_.store.find_pod(number_of(std::string(uid))) == nullptr) {
            world_.checkers.violated(
                "convergence", fmt::format("r{} knows {} {}, which is gone", replica, uid, name));
        }
    });
}

/// The room that is held on each node is that of the slots which the reservations name. A write
/// that was refused is repeated after a while, so only what stays different is a leak. What others
/// were evicted for is held for as long as somebody waits for it.
void QuiescenceChecker::check_ledger(std::uint32_t replica, const Process& process) {
    std::string difference;
    for (const auto& [driver, gang] : world_.checkers.capacity_model().gangs().all()) {
        if ((gang.is_void || gang.is_forsaken) && gang.is_live) {
            return;  // what a tenant has made of it is his affair
        }
    }
    const std::vector<GangView> gangs =
        world_.plan.has_queues ? process.scheduler.gangs() : std::vector<GangView>();
    const bool is_held_for_one = std::any_of(gangs.begin(), gangs.end(), [](const GangView& gang) {
        return gang.code == ReasonCode::waiting_for_preemption;
    });
    for (const NodeLedger& node : process.scheduler.ledger()) {
        if (!node.adds_up) {
            world_.checkers.violated(
                "ledger", fmt::format("r{}: {} does not add up", replica, node.name));
        }
        const Amount open = world_.checkers.capacity_model().nodes().open_on(number_of(node.name));
        std::int64_t held_milli = node.held.cpu_milli;
        for (const HeldUnit& unit : node.units) {  // new nodes are kept for who was asked for
            const bool is_bought =
                world_.plan.has_autoscaler && unit.state == HeldUnit::State::nominated;
            held_milli -= is_bought ? unit.requests.cpu_milli : 0;
        }
        const bool is_less = held_milli < open.cpu_milli;
        if (node.is_present && (is_held_for_one ? is_less : held_milli != open.cpu_milli)) {
            difference = fmt::format(
                "r{} holds {}m on {}, the reservations say {}m",
                replica,
                held_milli,
                node.name,
                open.cpu_milli);
        }
    }
    if (difference != leak_) {
        leak_ = difference;
        leaks_since_ms_ = world_.now_ms;
    } else if (!leak_.empty() && world_.now_ms - leaks_since_ms_ > leak_ms_max) {
        world_.checkers.violated("no-leak", leak_);
    }
}

void QuiescenceChecker::check_accounts(std::uint32_t replica, const Process& process) {
    for (const core::Account& account : process.scheduler.accounts()) {
        if (!account.adds_up()) {
            world_.checkers.violated(
                "accounts",
                fmt::format(
                    "r{}: {}: {} held, {} owned",
                    replica,
                    account.what,
                    account.held,
                    account.owned));
        }
    }
}

void QuiescenceChecker::inspect() {
    const auto& pods = world_.store.pod_log;
    const auto& nodes = world_.store.node_log;
    for (std::uint32_t i = 0; i < world_.replicas.size(); ++i) {
        const Replica& replica = world_.replicas[i];
        if (world_.plan.has_autoscaler && replica.is_running()) {
            world_.checker_suite.demand.look(i, replica.process());
        }
        if (!replica.is_running() || !replica.process().is_quiescent()) {
            continue;
        }
        const Process& process = replica.process();
        const bool has_seen_all = process.seen().pods() >= pods.newest_revision() &&
                                  process.seen().nodes() >= nodes.newest_revision();
        if (!has_seen_all) {
            continue;
        }
        ++world_.record.counts.quiescent;
        check_view(i, process);
        check_accounts(i, process);
        world_.record.digest.add(digest_of_shown(
            process.scheduler, process.time.unix_ms(), world_.record.counts.quiescent));
        const bool is_settled =
            process.is_leading() && world_.now_ms - process.leads_since_ms() > 60'000;
        if (is_settled) {
            check_ledger(i, process);
            if (world_.plan.has_quotas) {
                world_.checker_suite.quotas.inspect(i, process);
            }
            if (world_.plan.has_autoscaler) {
                world_.checker_suite.demand.inspect(i, process);
            }
            world_.checker_suite.groups.inspect(process);
            world_.checker_suite.decisions.rules().inspect(i, process);
        }
    }
}

}  // namespace gang::sim
