#include "k8s/metrics/gpu_vectors.hpp"

#include "tests/core/random.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using core::SampledGpu;
using core::SampledNode;
using k8s::GpuLabelMemo;
using k8s::GpuVectors;

namespace {

std::string series(
    const std::string& name,
    const std::string& value,
    const std::string& labels =
        R"("id":"0","uuid":"GPU-0","model":"A100","kubernetes_node":"g1")") {
    return R"({"metric":{"__name__":"observerward_)" + name + "\"," + labels +
           R"(},"value":[1700000000.1,")" + value + "\"]}";
}

std::string vector_of(const std::string& all) {
    return R"({"status":"success","data":{"resultType":"vector","result":[)" + all + "]}}";
}

std::string why_not(const std::string& body) {
    GpuLabelMemo memo("kubernetes_node");
    GpuVectors vectors(memo);
    const auto added = vectors.add(body);
    return added ? "" : added.error().message;
}

}  // namespace

TEST_CASE("two answers of Prometheus become GPUs of nodes, in whole numbers") {
    GpuLabelMemo memo("kubernetes_node");
    GpuVectors vectors(memo);
    REQUIRE(vectors.add(vector_of(
        series("dynamic_gpu_free_global_memory_MiB", "8.1925e+03") + "," +
        series("dynamic_gpu_power_usage_W", "50.25") + "," +
        series("dynamic_gpu_encoder_utilization", "12.5") + "," +
        series("dynamic_gpu_decoder_utilization", "0") + "," +
        series("dynamic_gpu_memory_utilization", "7") + "," +
        series(
            "dynamic_gpu_free_global_memory_MiB",
            "5",
            R"("uuid":"GPU-1","model":"T4","kubernetes_node":"a1")"))));
    REQUIRE(vectors.add(vector_of(
        series("static_gpu_memory_size", "40960") + "," +
        series("static_gpu_multiprocessor_count", "108") + "," +
        series("static_gpu_shared_encoder_count", "1") + "," +
        series("static_gpu_shared_decoder_count", "5"))));
    const auto nodes = vectors.take();
    REQUIRE(nodes.size() == 2);
    SampledGpu other;
    other.id = "GPU-1";
    other.model = "T4";
    other.free_mib = 5;
    CHECK(nodes[0] == SampledNode{"a1", {other}});
    CHECK(nodes[1] == SampledNode{"g1", {{"0", "A100", 8192, 40960, 50'250, 125, 0, 108, 1, 5}}});
    CHECK(vectors.left_out() == 0);
    CHECK(vectors.take().empty());
}

TEST_CASE("a Prometheus that lies: what is no amount is none, what is nobody's is left out") {
    GpuLabelMemo memo("kubernetes_node");
    GpuVectors vectors(memo);
    std::string all;
    for (const char* value : {"NaN", "+Inf", "-Inf", "1e400", "-1", "2e9", "", "12x"}) {
        all += (all.empty() ? "" : ",") + series("dynamic_gpu_free_global_memory_MiB", value);
    }
    REQUIRE(vectors.add(vector_of(all)));
    CHECK(vectors.unreadable() == 8);
    REQUIRE(vectors.add(vector_of(
        series("dynamic_gpu_power_usage_W", "5", R"("id":"1","model":"A100")") + "," +
        series("dynamic_gpu_power_usage_W", "5", R"("kubernetes_node":"g1")") + "," +
        series("dynamic_gpu_power_usage_W", "5", R"("id":7,"kubernetes_node":"g1")"))));
    CHECK(vectors.left_out() == 3);
    CHECK(vectors.without_node() == 1);
    const auto nodes = vectors.take();
    REQUIRE(nodes.size() == 1);
    REQUIRE(nodes[0].gpus.size() == 1);
    CHECK(nodes[0].gpus[0].free_mib == core::not_sampled);
}

TEST_CASE("of two series for one GPU the worse counts, in whatever order they come") {
    for (const bool is_turned : {false, true}) {
        GpuLabelMemo memo("kubernetes_node");
        GpuVectors vectors(memo);
        const std::string less = series("dynamic_gpu_free_global_memory_MiB", "10");
        const std::string more = series("dynamic_gpu_free_global_memory_MiB", "20");
        REQUIRE(vectors.add(vector_of(is_turned ? more + "," + less : less + "," + more)));
        CHECK(vectors.take()[0].gpus[0].free_mib == 10);
    }
}

TEST_CASE("ten thousand series of one node are sixty-four GPUs") {
    GpuLabelMemo memo("node");
    GpuVectors vectors(memo);
    std::string all;
    for (int i = 0; i < 10'000; ++i) {
        all += (i == 0 ? "" : ",") + series(
                                         "dynamic_gpu_power_usage_W",
                                         "5",
                                         R"("node":"g1","id":")" + std::to_string(i) + "\"");
    }
    REQUIRE(vectors.add(vector_of(all)));
    CHECK(vectors.left_out() == 10'000 - GpuVectors::gpus_max);
    CHECK(vectors.take()[0].gpus.size() == GpuVectors::gpus_max);
}

TEST_CASE("what is no vector is said, in Prometheus' own words if there are any") {
    CHECK(
        why_not(R"({"status":"error","errorType":"timeout","error":"query timed out"})") ==
        "query timed out");
    CHECK(
        why_not(R"({"status":"success","data":{"resultType":"matrix","result":[]}})") ==
        "the answer is not a vector of Prometheus");
    CHECK(why_not("<html>") != "");
    CHECK(why_not("[]") == "the answer is not an object");
    CHECK(why_not(vector_of("1")) == "the answer has something that is no series");
    CHECK(why_not(vector_of(R"({"metric":{},"value":[1,2]})")) != "");
    CHECK(why_not(vector_of("")) == "");
}

TEST_CASE("GPUs by model: those with the most GPUs, and all others in one") {
    using k8s::GpuModelTotal;
    CHECK(k8s::count_models({}).empty());
    core::SampledGpu gpu;
    gpu.model = "T4";
    gpu.free_mib = 3'000;
    core::SampledGpu silent;
    silent.model = "A100";
    const auto two = k8s::count_models({{"n1", {gpu, silent}}, {"n2", {gpu}}});
    CHECK(two == std::vector<GpuModelTotal>{{"A100", 1, 0}, {"T4", 2, 6'000}});

    std::vector<core::SampledNode> many(1);
    for (int i = 0; i < 1000; ++i) {
        gpu.model = "model-" + std::to_string(i);
        gpu.free_mib = 1;
        many[0].gpus.push_back(gpu);
    }
    gpu.model = "zebra";
    many[0].gpus.push_back(gpu);
    many[0].gpus.push_back(gpu);
    const auto bounded = k8s::count_models(many);
    REQUIRE(bounded.size() == k8s::gpu_models_max + 1);
    CHECK(bounded.back() == GpuModelTotal{"other", 981, 981});
    CHECK(bounded[k8s::gpu_models_max - 1] == GpuModelTotal{"zebra", 2, 2});
}

TEST_CASE("an answer in another order, and with more in it, is read all the same") {
    GpuLabelMemo memo("kubernetes_node");
    GpuVectors vectors(memo);
    const std::string labels = R"("a":[{"id":"x"}],"model":null,"kubernetes_node":"g1","id":"0")";
    const std::string one =
        R"({"more":{"value":[7]},"value":[1,"12"],"metric":{)" + labels +
        R"(,"__name__":"observerward_static_gpu_memory_size"},"histogram":[[1,"2"]]})";
    REQUIRE(vectors.add(
        R"({"warnings":["result"],"data":{"result":[)" + one +
        R"(],"stats":{"resultType":"matrix"},"resultType":"vector"},"status":"success"})"));
    const auto nodes = vectors.take();
    REQUIRE(nodes.size() == 1);
    CHECK(nodes[0].node == "g1");
    REQUIRE(nodes[0].gpus.size() == 1);
    CHECK(nodes[0].gpus[0].id == "0");
    CHECK(nodes[0].gpus[0].size_mib == 12);
}

TEST_CASE("a value that is no pair of a time and a text is no series") {
    for (const char* value :
         {"[1]", "[1,2]", "[1,\"2\",3]", "[1,[\"2\"]]", "\"2\"", "{}", "null"}) {
        INFO(value);
        CHECK(
            why_not(vector_of(
                R"({"metric":{"id":"0","kubernetes_node":"g1"},"value":)" + std::string(value) +
                "}")) == "the answer has something that is no series");
    }
    CHECK(why_not(R"({"data":{"resultType":"vector"}})") != "");
    CHECK(why_not(R"({"data":[],"error":"no\ndata"})") == "no data");
}

TEST_CASE("a series is read as it is where it looks like the one before, up to where it is not") {
    const auto with = [](const std::string& end) {
        const std::string one = series("static_gpu_memory_size", "7");
        const std::string two = series("static_gpu_memory_size", "");
        return vector_of(one + "," + two.substr(0, two.rfind('"')) + end);
    };
    const auto size_of = [](const std::string& body) {
        GpuLabelMemo memo("kubernetes_node");
        GpuVectors vectors(memo);
        REQUIRE(vectors.add(body));
        return vectors.take().at(0).gpus.at(0).size_mib;
    };
    CHECK(size_of(with(R"(12"]})")) == 12);
    CHECK(size_of(with(R"(\u003112"]})")) == 112);
    CHECK(size_of(with(R"(12"],"value":[1,"30"]})")) == 30);
    CHECK(size_of(with(R"(12"],"metric":{"id":"1"}})")) == 7);
    CHECK(why_not(with(R"(12",3]})")) == "the answer has something that is no series");
    for (const std::string end : {"12", "12\"", "12\"]", "12\n\"]}", "1\x02\"]}", "1\xff\"]}"}) {
        INFO(end);
        CHECK(why_not(with(end)) != "");
    }
    // Cut off within what looks like the series before.
    const std::string whole = with("12\"]}");
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CHECK(why_not(whole.substr(0, size)) != "");
    }
}

TEST_CASE("the time of a value may be any number, and nothing else") {
    const auto with_time = [](const std::string& time) {
        return why_not(vector_of(
            R"({"metric":{"__name__":"observerward_static_gpu_memory_size","id":"0"},"value":[)" +
            time + R"(,"12"]})"));
    };
    for (const char* time :
         {"0",
          "7",
          "-7",
          "0.5",
          "1764086400.123",
          "-0.25",
          "1e5",
          "1.5e-3",
          "12345678901234567890.5",
          "1764086400.12345678901234567890"}) {
        INFO(time);
        CHECK(with_time(time) == "");
    }
    for (const char* time :
         {"",
          "-",
          ".5",
          "1.",
          "01.5",
          "1.5.2",
          "1.5-",
          "1.e5",
          "1.5e",
          "1e999",
          "1.5x",
          "NaN",
          "+1"}) {
        INFO(time);
        CHECK(with_time(time) != "");
    }
}

namespace {

/// What a series says of its card, in one of several spellings, or of one that has no name first.
std::string any_labels(tests::Random& random) {
    const std::string node = "g" + std::to_string(random.between(0, 2));
    const std::string id = std::to_string(random.between(0, 3));
    switch (random.between(0, 7)) {
        case 0:
            return R"("uuid":"\u0047-)" + id + R"(","kubernetes_node":")" + node + "\"";
        case 1:
            return R"("id":)" + id + R"(,"kubernetes_node":")" + node + "\"";
        case 2:
            return R"("kubernetes_node":")" + node + R"(","id":")" + id +
                   R"(","__name__":"observerward_dynamic_gpu_power_usage_W")";
        case 3:
            return R"( "id" : ")" + id + R"(" , "more":{"id":"7"},"kubernetes_node":")" + node +
                   "\" ";
        default:
            return R"("id":")" + id + R"(","model":"T4","kubernetes_node":")" + node + "\"";
    }
}

/// Mostly a plain number; else what is one in other words, what is none, or what is long.
std::string any_value(tests::Random& random) {
    const std::string plain = std::to_string(random.between(1, 99));
    switch (random.between(0, 12)) {
        case 0:
            return "1.5e+01";
        case 1:
            return "NaN";
        case 2:
            return "\\u0031" + plain;
        case 3:
            return plain + " ";
        case 4:
            return std::string(70, '0') + plain;
        case 5:
            return "";
        default:
            return plain;
    }
}

/// The series with more in it, or said in another way, now and then.
std::string any_frame(std::string one, tests::Random& random) {
    const auto replace = [&one](std::string_view what, std::string_view by) {
        one.replace(one.find(what), what.size(), by);
    };
    switch (random.between(0, 24)) {
        case 0:
            return R"({"metric":{"model":"A100","id":"9"},)" + one.substr(1);
        case 1:
            one.back() = ',';
            return one + R"("more":["}"]})";
        case 2:
            replace(R"("value":[)", R"("value":[ )");
            return one;
        case 3:
            replace(R"("value":[)", R"("value":[1,"7"],"value":[)");
            return one;
        case 4:
            replace("\"]", "\" ]");
            return one;
        case 5:
            replace(R"({"metric")", R"({"value":[3,"5"],"metric")");
            return one;
        default:
            return one;
    }
}

}  // namespace

