#include "gang/app/base/text.hpp"

#include "gang/app/show/report.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gang::app;

namespace {

gang::GangView waiting_gang() {
    gang::GangView gang;
    gang.namespace_name = "etl";
    gang.driver = "pi-driver";
    gang.driver_uid = "u1";
    gang.application = "spark-9f3c";
    gang.state = gang::GangState::waiting;
    gang.code = gang::ReasonCode::waiting_for_capacity;
    gang.position = 3;
    gang.executors = 4;
    gang.needs.cpu_milli = 5000;
    gang.waiting_since_ms = 1'000'000;
    gang.message = "0/3 nodes can take gang pi-driver now";
    return gang;
}

}  // namespace

TEST_CASE("text: columns are aligned, empty cells are a dash, nothing trails") {
    CHECK(
        format_table({{"A", "LONGER"}, {"wide cell", ""}, {"", "x"}}) ==
        "A          LONGER\n"
        "wide cell  -\n"
        "-          x\n");
    CHECK(format_table({{"Ä", "B"}, {"ab", "c"}}) == "Ä   B\nab  c\n");
}

TEST_CASE("text: a hostile cell stays in its cell") {
    CHECK(format_table({{"a\nb\x1b[2J", "c"}}) == "a\\nb\\x1b[2J  c\n");
}

TEST_CASE("text: ages as kubectl shows them") {
    CHECK(format_age(-5) == "0s");
    CHECK(format_age(45'000) == "45s");
    CHECK(format_age(119'000) == "119s");
    CHECK(format_age(130'000) == "2m10s");
    CHECK(format_age(12 * 60'000) == "12m");
    CHECK(format_age(200 * 60'000) == "3h20m");
    CHECK(format_age(50LL * 3600'000) == "2d2h");
}

TEST_CASE("text: every code and state is found again by its word") {
    CHECK(all_reason_codes().size() == 20);
    for (const auto code : all_reason_codes()) {
        CHECK(find_reason_code(gang::to_string(code)) == code);
    }
    CHECK_FALSE(find_reason_code("None").has_value());
    CHECK_FALSE(find_reason_code("Nonsense").has_value());
    CHECK(find_gang_state("Degraded") == gang::GangState::degraded);
    CHECK_FALSE(find_gang_state("").has_value());
}

TEST_CASE("text: a condition of ours ends with a code of ours") {
    CHECK(
        read_condition("0/3 nodes can take it. [WaitingForCapacity]") ==
        SaidReason{gang::ReasonCode::waiting_for_capacity, "0/3 nodes can take it."});
    CHECK_FALSE(read_condition("0/3 nodes are available: 3 Insufficient cpu.").has_value());
    CHECK_FALSE(read_condition("words [Other]").has_value());
    CHECK_FALSE(read_condition("[WaitingForCapacity] words").has_value());
    CHECK_FALSE(read_condition("").has_value());
}

TEST_CASE("report: the table of gangs") {
    const GangList list{"daemon", "http://x", {waiting_gang()}};
    CHECK(
        gangs_table(list, 1'045'000) ==
        "NAMESPACE  DRIVER     APPLICATION  STATE    POS  NEED         GOT  AGE  WHY\n"
        "etl        pi-driver  spark-9f3c   Waiting  3    1+4 (5 cpu)  0    45s  "
        "WaitingForCapacity\n");
    CHECK(gangs_table(GangList{}, 0) == "No gangs.\n");
}

TEST_CASE("report: why a gang waits, with numbers and notes") {
    Answer answer{"daemon", "http://x", {}};
    answer.explanation.gang = waiting_gang();
    answer.explanation.driver.cpu_milli = 1000;
    answer.explanation.executor.cpu_milli = 1000;
    answer.explanation.notes = {"2 nodes: Insufficient cpu", "evil\x1b[31m"};
    CHECK(
        why_text(answer, 1'045'000) ==
        "etl/pi-driver: Waiting, application spark-9f3c, position 3, 45s old\n"
        "0/3 nodes can take gang pi-driver now\n"
        "Reason: WaitingForCapacity (see docs/reference/reasons.md)\n"
        "Needs: 5 cpu in all\n"
        "Driver: 1 cpu; each of 4 executors: 1 cpu\n"
        "- 2 nodes: Insufficient cpu\n"
        "- evil\\x1b[31m\n");
}

TEST_CASE("report: a running gang shows its slots, and an executor is said to be one") {
    Answer answer{"api-server", "http://x", {}};
    answer.explanation.gang = waiting_gang();
    answer.explanation.gang.state = gang::GangState::running;
    answer.explanation.gang.code = gang::ReasonCode::none;
    answer.explanation.gang.slots_bound = 3;
    answer.explanation.gang.slots_open = 1;
    answer.explanation.slots_per_node = {{"n1", 3}, {"n2", 1}};
    answer.explanation.is_executor = true;
    const std::string text = why_text(answer, 1'045'000);
    CHECK(text.find("is an executor of this gang") != std::string::npos);
    CHECK(
        text.find("Slots: 4 reserved: 3 bound, 0 claimed, 1 open\n  3 on n1\n  1 on n2\n") !=
        std::string::npos);
    CHECK(text.find("Reason:") == std::string::npos);
}

TEST_CASE("report: a gang that has ended needs and holds nothing") {
    Answer answer{"api-server", "http://x", {}};
    answer.explanation.gang = waiting_gang();
    answer.explanation.gang.state = gang::GangState::ended;
    answer.explanation.gang.code = gang::ReasonCode::none;
    answer.explanation.gang.position = 0;
    answer.explanation.gang.message = "it has ended: Succeeded";
    CHECK(
        why_text(answer, 1'045'000) ==
        "etl/pi-driver: Ended, application spark-9f3c, 45s old\nit has ended: Succeeded\n");
}
