// kubectl's templates, as far as we have them.
#include "gang/app/output/json_path.hpp"
#include "tests/support/text.hpp"

#include <doctest/doctest.h>

#include <string>

using gang::app::JsonPath;
using tests::contains;

namespace {

constexpr const char* sample_json =
    R"({"gangs":[{"driver":"a","needs":{"cpuMilli":1000,"extended":{"nvidia.com/gpu":2}}},)"
    R"({"driver":"b\u001b[31m","needs":{"cpuMilli":2500}}],"total":2,"ok":true,"none":null})";

std::string applied(const std::string& text) {
    const auto path = JsonPath::parse(text);
    REQUIRE_MESSAGE(path.has_value(), text);
    return *path->apply(sample_json);
}

std::string refused(const std::string& text) {
    const auto path = JsonPath::parse(text);
    REQUIRE_MESSAGE(!path.has_value(), text);
    return path.error().message;
}

}  // namespace

TEST_CASE("json path: members, indexes, all, names with dots") {
    CHECK(applied("{.total}") == "2");
    CHECK(applied("{.gangs[0].driver}") == "a");
    CHECK(applied("{.gangs[*].needs.cpuMilli}") == "1000 2500");
    CHECK(applied("{.gangs[-1].needs.cpuMilli}") == "2500");
    CHECK(applied("{.gangs[0].needs.extended['nvidia.com/gpu']}") == "2");
    CHECK(applied("{.gangs[0].needs.extended.nvidia\\.com/gpu}") == "2");
    CHECK(applied("{ .gangs[0].needs }") == R"({"cpuMilli":1000,"extended":{"nvidia.com/gpu":2}})");
    CHECK(applied("{.ok} {.none}") == "true null");
    CHECK(applied("{$.total}{@.total}") == "22");
    CHECK(applied("{.gangs[0].needs.*}") == R"(1000 {"nvidia.com/gpu":2})");
    CHECK(applied("no braces") == "no braces");
    CHECK(applied("") == "");
}

TEST_CASE("json path: what is not there is nothing") {
    CHECK(applied("[{.nothing}{.gangs[7].driver}{.total.x}{.gangs[-3]}]") == "[]");
    CHECK(applied("{range .nothing[*]}x{end}") == "");
}

TEST_CASE("json path: ranges and texts") {
    CHECK(applied(R"({range .gangs[*]}{.needs.cpuMilli}{"\t"}{$.total}{"\n"}{end})") == "1000\t2\n2500\t2\n");
    CHECK(applied("{range .gangs[*]}{range .needs.*}<{.}>{end}{end}") == R"(<1000><{"nvidia.com/gpu":2}><2500>)");
}

TEST_CASE("json path: no name of a tenant draws on the terminal") {
    CHECK(applied("{.gangs[1].driver}").find('\x1b') == std::string::npos);
}

TEST_CASE("json path: what is not supported or wrong is said, with its place") {
    CHECK(contains(refused("{.gangs[?(@.driver=='a')]}"), "filters"));
    CHECK(contains(refused("{..driver}"), "recursive descent"));
    CHECK(contains(refused("{.a..b}"), "recursive descent"));
    CHECK(contains(refused("{.gangs[0:1]}"), "slices"));
    CHECK(contains(refused("{.gangs[0,1]}"), "unions"));
    CHECK(contains(refused("{.gangs"), "without }"));
    CHECK(contains(refused("{range .gangs[*]}{.driver}"), "without {end}"));
    CHECK(contains(refused("{.total}{end}"), "without {range}"));
    CHECK(contains(refused("{\"x}"), "a quote"));
    CHECK(contains(refused("{gangs}"), "character 2"));
    CHECK(contains(refused("{.gangs[x]}"), "expected a number"));
    CHECK(contains(refused("{.a.}"), "behind the dot"));
    std::string deep;
    for (int i = 0; i < 1'000; ++i) {
        deep += "{range .gangs[*]}";
    }
    CHECK(contains(refused(deep), "too many"));
}
