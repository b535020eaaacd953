// The ledger as JSON and as text.
#include "gang/app/show/ledger_report.hpp"

#include <doctest/doctest.h>

using namespace gang::app;

namespace {

LedgerReport report() {
    gang::NodeLedger node;
    node.name = "n\"1\x1b[31m";
    node.allocatable = {8'000, 16LL << 30, 0, {{"nvidia.com/gpu", 4}}};
    node.bound = {3'000, 4LL << 30, 0, {}};
    node.held = {2'000, 2LL << 30, 0, {}};
    node.free = {3'000, 10LL << 30, 0, {{"nvidia.com/gpu", 4}}};
    node.pods_allocatable = 110;
    node.pods_bound = 3;
    node.pods_free = 105;
    node.units = {
        {gang::HeldUnit::State::open, "etl/pi", "u", 2, {1'000, 1LL << 30, 0, {}}, 1'000},
        {gang::HeldUnit::State::leaving, "etl/pi", "u", -1, {1'000, 1LL << 30, 0, {}}, 1'000}};
    ConsistencyStatus consistency;
    consistency.runs = 7;
    consistency.last_ms = 61'000;
    return {"daemon", "https://s", {node}, consistency};
}

}  // namespace

TEST_CASE("ledger report: what is written reads back, and people see nodes, units and the verdict") {
    const auto read = read_ledger(to_json(report()), 121'000);
    REQUIRE_MESSAGE(read.has_value(), to_json(report()));
    CHECK(read->server == "https://s");
    CHECK(read->runs == 7);
    CHECK(read->agrees);
    CHECK_FALSE(read->is_running);
    CHECK(read->text.find("8 cpu") != std::string::npos);
    CHECK(read->text.find("nvidia.com/gpu") != std::string::npos);
    CHECK(read->text.find("105 pods") != std::string::npos);
    CHECK(read->text.find("leaving  2m") != std::string::npos);
    CHECK(read->text.find("audited 60s ago: agrees") != std::string::npos);
    CHECK(read->text.find('\x1b') == std::string::npos);
}

TEST_CASE("ledger report: drift, sums that are wrong, and no audit") {
    LedgerReport given = report();
    SUBCASE("drift") {
        given.consistency->drift = {{gang::DriftKind::pod_gone, "etl/x", "u", "", "gone"}};
        const auto read = read_ledger(to_json(given), 121'000);
        CHECK_FALSE(read->agrees);
        CHECK(read->text.find("pod gone") != std::string::npos);
        CHECK(read->text.find("1 differences") == std::string::npos);
    }
    SUBCASE("sums") {
        given.nodes[0].adds_up = false;
        const auto read = read_ledger(to_json(given), 121'000);
        CHECK_FALSE(read->agrees);
        CHECK(read->text.find("DO NOT ADD UP") != std::string::npos);
    }
    SUBCASE("no scheduler") {
        given.consistency.reset();
        const auto read = read_ledger(to_json(given), 121'000);
        CHECK(read->agrees);
        CHECK(read->text.find("no scheduler was asked") != std::string::npos);
    }
    SUBCASE("an audit that found nobody to ask is no agreement") {
        given.consistency->problem = "refused";
        CHECK_FALSE(read_ledger(to_json(given), 121'000)->agrees);
    }
}

TEST_CASE("ledger report: what is no ledger is refused") {
    for (const char* text : {"", "[]", "{}", "{\"nodes\":", "null"}) {
        CHECK_FALSE(read_ledger(text, 0).has_value());
    }
    CHECK(read_ledger(R"({"nodes":[1,{"units":[null]}],"audit":3})", 0).has_value());
}

TEST_CASE("ledger report: cards of a node, only where a node has some") {
    LedgerReport given = report();
    CHECK(read_ledger(to_json(given), 121'000)->text.find("CARD") == std::string::npos);
    given.nodes[0].cards = {{"GPU-a", "alnair/vgpu-memory", 16, 6}};
    CHECK(
        to_json(given).find(
            R"("cards":[{"id":"GPU-a","resource":"alnair/vgpu-memory","units":16,"free":6}])") !=
        std::string::npos);
    CHECK(to_json(given.nodes[0], Units::left_out).find("cards") == std::string::npos);
    const std::string text = read_ledger(to_json(given), 121'000)->text;
    CHECK(text.find("GPU-a  alnair/vgpu-memory  16     6") != std::string::npos);
}

TEST_CASE("ledger report: what is bound, by whom") {  // D35
    LedgerReport given = report();
    given.nodes[0].bound_by = {{"etl/pi\x1b[31m", 2, {2'000, 2LL << 30, 0, {}}}};
    const auto read = read_ledger(to_json(given), 121'000);
    REQUIRE(read);
    CHECK(read->text.find("BOUND FOR") != std::string::npos);
    CHECK(read->text.find("2     2 cpu, 2Gi memory") != std::string::npos);
    CHECK(read->text.find("pods outside gangs") != std::string::npos);
    CHECK(read->text.find('\x1b') == std::string::npos);
}
