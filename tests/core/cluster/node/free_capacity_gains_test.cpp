#include "core/cluster/node/free_capacity_gains.hpp"

#include <doctest/doctest.h>

#include <vector>

TEST_CASE("free capacity gains: since a version come the nodes noted after it") {
    core::FreeCapacityGains gains;
    gains.note({1});
    const std::uint64_t since = gains.version();
    gains.note({2});
    gains.note({3});
    std::vector<std::uint32_t> seen;
    CHECK(gains.for_each_since(since, [&](core::NodeIndex node) { seen.push_back(node.value); }));
    CHECK(seen == std::vector<std::uint32_t>{2, 3});
}

TEST_CASE("free capacity gains: what is too long ago is not known") {
    core::FreeCapacityGains gains;
    const std::uint64_t since = gains.version();
    int seen = 0;
    for (std::uint32_t i = 0; i < 256; ++i) gains.note({i});
    CHECK(gains.for_each_since(since, [&](core::NodeIndex) { ++seen; }));
    CHECK(seen == 256);
    gains.note({256});
    CHECK_FALSE(gains.for_each_since(since, [&](core::NodeIndex) { ++seen; }));
    CHECK(seen == 256);
}
