#include "k8s/embedded/patch/patch.hpp"

#include "rig.hpp"

using namespace k8s::embedded;
using rig::json;

namespace {

std::string patched(const char* document, const char* patch) {
    const auto result = json_patch(json(document), json(patch));
    return result ? result->dump() : std::to_string(result.failure().code);
}

std::string strategic(const char* document, const char* patch) {
    const auto result = strategic_patch(core_kind("pods"), json(document), json(patch));
    return result ? result->dump() : result.failure().message;
}

}  // namespace

TEST_CASE("json patch: each operation") {
    CHECK(patched(R"({"a":1})", R"([{"op":"add","path":"/b","value":2}])") == R"({"a":1,"b":2})");
    CHECK(patched("[1,3]", R"([{"op":"add","path":"/1","value":2}])") == "[1,2,3]");
    CHECK(patched("[1]", R"([{"op":"add","path":"/-","value":2}])") == "[1,2]");
    CHECK(patched(R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])") == R"({"b":2})");
    CHECK(patched("[1,2]", R"([{"op":"remove","path":"/0"}])") == "[2]");
    CHECK(patched(R"({"a":1})", R"([{"op":"replace","path":"/a","value":"x"}])") == R"({"a":"x"})");
    CHECK(
        patched(R"({"a":{"b":1}})", R"([{"op":"move","from":"/a/b","path":"/c"}])") ==
        R"({"a":{},"c":1})");
    CHECK(
        patched(R"({"a":[1]})", R"([{"op":"copy","from":"/a","path":"/b"}])") ==
        R"({"a":[1],"b":[1]})");
    CHECK(
        patched(
            R"({"x/y~z":1})",
            R"([{"op":"test","path":"/x~1y~0z","value":1},{"op":"remove","path":"/x~1y~0z"}])") ==
        "{}");
}

TEST_CASE("json patch: what does not apply is a 422, what is no patch a 400") {
    for (const char* patch :
         {R"([{"op":"remove","path":"/x"}])",
          R"([{"op":"replace","path":"/x","value":1}])",
          R"([{"op":"add","path":"/x/y","value":1}])",
          R"([{"op":"test","path":"/a","value":2}])",
          R"([{"op":"move","from":"/x","path":"/y"}])"}) {
        CAPTURE(patch);
        CHECK(patched(R"({"a":1})", patch) == "422");
    }
    for (const char* patch :
         {"{}",
          R"([{"op":"jump","path":"/a"}])",
          R"([{"op":"add","path":"/a"}])",
          R"([{"op":"remove"}])",
          R"([{"op":"remove","path":"a"}])",
          "[1]"}) {
        CAPTURE(patch);
        CHECK(patched(R"({"a":1})", patch) == "400");
    }
    CHECK(patched("[1]", R"([{"op":"add","path":"/2","value":1}])") == "422");
    CHECK(patched("[1]", R"([{"op":"remove","path":"/1"}])") == "422");
}

TEST_CASE("merge patch: null removes, objects merge, all else is replaced") {
    const auto result = merge_patch(
        json(R"({"a":{"b":1,"c":2},"l":[1,2],"s":"x"})"),
        json(R"({"a":{"b":null,"d":{"e":null,"f":1}},"l":[3],"s":{"t":1}})"));
    CHECK(result.dump() == R"({"a":{"c":2,"d":{"f":1}},"l":[3],"s":{"t":1}})");
}

TEST_CASE("strategic patch: lists merge by their key") {
    CHECK(
        strategic(
            R"({"status":{"conditions":[{"type":"A","status":"False","x":1},{"type":"B"}]}})",
            R"({"status":{"conditions":[{"type":"A","status":"True"},{"type":"C"}]}})") ==
        R"({"status":{"conditions":[{"type":"A","status":"True","x":1},{"type":"C"},{"type":"B"}]}})");
    CHECK(
        strategic(
            R"({"spec":{"containers":[{"name":"A"},{"name":"B"}]}})",
            R"({"spec":{"$setElementOrder/containers":[{"name":"A"},{"name":"B"},{"name":"C"}],
                "containers":[{"name":"C"}]}})") ==
        R"({"spec":{"containers":[{"name":"A"},{"name":"B"},{"name":"C"}]}})");
    CHECK(
        strategic(
            R"({"spec":{"containers":[{"name":"c","env":[{"name":"A","value":"1"}]}]}})",
            R"({"spec":{"containers":[{"name":"c","env":[{"name":"A","value":"2"}]}]}})") ==
        R"({"spec":{"containers":[{"name":"c","env":[{"name":"A","value":"2"}]}]}})");
}

TEST_CASE("strategic patch: atomic lists are replaced, sets are united") {
    CHECK(
        strategic(
            R"({"spec":{"tolerations":[{"key":"a"}]},"metadata":{"finalizers":["x"]}})",
            R"({"spec":{"tolerations":[{"key":"b"}]},"metadata":{"finalizers":["y","x"]}})") ==
        R"({"spec":{"tolerations":[{"key":"b"}]},"metadata":{"finalizers":["x","y"]}})");
}

TEST_CASE("strategic patch: the directives") {
    CHECK(
        strategic(
            R"({"status":{"conditions":[{"type":"A"},{"type":"B"}]}})",
            R"({"status":{"conditions":[{"$patch":"delete","type":"A"}]}})") ==
        R"({"status":{"conditions":[{"type":"B"}]}})");
    CHECK(
        strategic(
            R"({"status":{"conditions":[{"type":"A"}]}})",
            R"({"status":{"conditions":[{"type":"C"},{"$patch":"replace"}]}})") ==
        R"({"status":{"conditions":[{"type":"C"}]}})");
    CHECK(
        strategic(
            R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
            R"({"metadata":{"labels":{"$patch":"replace","c":"3"}}})") ==
        R"({"metadata":{"labels":{"c":"3"}}})");
    CHECK(
        strategic(
            R"({"metadata":{"finalizers":["a","b"]}})",
            R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"$setElementOrder/finalizers":["b"]}})") ==
        R"({"metadata":{"finalizers":["b"]}})");
    CHECK(
        strategic(
            R"({"spec":{"volumes":[{"name":"v","hostPath":{"path":"/x"}}]}})",
            R"({"spec":{"volumes":[{"$retainKeys":["name","emptyDir"],"name":"v","emptyDir":{}}]}})") ==
        R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})");
    CHECK(strategic(R"({"a":{"b":1},"c":2})", R"({"a":{"$patch":"delete"}})") == R"({"c":2})");
}

TEST_CASE("strategic patch: an item without its merge key is refused") {
    CHECK(
        strategic("{}", R"({"status":{"conditions":[{"status":"True"}]}})") ==
        R"(map: {"status":"True"} does not contain declared merge key: type)");
}
