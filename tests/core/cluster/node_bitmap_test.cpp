// Bitmaps of nodes do what sets of positions do.
#include "core/cluster/shape/classes.hpp"

#include "tests/core/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>

using core::NodeBitmap;

namespace {

using Positions = std::set<std::size_t>;

NodeBitmap bitmap_of(const Positions& positions) {
    NodeBitmap made;
    for (const std::size_t position : positions) made.set(position, true);
    return made;
}

Positions positions_of(const NodeBitmap& bitmap) {
    Positions found;
    bitmap.for_each([&found](std::size_t position) { found.insert(position); });
    return found;
}

/// One in `rarity` of the first `nodes`.
Positions draw(tests::Random& random, std::size_t nodes, int rarity) {
    Positions drawn;
    for (std::size_t i = 0; i < nodes; ++i) {
        if (random.one_in(rarity)) drawn.insert(i);
    }
    return drawn;
}

Positions common(const Positions& a, const Positions& b) {
    Positions both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
    return both;
}

}  // namespace

TEST_CASE("node bitmap: what is set is there, in order, and counted") {
    tests::Random random;
    CAPTURE(random.seed());
    for (const std::size_t nodes : {1U, 63U, 64U, 65U, 200U}) {
        Positions positions = draw(random, nodes, 3);
        NodeBitmap bitmap = bitmap_of(positions);
        for (int round = 0; round < 50; ++round) {
            const auto at = static_cast<std::size_t>(random.between(0, static_cast<int>(nodes) - 1));
            const bool value = random.one_in(2);
            bitmap.set(at, value);
            value ? void(positions.insert(at)) : void(positions.erase(at));
        }
        CHECK(positions_of(bitmap) == positions);
        CHECK(bitmap.count() == static_cast<std::int64_t>(positions.size()));
        for (std::size_t i = 0; i < nodes + 130; ++i) {
            REQUIRE(bitmap.test(i) == positions.contains(i));
        }
    }
}

TEST_CASE("node bitmap: a node that comes or goes moves all behind it") {
    tests::Random random;
    CAPTURE(random.seed());
    for (const std::size_t last : {63U, 127U}) {
        NodeBitmap full = bitmap_of({last});
        full.insert(0);
        CHECK(positions_of(full) == Positions{last + 1});
    }
    Positions positions = draw(random, 190, 2);
    NodeBitmap bitmap = bitmap_of(positions);
    for (int round = 0; round < 300; ++round) {
        const auto at = static_cast<std::size_t>(random.between(0, 260));
        const bool comes = random.one_in(2);
        comes ? bitmap.insert(at) : bitmap.erase(at);
        Positions moved;
        for (const std::size_t position : positions) {
            if (comes || position != at) {
                moved.insert(position + (comes && position >= at ? 1 : 0) -
                             (!comes && position > at ? 1 : 0));
            }
        }
        positions = moved;
        REQUIRE(positions_of(bitmap) == positions);
    }
}

TEST_CASE("node bitmap: two of them, of different lengths") {
    tests::Random random;
    CAPTURE(random.seed());
    for (int round = 0; round < 60; ++round) {
        const Positions a = draw(random, static_cast<std::size_t>(random.between(0, 300)), 2);
        const Positions b = draw(random, static_cast<std::size_t>(random.between(0, 300)), 2);
        const Positions both = common(a, b);
        NodeBitmap sum = bitmap_of(a);
        sum.add(bitmap_of(b));
        Positions any = a;
        any.insert(b.begin(), b.end());
        CHECK(positions_of(sum) == any);
        CHECK(sum.covers(bitmap_of(b)));
        CHECK(bitmap_of(a).covers(bitmap_of(b)) == (both.size() == b.size()));
        CHECK(bitmap_of(a).intersects(bitmap_of(b)) == !both.empty());
        NodeBitmap kept = bitmap_of(a);
        kept.intersect(bitmap_of(b));
        CHECK(positions_of(kept) == both);
        NodeBitmap left = bitmap_of(a);
        CHECK(left.remove(bitmap_of(b)) == static_cast<std::int64_t>(both.size()));
        Positions only_a;
        std::set_difference(
            a.begin(), a.end(), b.begin(), b.end(), std::inserter(only_a, only_a.end()));
        CHECK(positions_of(left) == only_a);
        CHECK_FALSE(left.intersects(bitmap_of(b)));
    }
}

TEST_CASE("node bitmap: they meet, or one lacks another's, far behind the first block") {
    for (const std::size_t at : {0U, 63U, 64U, 127U, 128U, 1'000U}) {
        CHECK(bitmap_of({at}).intersects(bitmap_of({3, at})));
        CHECK_FALSE(bitmap_of({at}).intersects(bitmap_of({3, at + 1})));
        CHECK_FALSE(bitmap_of({at}).covers(bitmap_of({at, at + 1})));
        CHECK(bitmap_of({at}).find_only() == at);
        CHECK(bitmap_of({at, at + 1}).find_only() == std::nullopt);
        CHECK(bitmap_of({at, at + 700}).find_only() == std::nullopt);
    }
    CHECK(NodeBitmap().find_only() == std::nullopt);
}
