#include "gang/sim/api/outages.hpp"

#include <doctest/doctest.h>

using namespace gang::sim;

TEST_CASE("outages: a server is down until its time is over, the others are not") {
    std::int64_t now_ms = 1'000;
    Outages outages(2, now_ms);
    outages.take_down(1, 500);
    CHECK(outages.is_down(1));
    CHECK_FALSE(outages.is_down(0));
    now_ms = 1'499;
    CHECK(outages.is_down(1));
    now_ms = 1'500;
    CHECK_FALSE(outages.is_down(1));
}

TEST_CASE("outages: a newer loss of rights has its own status and time") {
    std::int64_t now_ms = 1'000;
    Outages outages(1, now_ms);
    outages.lose_rights(403, 500);
    now_ms = 1'200;
    outages.lose_rights(401, 100);
    CHECK(outages.rights_lost_status() == 401);
    now_ms = 1'300;
    CHECK_FALSE(outages.are_rights_lost());
}

TEST_CASE("outages: healing ends all of them") {
    const std::int64_t now_ms = 1'000;
    Outages outages(1, now_ms);
    outages.take_down(0, 500);
    outages.pause_store(500);
    outages.lose_rights(403, 500);
    CHECK(outages.is_store_paused());
    CHECK(outages.store_paused_until_ms() == 1'500);
    outages.heal();
    CHECK_FALSE(outages.is_down(0));
    CHECK_FALSE(outages.is_store_paused());
    CHECK_FALSE(outages.are_rights_lost());
}
