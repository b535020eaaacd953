// The nodes for people.
#include "gang/app/show/nodes_report.hpp"
#include "tests/support/text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gang::app;

using tests::contains;

namespace {

constexpr std::int64_t gib = 1LL << 30;

gang::NodeLedger node_with_gangs() {
    gang::NodeLedger node;
    node.name = "n1";
    node.pool = "batch";
    node.zone = "z-a";
    node.allocatable = {8'000, 16 * gib, 0, {}};
    node.bound = {3'000, 4 * gib, 0, {}};
    node.held = {1'000, 2 * gib, 0, {}};
    node.free = {4'000, 10 * gib, 0, {}};
    node.pods_allocatable = 110;
    node.pods_bound = 3;
    node.pods_free = 106;
    node.units = {{gang::HeldUnit::State::open, "etl/pi", "u", 2, {1'000, 2 * gib, 0, {}}, 1'000}};
    node.bound_by = {{"etl/pi\x1b[31m", 2, {2'000, 2 * gib, 0, {}}}};
    return node;
}

LedgerReport two_nodes() {
    gang::NodeLedger closed;
    closed.name = "n2";
    closed.state = "cordoned, tainted a=b";
    closed.allocatable = closed.free = {500, gib, 0, {}};
    closed.pods_allocatable = closed.pods_free = 10;
    return {"daemon", "https://s", {node_with_gangs(), closed}, {}};
}

}  // namespace

TEST_CASE("nodes: what is written as JSON reads back") {
    const auto read = ledger_from_json(to_json(two_nodes()));
    REQUIRE(read);
    const LedgerReport expected = two_nodes();
    CHECK(read->nodes.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(to_json(read->nodes[i], Units::listed) == to_json(expected.nodes[i], Units::listed));
    }
    CHECK(read->standing.leads);
    LedgerReport standby = two_nodes();
    standby.standing = {false, "pod-a"};
    CHECK(ledger_from_json(to_json(standby))->standing == Standing{false, "pod-a"});
    CHECK_FALSE(ledger_from_json("[]"));
}

TEST_CASE("nodes: a table of bound, held and allocatable") {
    NodesStyle style;
    const std::string table = nodes_table(two_nodes(), style);
    CHECK(contains(table, "NODE  POOL   CPU"));
    CHECK(contains(table, "3+1/8"));
    CHECK(contains(table, "4Gi+2Gi/16Gi"));
    CHECK(contains(table, "3+1/110"));
    CHECK(contains(table, "0/500m"));
    CHECK(contains(table, "cordoned, tainted a=b"));
    CHECK_FALSE(contains(table, "FITS"));
    CHECK_FALSE(contains(table, "z-a"));
    style.is_wide = true;
    CHECK(contains(nodes_table(two_nodes(), style), "z-a"));
    CHECK(nodes_table({}, {}) == "There are no nodes.\n");
}

TEST_CASE("nodes: colours and width of a terminal") {
    NodesStyle style;
    style.table = {20, true};
    const std::string table = nodes_table(two_nodes(), style);
    CHECK_FALSE(contains(table, "POOL"));
    CHECK(contains(table, "\x1b[32mopen\x1b[0m\n"));
    CHECK(contains(table, "\x1b[31mcordoned, tainted a=b\x1b[0m\n"));
    CHECK_FALSE(contains(nodes_table(two_nodes(), {}), "\x1b"));
}

TEST_CASE("nodes: how many executors still go there") {
    NodesStyle style;
    style.executor = *read_executor_size("2x3Gi");
    CHECK(how_many_fit(two_nodes().nodes[0], *style.executor) == 2);
    CHECK(how_many_fit(two_nodes().nodes[1], *style.executor) == 0);
    CHECK(how_many_fit(two_nodes().nodes[0], *read_executor_size("100mx6Gi")) == 1);
    CHECK(contains(nodes_table(two_nodes(), style), "FITS"));
    gang::NodeLedger full = node_with_gangs();
    full.free.cpu_milli = -500;
    CHECK(how_many_fit(full, *style.executor) == 0);
    for (const char* wrong : {"", "2", "x", "2x", "x3Gi", "0x1Gi", "2x0", "twox3Gi", "2x3Gix"}) {
        CHECK_FALSE_MESSAGE(read_executor_size(wrong), wrong);
    }
}

TEST_CASE("nodes: one node with all that is on it, and its cards") {
    const auto text = node_text(two_nodes(), "n1", 61'000);
    REQUIRE(text);
    CHECK(contains(*text, "2 pods bound"));
    CHECK(contains(*text, "1 outside gangs"));
    CHECK(contains(*text, "open"));
    CHECK_FALSE(contains(*text, "\x1b"));
    CHECK_FALSE(node_text(two_nodes(), "n3", 0));
    CHECK(contains(*node_text(two_nodes(), "n2", 0), "Nothing is bound or held there."));
    CHECK(node_names(two_nodes()) == "node/n1\nnode/n2\n");
    CHECK(node_cards_table(two_nodes()) == "No node says anything of its cards.\n");
    LedgerReport cards = two_nodes();
    cards.nodes[0].cards = {{"gpu-0", "alnair/vgpu-mem", 16, 4}};
    CHECK(contains(node_cards_table(cards), "gpu-0"));
    CHECK(contains(*node_text(cards, "n1", 0), "alnair/vgpu-mem"));
}
