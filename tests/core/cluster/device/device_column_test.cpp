// One column of a device, row by row: what is exact, what is a bound, and what is left of rows and cards that are gone;
// and which columns are kept.

#include "core/cluster/cluster.hpp"
#include "core/cluster/device/device_columns.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace core;

namespace {
namespace one_column {

constexpr std::uint64_t one = 1;

struct Setup {
    Cluster cluster;

    explicit Setup(const std::vector<std::int64_t>& amounts) {
        for (const std::int64_t amount : amounts) {
            Node node = build::node("n" + std::to_string(10 + cluster.nodes().count()));
            if (amount > 0) node.allocatable.extended = {{"example.com/d", amount}};
            cluster.upsert_node(node);
        }
    }
    NodeIndex at(std::size_t i) const { return cluster.nodes().by_name()[i]; }
    ExtendedId id(const std::string& name = "example.com/d") const { return *cluster.extended_names().find(name); }
};

Node with_cards(const std::string& name, const std::vector<std::int64_t>& units) {
    Node node = build::node(name);
    NodeCards cards{"alnair/vgpu-memory", {}, {}};
    for (const std::int64_t size : units) cards.cards.push_back({"U" + std::to_string(cards.cards.size()), size, 0, 0});
    node.cards = cards;
    node.allocatable.extended = {{"alnair/vgpu-memory", 100}};
    return node;
}

TEST_CASE("device column: a row is exact up to what a scan holds, and without limit above it") {
    Setup s({scanned_max, scanned_max + 1, 5, 0});
    DeviceColumn column(s.id(), 1);
    column.resize(2);
    for (std::size_t i = 0; i < 4; ++i) column.read_row(s.cluster.columns(), View::free, s.at(i), 63 + i);
    CHECK(column.rows(0, 0)[63] == static_cast<double>(scanned_max));
    CHECK(column.rows(0, 1)[0] == no_limit);
    CHECK(column.rows(0, 1)[1] == 5);
    CHECK(column.rows(0, 1)[2] == 0);
    CHECK(column.is_wide(0) == 0);
    CHECK(column.is_wide(1) == 1);
    CHECK(column.card_count(0) == 0);
    for (std::size_t block = 0; block < 2; ++block) column.read_maxima(0, block);
    column.read_maxima(1, 0);
    CHECK(column.rows(1, 0)[0] == static_cast<double>(scanned_max));
    CHECK(column.rows(1, 0)[1] == no_limit);
    CHECK(column.rows(2, 0)[0] == no_limit);
    s.cluster.allocations().allocate(s.at(1), {0, 0, 0, {{"example.com/d", 1}}}, UsedBy::gang);
    s.cluster.allocations().allocate(s.at(2), {0, 0, 0, {{"example.com/d", 9}}}, UsedBy::gang);
    for (std::size_t i = 1; i < 3; ++i) column.read_row(s.cluster.columns(), View::free, s.at(i), 63 + i);
    CHECK(column.rows(0, 1)[0] == static_cast<double>(scanned_max));
    CHECK(column.rows(0, 1)[1] == 0);  // nothing below zero
    CHECK(column.is_wide(1) == 0);
    column.read_row(s.cluster.columns(), View::without_gangs, s.at(1), 64);
    CHECK(column.is_wide(1) == 1);
    column.clear_row(64);
    CHECK(column.rows(0, 1)[0] == 0);
    CHECK(column.is_wide(1) == 0);
    // Blocks that go leave no maximum behind.
    column.resize(1);
    CHECK(column.rows(1, 0)[0] == static_cast<double>(scanned_max));
    CHECK(column.rows(1, 0)[1] == 0);
    column.resize(2);
    CHECK(column.rows(0, 1)[1] == 0);
}

TEST_CASE("device column: cards stand side by side, and a node without any has no limit by the first") {
    Setup s({});
    s.cluster.upsert_node(with_cards("n10", {4, scanned_max, scanned_max + 1}));
    s.cluster.upsert_node(with_cards("n11", {8}));
    s.cluster.upsert_node(build::node("n12"));
    const ExtendedId units = s.id("alnair/vgpu-memory");
    DeviceColumn column(units, 1);
    column.resize(1);
    column.read_row(s.cluster.columns(), View::free, s.at(1), 1);
    CHECK(column.card_count(0) == 1);
    CHECK(column.cards(0)[0] == no_limit);
    CHECK(column.cards(0)[1] == 8);
    CHECK(column.is_wide(0) == 0);
    column.read_row(s.cluster.columns(), View::free, s.at(0), 0);
    column.read_row(s.cluster.columns(), View::free, s.at(2), 2);
    REQUIRE(column.card_count(0) == 3);
    const auto card = [&](std::size_t place, std::size_t row) { return column.cards(0)[place * block_size + row]; };
    CHECK(card(0, 0) == 4);
    CHECK(card(1, 0) == static_cast<double>(scanned_max));
    CHECK(card(2, 0) == no_limit);
    CHECK(column.is_wide(0) == one);
    CHECK(card(0, 1) == 8);
    CHECK(card(1, 1) == 0);
    CHECK(card(2, 1) == 0);
    CHECK(card(0, 2) == no_limit);
    CHECK(card(1, 2) == 0);
    s.cluster.allocations().allocate(
        s.at(0),
        {0, 0, 0, {{"alnair/vgpu-memory", 9}}},
        UsedBy::gang,
        {CardChoice::least_left, {{card_name("alnair/vgpu-memory", "U0"), 9}}});
    column.read_row(s.cluster.columns(), View::free, s.at(0), 0);
    CHECK(card(0, 0) == 0);
    column.clear_row(0);
    CHECK(card(0, 0) == no_limit);
    CHECK(card(1, 0) == 0);
    CHECK(card(2, 0) == 0);
    CHECK(column.is_wide(0) == 0);
    CHECK(card(0, 1) == 8);
}

TEST_CASE("device columns: eight are kept, and the one that nobody asked for longest makes room") {
    Cluster cluster;
    Resources many;
    for (int i = 0; i < 9; ++i) many.extended.push_back({"example.com/d" + std::to_string(i), 1});
    const ShapeId shape = cluster.intern_shape(many, {});
    const auto& demand = cluster.demand(shape).extended;
    DeviceColumns columns;
    for (std::size_t i = 0; i < 8; ++i) CHECK(columns.make(demand[i].id, cluster.columns(), 1) != nullptr);
    CHECK(columns.make(demand[0].id, cluster.columns(), 1) == nullptr);  // is kept, and asked for again
    CHECK(columns.all().size() == 8);
    CHECK(columns.find(demand[8].id) == nullptr);
    CHECK(columns.make(demand[8].id, cluster.columns(), 1) != nullptr);
    CHECK(columns.all().size() == 8);
    CHECK(columns.find(demand[0].id) != nullptr);
    CHECK(columns.find(demand[1].id) == nullptr);
    CHECK(columns.find(demand[2].id) != nullptr);
    CHECK(columns.find(demand[8].id)->id() == demand[8].id);
    columns.forget_old_meanings(cluster.columns());
    CHECK(columns.all().size() == 8);
    const ExtendedId reused = demand[8].id;
    cluster.release_shape(shape);
    cluster.intern_shape(many, {});
    columns.forget_old_meanings(cluster.columns());
    CHECK(columns.find(reused) == nullptr);
    CHECK(columns.all().empty());
}

}  // namespace one_column
}  // namespace
