// The parts that move slots, each alone: repair, and executors that take slots.

#include "gang/queue/placer.hpp"
#include "gang/slots/slot_assigner.hpp"
#include "gang/slots/slot_repair.hpp"
#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using gang::Application;
using gang::SlotState;
using tests::Known;

namespace {

struct Repair {
    explicit Repair(Known& known)
        : publisher(known.model, known.step, known.reporter),
          placer(known.model, known.step),
          health(known.model, known.reporter),
          assigner(known.model),
          called(known.model, known.step),
          repair(known.model, known.step, publisher, placer, health, assigner, called) {}

    gang::Publisher publisher;
    gang::Placer placer;
    gang::GangHealth health;
    gang::SlotAssigner assigner;
    gang::CalledExtenders called;
    gang::SlotRepair repair;
};

std::ptrdiff_t slots_on(const Application& app, const std::string& node) {
    return std::count_if(app.slots.begin(), app.slots.end(), [&node](const gang::Slot& slot) {
        return slot.node == node && slot.state == SlotState::open;
    });
}

}  // namespace

TEST_CASE(
    "slot repair: open slots of a node that went move, and their old room waits for the write") {
    Known known;
    known.add_node("n1");
    Application& app = known.add_gang("d1", "n1", 3);
    known.model.cluster_model.take_nodes_to_check();
    known.add_node("n2");
    known.model.cluster_model.remove_node("n1");

    Repair parts(known);
    known.step.work_left = 1'000'000;
    parts.repair.run();
    CHECK(parts.repair.is_done());
    CHECK(slots_on(app, "n2") == 3);
    CHECK(app.published.generation == 2);
    CHECK(app.pending_releases->size() == 3);
    CHECK(known.model.worklist.to_publish.contains(app.uid));

    parts.publisher.stored(app, 2);
    CHECK(app.pending_releases->empty());
}

TEST_CASE("slot repair: no room anywhere is said, and room that appears is taken") {
    Known known;
    known.add_node("n1");
    Application& app = known.add_gang("d1", "n1", 3);
    known.model.cluster_model.take_nodes_to_check();
    known.model.cluster_model.remove_node("n1");
    Repair parts(known);
    known.step.work_left = 1'000'000;
    parts.repair.run();
    CHECK(app.count(SlotState::unplaced) == 3);
    CHECK(known.model.worklist.degraded.contains(app.rank()));

    known.add_node("n2", 2);
    parts.repair.run();
    CHECK(slots_on(app, "n2") == 2);
    CHECK(app.count(SlotState::unplaced) == 1);
}

TEST_CASE("slot repair: without work left the gang stays on the worklist") {
    Known known;
    known.add_node("n1");
    Application& app = known.add_gang("d1", "n1", 3);
    known.model.cluster_model.take_nodes_to_check();
    known.add_node("n2");
    known.model.cluster_model.remove_node("n1");
    Repair parts(known);
    known.step.work_left = 0;
    parts.repair.run();
    CHECK_FALSE(parts.repair.is_done());
    CHECK(known.model.worklist.to_check.contains(app.uid));
    CHECK(slots_on(app, "n1") == 3);
}

TEST_CASE(
    "slot assigner: executors take slots on their own node first, and none of another namespace") {
    Known known;
    known.add_node("n1");
    known.add_node("n2");
    Application& app = known.add_gang("d1", "n1", 1);
    known.model.ledger.add_open(app, 0, *known.model.cluster.nodes().find("n2"), 1);
    known.add_executor("e1", app, "n2");
    gang::PodEntry& foreign = known.add_executor("e0", app, "n1");
    foreign.pod.namespace_name = "somewhere-else";

    gang::SlotAssigner assigner(known.model);
    assigner.assign_members(app);
    CHECK(known.model.pods.at("e1").slot >= 0);
    CHECK(app.slots[static_cast<std::size_t>(known.model.pods.at("e1").slot)].node == "n2");
    CHECK(known.model.pods.at("e0").slot < 0);
}
