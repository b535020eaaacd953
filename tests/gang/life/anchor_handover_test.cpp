// The part that hands a group's reservation over, alone: to whom, and what goes with it.

#include "gang/life/anchor_handover.hpp"

#include "gang/reservation/format/reservation.hpp"
#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using gang::Application;
using gang::PodEntry;
using gang::SlotState;
using tests::Known;

namespace {

/// A group's gang on n1: its anchor a, and slots of 1 cpu with b, c and d, who came in this order.
struct Handover {
    explicit Handover(std::int64_t cpu = 8) {
        known.add_node("n1", cpu);
        known.add_node("n2", 1);
        PodEntry& entry = add_member("a", 10);
        Application& app = known.model.gangs.ensure(entry, true);
        app.phase = gang::Phase::running;
        app.published.reserved = true;
        app.published.is_shown = true;
        app.published.generation = app.published.stored = app.published.first_generation = 1;
        app.health.driver_runs = true;
        const core::Pod like = tests::pod("like", 1000, 1024);
        known.model.shapes.add(app, {0, 3, 0, {}, true}, like.requests, like.constraints);
        known.model.shapes.set_driver(app, entry.pod);
        known.model.ledger.pod_allocations().settle(entry);
        known.model.ledger.add_open(app, 0, *known.model.cluster.nodes().find("n1"), 3);
        known.model.groups.find(entry.group.str())->anchor = "a";
        std::size_t slot = 0;
        for (const char* name : {"d", "b", "c"}) {
            PodEntry& member = add_member(name, 20 + name[0] - 'b');
            known.model.pods.owners().join(member, "a");
            known.model.ledger.assign(app, slot++, member);
        }
        gang = &app;
    }

    PodEntry& add_member(const std::string& name, std::int64_t created) {
        core::Pod made = tests::pod(name, 1000, 1024);
        made.created = created;
        made.node_name = "n1";
        made.phase = core::PodPhase::running;
        PodEntry& entry = known.add(std::move(made));
        gang::GroupMembership group;
        group.name = "g";
        entry.group = known.model.texts.keep(gang::PodGroups::key_of(entry.pod, group));
        known.model.groups.join(entry, group);
        return entry;
    }
    /// The anchor ends so; who has all it had, nullptr: nobody.
    Application* hand_over(core::PodPhase phase = core::PodPhase::failed) {
        PodEntry& anchor = known.model.pods.at("a");
        anchor.pod.phase = phase;
        known.model.ledger.pod_allocations().settle(anchor);
        handover.hand_over(*gang);
        for (const char* name : {"b", "c", "d"}) {
            if (Application* app = known.model.gangs.find(name)) return app;
        }
        return nullptr;
    }

    Known known;
    gang::Declarations declarations{known.model, known.step};
    gang::Publisher publisher{known.model, known.step, known.reporter};
    gang::ExecutorOwners owners{known.model};
    gang::PodCompaction compaction{known.model, declarations, owners};
    gang::StuckDrivers stuck{known.model, known.step, known.reporter, publisher};
    gang::AnchorHandover handover{known.model, publisher, compaction, stuck};
    Application* gang = nullptr;
};

}  // namespace

TEST_CASE("anchor handover: the oldest of those that run bears what the anchor bore") {
    Handover parts;
    parts.gang->priority = 7;
    parts.gang->bound_ms = 5;
    parts.gang->waiting_since_ms = 3;
    parts.gang->milestones.make().admitted_ms = 4;
    Application* const heir = parts.hand_over();
    REQUIRE(heir != nullptr);
    CHECK(heir->uid == "b");
    CHECK(heir->is_driver);
    CHECK(heir->phase == gang::Phase::running);
    CHECK(heir->priority == 7);
    CHECK(heir->bound_ms == 5);
    CHECK(heir->waiting_since_ms == 3);
    CHECK(heir->milestones->admitted_ms == 4);
    CHECK(heir->published.reserved);
    CHECK(heir->published.generation == 2);
    CHECK(heir->published.annotation.empty());
    CHECK_FALSE(heir->published.is_shown);
    CHECK(heir->gang_uid() == "a");
    CHECK(heir->health.driver_runs);
    CHECK(parts.stuck.remembered() == 0);
    CHECK(heir->slots.size() == 3);  // two members, and the anchor's place
    CHECK(heir->count(SlotState::bound) == 2);
    CHECK(heir->count(SlotState::open) == 1);
    CHECK(parts.gang->slots.empty());
    CHECK(parts.known.model.groups.find(heir->group.str())->anchor == "b");
    CHECK(parts.known.model.worklist.dirty_gangs.contains("b"));
    CHECK(parts.known.model.worklist.to_check.contains("b"));
    CHECK(parts.known.model.worklist.to_publish.contains("b"));
    for (const gang::Slot& slot : heir->slots) {
        CHECK(slot.since == heir->since(2));
    }
    CHECK(parts.known.model.pods.owners().sorted_members_of("a").empty());
    CHECK(parts.known.model.pods.owners().sorted_members_of("b").size() == 2);
    REQUIRE(heir->declared.shapes.size() == 1);
    CHECK(heir->declared.shapes.front().count == 3);  // one less, and the anchor's
    REQUIRE(heir->declared.driver_shape);
    CHECK(parts.known.model.cluster.resources(*heir->declared.driver_shape).cpu_milli == 1000);
}

