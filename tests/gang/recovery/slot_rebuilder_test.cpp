// Slots made anew from what is declared, and slots that go beyond it, without the rest of the
// scheduler.
#include "gang/recovery/slot_rebuilder.hpp"

#include "gang/classify/executor_owners.hpp"
#include "gang/classify/pod_compaction.hpp"
#include "gang/lead/leadership.hpp"
#include "gang/queue/placer.hpp"
#include "gang/reservation/declarations.hpp"
#include "gang/reservation/publisher.hpp"
#include "gang/slots/slot_assigner.hpp"
#include "tests/gang/parts.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using gang::Application;
using gang::SlotState;

namespace {

struct Rebuild {
    tests::Known known{tests::World::sealed_schema()};
    gang::Declarations declarations{known.model, known.step};
    gang::ExecutorOwners owners{known.model};
    gang::PodCompaction compaction{known.model, declarations, owners};
    gang::SlotAssigner assigner{known.model};
    gang::Publisher publisher{known.model, known.step, known.reporter};
    gang::Leadership leadership{known.model, known.step, known.reporter, declarations, publisher};
    gang::Placer placer{known.model, known.step};
    gang::SlotRebuilder rebuilder{
        known.model, known.step, known.reporter, declarations, publisher, leadership, placer, owners, compaction,
        assigner};

    Rebuild() {
        known.step.work_left = 1'500'000;
        known.add_node("n1");
    }

    /// Runs on n1, without slots; its text was lost.
    Application& add_lost(const std::string& name) {
        Application& app = known.add_gang(name, "n1", 1);
        known.model.ledger.drop(app);
        known.model.shapes.release_all(app);
        app.published.reserved = false;
        app.published.is_unproven = true;
        app.published.generation = app.published.stored = 5;
        app.published.first_generation = 2;
        app.published.stored = 3;
        app.published.annotation = known.model.texts.keep("as it was");
        return app;
    }

    void find(const Application& app, std::int64_t count, std::int64_t cpu_milli = 1000, std::int32_t profile = 0) {
        gang::GangSize size;
        gang::spark::ExecutorShape shape;
        shape.profile = profile;
        shape.count = count;
        shape.max = 9;
        shape.requests = tests::pod("like", cpu_milli, 1408).requests;
        size.executors.push_back(shape);
        find(app, size);
    }
    void find(const Application& app, const gang::GangSize& size) {
        known.model.wanted.found[app.rank()] = size;
        known.model.wanted.to_rebuild.insert(app.rank());
        known.model.wanted.unverified.insert(app.rank());
    }
    bool is_wanted(const Application& app) const { return known.model.wanted.to_rebuild.contains(app.rank()); }
    void forget_work() {
        known.model.worklist.dirty_gangs.clear();
        known.model.worklist.to_check.clear();
        known.model.worklist.to_publish.clear();
    }
    bool has_work(const Application& app) const {
        return known.model.worklist.dirty_gangs.contains(app.uid) && known.model.worklist.to_check.contains(app.uid);
    }
};

}  // namespace

TEST_CASE("slot rebuilder: slots that were lost are made anew, as a text that is to be written") {
    Rebuild made;
    Application& app = made.add_lost("d1");
    made.find(app, 3);
    made.forget_work();
    made.rebuilder.run();
    CHECK(app.count(SlotState::open) == 3);
    REQUIRE(app.declared.shapes.size() == 1);
    CHECK(app.declared.shapes[0].count == 3);
    CHECK(app.declared.shapes[0].max == 9);
    CHECK(app.published.reserved);
    CHECK_FALSE(app.published.is_shown);
    CHECK_FALSE(app.published.is_unproven);
    CHECK(app.published.generation == 6);
    CHECK(app.published.first_generation == 6);
    CHECK(app.published.stored == 5);
    CHECK(app.published.annotation.empty());
    CHECK(made.known.model.worklist.to_publish.contains("d1"));
    CHECK(made.has_work(app));
    CHECK(made.known.model.wanted.size() == 0);
    CHECK(made.known.events() == std::vector<std::string>{"ReservationRebuilt"});
    REQUIRE(app.declared.diagnostics->notes.size() == 1);
    CHECK(
        app.declared.diagnostics->notes[0] ==
        "its reservation was lost, and its 3 slots were made anew from what it declares");
}

