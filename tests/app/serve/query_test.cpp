#include "gang/app/serve/query.hpp"

#include <doctest/doctest.h>

using namespace gang::app;

TEST_CASE("query: path and parameters") {
    CHECK(split_target("/a/b?x=1&y").path == "/a/b");
    CHECK(split_target("/a/b?x=1&y").query == "x=1&y");
    CHECK(split_target("/a").query.empty());
    CHECK(find_parameter("x=1&y=a%20b&x=2", "x") == "1");
    CHECK(find_parameter("x=1&y=a%20b", "y") == "a b");
    CHECK(find_parameter("xx=1", "x") == std::nullopt);
    CHECK(find_parameter("x", "x") == std::nullopt);
    CHECK(find_parameter("x=", "x") == "");
    CHECK(find_parameter("x=%", "x") == std::nullopt);
    CHECK(parameter_names("x=1&y&&z=") == std::vector<std::string_view>{"x", "y", "", "z"});
    CHECK(parameter_names("").empty());
}

TEST_CASE("query: percent signs") {
    CHECK(percent_decode("a%2Fb%2f") == "a/b/");
    CHECK(percent_decode("%00") == std::string(1, '\0'));
    for (const char* bad : {"%", "%2", "%zz", "a%2", "%-1"}) {
        CHECK_MESSAGE(percent_decode(bad) == std::nullopt, bad);
    }
}