TEST_CASE("an answer says what its series say one by one, in whatever order they come") {
    tests::Random random;
    for (int round = 0; round < 300; ++round) {
        std::vector<std::string> cards;
        for (std::int64_t i = random.between(1, 8); i > 0; --i) cards.push_back(any_labels(random));
        std::vector<std::string> all;
        for (const char* name :
             {"static_gpu_memory_size",
              "static_gpu_multiprocessor_count",
              "dynamic_gpu_power_usage_W"}) {
            for (const std::string& labels : cards) {
                if (random.one_in(8)) continue;
                const std::string one =
                    series(name, any_value(random), random.one_in(8) ? any_labels(random) : labels);
                all.push_back(any_frame(one, random));
            }
        }
        GpuLabelMemo at_once_labels("kubernetes_node");
        GpuVectors at_once(at_once_labels);
        GpuLabelMemo one_by_one_labels("kubernetes_node");
        GpuVectors one_by_one(one_by_one_labels);
        std::string joined;
        for (const std::string& one : all) {
            REQUIRE(one_by_one.add(vector_of(one)));
            joined += (joined.empty() ? "" : ",") + one;
        }
        REQUIRE(at_once.add(vector_of(joined)));
        CHECK(at_once.left_out() == one_by_one.left_out());
        CHECK(at_once.unreadable() == one_by_one.unreadable());
        const std::vector<SampledNode> nodes = at_once.take();
        CHECK(nodes == one_by_one.take());
        GpuVectors next_poll(at_once_labels);
        REQUIRE(next_poll.add(vector_of(joined)));
        CHECK(next_poll.take() == nodes);
    }
}
