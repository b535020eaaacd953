#include "gang/lead/leadership.hpp"

#include "gang/report/fencing_token.hpp"
#include "gang/reservation/format/reservation.hpp"
#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <variant>

using gang::Application;
using tests::Known;

namespace {

struct Leader {
    explicit Leader(config::Schema schema = {}) : known(std::move(schema)) {}

    Known known;
    gang::Declarations declarations{known.model, known.step};
    gang::Publisher publisher{known.model, known.step, known.reporter};
    gang::Leadership leadership{known.model, known.step, known.reporter, declarations, publisher};

    Application& add_waiting(const std::string& name) {
        gang::PodEntry& entry = known.add(tests::driver(name));
        Application& app = known.model.gangs.ensure(entry, true);
        known.model.waiting.insert(app, false);
        return app;
    }
    /// The watch shows a write of this epoch's fence on the pod.
    void show(const std::string& name, std::int64_t epoch) {
        gang::PodEntry& entry = known.model.pods.at(name);
        entry.pod.scheduled.emplace();
        entry.pod.scheduled->message = gang::fencing_token(epoch);
        leadership.observe_fencing_token(entry);
    }
    /// The watch shows a reservation that this epoch's leader has written.
    void show_reservation(const std::string& name, std::int64_t epoch) {
        core::Pod& pod = known.model.pods.at(name).pod;
        pod.annotations = {{
            std::string(gang::reservation_annotation),
            text_of(name, epoch, 7)}};
        leadership.observe_reservation(pod);
    }
    static std::string text_of(
        const std::string& name, std::int64_t epoch, std::int64_t generation) {
        return gang::encode_reservation({generation, epoch, "default", "profile", name, {}});
    }
};

config::Schema sealed() {
    config::Schema schema;
    schema.seal_key_file = "/key";
    return schema;
}

}  // namespace

TEST_CASE(
    "leadership: the fence has passed when the watch has shown a write to everybody that waits") {
    Leader leader;
    leader.add_waiting("d1");
    leader.add_waiting("d2");
    leader.leadership.on(gang::LeadershipGained{100, false});
    leader.leadership.fence_step();
    CHECK_FALSE(leader.leadership.is_fence_passed());
    CHECK_FALSE(leader.leadership.is_settled());
    leader.show("d1", 100);
    CHECK(leader.leadership.fence().view_is_current());
    CHECK_FALSE(leader.leadership.is_fence_passed());
    leader.show("d2", 100);
    CHECK(leader.leadership.is_fence_passed());
    leader.leadership.complete_fence();
    CHECK(leader.leadership.is_settled());
    CHECK(leader.leadership.remembered() == 0);
}

TEST_CASE("leadership: after a hand-over one write is enough") {
    Leader leader;
    leader.add_waiting("d1");
    leader.add_waiting("d2");
    leader.leadership.on(gang::LeadershipGained{100, true});
    CHECK(leader.leadership.is_settled());
    leader.leadership.fence_step();
    CHECK(leader.leadership.fence().size() == 1);
}

TEST_CASE("leadership: our epoch is above every one that an older leader has left") {
    Leader leader;
    leader.known.add_node("n1");
    leader.known.add_gang("d1", "n1", 1).published.epoch = 500;
    leader.leadership.on(gang::LeadershipGained{100, false});
    leader.leadership.fence_step();
    CHECK(leader.known.model.term.epoch == 501);
}

TEST_CASE(
    "leadership: who meets a younger fence steps down, and a forged one far ahead is nobody's") {
    Leader leader;
    leader.add_waiting("d1");
    leader.leadership.on(gang::LeadershipGained{100, false});
    leader.leadership.fence_step();
    constexpr std::int64_t century_ms = std::int64_t{100} * 366 * 24 * 3'600'000;
    leader.show("d1", century_ms);
    CHECK(leader.known.model.term.leads);
    leader.show("d1", 101);
    CHECK_FALSE(leader.known.model.term.leads);
    REQUIRE_FALSE(leader.known.step.decisions.empty());
    CHECK(std::holds_alternative<gang::StepDown>(leader.known.step.decisions.back()));
}

TEST_CASE("leadership: who meets a younger leader's reservation steps down, if it is sealed") {
    bool has_key = true;
    SUBCASE("sealed") {}
    SUBCASE("anybody may have written it") { has_key = false; }
    Leader leader(has_key ? sealed() : config::Schema());
    leader.known.add_node("n1");
    leader.known.add_gang("d1", "n1", 1);
    leader.leadership.on(gang::LeadershipGained{100, false});
    leader.show_reservation("d1", 101);  // before it is known how high we must go
    CHECK(leader.known.model.term.leads);
    leader.leadership.fence_step();
    leader.show_reservation("d1", 99);
    CHECK(leader.known.model.term.leads);
    leader.show_reservation("d1", 101);
    CHECK(leader.known.model.term.leads != has_key);
    CHECK(leader.known.step.decisions.empty() != has_key);
}

TEST_CASE("leadership: an older leader's late write counts, an older text that is put back does not") {
    Leader leader(sealed());
    leader.known.add_node("n1");
    Application& app = leader.known.add_gang("d1", "n1", 1);
    app.published.generation = app.published.stored = app.published.text_generation = 7;
    app.published.annotation =
        leader.known.model.texts.keep(Leader::text_of("d1", 50, 7));
    leader.leadership.on(gang::LeadershipGained{100, false});
    leader.leadership.fence_step();  // which writes the eighth
    const std::string put_back = Leader::text_of("d1", 50, 6);
    CHECK_FALSE(leader.leadership.is_rewritten_by_another(app, &put_back));
    const std::string late = Leader::text_of("d1", 50, 8);
    CHECK(leader.leadership.is_rewritten_by_another(app, &late));
}

TEST_CASE("leadership: a gang with open slots is written anew, one with none is not") {
    Leader leader;
    leader.known.add_node("n1");
    Application& open = leader.known.add_gang("d1", "n1", 1);
    Application& full = leader.known.add_gang("d2", "n1", 0);
    leader.leadership.on(gang::LeadershipGained{100, false});
    leader.leadership.fence_step();
    CHECK(leader.known.model.worklist.to_publish.contains(open.uid));
    CHECK_FALSE(leader.known.model.worklist.to_publish.contains(full.uid));
    CHECK_FALSE(leader.leadership.is_fence_passed());
}
