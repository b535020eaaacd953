#include "k8s/codec/volume/codec_storage.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace k8s;

namespace {

std::string storages(const std::string& items) {
    return R"({"metadata":{"resourceVersion":"7","continue":"c"},"items":[)" + items + "]}";
}

core::StorageSegment only_segment(const std::string& fields) {
    const auto page = decode_storage(storages(
        R"({"metadata":{"name":"n","namespace":"ns"},"storageClassName":"fast")" + fields + "}"));
    REQUIRE(page);
    return page->segments.empty() ? core::StorageSegment() : page->segments.front();
}

const std::string everywhere = R"(,"nodeTopology":{})";

}  // namespace

TEST_CASE("codec_storage: a driver that says what it has left, and others") {
    CHECK(*decode_counts_storage(R"({"spec":{"storageCapacity":true}})"));
    CHECK_FALSE(*decode_counts_storage(R"({"spec":{"storageCapacity":false}})"));
    CHECK_FALSE(*decode_counts_storage(R"({"spec":{}})"));
    CHECK_FALSE(decode_counts_storage(R"({"spec":{"storageCapacity":7}})"));
    CHECK_FALSE(decode_counts_storage("[]"));
}

TEST_CASE("codec_storage: the largest volume counts where it is said, else all that is left") {
    CHECK(only_segment(everywhere + R"(,"capacity":"2Gi")").bytes == std::int64_t{2} << 30);
    CHECK(only_segment(everywhere + R"(,"capacity":"2Gi","maximumVolumeSize":"1Gi")").bytes ==
          std::int64_t{1} << 30);
    CHECK(only_segment(everywhere + R"(,"maximumVolumeSize":"3")").bytes == 3);
    CHECK(only_segment(everywhere).bytes == -1);
}

TEST_CASE("codec_storage: which nodes reach it") {
    CHECK(only_segment(everywhere).nodes.matches_all());
    CHECK(only_segment(everywhere).name == "ns/n");
    CHECK(only_segment(everywhere).storage_class == "fast");
    const auto selected = only_segment(
        R"(,"nodeTopology":{"matchLabels":{"zone":"a"},"matchExpressions":)"
        R"([{"key":"disk","operator":"Exists"}]})");
    CHECK(selected.nodes.matches({{"disk", "x"}, {"zone", "a"}}));
    CHECK_FALSE(selected.nodes.matches({{"zone", "a"}}));
    CHECK(only_segment("").name.empty());  // no node does
    CHECK(only_segment(everywhere + R"(,"capacity":"much")").name.empty());
    CHECK(only_segment(R"(,"nodeTopology":7)").name.empty());
}

TEST_CASE("codec_storage: pages and lines") {
    const auto page = decode_storage(storages(""));
    REQUIRE(page);
    CHECK(page->version == "7");
    CHECK(page->continue_token == "c");
    CHECK_FALSE(decode_storage(R"({"items":[]})"));
    CHECK_FALSE(decode_storage("no"));
    const auto line = [](const std::string& type, const std::string& object) {
        return decode_storage_line(R"({"type":")" + type + R"(","object":)" + object + "}");
    };
    const std::string object = R"({"metadata":{"name":"n","namespace":"ns"},"nodeTopology":{}})";
    CHECK(line("ADDED", object)->segment.nodes.is_set);
    CHECK_FALSE(line("DELETED", object)->segment.nodes.is_set);
    CHECK(line("DELETED", object)->type == StorageLine::Type::gone);
    CHECK_FALSE(line("MODIFIED", R"({"metadata":{"name":"n"},"nodeTopology":[]})")->segment.nodes.is_set);
    CHECK(line("BOOKMARK", "{}")->type == StorageLine::Type::bookmark);
    CHECK(line("ERROR", R"({"code":410})")->type == StorageLine::Type::error);
    CHECK_FALSE(decode_storage_line("{}"));
}