TEST_CASE("slot rebuilder: executors that run have the first slots, where they are") {
    Rebuild made;
    made.known.add_node("n2");
    Application& app = made.add_lost("d1");
    const auto add = [&](const std::string& name, const std::string& node) -> gang::PodEntry& {
        gang::PodEntry& entry = made.known.add_executor(name, app, node);
        made.known.model.ledger.pod_allocations().settle(entry);
        return entry;
    };
    add("e1", "n2");
    add("e2", "n2").annotated_slot = gang::SlotAnnotation::surplus;
    add("e3", "n2").pod.phase = core::PodPhase::failed;
    add("e4", "n2").pod.namespace_name = "other";
    add("e5", "");
    SUBCASE("those that are beyond the slots, have ended, or are another namespace's, have none") {
        made.find(app, 2);
        made.rebuilder.run();
        REQUIRE(app.slots.size() == 2);
        CHECK(app.count(SlotState::bound) == 1);
        CHECK(app.count(SlotState::open) == 1);
        CHECK(made.known.model.pods.at("e1").slot >= 0);
        CHECK(made.known.model.pods.at("e2").slot < 0);
    }
    SUBCASE("no more than are declared") {
        add("e6", "n1");
        add("e7", "n1");
        made.find(app, 2);
        made.rebuilder.run();
        CHECK(app.slots.size() == 2);
        CHECK(app.count(SlotState::bound) == 2);
    }
}

