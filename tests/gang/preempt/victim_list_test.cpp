// Who may be evicted for one gang, and in which order, of what runs drawn by chance: gangs whole, in part and on their way out,
// pods alone, what is left of groups; in queues that may, and may not.
#include "gang/preempt/victim_list.hpp"

#include "tests/gang/parts.hpp"
#include "tests/gang/preempt/evicting.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using gang::Application;
using gang::Evictable;
using gang::PodEntry;
using gang::Victim;
using tests::Known;
using tests::Walk;

namespace {

constexpr std::int64_t list_now_ms = 5'000'000;

config::Schema list_queues(Walk& walk) {
    config::Queue etl = tests::by_priority("etl");
    etl.guarantee = {{"cpu", static_cast<std::int64_t>(walk.pick(3)) * 8'000}};
    config::Queue above = tests::queue("ml");
    above.preemption.is_reclaimable = walk.pick(4) != 0;
    config::Queue ml = tests::queue("ml.a");
    ml.guarantee = {{"cpu", static_cast<std::int64_t>(walk.pick(4)) * 2'000}, {"memory", static_cast<std::int64_t>(walk.pick(2))}};
    ml.weight = 2;
    config::Queue other = tests::queue("ml.b");
    if (walk.pick(3) == 0) other.guarantee = {{"nvidia.com/gpu", 4}};
    config::Queue closed = tests::queue("bi");
    config::Schema schema = tests::schema_of({etl, above, ml, other, closed});
    schema.preemption.across_queues = walk.pick(3) == 0;
    return schema;
}

/// What runs, and who waits.
struct Listed {
    explicit Listed(Walk& chance) : walk(chance), known(list_queues(chance)) {
        known.step.now_ms = list_now_ms;
        for (const char* name : {"n1", "n2"}) known.add_node(name, 64);
        totals.add(core::Resources{128'000, 128 * tests::mebibyte * 1'024, 0, {}}, 1);
    }

    gang::QueueIndex some_queue() {
        static const std::vector<std::string> names = {"root.etl", "root.ml.a", "root.ml.a", "root.ml.b", "root.bi"};
        return known.model.shares.tree.find(walk.of(names));
    }
    std::string some_node() { return walk.pick(2) == 0 ? "n1" : "n2"; }
    std::int64_t some_created() { return 1'000 + static_cast<std::int64_t>(walk.pick(3)) * 1'000; }
    std::int32_t some_priority() {
        constexpr std::int32_t priorities[] = {0, 0, 0, 5, 5, 5, 9, 9, 10, 2'000'000'000, 1'999'999'999};
        return walk.of(priorities);
    }
    void perhaps_apart(const std::string& uid) {
        if (walk.pick(12) == 0) spared[uid] = list_now_ms + static_cast<std::int64_t>(walk.pick(3)) - 1;
        if (walk.pick(13) == 0) {
            gang::Nomination other;
            other.victims.push_back({uid});
            known.model.nominations.add("for-" + uid, std::move(other));
        }
    }
    void settle(PodEntry& entry) { known.model.ledger.pod_allocations().settle(entry); }

    void add_executors(Application& app) {
        for (std::size_t i = 0; i < app.slots.size(); ++i) {
            if (walk.pick(3) == 0) continue;
            PodEntry& one = known.add_executor(app.uid + "-e" + std::to_string(i), app, app.slots[i].node);
            one.pod.created = some_created();
            if (walk.pick(6) == 0) one.pod.requests.cpu_milli = walk.pick(2) == 0 ? 999 : 1'500;
            one.pod.deleting = walk.pick(5) == 0;
            known.model.ledger.assign(app, i, one);
            perhaps_apart(one.pod.uid);
        }
        for (std::size_t i = walk.pick(3); i > 0; --i) {
            PodEntry& one = known.add_executor(app.uid + "-x" + std::to_string(i), app, walk.pick(6) == 0 ? "" : some_node());
            one.pod.deleting = walk.pick(6) == 0;
            one.bind_in_flight = walk.pick(8) == 0;
            settle(one);
            perhaps_apart(one.pod.uid);
        }
    }

    void add_some_gang(const std::string& name) {
        Application& app = known.add_gang(name, some_node(), static_cast<int>(walk.pick(5)));
        known.model.shares.charges.assign(name, {some_queue(), "etl/default"});
        app.priority = some_priority();
        app.created = some_created();
        app.bound_ms = list_now_ms - static_cast<std::int64_t>(walk.pick(3)) * 1'000 + (walk.pick(5) == 0 ? 500 : 0);
        if (walk.pick(3) != 0) app.declared.shapes[0].min = static_cast<std::int32_t>(walk.pick(3));
        if (walk.pick(12) == 0) app.namespace_name = known.model.texts.keep("kube-system");
        if (walk.pick(10) == 0) app.published.reserved = false;
        add_executors(app);
        if (walk.pick(6) == 0) {
            known.model.ledger.releases().hold(app, some_node(), core::Resources{1'000, 0, 0, {}}, 9);
        }
        PodEntry& driver = known.model.pods.at(name);
        if (walk.pick(6) == 0) {
            gang::GroupMembership membership;
            membership.name = name + "-group";
            membership.minimum = 1;
            driver.group = known.model.texts.keep(membership.name);
            app.group = driver.group;
            known.model.groups.join(driver, membership);
            known.model.groups.find(membership.name)->anchor = name;
            if (walk.pick(2) == 0) known.model.groups.find(membership.name)->object->goes_whole = true;
        }
        if (walk.pick(9) == 0) {
            driver.assumed_node = known.model.texts.keep(driver.pod.node_name);
            driver.pod.node_name.clear();
        }
        if (walk.pick(12) == 0) driver.pod.scheduler_name = "of-nobody";
        if (walk.pick(7) == 0) app.phase = gang::Phase::ended;
        if (app.phase == gang::Phase::ended || walk.pick(20) == 0) driver.pod.deleting = walk.pick(2) == 0;
        if (walk.pick(12) == 0) evictions.lost_driver(name, "another", gang::EvictReason::preempt);
        perhaps_apart(name);
    }

    core::Pod some_pod(const std::string& name) {
        core::Pod pod = tests::pod(name, 1'000, 100);
        pod.node_name = some_node();
        pod.created = some_created();
        pod.priority = some_priority();
        pod.deleting = walk.pick(8) == 0;
        if (walk.pick(12) == 0) pod.namespace_name = "kube-system";
        if (walk.pick(12) == 0) pod.phase = core::PodPhase::succeeded;
        return pod;
    }

    void add_some_pod(const std::string& name) {
        PodEntry& entry = known.add(some_pod(name));
        if (walk.pick(4) == 0) join(entry, name + "-group", static_cast<std::int64_t>(walk.pick(3)));
        settle(entry);
        known.model.shares.charges.assign(name, {some_queue(), "etl/default"});
        perhaps_apart(name);
    }

    void join(PodEntry& entry, const std::string& group, std::int64_t minimum) {
        gang::GroupMembership membership;
        membership.name = group;
        membership.minimum = minimum;
        entry.group = known.model.texts.keep(group);
        known.model.groups.join(entry, membership);
        if (walk.pick(8) == 0) known.model.groups.find(group)->object->goes_whole = true;
        if (walk.pick(8) == 0) known.model.groups.find(group)->object->problem = "odd";
        if (walk.pick(12) == 0) known.model.groups.find(group)->object.reset();
    }

    /// Of a group whose first pod has gone.
    void add_some_rest(const std::string& group) {
        const gang::QueueIndex queue = some_queue();
        const std::size_t members = walk.pick(3) + 1;
        const bool is_of_anchor = walk.pick(2) == 0;
        for (std::size_t i = 0; i < members; ++i) {
            const std::string name = group + "-" + std::to_string(i);
            core::Pod pod = some_pod(name);
            if (walk.pick(3) != 0) pod.priority = 5;
            PodEntry& entry = known.add(std::move(pod));
            join(entry, group, 3);
            if (is_of_anchor) entry.owner = known.model.texts.keep("gone-" + group);
            if (walk.pick(8) == 0) {
                entry.assumed_node = known.model.texts.keep(entry.pod.node_name);
                entry.pod.node_name.clear();
            }
            settle(entry);
            if (!is_of_anchor) known.model.shares.charges.assign(name, {queue, "etl/default"});
            perhaps_apart(name);
        }
        if (is_of_anchor) known.model.shares.charges.assign("gone-" + group, {queue, "etl/default"});
        if (walk.pick(8) == 0) evictions.lost_driver("gone-" + group, "another", gang::EvictReason::preempt);
        if (walk.pick(3) == 0) known.model.groups.find(group)->anchor = "waits";
    }

    /// Who is this for.
    Application& add_preemptor() {
        core::Pod pod = tests::driver("waits");
        PodEntry& entry = known.add(std::move(pod));
        Application& app = known.model.gangs.ensure(entry, true);
        app.priority = walk.pick(6) == 0 ? 2'100'000'000 : 10;
        known.model.shares.charges.assign(
            "waits", {walk.pick(3) == 0 ? some_queue() : known.model.shares.tree.find("root.etl"), "etl/default"});
        return app;
    }

    Walk& walk;
    Known known;
    gang::Evictions evictions{known.model, known.step, known.reporter};
    std::map<std::string, std::int64_t> spared;
    gang::Amounts totals;
};

std::string list_line(const Evictable& one, const gang::QueueTree& tree) {
    constexpr const char* kinds[] = {"executor", "slot", "soft", "pod", "gang"};
    constexpr const char* steps[] = {"beyond", "open", "soft", "whole"};
    std::string text = std::string("  ") + one.victim.uid + " " + kinds[static_cast<std::size_t>(one.victim.kind)] + " " +
                       steps[static_cast<std::size_t>(one.step)] +
                       (one.victim.reason == gang::EvictReason::reclaim ? " reclaim " : " preempt ") +
                       tree.name(one.queue) + " p" + std::to_string(one.priority) + " share " +
                       std::to_string(gang::millionths(one.share)) + " lost " + std::to_string(one.work_lost) + " c" +
                       std::to_string(one.created) + " cpu " + std::to_string(gang::to_int64(one.amounts.cpu_milli)) +
                       " room " + std::to_string(one.room.size()) + " pods " + std::to_string(one.pods);
    if (one.victim.kind == Victim::Kind::open_slot) text += " on " + std::to_string(one.victim.node.value);
    for (const std::string& other : one.others) text += " +" + other;
    return text + "\n";
}

}  // namespace

TEST_CASE("victim list: who may go for one that waits, in the order in which they go") {
    Walk walk(11);
    std::string told;
    for (int story = 0; story < 240; ++story) {
        Listed listed(walk);
        Application& preemptor = listed.add_preemptor();
        for (std::size_t i = walk.pick(4) + 2; i > 0; --i) listed.add_some_gang("g" + std::to_string(i));
        for (std::size_t i = walk.pick(5) + 1; i > 0; --i) listed.add_some_pod("p" + std::to_string(i));
        for (std::size_t i = walk.pick(3); i > 0; --i) listed.add_some_rest("r" + std::to_string(i));
        if (walk.pick(4) == 0) {
            listed.spared.clear();
            listed.known.model.nominations.all().clear();
        }
        gang::Amounts wanted;
        wanted.add(core::Resources{static_cast<std::int64_t>(walk.pick(4)) * 4'000, 0, 0, {}}, 1);
        gang::VictimList list(listed.known.model, listed.totals, listed.evictions, listed.spared, list_now_ms);
        const std::vector<Evictable> all = list.find(preemptor, wanted);
        told += std::string("story") + (list.has_rights() ? "" : " without rights") + ", " +
                std::to_string(list.ending().size()) + " end\n";
        std::set<std::string> nominated;
        for (const auto& [gang, nomination] : listed.known.model.nominations.all()) {
            nominated.insert(nomination.victims.front().uid);
        }
        for (const Evictable& one : all) {
            told += list_line(one, listed.known.model.shares.tree);
            const auto until = listed.spared.find(one.victim.uid);
            const bool is_slot = one.victim.kind == Victim::Kind::open_slot;
            CHECK((is_slot || until == listed.spared.end() || until->second <= list_now_ms));
            CHECK_FALSE(nominated.contains(one.victim.uid));
            CHECK(one.priority < gang::critical_priority);
        }
    }
    tests::check_transcript("gang/preempt/transcripts/victims", told);
}

TEST_CASE("victim list: slots beyond the minimum, by shape: the last of those that are open, then the newest executors") {
    Walk walk(12);
    std::string told;
    for (int story = 0; story < 300; ++story) {
        Known known;
        known.add_node("n1", 64);
        Application& app = known.add_gang("g", "n1", static_cast<int>(walk.pick(4)));
        const core::Pod like = tests::pod("like", 2'000, 100);
        const bool has_two = walk.pick(2) == 0;
        if (has_two) {
            known.model.shapes.add(app, {1, 3, 0, {}, false}, like.requests, like.constraints);
            known.model.ledger.add_open(app, 1, *known.model.cluster.nodes().find("n1"), static_cast<std::int64_t>(walk.pick(4)));
        }
        for (gang::GangShape& shape : app.declared.shapes) {
            if (walk.pick(6) != 0) shape.min = static_cast<std::int32_t>(walk.pick(4));
        }
        app.published.reserved = walk.pick(10) != 0;
        told += app.published.reserved ? "slots" : "unreserved";
        for (std::size_t i = 0; i < app.slots.size(); ++i) {
            told += " " + std::to_string(app.slots[i].shape);
            if (walk.pick(8) == 0) {
                known.model.ledger.unplace(app, app.slots[i]);
                told += "-";
            } else if (walk.pick(3) != 0) {
                PodEntry& one = known.add_executor("e" + std::to_string(i), app, "n1");
                one.pod.created = 1'000 + static_cast<std::int64_t>(walk.pick(3));
                one.pod.deleting = walk.pick(4) == 0;
                one.bind_in_flight = walk.pick(8) == 0;
                known.model.ledger.assign(app, i, one);
                told += (one.bind_in_flight ? "b" : one.pod.deleting ? "d" : "e") + std::to_string(one.pod.created % 10);
            }
        }
        told += " of";
        for (const gang::GangShape& shape : app.declared.shapes) told += " " + std::to_string(shape.min);
        const gang::SoftSlots soft = gang::soft_slots(app, known.model.pods);
        told += " open";
        for (const std::size_t slot : soft.open) told += " " + std::to_string(slot);
        told += " filled";
        for (const std::size_t slot : soft.filled) told += " " + std::to_string(slot);
        told += "\n";
    }
    tests::check_transcript("gang/preempt/transcripts/soft_slots", told);
}
