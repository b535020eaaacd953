#include "gang/app/base/json_text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gang::app;

namespace {

gang::GangView gang_view() {
    gang::GangView gang;
    gang.namespace_name = "etl";
    gang.driver = "pi";
    gang.driver_uid = "u";
    gang.application = "spark-1";
    gang.state = gang::GangState::degraded;
    gang.code = gang::ReasonCode::bind_failed;
    gang.position = 2;
    gang.executors = 5;
    gang.slots_open = 1;
    gang.slots_assumed = 2;
    gang.slots_bound = 2;
    gang.needs.cpu_milli = 1500;
    gang.needs.memory_bytes = 1LL << 40;
    gang.needs.extended = {{"nvidia.com/gpu", 4}};
    gang.waiting_since_ms = 1'700'000'000'000;
    gang.message = "quote \" backslash \\ newline \n";
    return gang;
}

}  // namespace

TEST_CASE("json_text: gangs survive the way to text and back") {
    const auto back = gang_list_from_json(to_json(GangList{"daemon", "http://s", {gang_view()}}));
    REQUIRE(back.has_value());
    CHECK(back->source == "daemon");
    CHECK(back->server == "http://s");
    REQUIRE(back->gangs.size() == 1);
    const gang::GangView& gang = back->gangs.front();
    const gang::GangView wanted = gang_view();
    CHECK(gang.driver == wanted.driver);
    CHECK(gang.state == wanted.state);
    CHECK(gang.code == wanted.code);
    CHECK(gang.position == 2);
    CHECK(gang.executors == 5);
    CHECK(gang.slots_assumed == 2);
    CHECK(gang.needs == wanted.needs);
    CHECK(gang.waiting_since_ms == wanted.waiting_since_ms);
    CHECK(gang.message == wanted.message);
}

TEST_CASE("json_text: D2: a daemon says whether it leads, and who does") {
    const Standing standby{false, "other-pod_1"};
    const std::string json = to_json(GangList{"daemon", "s", {}, standby});
    CHECK(json.find("\"leading\":false,\"leader\":\"other-pod_1\"") != std::string::npos);
    CHECK(gang_list_from_json(json)->standing == standby);
    gang::Explanation explanation;
    explanation.gang = gang_view();
    CHECK(answer_from_json(to_json(Answer{"daemon", "s", explanation, standby}))->standing == standby);
    // An older daemon says nothing of it.
    CHECK(gang_list_from_json("{\"source\":\"daemon\",\"gangs\":[]}")->standing == Standing{});
    CHECK(to_json(GangList{"api-server", "s", {}}).find("leading") == std::string::npos);
}

TEST_CASE("json_text: a size that is not known is null, not a number") {
    gang::GangView gang = gang_view();
    gang.executors = executors_unknown;
    const std::string json = to_json(GangList{"api-server", "", {gang}});
    CHECK(json.find("\"executors\":null") != std::string::npos);
    CHECK(gang_list_from_json(json)->gangs.front().executors == executors_unknown);
}

TEST_CASE("json_text: an answer survives the way to text and back") {
    gang::Explanation explanation;
    explanation.gang = gang_view();
    explanation.is_executor = true;
    explanation.driver.cpu_milli = 1000;
    explanation.executor.memory_bytes = 5;
    explanation.slots_per_node = {{"n1", 3}, {"n2", 2}};
    explanation.notes = {"one", "two"};
    const auto back = answer_from_json(to_json(Answer{"daemon", "s", explanation}));
    REQUIRE(back.has_value());
    CHECK(back->explanation.is_executor);
    CHECK(back->explanation.driver == explanation.driver);
    CHECK(back->explanation.executor == explanation.executor);
    CHECK(back->explanation.slots_per_node == explanation.slots_per_node);
    CHECK(back->explanation.notes == explanation.notes);
}

TEST_CASE("json_text: another server's text is an error, not a crash") {
    CHECK_FALSE(gang_list_from_json("").has_value());
    CHECK_FALSE(gang_list_from_json("<html>").has_value());
    CHECK_FALSE(gang_list_from_json("[]").has_value());
    CHECK_FALSE(gang_list_from_json("{}").has_value());
    CHECK_FALSE(answer_from_json("{\"driver\":5}").has_value());
    CHECK_FALSE(gang_list_from_json(std::string(1'000'000, '[')).has_value());
    CHECK(gang_list_from_json("{\"gangs\":[5,{\"executors\":\"x\"}]}")->gangs.size() == 1);
}

TEST_CASE("json_text: bytes that are no UTF-8 do not break the JSON") {
    CHECK(json_string("a\xFF\xC3") == "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"");
    CHECK(json_string("\x1b\n\"") == "\"\\u001B\\n\\\"\"");
    CHECK(json_string("ü") == "\"ü\"");
}
