// The part that learns shapes alone: when it looks at executors, and what is a difference.

#include "gang/slots/shape_learner.hpp"

#include "gang/reservation/format/reservation.hpp"
#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

using gang::SlotState;
using tests::Known;

namespace {

/// A gang of two slots on n1, none of them filled, and one executor that waits.
struct Learning {
    Learning() {
        known.add_node("n1", 8);
        app = &known.add_gang("d1", "n1", 2);
        executor = &known.add_executor("e1", *app);
    }

    Known known;
    gang::Declarations declarations{known.model, known.step};
    gang::Publisher publisher{known.model, known.step, known.reporter};
    gang::Leadership leadership{known.model, known.step, known.reporter, declarations, publisher};
    gang::Placer placer{known.model, known.step};
    gang::GangHealth health{known.model, known.reporter};
    gang::ShapeLearner learner{
        known.model, known.step, known.reporter, publisher, leadership, placer, health};
    gang::Application* app = nullptr;
    gang::PodEntry* executor = nullptr;

    void learn() {
        known.step.work_left = 1'000'000;
        learner.learn_shapes(*app);
    }
    bool is_learned() const { return app->declared.shapes.front().learned; }
    bool is_corrected() { return !app->declared.diagnostics->notes.empty(); }
    const core::Resources& size() const {
        return known.model.cluster.resources(app->declared.shapes.front().id);
    }
};

core::Toleration tolerates(const std::string& key, bool exists, bool any_effect, core::TaintEffect effect) {
    return {key, exists, "", any_effect, effect, 300};
}

}  // namespace

TEST_CASE("shape learner: who is as predicted shows it, and changes nothing") {
    Learning learning;
    learning.learn();
    CHECK(learning.is_learned());
    CHECK_FALSE(learning.is_corrected());
    CHECK(learning.known.model.worklist.to_publish.empty());
    CHECK(learning.known.events().empty());
}

TEST_CASE("shape learner: it looks at nobody before the gang is bound, and the fence has passed") {
    Learning learning;
    gang::Application& app = *learning.app;
    learning.executor->pod.requests.cpu_milli = 1500;
    SUBCASE("without a reservation") {
        app.published.reserved = false;
        learning.learn();
        CHECK_FALSE(learning.is_learned());
        app.published.reserved = true;
    }
    SUBCASE("while its driver's bind is on its way") {
        app.phase = gang::Phase::assumed;
        learning.learn();
        CHECK_FALSE(learning.is_learned());
        app.phase = gang::Phase::running;
    }
    SUBCASE("before the fence") {
        learning.leadership.fence().add("somebody", 0);
        learning.learn();
        CHECK_FALSE(learning.is_learned());
        learning.leadership.fence().drop("somebody");
    }
    SUBCASE("nor at an executor that is to wait") {
        gang::Retry& retry = learning.executor->retry.make();
        retry.code = gang::ReasonCode::bind_failed;
        retry.not_before_ms = 1;
        learning.learn();
        CHECK_FALSE(learning.is_learned());
        learning.known.step.now_ms = 1;
    }
    SUBCASE("nor at one with a problem") {
        learning.executor->pod.problem = "odd";
        learning.learn();
        CHECK_FALSE(learning.is_learned());
        learning.executor->pod.problem.clear();
    }
    SUBCASE("nor at one that labels alone make an executor") {
        learning.executor->application_key = learning.known.model.texts.keep("etl/a");
        learning.learn();
        CHECK_FALSE(learning.is_learned());
        learning.executor->application_key = {};
    }
    learning.learn();
    CHECK(learning.is_learned());
    CHECK(learning.size().cpu_milli == 1500);
}

TEST_CASE("shape learner: what was learned once is not learned again") {
    Learning learning;
    learning.app->declared.shapes.front().learned = true;
    learning.executor->pod.requests.cpu_milli = 1500;
    learning.learn();
    CHECK(learning.size().cpu_milli == 1000);
}

