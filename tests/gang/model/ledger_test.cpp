// Slots and what they hold, by random stories: whatever moves, the room that is taken, the charges and the counts are
// those of the slots.
#include "tests/gang/parts.hpp"
#include "tests/gang/shares/trees.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace {
namespace ledger_walk {

using gang::Slot;
using gang::SlotState;

struct Story {
    explicit Story(std::uint64_t seed)
        : walk(seed), known(tests::with_queues({tests::queue("etl"), tests::queue("ml")})) {
        known.add_node("n1", 16);
        known.add_node("n2", 16);
        gangs = {&known.add_gang("d1", "n1", 2), &known.add_gang("d2", "n2", 1)};
        for (int i = 0; i < 4; ++i) {
            gang::Application& of = *gangs[static_cast<std::size_t>(i % 2)];
            gang::PodEntry& entry = known.add_executor("e" + std::to_string(i), of, i < 2 ? "n1" : "n2");
            entry.pod.requests.cpu_milli = 500 * (i + 1);
            known.model.ledger.pod_allocations().settle(entry);
            uids.push_back(entry.pod.uid);
        }
    }

    gang::Pods& pods() { return known.model.pods; }
    gang::Application& gang_of(std::size_t executor) { return *gangs[executor % 2]; }

    std::vector<std::size_t> slots_of(const gang::Application& app, bool is_filled) const {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < app.slots.size(); ++i) {
            if (app.slots[i].pod.is_none() != is_filled) found.push_back(i);
        }
        return found;
    }
    bool is_in_slot(gang::PodId pod) const {
        for (const gang::Application* app : gangs) {
            for (const Slot& slot : app->slots) {
                if (slot.pod == pod) return true;
            }
        }
        return false;
    }

    std::string move() {
        gang::Ledger& ledger = known.model.ledger;
        const std::size_t which = walk.pick(4);
        gang::Application& app = gang_of(which);
        const gang::PodId pod = pods().id_of(uids[which]);
        const std::string node = walk.pick(2) == 0 ? "n1" : "n2";
        const std::vector<std::size_t> empty = slots_of(app, false);
        const std::vector<std::size_t> filled = slots_of(app, true);
        switch (walk.pick(13)) {
            case 0:
                if (app.slots.size() > 3) return "nothing";
                ledger.add(app, 0, node, 1);
                return app.uid + " gets a slot without room";
            case 1:
                if (app.slots.size() > 3) return "nothing";
                ledger.add_open(app, 0, *known.model.cluster.nodes().find(node), 1);
                return app.uid + " gets a slot on " + node;
            case 2:
                for (const std::size_t slot : empty) {
                    if (app.slots[slot].state != SlotState::unplaced) continue;
                    ledger.open(app, app.slots[slot], node);
                    return app.uid + " opens " + std::to_string(slot) + " on " + node;
                }
                return "nothing";
            case 3:
            case 4:
            case 5: {
                if (empty.empty() || is_in_slot(pod)) return "nothing";
                const std::size_t slot = walk.of(empty);
                if (pods().is_compacted(pod)) {
                    ledger.assign(app, slot, pod);
                    return uids[which] + ", compact, takes " + std::to_string(slot);
                }
                gang::PodEntry& entry = pods().at(pods().uid(pod));
                entry.bind_in_flight = walk.pick(4) == 0;
                entry.pod.deleting = walk.pick(4) == 0;
                entry.pod.node_name = node;
                ledger.pod_allocations().settle(entry);
                ledger.assign(app, slot, entry);
                entry.bind_in_flight = false;
                return uids[which] + " takes " + std::to_string(slot) + " on " + node;
            }
            case 6: {
                if (!is_in_slot(pod)) return "nothing";
                ledger.release(app, pods().is_compacted(pod) ? pods().expand(pod) : pods().at(pods().uid(pod)));
                return uids[which] + " leaves";
            }
            case 7: {
                if (empty.empty()) return "nothing";
                const std::size_t slot = walk.of(empty);
                ledger.unplace(app, app.slots[slot]);
                return app.uid + " has no room for " + std::to_string(slot);
            }
            case 8: {
                if (empty.empty()) return "nothing";
                const std::size_t slot = walk.of(empty);
                ledger.give_up(app, {slot}, 2);
                return app.uid + " gives up " + std::to_string(slot);
            }
            case 9:
                if (walk.pick(3) != 0) {
                    ledger.releases().finish(app, 2);
                    return app.uid + " is written";
                }
                ledger.give_up_unfilled(app, 3);
                return app.uid + " gives up what is empty";
            case 10: {
                if (filled.empty()) return "nothing";
                const std::size_t slot = walk.of(filled);
                ledger.take_out(app, slot);
                return app.uid + " takes out " + std::to_string(slot);
            }
            case 11:
                if (is_in_slot(pod) || app.slots.size() > 3) return "nothing";
                ledger.put_back(app, 0, pod);
                return uids[which] + (pods().is_compacted(pod) ? ", compact," : "") + " is put back";
            default:
                if (walk.pick(3) == 0 && !pods().is_compacted(pod)) {
                    pods().compact(pod);
                    return uids[which] + " is compacted";
                }
                if (walk.pick(5) == 0) {
                    ledger.drop(app);
                    app.published.reserved = true;
                    return app.uid + " drops all";
                }
                return "nothing";
        }
    }

