#include "gang/app/api/history.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using gang::app::History;
using gang::app::HistoryPoint;

TEST_CASE("history: the last six hours, oldest first, and no more") {
    History history;
    CHECK(history.points().empty());
    for (std::int64_t minute = 0; minute < 1'000; ++minute) {
        HistoryPoint point;
        point.unix_ms = minute * History::between_ms;
        point.waiting = minute;
        history.add(point);
        const auto points = history.points();
        REQUIRE(points.size() == std::min<std::size_t>(360, static_cast<std::size_t>(minute) + 1));
        CHECK(points.back().waiting == minute);
        CHECK(points.front().waiting == std::max<std::int64_t>(0, minute - 359));
    }
    const auto points = history.points();
    for (std::size_t i = 1; i < points.size(); ++i) {
        CHECK(points[i].unix_ms - points[i - 1].unix_ms == History::between_ms);
    }
}
