#include "gang/model/line/equivalence_classes.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using gang::EquivalenceClasses;
using gang::EquivalenceKey;

TEST_CASE("equivalence classes: what was said of the last that left one is forgotten with it") {
    EquivalenceClasses classes;
    gang::Application app;
    app.uid = "d1";
    gang::QueueEntry entry;
    entry.app = &app;
    EquivalenceKey key;
    key.lane.queue = gang::QueueIndex{1};
    classes.join(entry, key, 4);
    CHECK(classes.lanes().size() == 1);
    gang::EquivalenceClass& joined = classes.all().at(key);
    CHECK(joined.sizes == std::map<std::int64_t, std::int32_t>{{4, 1}});
    CHECK(joined.unattempted == 1);
    classes.note_attempt(entry);
    classes.note_attempt(entry);  // once is what counts
    CHECK(joined.unattempted == 0);
    joined.over_quota_at = 9;
    entry.is_reported = true;
    classes.leave(entry);
    classes.leave(entry);
    CHECK(joined.over_quota_at == 0);
    CHECK_FALSE(entry.is_reported);
    CHECK(classes.lanes().empty());
    CHECK(classes.all().size() == 1);  // a cycle may stand in it
    classes.erase_empty();
    CHECK(classes.all().empty());
}