TEST_CASE("anchor handover: nobody gets it who is asked to go, on the way out, or not there yet") {
    Handover parts;
    gang::Model& model = parts.known.model;
    SUBCASE("asked to go") {
        model.evicting.insert("b");
        Application* const heir = parts.hand_over();
        REQUIRE(heir != nullptr);
        CHECK(heir->uid == "c");
    }
    SUBCASE("on its way out") {
        PodEntry& entry = model.pods.at("b");
        entry.pod.deleting = true;
        model.ledger.assign(*parts.gang, static_cast<std::size_t>(entry.slot), entry);
        Application* const heir = parts.hand_over();
        REQUIRE(heir != nullptr);
        CHECK(heir->uid == "c");
    }
    SUBCASE("its bind is on its way") {
        PodEntry& entry = model.pods.at("b");
        entry.bind_in_flight = true;
        model.ledger.assign(*parts.gang, static_cast<std::size_t>(entry.slot), entry);
        Application* const heir = parts.hand_over();
        REQUIRE(heir != nullptr);
        CHECK(heir->uid == "c");
    }
    SUBCASE("nobody is left") {
        for (const char* name : {"b", "c", "d"}) model.evicting.insert(name);
        CHECK(parts.hand_over() == nullptr);
        CHECK(parts.gang->slots.size() == 3);
    }
}

TEST_CASE("anchor handover: of a gang that has nothing to hand over, or may not, all stays where it is") {
    Handover parts;
    SUBCASE("no group's") {
        parts.gang->group = {};
    }
    SUBCASE("its bind is on its way") {
        parts.gang->phase = gang::Phase::assumed;
    }
    SUBCASE("without a reservation") {
        parts.gang->published.reserved = false;
    }
    SUBCASE("that nobody vouches for") {
        parts.gang->published.is_unproven = true;
    }
    SUBCASE("not read yet") {
        parts.known.model.worklist.to_adopt.insert(parts.gang->rank());
    }
    SUBCASE("asked to go") {
        parts.known.model.evicting.insert("a");
    }
    CHECK(parts.hand_over() == nullptr);
    CHECK(parts.gang->slots.size() == 3);
}

TEST_CASE("anchor handover: an anchor of another size has a slot of its own kind kept") {
    Handover parts;
    PodEntry& anchor = parts.known.model.pods.at("a");
    SUBCASE("of another profile") {
        anchor.profile = 1;
    }
    SUBCASE("of another size") {
        anchor.pod.requests.cpu_milli = 500;
        parts.known.model.shapes.set_driver(*parts.gang, anchor.pod);
    }
    const std::int32_t profile = anchor.profile;
    const core::Resources requests = anchor.pod.requests;
    Application* const heir = parts.hand_over();
    REQUIRE(heir != nullptr);
    REQUIRE(heir->declared.shapes.size() == 2);
    CHECK(heir->declared.shapes[0].count == 2);
    const gang::GangShape& own = heir->declared.shapes[1];
    CHECK(own.profile == profile);
    CHECK(own.count == 1);
    CHECK(own.max == -1);
    CHECK(own.learned);
    CHECK(own.min == gang::all_slots);
    CHECK(parts.known.model.cluster.resources(own.id) == requests);
    REQUIRE(heir->slots.size() == 3);
    CHECK(heir->slots[2].shape == 1);
    CHECK(heir->slots[2].state == SlotState::open);
    CHECK(heir->slots[2].node == "n1");
}

