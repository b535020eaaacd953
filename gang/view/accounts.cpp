#include "gang/view/accounts.hpp"

#include "core/cluster/allocation/cluster_accounts.hpp"
#include "gang/model/application.hpp"
#include "gang/model/pod/pods.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace gang {
namespace {

std::array<std::uint32_t, slot_state_count> count_slots(const Application& app) {
    std::array<std::uint32_t, slot_state_count> counts = {};
    for (const Slot& slot : app.slots) {
        ++counts[static_cast<std::size_t>(slot.state)];
    }
    return counts;
}

/// What one queue, or one user in it, holds by a count from scratch, and who holds it.
struct CountedQueue {
    Amounts amounts;
    std::set<std::string> holders;
};

}  // namespace

/// Queues and users in them of which a count from scratch finds another usage.
std::uint64_t Accounts::count_wrong_queues() const {
    const Shares& shares = model_.shares;
    if (!shares.is_active()) {
        return 0;
    }
    std::map<std::pair<QueueIndex, std::string>, CountedQueue> counted;
    std::uint64_t wrong = 0;
    const auto charge = [&](const std::string& holder, const core::Resources& amounts) {
        const QueueAccount* const account = shares.charges.find(holder);
        if (account == nullptr) {
            ++wrong;
            return;
        }
        shares.tree.for_each_above(account->queue, [&](QueueIndex queue) {
            std::vector<std::string> users = {""};
            if (shares.tree.at(queue).counts_users()) {
                users.push_back(account->user);
            }
            for (const std::string& user : users) {
                CountedQueue& of = counted[{queue, user}];
                of.amounts.add(amounts, 1);
                of.holders.insert(holder);
            }
        });
    };
    for (const auto& [uid, app] : model_.gangs.all()) {
        for (const Slot& slot : app.slots) {
            charge(app.uid, held_by(model_.cluster, app, slot));
        }
    }
    model_.pods.for_each([&](PodId id) {
        const std::string uid = model_.pods.uid(id);
        const auto allocation = model_.cluster.pods().find(uid);
        const std::string* const holder = shares.charges.holder_of(uid);
        wrong += allocation.has_value() == (holder != nullptr) ? 0 : 1;
        if (allocation && holder != nullptr) {
            charge(*holder, model_.cluster.allocations().resources_of(*allocation));
        }
    });
    for (QueueIndex queue = 0; queue < static_cast<QueueIndex>(shares.tree.size()); ++queue) {
        const CountedQueue& of = counted[{queue, ""}];
        const QueueUsage::Held& held = shares.usage.of(queue);
        wrong +=
            of.amounts == held.amounts && static_cast<std::int64_t>(of.holders.size()) == held.gangs
                ? 0
                : 1;
    }
    for (const auto& [key, of] : counted) {
        const auto& [queue, user] = key;
        if (!user.empty()) {
            const QueueUsage::Held& held = shares.usage.of_user(queue, user);
            wrong += of.amounts == held.amounts ? 0 : 1;
        }
    }
    return wrong;
}

std::vector<core::Account> Accounts::accounts(std::size_t remembered) const {
    std::vector<core::Account> all = core::accounts_of(model_.cluster);
    const std::vector<core::Account> of_pods = model_.pods.accounts();
    all.insert(all.end(), of_pods.begin(), of_pods.end());

    std::uint64_t shapes = 0;
    std::uint64_t allocations = model_.cluster.pods().size();
    std::uint64_t pending_releases = 0;
    std::uint64_t open_milli = 0;
    std::uint64_t unfilled = 0;
    std::uint64_t miscounted = 0;
    std::uint64_t of_ended = 0;
    std::uint64_t empty_pending_releases = 0;
    std::uint64_t assigned = 0;
    std::uint64_t waiting = 0;
    std::uint64_t pending_no_more = 0;
    std::uint64_t unproven = 0;
    std::uint64_t topologies = 0;
    for (const auto& [uid, app] : model_.gangs.all()) {
        shapes += app.declared.shapes.size() + (app.declared.driver_shape ? 1 : 0);
        pending_releases += app.pending_releases->size();
        miscounted += count_slots(app) == app.slots_in ? 0 : 1;
        unfilled += app.count(SlotState::open) > 0 ? 1 : 0;
        of_ended += app.phase == Phase::ended ? app.slots.size() + app.pending_releases->size() : 0;
        empty_pending_releases +=
            app.pending_releases.is_made() && app.pending_releases->empty() ? 1 : 0;
        topologies += app.declared.topology ? 1 : 0;
        unproven += app.published.is_unproven ? 1 : 0;
        waiting += WaitingLine::contains(app) ? 1 : 0;
        for (const Rank& rank : *app.pending) {
            const auto id = model_.pods.find(rank.uid);
            pending_no_more += id && model_.pods[*id].node().empty() ? 0 : 1;
        }
        for (std::size_t i = 0; i < app.slots.size(); ++i) {
            const Slot& slot = app.slots[i];
            const bool has_room = !slot.allocation.is_none();
            allocations += has_room ? 1 : 0;
            if (slot.state == SlotState::open && has_room) {
                const auto cpu = model_.cluster.allocations().resources_of(slot.allocation).cpu_milli;
                open_milli += static_cast<std::uint64_t>(cpu);
            }
            assigned += slot.pod.is_none() ? 0 : 1;
        }
    }
    std::uint64_t in_slots = 0;
    model_.pods.for_each([&](PodId id) { in_slots += model_.pods[id].slot() >= 0 ? 1 : 0; });
    // A tick ends them, of a leader.
    const std::size_t over = model_.term.leads ? step_.timers.count_past(step_.now_ms) : 0;
    const bool is_all_gone = remembered == 0;

    const std::vector<core::Account> of_rules = model_.pod_rules.accounts();
    all.insert(all.end(), of_rules.begin(), of_rules.end());
    all.push_back({"queues whose usage is wrong", count_wrong_queues(), 0});
    all.push_back({"topology keys of gangs", model_.domains.references(), topologies});
    all.push_back({"shapes", model_.cluster.shapes().references(), shapes});
    all.push_back({"charges", model_.cluster.allocations().count(), allocations + pending_releases + model_.nominations.held_count() + model_.bought.held_count()});
    all.push_back({"holds", model_.ledger.releases().size(), pending_releases});
    all.push_back({"holds of nothing", empty_pending_releases, 0});
    const SlotCounts& counts = model_.ledger.counts();
    all.push_back({"open cpu", static_cast<std::uint64_t>(counts.open_milli()), open_milli});
    all.push_back({"gangs with open slots", counts.unfilled().size(), unfilled});
    all.push_back({"gangs with miscounted slots", miscounted, 0});
    all.push_back({"slots and holds of ended gangs", of_ended, 0});
    all.push_back({"pods in slots", in_slots, assigned});
    all.push_back({"gangs whose declaration is wanted", model_.wanted.to_rebuild.size(), unproven});
    all.push_back({"executors that wait on a node, or are gone", pending_no_more, 0});
    all.push_back({"gangs in line", model_.waiting.size(), waiting});
    all.push_back({"texts", model_.texts.size(), is_all_gone ? 0 : model_.texts.size()});
    all.push_back({"timers that are over", over, 0});
    return all;
}

}  // namespace gang
