// Which shapes' capacities are kept: those that were asked for last, and those that are lent.
#include "core/cluster/capacity_cache.hpp"

#include <doctest/doctest.h>

using core::CapacityCache;
using core::Demand;
using core::ShapeId;
using core::View;

namespace {

constexpr Demand demand_of_one{1000, 0, 0, {}};
constexpr std::uint32_t kept_max = CapacityCache::kept_max;

bool keeps(const CapacityCache& cache, std::uint32_t shape) {
    return cache.find(ShapeId{shape}, View::free) != nullptr;
}

CapacityCache::Entry& ask(CapacityCache& cache, std::uint32_t shape) {
    return cache.ask(ShapeId{shape}, View::free, demand_of_one);
}

}  // namespace

TEST_CASE("capacity cache: the shape that nobody asked for longest makes room") {
    CapacityCache cache;
    for (std::uint32_t shape = 0; shape < kept_max; ++shape) ask(cache, shape);
    ask(cache, 0);
    ask(cache, kept_max);
    CHECK(keeps(cache, 0));
    CHECK_FALSE(keeps(cache, 1));
    CHECK(keeps(cache, 2));
    CHECK(keeps(cache, kept_max));
}

TEST_CASE("capacity cache: what is lent stays, whoever else asks") {
    CapacityCache cache;
    CapacityCache::Entry& lent = ask(cache, 0);
    lent.is_lent = true;
    for (std::uint32_t shape = 1; shape < 3 * kept_max; ++shape) ask(cache, shape);
    CHECK(cache.find(ShapeId{0}, View::free) == &lent);
    std::uint32_t kept = 0;
    for (std::uint32_t shape = 0; shape < 3 * kept_max; ++shape)
        kept += keeps(cache, shape) ? 1 : 0;
    CHECK(kept == kept_max);
}

TEST_CASE("capacity cache: the place of a shape that is gone is taken first") {
    CapacityCache cache;
    for (std::uint32_t shape = 0; shape < kept_max; ++shape) ask(cache, shape);
    cache.forget(ShapeId{5});
    CHECK_FALSE(keeps(cache, 5));
    ask(cache, kept_max);
    for (std::uint32_t shape = 0; shape <= kept_max; ++shape) {
        CAPTURE(shape);
        CHECK(keeps(cache, shape) == (shape != 5));
    }
}

TEST_CASE("capacity cache: each view of a shape is kept by itself, and its questions counted") {
    CapacityCache cache;
    ask(cache, 0);
    CHECK(ask(cache, 0).questions == 2);
    CHECK(cache.find(ShapeId{0}, View::allocatable) == nullptr);
    CHECK(cache.ask(ShapeId{0}, View::allocatable, demand_of_one).questions == 1);
    CHECK(cache.find(ShapeId{0}, View::free)->questions == 2);
}
