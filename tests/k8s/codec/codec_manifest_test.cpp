#include "k8s/codec/codec_manifest.hpp"

#include <doctest/doctest.h>

#include <string>

using k8s::decode_manifest;

namespace {

const std::string pod = R"({"kind": "Pod", "metadata": {"name": "p"}, "spec": {}})";
const std::string config_map = R"({"kind": "ConfigMap", "metadata": {"name": "m"}, "data": {}})";

}  // namespace

TEST_CASE("codec_manifest: an object, an array, a List") {
    for (const std::string& text :
         {pod, "[" + pod + "]", R"({"kind": "List", "items": [)" + pod + "]}"}) {
        const auto manifest = decode_manifest(text);
        REQUIRE_MESSAGE(manifest.has_value(), text);
        REQUIRE(manifest->pods.size() == 1);
        CHECK(manifest->pods[0].name == "p");
        CHECK(manifest->config_maps.empty());
    }
    const auto mixed =
        decode_manifest("[" + config_map + "," + pod + R"(, {"kind": "Secret", "data": 1}])");
    REQUIRE(mixed.has_value());
    CHECK(mixed->pods.size() == 1);
    CHECK(mixed->config_maps.size() == 1);
    CHECK(mixed->others == 1);
}

TEST_CASE("codec_manifest: what cannot be read is an error in words") {
    for (const std::string& text :
         {std::string(),
          std::string("null"),
          std::string("apiVersion: v1"),
          std::string("[1]"),
          std::string(R"({"metadata": {}})"),
          std::string(R"({"kind": "Pod"})"),
          std::string(R"({"kind": "List", "items": {}})"),
          "[" + pod + ", {}]"}) {
        const auto manifest = decode_manifest(text);
        REQUIRE_MESSAGE(!manifest.has_value(), text);
        CHECK(!manifest.error().message.empty());
    }
    CHECK(decode_manifest("[]").has_value());
}
