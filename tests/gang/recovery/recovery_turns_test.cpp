// In what turns gangs are read back, and what of a gang stands or goes when its text changes.
#include "gang/recovery/recovery.hpp"

#include "gang/classify/executor_owners.hpp"
#include "gang/declare/group_membership.hpp"
#include "gang/model/group/pod_groups.hpp"
#include "gang/reservation/declarations.hpp"
#include "gang/reservation/format/reservation.hpp"
#include "gang/reservation/publisher.hpp"
#include "gang/slots/slot_assigner.hpp"
#include "tests/gang/parts.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

using gang::Application;
using gang::SlotState;

namespace {

struct Turns {
    explicit Turns(config::Schema schema = tests::World::sealed_schema()) : known(std::move(schema)) {
        known.step.now_ms = 77'000;
        known.add_node("n1");
    }

    tests::Known known;
    gang::Declarations declarations{known.model, known.step};
    gang::ExecutorOwners owners{known.model};
    gang::SlotAssigner assigner{known.model};
    gang::Publisher publisher{known.model, known.step, known.reporter};
    gang::Recovery recovery{known.model, known.step, declarations, owners, assigner, publisher};

    static std::string text(
        const std::string& anchor, std::int64_t generation, std::int64_t slots, const std::string& node = "n1") {
        gang::Reservation reservation;
        reservation.generation = generation;
        reservation.epoch = 9;
        reservation.anchor = anchor;
        reservation.queue = "default";
        gang::ReservedShape shape;
        shape.requests = tests::pod("like", 1000, 1408).requests;
        shape.slots_per_node = {{node, slots}};
        reservation.shapes.push_back(shape);
        return gang::encode_reservation(reservation);
    }

    static core::StringMap annotated(const std::string& text) {
        return {{std::string(gang::reservation_annotation), text}};
    }

    Application& run(gang::PodEntry& entry) {
        Application& app = known.model.gangs.ensure(entry, true);
        app.declared.conf_needed = false;
        app.phase = gang::Phase::running;
        known.model.shapes.set_driver(app, entry.pod);
        known.model.ledger.pod_allocations().settle(entry);
        known.model.worklist.to_adopt.insert(app.rank());
        return app;
    }

    Application& add_bound(const std::string& name, const std::string& text, const std::string& node = "n1") {
        core::Pod pod = tests::driver(name);
        pod.node_name = node;
        pod.annotations = annotated(text);
        return run(known.add(pod));
    }

    /// A member of the group g, on n1, that bears this text.
    gang::PodEntry& add_member(const std::string& name, const std::string& text) {
        core::Pod pod = tests::pod(name, 1000, 1408);
        pod.labels = {{"scheduling.x-k8s.io/pod-group", "g"}};
        pod.node_name = "n1";
        if (!text.empty()) pod.annotations = annotated(text);
        gang::PodEntry& entry = known.add(pod);
        gang::GroupMembership membership;
        membership.dialect = core::GroupDialect::coscheduling;
        membership.name = "g";
        key = gang::PodGroups::key_of(entry.pod, membership);
        entry.group = known.model.texts.keep(key);
        known.model.groups.join(entry, membership);
        return entry;
    }

    Application& add_anchor(const std::string& name, const std::string& text) {
        gang::PodEntry& entry = add_member(name, text);
        entry.is_driver = true;
        return run(entry);
    }

    std::string key;  ///< of the group
};

}  // namespace

