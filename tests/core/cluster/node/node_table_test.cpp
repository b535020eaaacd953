#include "core/cluster/node/node_table.hpp"

#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

core::NodeIndex put_named(core::NodeTable& table, const std::string& name) {
    const core::NodeIndex index = table.find_or_add(name);
    table.put(index, build::node(name));
    return index;
}

}  // namespace

TEST_CASE("node table: the order is by name, and a node says where it came") {
    core::NodeTable table;
    put_named(table, "n2");
    const core::NodeIndex first = table.find_or_add("n1");
    CHECK(table.put(first, build::node("n1")).came_at == 0U);
    CHECK_FALSE(table.put(first, build::node("n1")).came_at.has_value());
    CHECK(table.by_name().front() == first);
    CHECK(table.remove(first) == 0U);
    CHECK_FALSE(table.find("n1").has_value());
    CHECK(table.name(first) == "n1");
    CHECK(table.count() == 1);
}

TEST_CASE("node table: a placeholder's number stays as long as something is allocated on it") {
    core::NodeTable table;
    const core::NodeIndex held = table.find_or_add("held");
    table.count_allocation(held, 1);
    table.note_if_idle(held);
    CHECK(table.find_or_add("another") != held);
    CHECK_FALSE(table.find("held").has_value());
    table.count_allocation(held, -1);
    table.note_if_idle(held);
    CHECK(table.find_or_add("third") == held);
    CHECK(table.size() == 2);
}

TEST_CASE("node table: an entry that was noted as idle is not reused when its node has come") {
    core::NodeTable table;
    const core::NodeIndex index = table.find_or_add("n1");
    table.note_if_idle(index);
    table.put(index, build::node("n1"));
    CHECK(table.find_or_add("n2") != index);
    CHECK(table.find("n1") == index);
}

TEST_CASE("node table: levels of cost are the cheapest first, and none where there are too many") {
    core::NodeTable table;
    CHECK_FALSE(table.has_costs());
    for (int i = 0; i < 3; ++i) {
        core::Node node = build::node("n" + std::to_string(i));
        node.cost = 2 - i;
        table.put(table.find_or_add(node.name), node);
    }
    CHECK(table.has_costs());
    REQUIRE(table.cost_levels().size() == 3);
    CHECK(table.cost_levels().front().cost == 0);
    CHECK(table.cost_levels().front().nodes.find_only() == 2U);
    for (int i = 0; i < 65; ++i) {
        core::Node node = build::node("m" + std::to_string(i));
        node.cost = 10 + i;
        table.put(table.find_or_add(node.name), node);
    }
    CHECK(table.cost_levels().empty());
}

TEST_CASE("node table: who asks for something scarce does not keep off scarce nodes") {
    core::NodeTable table;
    table.set_scarce({"nvidia.com/gpu"});
    core::Resources gpus = build::resources("1");
    gpus.extended = {{"nvidia.com/gpu", 1}};
    CHECK_FALSE(table.keeps_off_scarce(build::resources("1")));
    core::Node node = build::node("n1");
    node.is_scarce = true;
    table.put(table.find_or_add("n1"), node);
    CHECK(table.keeps_off_scarce(build::resources("1")));
    CHECK_FALSE(table.keeps_off_scarce(gpus));
    table.remove(*table.find("n1"));
    CHECK_FALSE(table.keeps_off_scarce(build::resources("1")));
}
