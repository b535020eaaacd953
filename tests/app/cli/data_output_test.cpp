#include "gang/app/cli/data_output.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

using gang::app::CommandLine;
using gang::app::yaml_from_json;

TEST_CASE("yaml: what JSON says, in blocks") {
    CHECK(
        yaml_from_json(
            R"({"a":{"b":[1,-2,2.5],"c":{}},"d":[],"e":null,"f":true,"g":18446744073709551615})") ==
        "a:\n  b:\n    - 1\n    - -2\n    - 2.5\n  c: {}\nd: []\ne: ~\nf: true\ng: "
        "18446744073709551615");
    CHECK(
        yaml_from_json(R"({"items":[{"a":1,"b":"x"},{"a":2}]})") ==
        "items:\n  - a: 1\n    b: x\n  - a: 2");
}

TEST_CASE("yaml: a string stays a string") {
    CHECK(
        yaml_from_json(R"({"a":"1","b":"true","c":"","d":"plain words","e":"No","f":"1e3"})") ==
        "a: \"1\"\nb: \"true\"\nc: \"\"\nd: plain words\ne: \"No\"\nf: \"1e3\"");
    CHECK(
        yaml_from_json(R"({"true":"a: b","x":"a # b","y":"a\nb"})") ==
        "\"true\": \"a: b\"\nx: \"a # b\"\n\"y\": \"a\\nb\"");
    CHECK(yaml_from_json("no json") == "no json");
}

TEST_CASE("data output: only for who wants it") {
    CommandLine line;
    std::ostringstream out;
    const auto make = [] { return std::string(R"({"a":1})"); };
    CHECK_FALSE(gang::app::print_data(line, out, make));
    CHECK(out.str().empty());
    line.values["output"] = {"json"};
    CHECK(gang::app::print_data(line, out, make));
    line.values["output"] = {"yaml"};
    CHECK(gang::app::print_data(line, out, make));
    CHECK(out.str() == "{\"a\":1}\na: 1\n");
}
