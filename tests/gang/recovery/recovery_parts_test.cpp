// Slots read back, without the rest of the scheduler.

#include "gang/classify/executor_owners.hpp"
#include "gang/recovery/recovery.hpp"
#include "gang/reservation/declarations.hpp"
#include "gang/reservation/format/reservation.hpp"
#include "gang/slots/slot_assigner.hpp"
#include "tests/gang/parts.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

using gang::Application;
using gang::SlotState;
using tests::Known;

namespace {

struct Restart {
    explicit Restart(config::Schema schema = tests::World::sealed_schema()) : known(std::move(schema)) {}

    Known known;
    gang::Declarations declarations{known.model, known.step};
    gang::ExecutorOwners owners{known.model};
    gang::SlotAssigner assigner{known.model};
    gang::Publisher publisher{known.model, known.step, known.reporter};
    gang::Recovery recovery{known.model, known.step, declarations, owners, assigner, publisher};

    /// A bound driver that carries this text, as a list shows it.
    Application& add_bound(const std::string& name, const std::string& text) {
        core::Pod pod = tests::driver(name);
        pod.node_name = "n1";
        pod.annotations = {{std::string(gang::reservation_annotation), text}};
        gang::PodEntry& entry = known.add(pod);
        Application& app = known.model.gangs.ensure(entry, true);
        app.declared.conf_needed = false;
        app.phase = gang::Phase::running;
        known.model.shapes.set_driver(app, entry.pod);
        known.model.ledger.pod_allocations().settle(entry);
        known.model.worklist.to_adopt.insert(app.rank());
        return app;
    }
};

/// So many slots of 1 cpu on each node.
std::string text_of(const std::string& driver, const std::map<std::string, std::int64_t>& slots) {
    gang::Reservation reservation;
    reservation.generation = 4;
    reservation.epoch = 9;
    reservation.anchor = driver;
    reservation.queue = "default";
    gang::ReservedShape shape;
    shape.requests = tests::pod("like", 1000, 1408).requests;
    shape.slots_per_node.assign(slots.begin(), slots.end());
    reservation.shapes.push_back(shape);
    return gang::encode_reservation(reservation);
}

}  // namespace

TEST_CASE("recovery: a gang has exactly the slots that its driver carries") {
    Restart restart;
    restart.known.add_node("n1");
    restart.known.add_node("n2");
    Application& app = restart.add_bound("d1", text_of("d1", {{"n1", 2}, {"n2", 1}}));
    CHECK(restart.recovery.run());
    CHECK(app.published.reserved);
    CHECK(app.published.generation == 4);
    CHECK(app.published.epoch == 9);
    CHECK(app.count(SlotState::open) == 3);
    CHECK(restart.known.model.worklist.to_adopt.empty());
    CHECK(restart.known.model.wanted.size() == 0);
}

TEST_CASE("recovery: what has no room where it was is unplaced, and its gang degraded") {
    Restart restart;
    restart.known.add_node("n1", 3);
    Application& app = restart.add_bound("d1", text_of("d1", {{"gone", 1}, {"n1", 4}}));
    CHECK(restart.recovery.run());
    CHECK(app.slots.size() == 5);
    CHECK(app.count(SlotState::open) == 2);  // of 3 cpu the driver has one
    CHECK(app.count(SlotState::unplaced) == 3);
    CHECK(restart.known.model.worklist.degraded.contains(app.rank()));
}

TEST_CASE("recovery: a text of another driver, or none that can be read, is nobody's") {
    Restart restart;
    restart.known.add_node("n1");
    for (const std::string& text : {text_of("d9", {{"n1", 2}}), std::string("v1 nonsense")}) {
        const std::string name = "d" + std::to_string(text.size());
        Application& app = restart.add_bound(name, text);
        CHECK(restart.recovery.run());
        CHECK_FALSE(app.published.reserved);
        CHECK(app.slots.empty());
        CHECK(app.published.is_unproven);  // its declaration is asked for
    }
}

TEST_CASE("recovery: without a key the text counts until it was compared with the declaration") {
    Restart restart{config::Schema()};
    restart.known.add_node("n1");
    Application& app = restart.add_bound("d1", text_of("d1", {{"n1", 2}}));
    CHECK(restart.recovery.run());
    CHECK(app.count(SlotState::open) == 2);
    CHECK(restart.known.model.wanted.unverified.contains(app.rank()));
    CHECK(restart.known.model.conf_asker.is_asking("d1"));
}
