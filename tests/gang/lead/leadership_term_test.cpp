#include "gang/model/leadership_term.hpp"

#include <doctest/doctest.h>

using gang::LeadershipTerm;

TEST_CASE("leadership term: it begins with nothing of the one before") {
    LeadershipTerm term;
    term.begin(7, true);
    term.raise_fence(0, 1'000);
    term.fence_is_complete = true;
    term.first_plan_done = true;
    term.end();
    CHECK_FALSE(term.leads);
    term.begin(9, false);
    CHECK(term.leads);
    CHECK(term.epoch == 9);
    CHECK_FALSE(term.was_handed_over);
    CHECK_FALSE(term.fence_is_raised);
    CHECK_FALSE(term.fence_is_complete);
    CHECK_FALSE(term.first_plan_done);
}

TEST_CASE("leadership term: its epoch is past every one that is found") {
    LeadershipTerm term;
    term.begin(7, false);
    term.raise_fence(5, 1'000);
    CHECK(term.epoch == 7);
    term.raise_fence(7, 1'000);
    CHECK(term.epoch == 8);
    CHECK(term.fence_raised_ms == 1'000);
    CHECK(term.first_plan_until_ms == 1'000 + gang::first_plan_wait_ms_max);
}