TEST_CASE("slot rebuilder: where there is no room for all, none is held, until there is") {
    Rebuild made;
    Application& app = made.add_lost("d1");
    made.find(app, 16);  // of 16 cpu the driver has one
    made.rebuilder.run();
    CHECK_FALSE(app.published.reserved);
    CHECK(app.slots.empty());
    CHECK(app.declared.shapes.empty());
    CHECK(made.is_wanted(app));
    CHECK(made.known.model.wanted.unverified.contains(app.rank()));
    CHECK(made.known.events().empty());
    const std::int64_t left = made.known.step.work_left;
    CHECK(left <= 1'500'000 - 1'000);
    made.rebuilder.run();  // nothing has come free
    CHECK(made.known.step.work_left == left);
    made.known.add_node("n2", 1);
    made.rebuilder.run();
    CHECK(app.count(SlotState::open) == 16);
    CHECK_FALSE(made.is_wanted(app));
}

TEST_CASE("slot rebuilder: exactly as much room as is missing is enough") {
    Rebuild made;
    Application& app = made.add_lost("d1");
    made.find(app, 15);
    made.rebuilder.run();
    CHECK(app.count(SlotState::open) == 15);
}

TEST_CASE("slot rebuilder: an application that declares no executors has no slots, and no event") {
    Rebuild made;
    Application& app = made.add_lost("d1");
    made.find(app, gang::GangSize{});
    made.rebuilder.run();
    CHECK(app.published.reserved);
    CHECK(app.slots.empty());
    CHECK(app.declared.shapes.empty());
    CHECK(made.known.events().empty());
    CHECK(made.known.model.wanted.size() == 0);
}

TEST_CASE("slot rebuilder: what was found of a gang that has ended, or gone, is forgotten") {
    Rebuild made;
    Application& ended = made.add_lost("d1");
    ended.phase = gang::Phase::ended;
    made.find(ended, 3);
    const gang::Rank gone{1, "gone"};
    made.known.model.wanted.found[gone] = {};
    made.known.model.wanted.to_rebuild.insert(gone);
    made.known.model.wanted.unverified.insert(gone);
    Application& lives = made.add_lost("d9");
    made.find(lives, 2);
    made.rebuilder.run();
    CHECK_FALSE(ended.published.reserved);
    CHECK(lives.published.reserved);
    CHECK(made.known.model.wanted.size() == 0);
}

TEST_CASE("slot rebuilder: a declaration that cannot be read makes no slots, and is waited for") {
    Rebuild made;
    Application& app = made.add_lost("d1");
    gang::GangSize unknown;
    unknown.problem = "it is odd";
    made.find(app, unknown);
    made.rebuilder.run();
    CHECK_FALSE(app.published.reserved);
    CHECK(app.published.is_unproven);
    CHECK(made.is_wanted(app));
    CHECK(made.known.model.wanted.found.size() == 1);
}

TEST_CASE("slot rebuilder: a text that says what is declared stays as it is") {
    Rebuild made;
    Application& app = made.known.add_gang("d1", "n1", 3);
    app.published.is_unproven = true;
    made.find(app, 3);
    made.forget_work();
    made.rebuilder.run();
    CHECK(app.count(SlotState::open) == 3);
    CHECK(app.published.generation == 1);
    CHECK_FALSE(app.published.is_unproven);
    CHECK(app.declared.shapes.size() == 1);
    CHECK_FALSE(made.has_work(app));
    CHECK(made.known.step.work_left == 1'500'000 - 1'000 - 3 * 20);
    CHECK(made.known.events().empty());
    CHECK(made.known.model.wanted.size() == 0);
}

TEST_CASE("slot rebuilder: a text that says more than is declared loses what goes beyond it") {
    Rebuild made;
    Application& app = made.known.add_gang("d1", "n1", 4);
    made.forget_work();
    SUBCASE("slots that are too many") {
        made.find(app, 3);
        made.rebuilder.run();
        CHECK(app.slots.size() == 3);
        CHECK(app.count(SlotState::open) == 3);
    }
    SUBCASE("slots that are too large: as many of the declared size, without a place yet") {
        made.find(app, 3, 500);
        made.rebuilder.run();
        CHECK(app.slots.size() == 3);
        CHECK(app.count(SlotState::unplaced) == 3);
        for (const gang::Slot& slot : app.slots) {
            CHECK(made.known.model.cluster.resources(app.declared.shapes[slot.shape].id).cpu_milli == 500);
        }
    }
    SUBCASE("slots of a profile that is not declared, no more than there were") {
        made.find(app, 7, 1000, 3);
        made.rebuilder.run();
        CHECK(app.slots.size() == 4);
        CHECK(app.count(SlotState::unplaced) == 4);
        CHECK(app.declared.shapes.back().profile == 3);
        CHECK(app.declared.shapes.back().count == 7);
        CHECK(app.declared.shapes.back().max == 9);
    }
    SUBCASE("all that nobody is in, where the declaration cannot be read") {
        gang::GangSize unknown;
        unknown.problem = "it is odd";
        made.find(app, unknown);
        app.published.is_unproven = true;
        made.rebuilder.run();
        CHECK(app.slots.empty());
        CHECK(app.published.is_unproven);
        CHECK(made.is_wanted(app));
        CHECK_FALSE(made.known.model.wanted.unverified.contains(app.rank()));
        CHECK(made.known.model.wanted.found.empty());
    }
    SUBCASE("all, where no executors are declared") {
        made.find(app, gang::GangSize{});
        made.rebuilder.run();
        CHECK(app.slots.empty());
        CHECK_FALSE(made.is_wanted(app));
    }
    CHECK(app.published.generation == 2);
    CHECK(made.known.model.worklist.to_publish.contains("d1"));
    CHECK(made.has_work(app));
    CHECK(made.known.events() == std::vector<std::string>{"ReservationBounded"});
}

TEST_CASE("slot rebuilder: an executor stays in its slot, which takes the declared size") {
    Rebuild made;
    Application& app = made.known.add_gang("d1", "n1", 3);
    gang::PodEntry& executor = made.known.add_executor("e1", app, "n1");
    executor.pod.requests.cpu_milli = 400;
    made.known.model.ledger.assign(app, 0, executor);
    REQUIRE(app.count(SlotState::bound) == 1);
    made.find(app, 2, 500);
    made.rebuilder.run();
    CHECK(app.slots.size() == 2);
    CHECK(app.count(SlotState::bound) == 1);
    CHECK(app.count(SlotState::unplaced) == 1);
    for (const gang::Slot& slot : app.slots) CHECK(slot.shape == 1);
    CHECK(made.known.model.pods.find_active("e1") == nullptr);  // nothing is under way for it
}

TEST_CASE("slot rebuilder: an executor that is larger than declared bounds the others, too") {
    Rebuild made;
    Application& app = made.known.add_gang("d1", "n1", 3);
    gang::PodEntry& executor = made.known.add_executor("e1", app, "n1");
    made.known.model.ledger.assign(app, 0, executor);
    made.find(app, 3, 500);
    made.rebuilder.run();
    CHECK(app.count(SlotState::bound) == 1);
    CHECK(app.count(SlotState::open) == 2);  // no larger than it
    CHECK(app.published.generation == 1);
}

TEST_CASE("slot rebuilder: more executors than are declared keep their slots, and no other is left") {
    Rebuild made;
    Application& app = made.known.add_gang("d1", "n1", 4);
    for (int i = 0; i < 2; ++i) {
        gang::PodEntry& executor = made.known.add_executor("e" + std::to_string(i), app, "n1");
        made.known.model.ledger.assign(app, static_cast<std::size_t>(i), executor);
    }
    made.find(app, 1);
    made.rebuilder.run();
    CHECK(app.slots.size() == 2);
    CHECK(app.count(SlotState::bound) == 2);
}
