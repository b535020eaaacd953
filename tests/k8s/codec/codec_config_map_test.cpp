#include "k8s/codec/codec_config_map.hpp"

#include <doctest/doctest.h>

#include <string>

using k8s::decode_config_map;

TEST_CASE("codec_config_map: the data, sorted") {
    const auto map = decode_config_map(
        R"({"kind": "ConfigMap", "metadata": {"name": "m", "namespace": "ns"},
            "data": {"b": "2\nlines", "a": ""}, "binaryData": {"c": "AA=="}, "immutable": true})");
    REQUIRE(map.has_value());
    CHECK(*map == k8s::ConfigMap{"ns", "m", {{"a", ""}, {"b", "2\nlines"}}});
}

TEST_CASE("codec_config_map: no data is no data") {
    const auto map = decode_config_map(R"({"metadata": {"name": "m"}})");
    REQUIRE(map.has_value());
    CHECK(map->data.empty());
}

TEST_CASE("codec_config_map: wrong types and wrong sizes are errors") {
    for (const char* json :
         {"",
          "{}",
          R"({"metadata": {"name": "m"}, "data": []})",
          R"({"metadata": {"name": "m"}, "data": {"a": 1}})",
          R"({"metadata": {"name": "m"}, "data": "x"})"}) {
        CHECK_MESSAGE(!decode_config_map(json).has_value(), std::string(json));
    }
    const std::string head = R"({"metadata": {"name": "m"}, "data": {"a": ")";
    CHECK(decode_config_map(head + std::string(k8s::config_map_data_max - 1, 'x') + "\"}}")
              .has_value());
    const auto large =
        decode_config_map(head + std::string(k8s::config_map_data_max, 'x') + "\"}}");
    REQUIRE(!large.has_value());
    CHECK(large.error().message.find("config map m: more than") != std::string::npos);
    CHECK(!decode_config_map(std::string(k8s::config_map_json_max + 1, ' ')).has_value());
}