TEST_CASE("shape learner: a text of which nobody knows how it would be written is not made too long") {
    for (const bool is_too_long : {false, true}) {
        Learning learning;
        learning.executor->pod.requests.cpu_milli = 1500;
        gang::Reservation added;
        added.shapes.push_back(
            {0, 0, learning.executor->pod.requests, learning.executor->pod.constraints, {}, 0});
        const std::size_t left = gang::reservation_bytes_max - gang::encode_reservation(added).size();
        learning.app->published.annotation =
            learning.known.model.texts.keep(std::string(left + (is_too_long ? 1 : 0), 'a'));
        learning.learn();
        CHECK(learning.is_learned());
        CHECK(learning.is_corrected() != is_too_long);
        CHECK(learning.size().cpu_milli == (is_too_long ? 1000 : 1500));
    }
}

TEST_CASE("shape learner: of two shapes of one profile, or with one who is there, none is corrected") {
    Learning learning;
    learning.executor->pod.requests.cpu_milli = 1500;
    SUBCASE("two shapes") {
        const core::Pod like = tests::pod("like", 500, 1408);
        learning.known.model.shapes.add(
            *learning.app, {0, 1, 0, {}, false}, like.requests, like.constraints);
    }
    SUBCASE("one is in a slot") {
        gang::PodEntry& other = learning.known.add_executor("e2", *learning.app, "n1");
        learning.known.model.ledger.assign(*learning.app, 1, other);
    }
    learning.learn();
    CHECK(learning.is_learned());
    CHECK(learning.size().cpu_milli == 1000);
    CHECK_FALSE(learning.is_corrected());
}

TEST_CASE("shape learner: slots of other shapes stay as they are") {
    Learning learning;
    const core::Pod like = tests::pod("like", 500, 1024);
    gang::Model& model = learning.known.model;
    model.shapes.add(*learning.app, {1, 2, 0, {}, false}, like.requests, like.constraints);
    model.ledger.add_open(*learning.app, 1, *model.cluster.nodes().find("n1"), 2);
    gang::PodEntry& staged = learning.known.add_executor("e2", *learning.app, "n1");
    staged.profile = 1;
    model.ledger.assign(*learning.app, 3, staged);
    learning.executor->pod.requests.cpu_milli = 1500;
    const auto since = learning.app->slots[2].since;
    learning.learn();
    CHECK(learning.size().cpu_milli == 1500);
    CHECK(learning.app->count(SlotState::open) == 3);
    CHECK(learning.app->count(SlotState::bound) == 1);
    CHECK(learning.app->slots[2].since == since);
    CHECK(learning.app->slots[3].state == SlotState::bound);
    CHECK(learning.app->slots[0].since == learning.app->since(2));
    REQUIRE(learning.is_corrected());
    CHECK(learning.app->declared.diagnostics->notes.front().ends_with("; room for all 2 is reserved"));
    for (const gang::Slot& slot : learning.app->slots) CHECK_FALSE(slot.leaving);
}

TEST_CASE("shape learner: slots that shrink stay as they are written, and those without room are told") {
    Learning learning;
    SUBCASE("smaller") {
        learning.executor->pod.requests.cpu_milli = 500;
        learning.learn();
        CHECK(learning.app->slots[0].since == 0);
        CHECK(learning.app->count(SlotState::open) == 2);
        CHECK(learning.known.model.worklist.degraded.empty());
    }
    SUBCASE("larger than any node") {
        learning.executor->pod.requests.cpu_milli = 9000;
        learning.learn();
        CHECK(learning.app->count(SlotState::unplaced) == 2);
        CHECK(learning.known.model.worklist.degraded.contains(learning.app->rank()));
        CHECK(learning.app->health.reported_unplaced);
        CHECK(learning.app->declared.diagnostics->notes.front().ends_with(
            "; there is room for 0 of 2, and no node could take one even if it were empty"));
    }
    SUBCASE("as large as the largest node") {
        learning.executor->pod.requests.cpu_milli = 8000;
        learning.learn();
        CHECK(learning.app->declared.diagnostics->notes.front().ends_with(
            "; there is room for 0 of 2, the rest gets room before any gang that waits"));
    }
    SUBCASE("for one of them there is room") {
        learning.executor->pod.requests.cpu_milli = 4000;
        learning.learn();
        CHECK(learning.app->count(SlotState::open) == 1);
        CHECK(learning.app->count(SlotState::unplaced) == 1);
        CHECK(learning.app->declared.diagnostics->notes.front() ==
              "predicted 1 cpu, 1408Mi memory for each executor, executors request 4 cpu, 1408Mi memory; there is "
              "room for 1 of 2, the rest gets room before any gang that waits");
    }
    for (const gang::Slot& slot : learning.app->slots) CHECK_FALSE(slot.leaving);
    std::vector<gang::Decision> decisions;
    learning.known.reporter.flush(decisions, 0, [&learning](const std::string& uid) {
        return gang::ref_of(learning.known.model.pods.at(uid).pod);
    });
    REQUIRE(decisions.size() == 1);
    const auto& event = std::get<gang::RecordEvent>(decisions.front());
    CHECK(event.reason == "ShapeCorrected");
    CHECK(event.warning);
    CHECK(event.message == learning.app->declared.diagnostics->notes.front());
    CHECK(learning.app->published.generation == 2);
    CHECK(learning.known.model.worklist.dirty_gangs.contains("d1"));
}

