#include "gang/model/worklist.hpp"

#include <doctest/doctest.h>

TEST_CASE("worklist: of an ended gang nothing is left but that its executors are to be told") {
    gang::Application gang;
    gang.uid = "a";
    gang::Worklist list;
    list.dirty_gangs.insert("a");
    list.to_adopt.insert(gang.rank());
    list.degraded.insert(gang.rank());
    list.oversized.insert("a");
    list.to_check.insert("a");
    list.to_publish.insert("a");
    list.to_publish.insert("b");
    CHECK(list.size() == 7);
    list.forget(gang.rank());
    CHECK(list.size() == 2);
    CHECK(list.dirty_gangs.contains("a"));
    CHECK(list.to_publish.contains("b"));
}