TEST_CASE("anchor handover: no slot is kept that a text has no place for") {
    for (const std::size_t kinds : {gang::reservation_shapes_max - 1, gang::reservation_shapes_max}) {
        Handover parts;
        const core::Pod like = tests::pod("like", 700, 1024);
        while (parts.gang->declared.shapes.size() < kinds) {
            const auto profile = static_cast<std::int32_t>(parts.gang->declared.shapes.size()) + 10;
            parts.known.model.shapes.add(*parts.gang, {profile, 0, 0, {}, true}, like.requests, like.constraints);
        }
        parts.known.model.pods.at("a").profile = 5;
        Application* const heir = parts.hand_over();
        REQUIRE(heir != nullptr);
        CHECK(heir->declared.shapes.size() == gang::reservation_shapes_max);
        CHECK(heir->slots.size() == (kinds == gang::reservation_shapes_max ? 2 : 3));
    }
}

TEST_CASE("anchor handover: who has done its work needs no place, unless another waits for one") {
    Handover parts;
    SUBCASE("nobody waits") {
        Application* const heir = parts.hand_over(core::PodPhase::succeeded);
        REQUIRE(heir != nullptr);
        CHECK(heir->slots.size() == 2);
        CHECK(heir->declared.shapes.front().count == 2);
    }
    SUBCASE("one waits") {
        PodEntry& waiting = parts.add_member("e", 90);
        waiting.pod.node_name.clear();
        parts.gang->pending.make().insert(waiting.rank());
        Application* const heir = parts.hand_over(core::PodPhase::succeeded);
        REQUIRE(heir != nullptr);
        CHECK(heir->slots.size() == 3);
        CHECK(heir->pending->size() == 1);
        CHECK(parts.gang->pending->empty());
    }
}

TEST_CASE("anchor handover: a place for which there is no room waits for some") {
    Handover parts(4);
    // Somebody else was faster.
    core::Pod other = tests::pod("other", 1000, 1024);
    other.node_name = "n1";
    parts.known.model.pods.at("a").pod.phase = core::PodPhase::failed;
    parts.known.model.ledger.pod_allocations().settle(parts.known.model.pods.at("a"));
    PodEntry& entry = parts.known.add(std::move(other));
    parts.known.model.ledger.pod_allocations().settle(entry);
    Application* const heir = parts.hand_over();
    REQUIRE(heir != nullptr);
    CHECK(heir->count(SlotState::unplaced) == 1);
    CHECK(heir->slots.back().node == "n1");
    CHECK(parts.known.model.worklist.degraded.contains(heir->rank()));
}

TEST_CASE("anchor handover: an heir that does not run yet is expected to") {
    Handover parts;
    parts.gang->health.driver_runs = false;
    SUBCASE("it runs") {
        CHECK(parts.hand_over()->health.driver_runs);
        CHECK(parts.stuck.remembered() == 0);
    }
    SUBCASE("it does not") {
        parts.known.model.pods.at("b").pod.phase = core::PodPhase::pending;
        CHECK_FALSE(parts.hand_over()->health.driver_runs);
        CHECK(parts.stuck.remembered() == 1);
    }
}

TEST_CASE("anchor handover: slots of members that have done their work are given up under the heir's name") {
    Handover parts;
    // b sits in the middle, in slot 1.
    parts.known.model.worklist.done_slots = {{"a", 0}, {"a", 1}, {"z", 1}, {"a", 2}, {"z", 2}};
    REQUIRE(parts.hand_over() != nullptr);
    using Done = std::vector<std::pair<std::string, std::size_t>>;
    CHECK(parts.known.model.worklist.done_slots == Done{{"b", 0}, {"z", 1}, {"b", 1}, {"z", 2}});
}

TEST_CASE("anchor handover: who was to go for another gang goes under the heir's name") {
    Handover parts;
    gang::Nomination nomination;
    nomination.victims.resize(2);
    nomination.victims[0].uid = "a";
    nomination.victims[1].uid = "x";
    parts.known.model.nominations.add("other", nomination);
    REQUIRE(parts.hand_over() != nullptr);
    const gang::Nomination* const after = parts.known.model.nominations.find("other");
    REQUIRE(after != nullptr);
    CHECK(after->victims[0].uid == "b");
    CHECK(after->victims[1].uid == "x");
}
