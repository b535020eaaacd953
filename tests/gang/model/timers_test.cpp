#include "gang/model/timers.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("timers: the next one, and those that are over") {
    gang::Timers timers;
    CHECK_FALSE(timers.next_ms());
    timers.add(20);
    timers.add(10);
    timers.add(10);
    CHECK(timers.next_ms() == 10);
    CHECK(timers.count_past(10) == 0);
    CHECK(timers.count_past(11) == 1);
    timers.forget_past(10);
    CHECK(timers.next_ms() == 20);
}

TEST_CASE("due list: by time, then by uid, each when its time has come") {
    gang::DueList<std::string> due;
    due.add(20, "a");
    due.add(10, "c");
    due.add(10, "b");
    due.add(10, "b");
    CHECK(due.size() == 3);
    CHECK_FALSE(due.take(9));
    CHECK(due.take(10) == "b");
    CHECK(due.take(10) == "c");
    CHECK_FALSE(due.take(10));
    CHECK(due.next_ms() == 20);
    due.add(20, "b");  // the same uid may be due at two times
    CHECK(due.take(30) == "a");
    CHECK(due.take(30) == "b");
    CHECK_FALSE(due.next_ms());
}
