#include "gang/model/cluster/node_quarantine.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using gang::NodeQuarantine;

TEST_CASE("node quarantine: a refusal closes the node, to all or to host ports alone") {
    NodeQuarantine quarantine;
    CHECK_FALSE(quarantine.state("n1", 0).pods);
    quarantine.refused("n1", false, 1'000);
    quarantine.refused("n2", true, 1'000);
    CHECK(quarantine.state("n1", 1'000).pods);
    CHECK_FALSE(quarantine.state("n1", 1'000).host_ports);
    CHECK_FALSE(quarantine.state("n2", 1'000).pods);
    CHECK(quarantine.state("n2", 1'000).host_ports);
}

TEST_CASE("node quarantine: it is lifted once, for both reasons") {
    NodeQuarantine quarantine;
    CHECK_FALSE(quarantine.lift("n1"));
    quarantine.refused("n1", false, 0);
    quarantine.refused("n1", true, 0);
    CHECK(quarantine.lift("n1"));
    CHECK_FALSE(quarantine.lift("n1"));
    CHECK_FALSE(quarantine.state("n1", 0).host_ports);
    CHECK(quarantine.size() == 0);
}

TEST_CASE("node quarantine: it ends by itself, each reason at its own time") {
    NodeQuarantine quarantine;
    const std::int64_t pods_end = quarantine.refused("n1", false, 1'000);
    const std::int64_t ports_end = quarantine.refused("n1", true, 5'000);
    CHECK(pods_end < ports_end);
    CHECK(quarantine.expire(pods_end - 1).empty());
    CHECK(quarantine.expire(pods_end) == std::vector<std::string>{"n1"});
    CHECK_FALSE(quarantine.state("n1", pods_end).pods);
    CHECK(quarantine.state("n1", pods_end).host_ports);
    CHECK(quarantine.expire(pods_end).empty());
    CHECK(quarantine.expire(ports_end) == std::vector<std::string>{"n1"});
    CHECK(quarantine.size() == 0);
}

TEST_CASE("node quarantine: another refusal begins the time anew") {
    NodeQuarantine quarantine;
    const std::int64_t first = quarantine.refused("n1", false, 0);
    quarantine.refused("n1", false, 10'000);
    CHECK(quarantine.expire(first).empty());
    CHECK(quarantine.state("n1", first).pods);
}