TEST_CASE("shape learner: what a reservation does not name, and what all are given, is no difference") {
    Learning learning;
    core::Constraints& asked = learning.executor->pod.constraints.edit();
    const auto no_execute = core::TaintEffect::no_execute;
    bool is_different = false;
    SUBCASE("host ports") {
        asked.has_host_ports = true;
    }
    SUBCASE("a preference") {
        asked.preferred_affinity = {{5, {}}};
    }
    SUBCASE("images") {
        asked.images = {"docker.io/library/spark:4"};
    }
    SUBCASE("volumes") {
        asked.volumes.emplace_back();
    }
    SUBCASE("a node that is not ready") {
        asked.tolerations = {tolerates("node.kubernetes.io/not-ready", true, false, no_execute)};
    }
    SUBCASE("a node that cannot be reached") {
        asked.tolerations = {tolerates("node.kubernetes.io/unreachable", true, false, no_execute)};
    }
    SUBCASE("with a value") {
        asked.tolerations = {tolerates("node.kubernetes.io/not-ready", false, false, no_execute)};
        is_different = true;
    }
    SUBCASE("of any effect") {
        asked.tolerations = {tolerates("node.kubernetes.io/not-ready", true, true, no_execute)};
        is_different = true;
    }
    SUBCASE("of another effect") {
        asked.tolerations = {
            tolerates("node.kubernetes.io/unreachable", true, false, core::TaintEffect::no_schedule)};
        is_different = true;
    }
    SUBCASE("of another taint") {
        asked.tolerations = {tolerates("dedicated", true, false, no_execute)};
        is_different = true;
    }
    SUBCASE("of another taint, whatever its effect") {
        asked.tolerations = {tolerates("dedicated", true, true, no_execute)};
        is_different = true;
    }
    SUBCASE("a selector") {
        asked.node_selector = {{"pool", "batch"}};
        is_different = true;
    }
    learning.learn();
    CHECK(learning.is_learned());
    CHECK(learning.is_corrected() == is_different);
}

TEST_CASE("shape learner: volumes stay those that were foreseen") {
    Learning learning;
    gang::Model& model = learning.known.model;
    gang::GangShape& shape = learning.app->declared.shapes.front();
    core::Constraints foreseen = model.cluster.shapes().constraints(shape.id);
    foreseen.volumes.push_back(
        {core::VolumeRule::affinity, {{{}, {{"metadata.name", core::SelectorOperator::in, {"n1"}}}}}});
    const core::ShapeId other = model.cluster.intern_shape(model.cluster.resources(shape.id), foreseen);
    model.shapes.release(std::exchange(shape.id, other));
    learning.executor->pod.requests.cpu_milli = 1500;
    learning.learn();
    CHECK(learning.size().cpu_milli == 1500);
    CHECK(model.cluster.shapes().constraints(learning.app->declared.shapes.front().id).volumes == foreseen.volumes);
}