TEST_CASE("recovery: more gangs than one tick's work are read back in several, in order") {
    Turns turns;
    turns.known.add_node("n2", 4'000);
    // Each costs an attempt and its slots: 1,000 + 3 * 1,000.
    constexpr int gangs = 400;
    for (int i = 0; i < gangs; ++i) {
        const std::string name = "d" + std::to_string(1'000 + i);
        turns.add_bound(name, Turns::text(name, 4, 3, "n2"), "n2");
    }
    CHECK_FALSE(turns.recovery.run());
    CHECK(turns.known.model.worklist.to_adopt.size() == gangs - 375);
    CHECK(turns.known.step.work_left == 0);
    CHECK(turns.known.model.worklist.to_adopt.begin()->uid == "d1375");
    CHECK(turns.recovery.run());
    CHECK(turns.known.model.worklist.to_adopt.empty());
    CHECK(turns.known.step.work_left == 1'500'000 - 25 * 4'000);
    CHECK(turns.known.model.gangs.find("d1399")->slots.size() == 3);
}

TEST_CASE("recovery: what costs more than half a tick leaves nothing else for it") {
    Turns turns;
    turns.known.add_node("n2", 4'000);
    SUBCASE("half of it") {
        turns.add_bound("d1", Turns::text("d1", 4, 749, "n2"));
        CHECK(turns.recovery.run());
        CHECK(turns.known.step.work_left == 750'000);
    }
    SUBCASE("one slot more") {
        turns.add_bound("d1", Turns::text("d1", 4, 750, "n2"));
        CHECK_FALSE(turns.recovery.run());
        CHECK(turns.known.step.work_left == 749'000);
    }
}

TEST_CASE("recovery: one whose own bind is not shown yet is read back when it is, and holds up nobody") {
    Turns turns;
    Application& early = turns.add_bound("d1", Turns::text("d1", 4, 1), "");
    Application& other = turns.add_bound("d2", Turns::text("d2", 4, 2));
    CHECK(turns.recovery.run());
    CHECK_FALSE(early.published.reserved);
    CHECK(other.published.reserved);
    CHECK(turns.known.model.worklist.to_adopt.size() == 1);
    turns.known.model.pods.at("d1").pod.node_name = "n1";
    CHECK(turns.recovery.run());
    CHECK(early.count(SlotState::open) == 1);
    CHECK(turns.known.model.worklist.to_adopt.empty());
}

TEST_CASE("recovery: who does not run, or is not there any more, is not read back") {
    Turns turns;
    Application& waiting = turns.add_bound("d1", Turns::text("d1", 4, 1));
    waiting.phase = gang::Phase::waiting;
    turns.known.model.worklist.to_adopt.insert({1, "gone"});
    CHECK(turns.recovery.run());
    CHECK_FALSE(waiting.published.reserved);
    CHECK(waiting.slots.empty());
    CHECK(turns.known.model.worklist.to_adopt.empty());
    CHECK(turns.known.step.work_left == 1'500'000 - 2 * 1'000);
}

TEST_CASE("recovery: the same text once more changes nothing, another one all") {
    Turns turns;
    Application& app = turns.add_bound("d1", Turns::text("d1", 4, 3));
    turns.recovery.run();
    CHECK(app.published.stored == 4);
    CHECK(app.published.first_generation == 4);
    CHECK(app.published.text_generation == 4);
    CHECK(app.published.is_shown);
    CHECK(app.published.gang.empty());
    app.health.reported_unplaced = true;
    turns.known.model.worklist.dirty_gangs.clear();
    turns.known.model.worklist.to_check.clear();
    turns.known.model.worklist.to_adopt.insert(app.rank());
    turns.recovery.run();
    CHECK(app.health.reported_unplaced);
    CHECK(app.count(SlotState::open) == 3);
    CHECK(turns.known.model.worklist.dirty_gangs.empty());
    turns.known.model.pods.at("d1").pod.annotations = Turns::annotated(Turns::text("d1", 5, 2));
    turns.known.model.worklist.to_adopt.insert(app.rank());
    turns.recovery.run();
    CHECK_FALSE(app.health.reported_unplaced);
    CHECK(app.count(SlotState::open) == 2);
    CHECK(app.declared.shapes.size() == 1);
    CHECK(app.published.generation == 5);
    CHECK(turns.known.model.worklist.dirty_gangs.contains("d1"));
    CHECK(turns.known.model.worklist.to_check.contains("d1"));
}

TEST_CASE("recovery: a text that is gone, and what was degraded, count no more") {
    Turns turns;
    Application& app = turns.add_bound("d1", Turns::text("d1", 4, 16));
    turns.recovery.run();
    REQUIRE(turns.known.model.worklist.degraded.contains(app.rank()));
    turns.known.model.pods.at("d1").pod.annotations.clear();
    turns.known.model.worklist.to_adopt.insert(app.rank());
    turns.recovery.run();
    CHECK_FALSE(app.published.reserved);
    CHECK(app.slots.empty());
    CHECK(app.declared.shapes.empty());
    CHECK_FALSE(turns.known.model.worklist.degraded.contains(app.rank()));
    CHECK(turns.known.model.wanted.to_rebuild.contains(app.rank()));
}

TEST_CASE("recovery: where gangs are not read, no text counts and no declaration is asked for") {
    config::Schema schema = tests::World::sealed_schema();
    schema.gang.discovery = config::Discovery::none;
    Turns turns(schema);
    Application& app = turns.add_bound("d1", Turns::text("d1", 4, 2));
    turns.recovery.run();
    CHECK_FALSE(app.published.reserved);
    CHECK(app.slots.empty());
    CHECK_FALSE(app.published.is_unproven);
    CHECK(turns.known.model.wanted.size() == 0);
    CHECK(turns.known.model.worklist.dirty_groups.empty());
}

TEST_CASE("recovery: why a text is not read is noted") {
    Turns turns;
    Application& stranger = turns.add_bound("d1", Turns::text("d9", 4, 2));
    Application& nonsense = turns.add_bound("d2", "v1 nonsense");
    turns.recovery.run();
    REQUIRE(stranger.declared.diagnostics->notes.size() == 1);
    CHECK(stranger.declared.diagnostics->notes[0] == "the reservation annotation belongs to another pod");
    REQUIRE(nonsense.declared.diagnostics->notes.size() == 1);
    CHECK_FALSE(nonsense.declared.diagnostics->notes[0].empty());
}

TEST_CASE("recovery: a group whose anchor's text cannot be read forms anew") {
    Turns turns;
    Application& app = turns.add_anchor("p1", "v1 nonsense");
    turns.recovery.run();
    CHECK_FALSE(app.published.reserved);
    CHECK(turns.known.model.worklist.dirty_groups.contains(turns.key));
    CHECK(turns.known.model.wanted.size() == 0);
}

TEST_CASE("recovery: of a group the newest text counts, though its bearer was no anchor yet") {
    Turns turns;
    turns.add_anchor("p1", Turns::text("p1", 4, 3));
    turns.add_member("p2", Turns::text("p2", 6, 2));
    turns.add_member("p3", Turns::text("p3", 5, 1));
    CHECK(turns.recovery.run());
    CHECK(turns.known.model.gangs.find("p1") == nullptr);
    CHECK_FALSE(turns.known.model.pods.at("p1").is_driver);
    Application* const gang = turns.known.model.gangs.find("p2");
    REQUIRE(gang != nullptr);
    CHECK(turns.known.model.pods.at("p2").is_driver);
    CHECK(gang->phase == gang::Phase::running);
    CHECK(gang->bound_ms == 77'000);
    CHECK(gang->published.reserved);
    CHECK(gang->published.generation == 6);
    CHECK(gang->count(SlotState::open) == 2);
    CHECK(gang->declared.driver_shape.has_value());
    CHECK(turns.known.model.worklist.to_adopt.empty());
    CHECK(turns.known.model.worklist.dirty_groups.contains(turns.key));
    CHECK(turns.known.model.gangs.find("p3") == nullptr);
}

TEST_CASE("recovery: of two anchors that run the one with the newer text stays") {
    Turns turns;
    Application& newer = turns.add_anchor("p2", Turns::text("p2", 6, 2));
    newer.bound_ms = 5;
    turns.add_anchor("p1", Turns::text("p1", 4, 3));
    CHECK(turns.recovery.run());
    CHECK(turns.known.model.gangs.find("p1") == nullptr);
    CHECK(newer.count(SlotState::open) == 2);
    CHECK(newer.bound_ms == 5);
    CHECK(turns.known.model.worklist.to_adopt.empty());
}
