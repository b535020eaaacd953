#include "k8s/embedded/store/json_value.hpp"

#include "k8s/embedded/store/json_tools.hpp"

#include <doctest/doctest.h>

using k8s::embedded::Json;

TEST_CASE("json: text survives reading and writing, in the order of its members") {
    const std::string text =
        R"({"b":[1,-2,3.5,true,false,null,"x\n\"y\""],"a":{"c":{}},"big":9223372036854775807})";
    const auto parsed = Json::parse(text);
    REQUIRE(parsed);
    CHECK(parsed->dump() == text);
}

TEST_CASE("json: a duplicate key keeps the last value, in few and in many members") {
    CHECK(Json::parse(R"({"a":1,"b":2,"a":3})")->dump() == R"({"a":3,"b":2})");
    std::string many = "{\"a\":0";
    for (int i = 0; i < 100; ++i) {
        many += ",\"a\":" + std::to_string(i);
    }
    CHECK(Json::parse(many + "}")->dump() == R"({"a":99})");
}

TEST_CASE("json: what is no JSON, too deep or not UTF-8 is an error") {
    for (const std::string text : {"", "{", "{} x", "1e999", "[1,]", "\"\xff\"", "{\"a\" 1}"}) {
        CAPTURE(text);
        CHECK_FALSE(Json::parse(text).has_value());
    }
    CHECK(Json::parse(std::string(200, '[') + std::string(200, ']')).has_value());
    CHECK_FALSE(Json::parse(std::string(201, '[') + std::string(201, ']')).has_value());
    CHECK_FALSE(Json::parse(std::string(3'000'000, '[')).has_value());
}

TEST_CASE("json: reading the wrong kind gives the fallback") {
    const Json value("text");
    CHECK(value.as_int(7) == 7);
    CHECK(value.as_bool(true));
    CHECK(value.items().empty());
    CHECK(value.members().empty());
    CHECK(value.find("x") == nullptr);
    CHECK(Json(3).as_string().empty());
    CHECK(Json(3).as_double() == 3.0);
    CHECK(Json().text({"a", "b"}).empty());
}

TEST_CASE("json: members are replaced in place, added at the end, erased") {
    Json value = *Json::parse(R"({"a":1,"b":2})");
    value.set("a", "x").set("c", 3);
    value["d"]["e"].set("f", true);
    CHECK(value.dump() == R"({"a":"x","b":2,"c":3,"d":{"e":{"f":true}}})");
    CHECK(value.erase("b"));
    CHECK_FALSE(value.erase("b"));
    CHECK(value.find_path({"d", "e", "f"})->as_bool());
}

TEST_CASE("json: equality of objects ignores the order of members, not of items") {
    const auto same = [](const char* left, const char* right) {
        return k8s::embedded::same_json(*Json::parse(left), *Json::parse(right));
    };
    CHECK(same(R"({"a":1,"b":{"c":2,"d":3}})", R"({"b":{"d":3,"c":2},"a":1})"));
    CHECK_FALSE(same(R"({"a":1})", R"({"a":1,"b":null})"));
    CHECK_FALSE(same("[1,2]", "[2,1]"));
    CHECK_FALSE(same("[1]", "[1,1]"));
}
