#include "gang/sim/replica/view_revisions.hpp"

#include <doctest/doctest.h>

using namespace gang::sim;

TEST_CASE("view revisions: what waits makes the view no newer before it is worked off") {
    ViewRevisions seen;
    seen.event_waits(false, 7);
    seen.event_waits(true, 9);
    CHECK(seen.pods() == 0);
    seen.event_is_done();
    CHECK(seen.pods() == 7);
    CHECK(seen.nodes() == 0);
    seen.event_is_done();
    CHECK(seen.nodes() == 9);
}

TEST_CASE("view revisions: an answer, or an older event, makes the view no older") {
    ViewRevisions seen;
    for (const std::uint64_t revision : {7, 0, 5}) {
        seen.event_waits(false, revision);
        seen.event_is_done();
        CHECK(seen.pods() == 7);
    }
}
