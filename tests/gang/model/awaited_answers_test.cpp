#include "gang/model/pod/awaited_answers.hpp"

#include <doctest/doctest.h>

using gang::AwaitedAnswers;
using Write = AwaitedAnswers::Write;

TEST_CASE("awaited answers: those of one pod come in the order of its writes") {
    AwaitedAnswers awaited;
    awaited.expect("a", Write::fence);
    awaited.expect("a", Write::reservation);
    awaited.expect("b", Write::reservation);
    CHECK(awaited.size() == 2);
    CHECK(awaited.take("a") == Write::fence);
    CHECK(awaited.take("a") == Write::reservation);
    CHECK_FALSE(awaited.take("a"));
    CHECK(awaited.size() == 1);
}

TEST_CASE("awaited answers: what is forgotten is not awaited") {
    AwaitedAnswers awaited;
    awaited.expect("a", Write::fence);
    awaited.expect("b", Write::fence);
    awaited.forget("a");
    CHECK_FALSE(awaited.take("a"));
    awaited.clear();
    CHECK_FALSE(awaited.take("b"));
    CHECK(awaited.size() == 0);
}
