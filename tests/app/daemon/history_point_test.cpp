// A point of the page's history, from what the scheduler knows.
#include "gang/app/daemon/served/history_point.hpp"

#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <cstdint>

TEST_CASE("history point: nodes that are there are summed up, those that are gone are not") {
    gang::Scheduler scheduler{config::Schema{}};
    std::uint64_t sequence = 0;
    const auto step = [&](gang::Event event) {
        gang::StampedEvent stamped;
        stamped.sequence = ++sequence;
        stamped.time_ms = 1'000;
        stamped.event = std::move(event);
        (void)scheduler.step(stamped);
    };
    step(gang::NodeUpserted{build::node("n1").cpu(4).memory("8Gi")});
    step(gang::NodeUpserted{build::node("n2").cpu(2).memory("4Gi")});
    step(gang::NodeDeleted{"n2"});

    const gang::app::HistoryPoint point = gang::app::history_point(scheduler, 5'000);
    CHECK(point.unix_ms == 5'000);
    CHECK(point.cpu_milli_allocatable == 4'000);
    CHECK(point.memory_bytes_allocatable == build::bytes("8Gi"));
    CHECK(point.cpu_milli_bound == 0);
    CHECK(point.waiting == 0);
}
