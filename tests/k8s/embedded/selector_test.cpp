#include "k8s/embedded/query/selector.hpp"

#include <doctest/doctest.h>

using namespace k8s::embedded;

namespace {

const Json pod = *Json::parse(R"({"metadata":{"name":"p","namespace":"s",
    "labels":{"app":"web","tier":"back","empty":""}},
    "spec":{"nodeName":"n1","schedulerName":"gang"},"status":{"phase":"Running"}})");

bool labels(const std::string& text) {
    const auto predicate = parse_label_selector(text);
    REQUIRE_MESSAGE(static_cast<bool>(predicate), text);
    return !*predicate || (*predicate)(pod);
}

bool fields(const std::string& text) {
    const auto predicate = parse_field_selector(core_kind("pods"), text);
    REQUIRE_MESSAGE(static_cast<bool>(predicate), text);
    return !*predicate || (*predicate)(pod);
}

}  // namespace

TEST_CASE("label selector: every form that holds") {
    for (const std::string text :
         {"",
          "app=web",
          "app==web",
          "app = web",
          "app!=db",
          "absent!=x",
          "app",
          "!absent",
          "app in (db,web)",
          "app in(web)",
          "app notin (db, x)",
          "absent notin (a)",
          "empty=",
          "app=web,tier=back,!absent,tier in (back)"}) {
        CAPTURE(text);
        CHECK(labels(text));
    }
}

TEST_CASE("label selector: every form that does not hold") {
    for (const std::string text :
         {"app=db",
          "app!=web",
          "absent",
          "!app",
          "app in (db)",
          "absent in (web)",
          "app notin (web,x)",
          "app=web,tier=front",
          "empty=x",
          "absent="}) {
        CAPTURE(text);
        CHECK_FALSE(labels(text));
    }
}

TEST_CASE("label selector: nonsense is a 400") {
    for (const std::string text : {"=x", "a b", "a in", "a in (", "a on (b)", "a=b,,c=d", "!"}) {
        CAPTURE(text);
        const auto predicate = parse_label_selector(text);
        REQUIRE_FALSE(static_cast<bool>(predicate));
        CHECK(predicate.failure().code == 400);
    }
}

TEST_CASE("field selector: known fields compare, absent ones are empty") {
    CHECK(fields("spec.nodeName=n1,status.phase!=Failed,metadata.name=p"));
    CHECK(fields("metadata.namespace==s"));
    CHECK(fields("status.nominatedNodeName="));
    CHECK(fields("spec.hostNetwork=false"));
    CHECK_FALSE(fields("spec.nodeName!=n1"));
    CHECK_FALSE(fields("spec.schedulerName=default-scheduler"));
}

TEST_CASE("field selector: an unknown field is refused with the real server's text") {
    const auto of_pods = parse_field_selector(core_kind("pods"), "spec.foo=1");
    REQUIRE_FALSE(static_cast<bool>(of_pods));
    CHECK(of_pods.failure().message == "field label not supported: spec.foo");
    const auto of_maps = parse_field_selector(core_kind("configmaps"), "data=1");
    REQUIRE_FALSE(static_cast<bool>(of_maps));
    CHECK(
        of_maps.failure().message ==
        "\"data\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
}

TEST_CASE("field selector: events know their object in both forms of the kind") {
    const Json event =
        *Json::parse(R"({"involvedObject":{"name":"p"},"reason":"R","source":{"component":"c"}})");
    const auto old_form =
        parse_field_selector(core_kind("events"), "involvedObject.name=p,source=c");
    CHECK((*old_form)(event));
    const auto new_form = parse_field_selector(
        *find_kind("events.k8s.io", "v1", "events"), "regarding.name=p,reason=R");
    CHECK((*new_form)(event));
    CHECK_FALSE(static_cast<bool>(parse_field_selector(
        *find_kind("events.k8s.io", "v1", "events"), "involvedObject.name=p")));
}
