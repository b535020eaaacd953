#include "gang/reservation/declarations.hpp"

#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

#include <string>

using gang::Application;
using tests::Known;

namespace {

gang::GangSize size(std::int64_t count) {
    gang::GangSize made;
    made.executors.emplace_back().count = count;
    return made;
}

gang::GangSize lost() {
    gang::GangSize made;
    made.problem = "gone";
    return made;
}

}  // namespace

TEST_CASE("declarations: a Spark driver's conf is asked for, until it is found") {
    Known known;
    known.add_node("n1");
    gang::Declarations declarations(known.model, known.step);
    Application& app = known.add_gang("d1", "n1", 2);
    declarations.want_declaration(app);
    CHECK(app.published.is_unproven);
    CHECK(known.model.conf_asker.is_asking("d1"));
    CHECK(declarations.awaits_lost_declaration());
    CHECK(declarations.awaits_declaration(app, known.model.pods.at("d1").pod));

    declarations.declaration_found(app, size(2));
    CHECK_FALSE(known.model.conf_asker.is_asking("d1"));
    CHECK_FALSE(declarations.awaits_lost_declaration());
    CHECK(known.model.wanted.found.size() == 1);

    declarations.forget_declaration(app);
    CHECK(known.model.wanted.size() == 0);
    CHECK_FALSE(app.published.is_unproven);
}

TEST_CASE("declarations: one that is lost may still come, and does not undo one that was found") {
    Known known;
    known.add_node("n1");
    gang::Declarations declarations(known.model, known.step);
    Application& app = known.add_gang("d1", "n1", 2);
    declarations.want_declaration(app);
    declarations.declaration_found(app, lost());
    CHECK(known.model.conf_asker.is_asking("d1"));
    declarations.declaration_found(app, size(2));
    CHECK(known.model.wanted.found.begin()->second.problem.empty());
    declarations.declaration_found(app, lost());
    CHECK(known.model.wanted.found.begin()->second.problem.empty());
}

TEST_CASE(
    "declarations: what is only held, and never compared, is given up half a minute after the "
    "fence") {
    Known known;
    known.add_node("n1");
    gang::Declarations declarations(known.model, known.step);
    Application& app = known.add_gang("d1", "n1", 2);
    declarations.want_declaration(app);
    known.model.wanted.unverified.insert(app.rank());
    known.model.term.begin(1, false);
    known.model.term.raise_fence(0, 1'000);
    known.step.now_ms = 1'000 + gang::fence_give_up_ms - 1;
    declarations.give_up_unverified();
    CHECK(known.model.wanted.found.empty());
    CHECK(known.step.timers.next_ms() == 1'000 + gang::fence_give_up_ms);
    known.step.now_ms += 1;
    declarations.give_up_unverified();
    REQUIRE(known.model.wanted.found.size() == 1);
    CHECK_FALSE(known.model.wanted.found.begin()->second.problem.empty());
}
