#include "gang/app/show/queue_report.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gang::app;
using gang::QueueView;

namespace {

QueueReport report() {
    QueueView root;
    root.name = "root";
    root.is_leaf = false;
    root.usage = {4'500, 2LL << 30, 0, {{"nvidia.com/gpu", 2}}};
    root.running = 2;
    root.waiting = 1;
    QueueView etl;
    etl.name = "root.etl";
    etl.parent = "root";
    etl.order = config::QueueOrder::priority;
    etl.is_stopped = true;
    etl.weight = 3;
    etl.share_millionths = 123'456;
    etl.owed_millionths = -5'500;
    etl.is_below_guarantee = true;
    etl.usage = root.usage;
    etl.guarantee = {{"cpu", 64'000}};
    etl.limit = {{"cpu", 512'000}, {"memory", 1LL << 40}, {"nvidia.com/gpu", 0}};
    etl.user_limit = {{"cpu", 500}};
    etl.max_gangs = 100;
    etl.running = 2;
    etl.waiting = 1;
    etl.head = "etl/\"odd\"";
    return {"daemon", "https://1.2.3.4", {root, etl}, {false, "other"}};
}

}  // namespace

TEST_CASE("queue report: what is written is read back") {
    const QueueReport wanted = report();
    const auto read = queue_report_from_json(to_json(wanted));
    REQUIRE(read.has_value());
    CHECK(read->queues == wanted.queues);
    CHECK(read->source == "daemon");
    CHECK(read->server == "https://1.2.3.4");
    CHECK(read->standing == wanted.standing);
    CHECK_FALSE(queue_report_from_json("[]").has_value());
    CHECK_FALSE(queue_report_from_json("{}").has_value());
    CHECK_FALSE(queue_report_from_json("{").has_value());
}

TEST_CASE("queue report: who waits, and who is first, is known to a leader alone") {
    QueueReport listed = report();
    listed.source = "api-server";
    const std::string json = to_json(listed);
    CHECK(
        json.find(R"("running":2,"waiting":null,"head":null,"headExpectedStartMs":null)") !=
        std::string::npos);
    const std::string table = queues_table(listed);
    CHECK(table.find("odd") == std::string::npos);
    CHECK(table.find("  ?        ?") != std::string::npos);
}

TEST_CASE("queue report: a line for each queue, those below indented") {
    const std::string table = queues_table(report());
    CAPTURE(table);
    CHECK(table.find("\n  etl ") != std::string::npos);
    CHECK(table.find("12.3% (below)") != std::string::npos);
    CHECK(table.find("4500m cpu, 2Gi memory, 2 nvidia.com/gpu") != std::string::npos);
    QueueReport owed = report();
    owed.queues[1].is_below_guarantee = false;
    CHECK(queues_table(owed).find("12.3% (owed -0.5%)") != std::string::npos);
    owed.queues[1].owed_millionths = 999;
    CHECK(queues_table(owed).find("owed") == std::string::npos);
    CHECK(table.find("512 cpu, 1Ti memory, 0 nvidia.com/gpu") != std::string::npos);
    CHECK(table.find("2/100") != std::string::npos);
}
