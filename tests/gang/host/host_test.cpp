#include "gang/host/host.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

using gang::Host;

namespace {

struct Turns {
    Host host;
    std::int64_t now_ms = 100;

    /// What the scheduler was given in one turn: "tick", "led", or the uid of a PodDeleted.
    std::vector<std::string> given;
    Host::Then turn() {
        given.clear();
        return host.turn(
            [this] { return now_ms; },
            [this](const gang::StampedEvent& event) {
                if (const auto* pod = std::get_if<gang::PodDeleted>(&event.event)) {
                    given.push_back(pod->uid);
                } else if (std::holds_alternative<gang::LeadershipGained>(event.event)) {
                    given.emplace_back("led");
                } else {
                    given.emplace_back("tick");
                }
            });
    }
};

using Given = std::vector<std::string>;

}  // namespace

TEST_CASE("host: whoever has never had the Lease does not lead, and has neither lost it nor stopped") {
    const Host host;
    CHECK_FALSE(host.is_leading());
    CHECK_FALSE(host.awaits_nodes());
    CHECK_FALSE(host.is_lost());
    CHECK_FALSE(host.is_stopping());
    CHECK(host.is_deciding());
}

TEST_CASE("host: what waits is stepped in order, and then it rests") {
    Turns turns;
    turns.host.push(gang::PodDeleted{"a"});
    turns.host.push(gang::PodDeleted{"b"});
    CHECK(turns.turn() == Host::Then::rest);
    CHECK(turns.given == Given{"a", "b", "tick"});
    CHECK_FALSE(turns.host.wake_time());
}

TEST_CASE("host: a turn is so many events, the rest is for the next") {
    Turns turns;
    for (int i = 0; i < gang::events_per_turn + 5; ++i) {
        turns.host.push(gang::PodDeleted{"x"});
    }
    CHECK(turns.turn() == Host::Then::again);
    CHECK(turns.given.size() == static_cast<std::size_t>(gang::events_per_turn));
    CHECK(turns.turn() == Host::Then::rest);
    CHECK(turns.given.size() == 6);
}

TEST_CASE("host: whose nodes were never listed leads at once") {
    Turns turns;
    CHECK(turns.host.lead({7, false}, false) == Host::Lead::leads);
    CHECK(turns.host.is_leading());
    turns.turn();
    CHECK(turns.given == Given{"led", "tick"});
}

TEST_CASE("host: a new leader with a view of nodes waits until they are listed anew") {
    Turns turns;
    CHECK(turns.host.lead({7, false}, true) == Host::Lead::list_nodes);
    CHECK(turns.host.awaits_nodes());
    turns.turn();
    CHECK(turns.given.empty());
    CHECK(turns.host.nodes_listed());
    CHECK_FALSE(turns.host.nodes_listed());  // any later list begins nothing
    turns.turn();
    CHECK(turns.given == Given{"led", "tick"});
}

TEST_CASE("host: after the Lease is lost nothing is taken and nothing is stepped") {
    Turns turns;
    CHECK(turns.host.lead({7, false}, true) == Host::Lead::list_nodes);
    turns.host.push(gang::PodDeleted{"a"});
    CHECK(turns.host.lost());
    CHECK_FALSE(turns.host.lost());
    CHECK_FALSE(turns.host.is_leading());
    CHECK_FALSE(turns.host.push(gang::PodDeleted{"b"}));
    CHECK_FALSE(turns.host.nodes_listed());
    CHECK(turns.turn() == Host::Then::over);
    CHECK(turns.given.empty());
    CHECK(turns.host.lead({8, false}, true) == Host::Lead::ignored);
}

TEST_CASE("host: a step that loses the Lease is the last") {
    Host host;
    host.push(gang::PodDeleted{"a"});
    host.push(gang::PodDeleted{"b"});
    int steps = 0;
    const auto then = host.turn(
        [] { return std::int64_t{1}; },
        [&](const gang::StampedEvent&) {
            ++steps;
            host.lost();
        });
    CHECK(then == Host::Then::over);
    CHECK(steps == 1);
}

TEST_CASE("host: who stops takes nothing more, and has not lost the Lease") {
    Turns turns;
    CHECK(turns.host.lead({7, false}, false) == Host::Lead::leads);
    turns.host.stop();
    CHECK(turns.host.is_stopping());
    CHECK_FALSE(turns.host.is_lost());
    CHECK(turns.turn() == Host::Then::over);
}
