// What nodes offer of wishes of GPUs, without a scheduler around.
#include "gang/model/gpu/gpu_board.hpp"

#include "tests/gang/builders.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

using BoardNames = std::set<std::string>;

core::SampledNode gpu_sample_of(const std::string& name, const std::vector<std::int64_t>& free) {
    core::SampledNode node{name, {}};
    for (const std::int64_t one : free) {
        core::SampledGpu& gpu = node.gpus.emplace_back();
        gpu.id = std::to_string(node.gpus.size());
        gpu.model = "A100";
        gpu.free_mib = one;
    }
    return node;
}

std::string wish_of_mib(std::int64_t each) {
    core::GpuWish wish;
    wish.each_mib = each;
    return core::name_of(wish);
}

struct GpuBench {
    explicit GpuBench(bool is_on = true) : config(metrics(is_on)), board(config, cluster) {
        for (const char* name : {"g1", "g2"}) cluster.upsert_node(tests::node(name, 64, 1'024));
    }

    static config::GpuMetrics metrics(bool is_on) {
        config::GpuMetrics said;
        if (is_on) said.url = "http://prometheus:9090";
        said.stale_after_ms = 10'000;
        return said;
    }
    /// Somebody asks for it.
    core::ShapeId want(const std::string& wish) {
        const core::ShapeId shape = cluster.intern_shape({100, 0, 0, {{wish, 1}}}, {});
        board.settle();
        return shape;
    }
    void sample(const std::vector<core::SampledNode>& nodes, std::int64_t now_ms, bool is_open = false) {
        board.sampled({nodes}, now_ms, [is_open](core::AllocationId) { return is_open; });
    }
    /// As the scheduler does with what has changed.
    void offer_changed() {
        for (const std::string& name : board.take_changed()) {
            if (!cluster.nodes().find(name)) continue;
            core::Node node = tests::node(name, 64, 1'024);
            board.offer(node);
            cluster.upsert_node(node);
        }
    }
    std::int64_t offered(const std::string& node_name, const std::string& wish) {
        core::Node node = tests::node(node_name, 64, 1'024);
        board.offer(node);
        return node.allocatable.extended_amount(wish);
    }
    std::size_t offers_of(const std::string& node_name) {
        core::Node node = tests::node(node_name, 64, 1'024);
        board.offer(node);
        return node.allocatable.extended.size();
    }

    config::GpuMetrics config;
    core::Cluster cluster;
    gang::GpuBoard board;
};

core::Pod pod_with_gpu_labels(core::StringMap labels) {
    core::Pod pod = tests::pod("p", 100, 1);
    pod.labels = std::move(labels);
    return pod;
}

}  // namespace

TEST_CASE("GPU board: off, neither pods nor nodes are looked at") {
    GpuBench cards(false);
    core::Pod pod = pod_with_gpu_labels({{"genius/gpu-number", "x"}, {"genius/priority", "7"}});
    cards.board.read(pod);
    CHECK(pod.problem.empty());
    CHECK(pod.priority == 0);
    core::Node node = tests::node("g1", 1, 1);
    node.gpu_score = 7;
    cards.board.offer(node);
    CHECK(node.gpu_score == 7);
}

TEST_CASE("GPU board: of what a pod says of GPUs its wish, its priority and its problem are taken") {
    const GpuBench cards;
    struct Case {
        core::StringMap labels;
        std::int32_t priority;
        std::size_t wishes;
        std::string problem;
    };
    const std::vector<Case> cases = {
        {{}, 3, 0, ""},
        {{{"genius/priority", "0"}}, 3, 0, ""},
        {{{"genius/priority", "9"}}, 9, 0, ""},
        {{{"genius/gpu-number", "2"}}, 3, 1, ""},
        {{{"genius/gpu-number", "2"}, {"genius/priority", "-9"}}, -9, 1, ""},
        {{{"genius/gpu-number", "2"}, {"genius/priority", "x"}}, 3, 1, "genius/priority"},
        {{{"genius/gpu-number", "x"}, {"genius/priority", "9"}}, 9, 0, "genius/gpu-number"},
        {{{"genius/gpu-number", "x"}, {"genius/priority", "y"}}, 3, 0, "genius/gpu-number"},
    };
    for (const Case& one : cases) {
        for (const bool is_placed : {false, true}) {
            for (const std::string before : {"", "another problem"}) {
                core::Pod pod = pod_with_gpu_labels(one.labels);
                pod.priority = 3;
                pod.problem = before;
                pod.node_name = is_placed ? "g1" : "";
                cards.board.read(pod);
                CAPTURE(one.problem);
                CHECK(pod.priority == one.priority);
                CHECK(pod.requests.extended.size() == one.wishes);
                if (is_placed || !before.empty() || one.problem.empty()) {
                    CHECK(pod.problem == before);
                } else {
                    CHECK(pod.problem.find(one.problem) != std::string::npos);
                }
            }
        }
    }
}

TEST_CASE("GPU board: a node offers a wish as often as it has room, and nothing by an old sample") {
    GpuBench cards;
    const std::string wish = wish_of_mib(3'000);
    cards.want(wish);
    CHECK(cards.offered("g1", wish) == 0);
    CHECK(cards.board.nodes_with_samples() == 0);
    CHECK(cards.board.find_node("g1") == nullptr);
    cards.sample({gpu_sample_of("g1", {6'000, 2'999}), gpu_sample_of("g2", {3'000, 3'000, 3'000})}, 1'000);
    CHECK(cards.offered("g1", wish) == 2);
    CHECK(cards.offered("g2", wish) == 3);
    CHECK(cards.board.nodes_with_samples() == 2);
    CHECK(cards.offers_of("g1") == 1);
    cards.want(wish_of_mib(6'001));  // no card has so much
    CHECK(cards.offers_of("g1") == 1);
    CHECK(cards.board.next_stale_ms() == 11'001);
    cards.sample({gpu_sample_of("g2", {3'000})}, 5'000);
    CHECK(cards.board.take_changed() == BoardNames{"g1", "g2"});
    CHECK(cards.offered("g2", wish) == 1);
    CHECK(cards.board.next_stale_ms() == 11'001);
    CHECK_FALSE(cards.board.expire(11'000));
    CHECK(cards.board.take_changed().empty());
    CHECK(cards.offered("g1", wish) == 2);
    CHECK(cards.board.expire(11'001));
    CHECK(cards.board.take_changed().contains("g1"));
    CHECK_FALSE(cards.board.expire(11'001));
    CHECK(cards.offered("g1", wish) == 0);
    CHECK(cards.offered("g2", wish) == 1);
    CHECK(cards.board.next_stale_ms() == 15'001);
    CHECK(cards.board.expire(15'001));
    CHECK_FALSE(cards.board.next_stale_ms());
    CHECK(cards.board.find_node("g1") != nullptr);
    CHECK(cards.board.ask(wish).verdict == gang::GpuBoard::Verdict::stale);
    CHECK(cards.board.ask(wish).text == "GPU metrics stale: none for longer than 10 s");
}

TEST_CASE("GPU board: a node is let go of when its sample is old, and the next one has it no more") {
    GpuBench cards;
    cards.sample({gpu_sample_of("g1", {6'000}), gpu_sample_of("g2", {6'000})}, 1'000);
    cards.sample({gpu_sample_of("g2", {6'000})}, 12'000);
    CHECK(cards.board.nodes_with_samples() == 2);  // its last sample is too old from now on
    cards.sample({gpu_sample_of("g2", {6'000})}, 13'000);
    CHECK(cards.board.nodes_with_samples() == 1);
    CHECK(cards.board.find_node("g1") == nullptr);
}

TEST_CASE("GPU board: what was placed takes what no sample shows, and is offered as well") {
    GpuBench cards;
    const std::string wish = wish_of_mib(3'000);
    cards.want(wish);
    cards.sample({gpu_sample_of("g1", {9'000})}, 1'000);
    cards.offer_changed();
    CHECK(cards.offered("g1", wish) == 3);
    cards.cluster.upsert_pod("u1", "g1", {100, 0, 0, {{wish, 1}}}, core::UsedBy::gang);
    cards.board.settle();
    CHECK(cards.board.take_changed() == BoardNames{"g1"});
    CHECK(cards.board.find_node("g1")->free() == std::vector<std::int64_t>{6'000});
    CHECK(cards.offered("g1", wish) == 3);  // one that runs, and room for two
    core::Node old = tests::node("g1", 64, 1'024);
    CHECK(cards.board.expire(20'000));
    cards.board.offer(old);
    CHECK(old.allocatable.extended_amount(wish) == 1);
    CHECK(old.gpu_score == 0);
    cards.cluster.remove_pod("u1");
    cards.board.settle();
    CHECK(cards.board.find_node("g1")->free() == std::vector<std::int64_t>{9'000});
    CHECK(cards.board.find_node("g1")->is_empty());
    const core::Resources nonsense{100, 0, 0, {{"genius/gpu-number=nonsense", 1}}};
    cards.cluster.upsert_pod("u2", "g1", nonsense, core::UsedBy::other_scheduler);
    cards.board.settle();
    CHECK(cards.board.find_node("g1")->is_empty());
}

TEST_CASE("GPU board: a node's first sample shows what was there, but for executors to come") {
    for (const bool is_open : {false, true}) {
        CAPTURE(is_open);
        GpuBench cards;
        const std::string wish = wish_of_mib(3'000);
        cards.want(wish);
        cards.cluster.upsert_pod("u1", "g1", {100, 0, 0, {{wish, 1}}}, core::UsedBy::gang);
        cards.board.settle();
        CHECK(cards.board.find_node("g1") == nullptr);
        CHECK(cards.board.nodes_with_samples() == 0);
        cards.sample({gpu_sample_of("g1", {9'000})}, 1'000, is_open);
        REQUIRE(cards.board.find_node("g1") != nullptr);
        CHECK(cards.board.find_node("g1")->is_empty() == !is_open);
        cards.cluster.upsert_pod("u2", "g1", {100, 0, 0, {{wish, 1}}}, core::UsedBy::gang);
        cards.sample({gpu_sample_of("g1", {9'000})}, 2'000, false);  // a later one shows what it shows
        CHECK(cards.board.find_node("g1")->pods().size() == (is_open ? 2 : 1));
    }
}

TEST_CASE("GPU board: the node that comes nearest is named, and what it lacks") {
    GpuBench cards;
    using Verdict = gang::GpuBoard::Verdict;
    struct Case {
        core::GpuWish wish;
        Verdict verdict;
        std::string text;
    };
    const std::vector<Case> cases = {
        {{1, 4'000, 0, ""}, Verdict::none, ""},
        {{2, 0, 0, ""}, Verdict::none, ""},
        {{3, 0, 0, ""}, Verdict::never, "needs 3 GPUs, 2 on g2"},
        {{1, 0, 0, "H100"}, Verdict::never, "needs 1 GPU of model H100, 0 on g1"},
        {{1, 4'001, 0, ""}, Verdict::full, "needs 1 GPU with 4001 MiB free, 0 on g1"},
        {{2, 2'001, 0, "A100"}, Verdict::full, "needs 2 GPUs of model A100 with 2001 MiB free, 0 on g2"},
        {{1, 0, 4'001, ""}, Verdict::full, "needs 4001 MiB free on all GPUs together, 4000 on g1"},
        {{2, 1'500, 3'700, "A1"},
         Verdict::full,
         "needs 3700 MiB free on all GPUs of model A1 together, 3600 on g2"},
        {{2, 1'700, 3'700, ""}, Verdict::full, "needs 2 GPUs with 1700 MiB free, 1 on g2"},
    };
    for (const Case& one : cases) cards.want(core::name_of(one.wish));
    CHECK(cards.board.ask(core::name_of(cases[0].wish)).text == "GPU metrics stale: there are none yet");
    cards.board.missed("503");
    CHECK(cards.board.ask(core::name_of(cases[0].wish)).text == "GPU metrics stale: there are none yet (503)");
    cards.sample(
        {gpu_sample_of("g0", {9'000}), gpu_sample_of("g1", {4'000}), gpu_sample_of("g2", {2'000, 1'600})}, 1'000);
    for (const Case& one : cases) {
        const auto answer = cards.board.ask(core::name_of(one.wish));
        CHECK(answer.text == one.text);
        CHECK(answer.verdict == one.verdict);
    }
    CHECK(cards.board.ask("genius/gpu-number=9").verdict == Verdict::none);  // nobody asks for it
}

TEST_CASE("GPU board: how long samples are too old is told in whole seconds, the last one begun") {
    for (const auto& [stale_after_ms, text] :
         std::vector<std::pair<std::int64_t, std::string>>{{15'000, "15"}, {15'001, "16"}, {14'999, "15"}, {1, "1"}}) {
        GpuBench cards;
        cards.config.stale_after_ms = stale_after_ms;
        const std::string wish = wish_of_mib(1);
        cards.want(wish);
        cards.sample({gpu_sample_of("g1", {9})}, 1'000);
        cards.board.expire(100'000);
        CHECK(cards.board.ask(wish).text == "GPU metrics stale: none for longer than " + text + " s");
    }
}

TEST_CASE("GPU board: a node's score is that of its sample, and a node that changes it is told") {
    GpuBench cards;
    const std::string wish = wish_of_mib(1);
    cards.want(wish);
    cards.sample({gpu_sample_of("g1", {4'000}), gpu_sample_of("g2", {8'000})}, 1'000);
    core::Node first = tests::node("g1", 64, 1'024);
    core::Node second = tests::node("g2", 64, 1'024);
    cards.board.offer(first);
    cards.board.offer(second);
    CHECK(second.gpu_score > first.gpu_score);
    cards.board.take_changed();
    cards.sample({gpu_sample_of("g2", {1'000})}, 2'000);  // g1 is the better one by now
    CHECK(cards.board.take_changed() == BoardNames{"g1", "g2"});
    core::Node unknown = tests::node("g3", 64, 1'024);
    unknown.gpu_score = 5;
    unknown.allocatable.extended = {{wish, 3}};
    cards.board.offer(unknown);
    CHECK(unknown.gpu_score == 0);
    CHECK(unknown.allocatable.extended.empty());
}

TEST_CASE("GPU board: a new wish is a matter of all nodes, and one that is none of no node") {
    GpuBench cards;
    cards.sample({gpu_sample_of("g1", {4'000}), gpu_sample_of("g2", {8'000})}, 1'000);
    cards.board.take_changed();
    cards.want("genius/gpu-number=nonsense");
    CHECK(cards.board.take_changed().empty());
    cards.want(wish_of_mib(5));
    CHECK(cards.board.take_changed() == BoardNames{"g1", "g2"});
    cards.want(wish_of_mib(5));  // nobody did, and somebody does: no more
    CHECK(cards.board.take_changed().empty());
}

TEST_CASE("GPU board: nodes are compared with those whose samples are new enough") {
    GpuBench cards;
    const auto score_of = [&](const std::string& name) {
        core::Node node = tests::node(name, 64, 1'024);
        cards.board.offer(node);
        return node.gpu_score;
    };
    cards.sample({gpu_sample_of("g1", {4'000}), gpu_sample_of("g3", {8'000})}, 1'000);
    cards.sample({gpu_sample_of("g1", {4'000}), gpu_sample_of("g2", {6'000}), gpu_sample_of("g4", {})}, 5'000);
    const auto before = score_of("g2");
    CHECK(score_of("g1") < before);
    CHECK(before < score_of("g3"));
    cards.board.take_changed();
    CHECK(cards.board.expire(11'001));  // that of g3
    CHECK(score_of("g2") > before);
    CHECK(score_of("g3") == 0);
    CHECK(score_of("g4") == 0);
    CHECK(cards.board.take_changed() == BoardNames{"g2", "g3"});
}

TEST_CASE("GPU board: wishes that nobody has any more are let go of, where there are many") {
    struct Case {
        int wishes;
        std::int64_t later_ms;
        bool is_swept;
    };
    for (const Case& one : {Case{64, 60'000, false}, Case{65, 59'999, false}, Case{65, 60'000, true}}) {
        CAPTURE(one.wishes);
        CAPTURE(one.later_ms);
        GpuBench cards;
        std::vector<core::ShapeId> shapes;
        for (int i = 1; i <= one.wishes; ++i) shapes.push_back(cards.want(wish_of_mib(i)));
        cards.sample({gpu_sample_of("g1", {1'000}), gpu_sample_of("gone", {1'000})}, one.later_ms - 55'000);
        cards.offer_changed();
        cards.sample({gpu_sample_of("g1", {1'000}), gpu_sample_of("g2", {1'000})}, one.later_ms - 5'000);
        cards.offer_changed();
        for (std::size_t i = 1; i < shapes.size(); ++i) cards.cluster.release_shape(shapes[i]);
        cards.sample({gpu_sample_of("g1", {1'000})}, one.later_ms);
        CHECK(cards.board.take_changed().contains("g2") == one.is_swept);
        CHECK(cards.offers_of("g1") == (one.is_swept ? 1 : static_cast<std::size_t>(one.wishes)));
        CHECK(cards.offered("g1", wish_of_mib(1)) == 1'000);
        CHECK(cards.offered("g1", wish_of_mib(2)) == (one.is_swept ? 0 : 500));
    }
}
