// The extender protocol's bodies, as kube-scheduler sends and takes them.
#include "gang/app/extender/wire.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <string>

using namespace gang::app;

namespace {

const std::string pod =
    R"({"metadata":{"name":"p","namespace":"d","uid":"u1"},"spec":{"containers":[{"name":"c"}]},"status":{}})";

std::string node(const std::string& name) {
    return R"({"metadata":{"labels":{"name":"no name","metadata":"x"},"name":")" + name +
           R"("},"spec":{"name":"nor this"},"status":{"images":[{"names":["a{]\"b"]}]}})";
}

std::string lower_keys(std::string body) {
    for (const std::string key : {"Pod", "Nodes", "NodeNames", "PodName", "PodUID"}) {
        const std::size_t at = body.find('"' + key + '"');
        for (std::size_t i = at; at != std::string::npos && i < at + key.size() + 2; ++i) {
            body[i] = static_cast<char>(std::tolower(body[i]));
        }
    }
    return body;
}

}  // namespace

TEST_CASE("extender wire: EXT-2: names in, names out") {
    const std::string body = R"({"Pod":)" + pod + R"(,"Nodes":null,"NodeNames":["n1","n2"]})";
    for (const std::string& sent : {body, lower_keys(body)}) {
        const auto args = read_extender_args(sent);
        REQUIRE(args);
        CHECK(args->pod == pod);
        CHECK(args->has_names_alone);
        CHECK(args->nodes == std::vector<std::string>{"n1", "n2"});
        CHECK(
            filter_result(*args, {{"n2"}, "Insufficient cpu"}) ==
            R"({"Nodes":null,"NodeNames":["n2"],"FailedNodes":{"n1":"Insufficient cpu"},)"
            R"("FailedAndUnresolvableNodes":null,"Error":""})");
        CHECK(
            filter_result(*args, {{}, "a \"b\""}) ==
            R"({"Nodes":null,"NodeNames":[],"FailedNodes":{"n1":"a \"b\"","n2":"a \"b\""},)"
            R"("FailedAndUnresolvableNodes":null,"Error":""})");
    }
}

TEST_CASE("extender wire: EXT-1: nodes in, the same bytes of those that pass out") {
    const std::string body = R"({"Pod":)" + pod + R"(,"Nodes":{"metadata":{"name":"l"},"items":[)" +
                             node("n1") + " , " + node("n2") + "," + node("n3") +
                             R"(]},"NodeNames":null})";
    for (const std::string& sent : {body, lower_keys(body)}) {
        const auto args = read_extender_args(sent);
        REQUIRE(args);
        CHECK(args->pod == pod);
        CHECK_FALSE(args->has_names_alone);
        CHECK(args->nodes == std::vector<std::string>{"n1", "n2", "n3"});
        CHECK(
            filter_result(*args, {{"n3", "n1"}, "Insufficient cpu"}) ==
            R"({"Nodes":{"metadata":{},"items":[)" + node("n1") + "," + node("n3") +
                R"(]},"NodeNames":null,"FailedNodes":{"n2":"Insufficient cpu"},)"
                R"("FailedAndUnresolvableNodes":null,"Error":""})");
    }
}

TEST_CASE("extender wire: EXT-7: what is no call is said to be none") {
    const auto problem = [](const std::string& body) {
        const auto args = read_extender_args(body);
        return args ? std::string() : args.error().message;
    };
    CHECK(problem("{").starts_with("the body is no JSON: "));
    CHECK(problem("").starts_with("the body is no JSON: "));
    CHECK(problem("[]") == "the body is no JSON object");
    CHECK(problem("\"Pod\"") == "the body is no JSON object");
    CHECK(problem("7") == "the body is no JSON object");
    CHECK(problem("{}") == "there is no Pod in the body");
    CHECK(problem(R"({"Pod":[],"NodeNames":[]})") == "there is no Pod in the body");
    CHECK(problem(R"({"Pod":)" + pod + "}") == "there are neither Nodes nor NodeNames in the body");
    CHECK(
        problem(R"({"Pod":)" + pod + R"(,"NodeNames":[],"Nodes":{"items":[]}})") ==
        "there are both Nodes and NodeNames in the body");
    CHECK(
        problem(R"({"Pod":)" + pod + R"(,"Nodes":{"items":[{"spec":{}}]}})") ==
        "there is a node without a name in the body");
    CHECK(
        problem(R"({"Pod":)" + pod + R"(,"NodeNames":[""]})") ==
        "there is a node without a name in the body");
    CHECK(problem(R"({"Pod":{"a":")"
                  "\xff"
                  R"("},"NodeNames":[]})")
              .starts_with("the body is no JSON"));
    // As deep as somebody likes: nothing is called for each level.
    const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
    CHECK(problem(R"({"x":)" + deep + R"(,"Pod":)" + pod + R"(,"NodeNames":["n"]})").empty());
    CHECK(problem(R"({"Pod":)" + pod + R"(,"Nodes":{"items":null}})").empty());
}

TEST_CASE("extender wire: prioritize, bind and errors") {
    CHECK(
        host_priorities({{"n1", 3}, {"n2", 10}}) ==
        R"([{"Host":"n1","Score":3},{"Host":"n2","Score":10}])");
    CHECK(host_priorities({}) == "[]");
    const std::string body =
        R"({"PodName":"p","PodNamespace":"d","PodUID":"u1","Node":"n2","More":{"Node":"n3"}})";
    for (const std::string& sent : {body, lower_keys(body)}) {
        const auto args = read_binding_args(sent);
        REQUIRE(args);
        CHECK(args->pod_name == "p");
        CHECK(args->pod_namespace == "d");
        CHECK(args->pod_uid == "u1");
        CHECK(args->node == "n2");
    }
    CHECK_FALSE(read_binding_args(R"({"PodName":"p","PodNamespace":"d","PodUID":"u1"})"));
    CHECK_FALSE(read_binding_args("nonsense"));
    CHECK(binding_result("") == R"({"Error":""})");
    CHECK(binding_result("no") == R"({"Error":"no"})");
    CHECK(
        filter_error("no") == R"({"Nodes":null,"NodeNames":null,"FailedNodes":null,)"
                              R"("FailedAndUnresolvableNodes":null,"Error":"no"})");
}

TEST_CASE("extender wire: EXT-5: victims by uid, or as whole pods") {
    const std::string meta =
        R"({"Pod":)" + pod +
        R"(,"NodeNameToVictims":null,"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"v1"}],"NumPDBViolations":2},)"
        R"("n2":{"Pods":null,"NumPDBViolations":0}}})";
    const std::string whole =
        R"({"Pod":)" + pod +
        R"(,"NodeNameToVictims":{"n1":{"Pods":[{"metadata":{"name":"x","uid":"v1","ownerReferences":[{"uid":"o"}]},)"
        R"("spec":{"uid":"no"}}],"NumPDBViolations":2},"n2":{"Pods":[],"NumPDBViolations":0}},)"
        R"("NodeNameToMetaVictims":null})";
    for (const std::string& sent : {meta, whole, lower_keys(meta)}) {
        const auto args = read_preemption_args(sent);
        REQUIRE(args);
        CHECK(args->pod == pod);
        CHECK(
            preemption_result(args->victims) ==
            R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"v1"}],"NumPDBViolations":2},)"
            R"("n2":{"Pods":[],"NumPDBViolations":0}}})");
    }
    CHECK(preemption_result({}) == R"({"NodeNameToMetaVictims":{}})");
    CHECK_FALSE(read_preemption_args(R"({"NodeNameToMetaVictims":{}})"));
}
