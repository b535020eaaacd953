#include "k8s/metrics/gpu_labels.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using k8s::GpuLabelMemo;
using k8s::GpuLabels;

namespace {

/// Labels of this node and GPU, as they stand behind the metric's name.
std::string text_of(const std::string& node, const std::string& id) {
    return ",\"node\":\"" + node + "\",\"id\":\"" + id + "\"}";
}

/// Reads them as a series is read: looks, and adds what was not found. Returns whether it was.
bool is_known(GpuLabelMemo& memo, const std::string& node, const std::string& id) {
    const std::string text = text_of(node, id) + ",\"value\":[1,\"2\"]}";
    const std::size_t found = memo.find(text);
    if (found != GpuLabelMemo::none) {
        CHECK(memo.at(found).labels.node == node);
        CHECK(memo.at(found).labels.id == id);
        return true;
    }
    const std::string_view labels = std::string_view(text).substr(0, text_of(node, id).size());
    const std::string_view said_node = labels.substr(9, node.size());
    const std::string_view said_id = labels.substr(9 + node.size() + 8, id.size());
    REQUIRE(said_node == node);
    REQUIRE(said_id == id);
    CHECK(memo.add(labels, {said_node, said_id, {}, {}}) != GpuLabelMemo::none);
    return false;
}

/// How many of one answer were not found: by metric, or by node and then by metric.
int count_unknown(GpuLabelMemo& memo, int nodes, bool is_by_node) {
    constexpr int metrics = 3;
    constexpr int gpus = 4;
    memo.begin_answer();
    int unknown = 0;
    const auto ask = [&](int node, int gpu) {
        unknown += is_known(memo, "n" + std::to_string(node), std::to_string(gpu)) ? 0 : 1;
    };
    for (int outer = 0; outer < (is_by_node ? nodes : metrics); ++outer) {
        for (int inner = 0; inner < (is_by_node ? metrics : nodes); ++inner) {
            for (int gpu = 0; gpu < gpus; ++gpu) ask(is_by_node ? outer : inner, gpu);
        }
    }
    return unknown;
}

}  // namespace

TEST_CASE("labels are read once, and found again by metric, by node, and in the next poll") {
    for (const bool is_by_node : {false, true}) {
        INFO(is_by_node);
        GpuLabelMemo memo("node");
        memo.begin_poll();
        CHECK(count_unknown(memo, 5, is_by_node) == 20);
        CHECK(count_unknown(memo, 5, is_by_node) == 0);
        memo.begin_poll();
        CHECK(count_unknown(memo, 5, is_by_node) == 0);
        CHECK(memo.size() == 20);
    }
}

TEST_CASE("labels in another order are read once more, and not kept twice") {
    GpuLabelMemo memo("node");
    CHECK_FALSE(is_known(memo, "n1", "0"));
    CHECK_FALSE(is_known(memo, "n2", "0"));
    CHECK_FALSE(is_known(memo, "n3", "0"));
    CHECK_FALSE(is_known(memo, "n4", "0"));
    memo.begin_answer();
    CHECK_FALSE(is_known(memo, "n4", "0"));
    CHECK_FALSE(is_known(memo, "n2", "0"));
    CHECK(is_known(memo, "n3", "0"));
    CHECK(memo.size() == 4);
}

TEST_CASE("labels that are gone are forgotten once others came") {
    GpuLabelMemo memo("node");
    memo.begin_poll();
    CHECK(count_unknown(memo, 5, false) == 20);
    memo.begin_poll();
    CHECK(count_unknown(memo, 3, false) == 0);
    CHECK(memo.size() == 20);
    memo.begin_poll();
    CHECK(count_unknown(memo, 6, false) == 4);
    CHECK(memo.size() == 24);
    memo.begin_poll();  // n5 was new
    CHECK(memo.size() == 0);
    CHECK(count_unknown(memo, 6, false) == 24);
    memo.begin_poll();
    CHECK(count_unknown(memo, 6, false) == 0);
}

TEST_CASE("labels that were escaped are not kept, nor more than the most") {
    GpuLabelMemo memo("node");
    const std::string read = "a\"b";
    CHECK(memo.add(R"(,"node":"a\"b"})", {read, {}, {}, {}}) == GpuLabelMemo::none);
    CHECK(memo.size() == 0);
    for (std::size_t i = 0; i < GpuLabelMemo::known_max; ++i) {
        memo.add(text_of("n", std::to_string(i)), {});
    }
    CHECK(memo.add(text_of("n", "one more"), {}) == GpuLabelMemo::none);
    CHECK(memo.size() == GpuLabelMemo::known_max);
}
