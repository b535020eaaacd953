// What is said to other people's extenders, and what is believed of their answers.
#include "gang/app/called/extender_replies.hpp"

#include "gang/app/extender/wire.hpp"
#include "tests/support/text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using gang::app::read_filter_reply;
using gang::app::read_priorities;
using tests::contains;

namespace {

const std::vector<std::string> asked = {"n1", "n2", "n3"};

std::string wrong(const std::string& body, bool by_name = true) {
    const auto reply = read_filter_reply(body, asked, by_name);
    return reply ? "" : reply.error().message;
}

}  // namespace

TEST_CASE("called extender: EXT-11: what it is asked is what kube-scheduler would ask") {
    CHECK(
        gang::app::extender_args("{\"metadata\":{}}", asked, nullptr) ==
        R"({"Pod":{"metadata":{}},"Nodes":null,"NodeNames":["n1","n2","n3"]})");
    const std::vector<std::string_view> objects = {R"({"metadata":{"name":"n1"}})"};
    CHECK(
        gang::app::extender_args("{}", {"n1"}, &objects) ==
        R"({"Pod":{},"Nodes":{"metadata":{},"items":[{"metadata":{"name":"n1"}}]},"NodeNames":null})");
    gang::AskExtenders question;
    question.pod = {"etl", "a\"b", "u1"};
    question.scheduler_name = "gang-scheduler";
    question.requests = {1'500, 1'024, 0, {{"example.com/card", 2}}};
    const std::string body =
        gang::app::extender_args(gang::app::pod_to_come(question), asked, nullptr);
    const auto read = gang::app::read_extender_args(body);  // as we take it ourselves
    REQUIRE(read);
    CHECK(read->nodes == asked);
    CHECK(contains(std::string(read->pod), R"("name":"a\"b-executor","namespace":"etl")"));
    CHECK(contains(std::string(read->pod), R"("cpu":"1500m","memory":"1024","example.com/card":"2")"));
}

TEST_CASE("called extender: EXT-11: a part of the nodes passes, in any case of the keys") {
    const auto names =
        read_filter_reply(R"({"nodenames":["n3","n1"],"failednodes":{"n2":"full"}})", asked, true);
    REQUIRE(names);
    CHECK(names->nodes == std::vector<std::string>{"n1", "n3"});
    CHECK(names->refusal == "n2: full");
    const auto objects = read_filter_reply(
        R"({"Nodes":{"items":[{"metadata":{"name":"n2"}}]},"NodeNames":null,"FailedNodes":null})",
        asked,
        false);
    REQUIRE(objects);
    CHECK(objects->nodes == std::vector<std::string>{"n2"});
    CHECK(objects->refusal.empty());
}

TEST_CASE("called extender: EXT-19: no list is no node, and what it was not asked about is an error") {
    const auto none = read_filter_reply(
        R"({"NodeNames":null,"FailedAndUnresolvableNodes":{"n1":"no licence"}})", asked, true);
    REQUIRE(none);
    CHECK(none->nodes.empty());
    CHECK(none->refusal == "n1: no licence");
    CHECK(contains(wrong(R"({"NodeNames":["n1","n9"]})"), R"(it names node "n9")"));
    CHECK(contains(wrong(R"({"NodeNames":[7]})"), R"(it names node "")"));
    CHECK(wrong(R"({"Error":"out of\norder"})") == "out of order");
    CHECK(contains(wrong("<html>"), "is no JSON"));
    CHECK(contains(wrong("[]"), "is no ExtenderFilterResult"));
    CHECK(contains(wrong(R"({"NodeNames":{}})"), "is no list"));
    CHECK(contains(wrong(R"({"Nodes":{"items":1}})", false), "no list of items"));
    CHECK(contains(wrong(std::string(200'000, '[')), "is no JSON"));
}

TEST_CASE("called extender: EXT-19: scores are kept within 0 to 10") {
    const auto scores = read_priorities(
        R"([{"Host":"n1","Score":3},{"host":"n2","score":11},{"Host":"n3","Score":-1}])", asked);
    REQUIRE(scores);
    REQUIRE(scores->scores.size() == 3);
    CHECK(scores->scores[0].second == 3);
    CHECK(scores->scores[1].second == 10);
    CHECK(scores->scores[2].second == 0);
    CHECK(contains(scores->warning, "counts as"));
    const auto strange = read_priorities(R"([{"Host":"n9","Score":3},{"Host":"n1"},7])", asked);
    REQUIRE(strange);
    CHECK(strange->scores.empty());
    CHECK_FALSE(strange->warning.empty());
    CHECK_FALSE(read_priorities("{}", asked));
    CHECK_FALSE(read_priorities("", asked));
}
