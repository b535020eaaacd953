#include "gang/reservation/publisher.hpp"

#include "gang/reservation/format/reservation.hpp"
#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

using gang::Application;
using gang::WriteOutcome;
using tests::Known;

namespace {

struct Written {
    Known known;
    gang::Publisher publisher{known.model, known.step, known.reporter};
    Application& app = make();

    Application& make() {
        known.add_node("n1");
        Application& made = known.add_gang("d1", "n1", 2);
        known.model.pods.at("d1").pod.resource_version = "7";
        return made;
    }
    /// How many writes are sent.
    std::size_t publish() {
        known.step.decisions.clear();
        publisher.publish_changed();
        return known.step.decisions.size();
    }
};

}  // namespace

TEST_CASE(
    "publisher: a changed reservation is written on the state that was seen, and is read back") {
    Written written;
    CHECK(written.publish() == 0);
    CHECK(written.publisher.rewrite(written.app) == 2);
    REQUIRE(written.publish() == 1);
    const auto& update = std::get<gang::UpdateReservation>(written.known.step.decisions.front());
    CHECK(update.resource_version == "7");
    const std::string* text = core::find_value(update.annotations, gang::reservation_annotation);
    REQUIRE(text != nullptr);
    const auto read = gang::decode_reservation(*text, 100);
    REQUIRE(read);
    CHECK(read->anchor == "d1");
    CHECK(read->generation == 2);
    CHECK(gang::slot_count(*read) == 2);
    CHECK(written.publish() == 0);  // one write at a time

    written.publisher.answered(written.app, WriteOutcome::written);
    CHECK(written.app.published.stored == 2);
    CHECK(written.publish() == 0);
}

TEST_CASE("publisher: a text that is not held against its declaration yet waits for that") {
    Written written;
    written.publisher.rewrite(written.app);
    written.known.model.wanted.unverified.insert(written.app.rank());
    CHECK(written.publish() == 0);
    written.known.model.wanted.unverified.clear();
    CHECK(written.publish() == 1);
}

TEST_CASE("publisher: what the watch shows is stored, whatever the answer says later") {
    Written written;
    written.publisher.rewrite(written.app);
    written.publish();
    const std::string text = written.app.published.annotation;
    written.publisher.observe(written.app, &text);
    CHECK(written.app.published.stored == 2);
    CHECK(written.app.published.is_shown);
    written.publisher.answered(written.app, WriteOutcome::failed);
    CHECK(written.publish() == 0);
}

TEST_CASE("publisher: a write that failed is repeated after a pause that grows") {
    Written written;
    written.publisher.rewrite(written.app);
    std::vector<std::int64_t> pauses;
    for (int i = 0; i < 7; ++i) {
        REQUIRE(written.publish() == 1);
        written.publisher.answered(written.app, WriteOutcome::failed);
        CHECK(written.publish() == 0);
        const std::int64_t until_ms = written.app.published.rewrites->not_before_ms;
        pauses.push_back(until_ms - written.known.step.now_ms);
        written.known.step.now_ms = until_ms;
    }
    CHECK(pauses == std::vector<std::int64_t>{1'000, 2'000, 4'000, 8'000, 16'000, 30'000, 30'000});
}

TEST_CASE("publisher: a write that came too late is repeated when the pod's next state is seen") {
    Written written;
    written.publisher.rewrite(written.app);
    written.publish();
    written.publisher.answered(written.app, WriteOutcome::changed);
    CHECK(written.publish() == 0);
    written.known.model.pods.at("d1").pod.resource_version = "8";
    CHECK(written.publish() == 1);
}

TEST_CASE("publisher: a tenant's edit is overwritten, and said") {
    Written written;
    written.app.published.annotation = written.known.model.texts.keep("ours");
    const std::string forged = "v1 generation=9";
    written.publisher.observe(written.app, &forged);
    CHECK(written.app.published.generation == 2);
    CHECK(written.known.events().size() == 1);
    CHECK(written.publish() == 1);
}