    std::string state() {
        const core::Cluster& cluster = known.model.cluster;
        std::string text;
        for (const char* name : {"n1", "n2"}) {
            const auto at = cluster.nodes().find(name)->value;
            text += " " + std::to_string(cluster.columns().cpu(core::View::free)[at]) + "m/" +
                    std::to_string(cluster.columns().pods(core::View::free)[at]);
        }
        const gang::Shares& shares = known.model.shares;
        text += " held " + std::to_string(cluster.allocations().count()) + " open " +
                std::to_string(known.model.ledger.counts().open_milli()) + "m of " +
                std::to_string(known.model.ledger.counts().unfilled().size()) + " left " +
                std::to_string(known.model.ledger.releases().size());
        for (const gang::Application* app : gangs) {
            text += "\n  " + app->uid + " from " + std::to_string(app->open_from) + ":";
            for (const Slot& slot : app->slots) {
                const char* const states[] = {" open", " assumed", " bound", " draining", " unplaced"};
                text += states[static_cast<std::size_t>(slot.state)] + std::string("@") + slot.node.str();
                if (!slot.pod.is_none()) text += "=" + pods().uid(slot.pod);
                if (!slot.allocation.is_none()) {
                    text += ":" + std::to_string(cluster.allocations().resources_of(slot.allocation).cpu_milli);
                }
            }
            text += " |";
            for (const std::uint32_t count : app->slots_in) text += " " + std::to_string(count);
            const auto* const account = shares.charges.find(app->uid);
            if (account != nullptr) {
                text += " charged " + text_of(shares.usage.of(account->queue));
            }
        }
        text += "\n ";
        for (const std::string& uid : uids) {
            const gang::PodId pod = pods().id_of(uid);
            const std::int32_t slot = pods()[pod].slot();
            text += " " + uid + "@" + pods()[pod].node() + (pods().is_compacted(pod) ? "c" : "") +
                    (slot < 0 ? "" : "#" + std::to_string(slot)) + (cluster.pods().find(uid) ? "!" : "");
        }
        return text + "\n";
    }

    static std::string text_of(const gang::QueueUsage::Held& held) {
        return std::to_string(static_cast<std::int64_t>(held.amounts.cpu_milli)) + " by " + std::to_string(held.gangs);
    }

    tests::Walk walk;
    tests::Known known;
    std::vector<gang::Application*> gangs;
    std::vector<std::string> uids;
};

}  // namespace ledger_walk
}  // namespace

TEST_CASE("transcripts: what slots hold while executors come and go") {
    std::string told;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        ledger_walk::Story story(seed);
        told += "story " + std::to_string(seed) + story.state();
        for (int i = 0; i < 50; ++i) {
            const std::string moved = story.move();
            if (moved == "nothing") continue;
            told += moved + ":";
            told += story.state();
        }
    }
    tests::check_transcript("gang/model/transcripts/ledger", told);
}

TEST_CASE("ledger: all slots of a gang, and the room that some have left, become another's") {
    tests::Known known(tests::with_queues({tests::queue("etl")}));
    known.add_node("n1", 16);
    gang::Application& from = known.add_gang("d1", "n1", 3);
    gang::Application& to = known.add_gang("d2", "n1", 0);
    const std::size_t held = known.model.cluster.allocations().count();
    known.model.ledger.give_up(from, {1}, 2);
    known.model.ledger.hand_over(from, to);
    CHECK(from.slots.empty());
    CHECK(from.count(gang::SlotState::open) == 0);
    CHECK(from.pending_releases->empty());
    CHECK(to.slots.size() == 2);
    CHECK(to.count(gang::SlotState::open) == 2);
    CHECK(to.pending_releases->size() == 1);
    CHECK(known.model.ledger.counts().unfilled() == std::set<gang::Rank>{to.rank()});
    CHECK(known.model.cluster.allocations().count() == held);
    known.model.ledger.releases().finish(to, 2);
    CHECK(known.model.cluster.allocations().count() == held - 1);
}
