// How long the loop is held by one application's conf: from the texts of its config maps to its
// executors. The usual one, and the worst that an API server can hold (1 MiB an object).

#include "gang/app/base/spark_conf.hpp"
#include "gang/declare/spark/executor/derive.hpp"
#include "gang/declare/spark/properties.hpp"
#include "k8s/codec/pod/codec_executor_template.hpp"

#include <benchmark/benchmark.h>
#include <string>

namespace {

constexpr std::size_t mib = 1024 * 1024;

/// What spark-submit writes for an application with some conf of its own.
std::string usual_conf() {
    std::string text =
        "#Java properties built from Kubernetes config map with name: spark-drv-conf-map\n"
        "#Sat Nov 21 12:00:00 UTC 2026\n"
        "spark.kubernetes.scheduler.name=gang-scheduler\nspark.executor.instances=10\n"
        "spark.executor.cores=4\nspark.executor.memory=16g\nspark.kubernetes.resource.type=python\n"
        "spark.kubernetes.memoryOverheadFactor=0.4\nspark.kubernetes.node.selector.pool=batch\n"
        "spark.executor.resource.gpu.amount=1\nspark.executor.resource.gpu.vendor=nvidia.com\n"
        "spark.master=k8s\\://https\\://127.0.0.1\\:6443\n";
    for (int i = 0; i < 50; ++i) {
        text += "spark.sql.some.setting" + std::to_string(i) + "=value of it " + std::to_string(i) +
                "\n";
    }
    return text;
}

const char* const usual_template =
    "apiVersion: v1\nkind: Pod\nmetadata: {labels: {team: data}}\nspec:\n"
    "  priorityClassName: high\n  tolerations: [{key: spark, operator: Exists}]\n"
    "  affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n"
    "        nodeSelectorTerms:\n        - matchExpressions: [{key: type, operator: In, values: "
    "[m5]}]\n"
    "  containers:\n  - {name: spark, resources: {limits: {cpu: 8}}}\n"
    "  - {name: logs, resources: {requests: {cpu: 100m, memory: 64Mi}}}\n";

void derive(benchmark::State& state, bool with_template) {
    const std::string properties = usual_conf();
    core::Pod driver;
    driver.scheduler_name = "gang-scheduler";
    driver.labels = {{"spark-app-selector", "spark-1"}, {"spark-version", "4.1.4"}};
    gang::app::SparkTexts texts{"4.1.4", properties, {}};
    if (with_template) {
        texts.executor_template = usual_template;
    }
    for (auto _ : state) {
        const auto conf = gang::app::make_spark_conf(texts);
        const auto derivation = gang::spark::derive(*conf, driver, {});
        if (derivation.executors.size() != 1) {
            state.SkipWithError(derivation.problem.c_str());
        }
        benchmark::DoNotOptimize(derivation);
    }
}
BENCHMARK_CAPTURE(derive, usual, false);
BENCHMARK_CAPTURE(derive, with_template, true);

std::string repeated(const std::string& text, std::size_t bytes) {
    std::string result;
    while (result.size() + text.size() <= bytes) {
        result += text;
    }
    return result;
}

void read_properties(benchmark::State& state, const std::string& text) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(gang::spark::read_properties(text));
    }
}
BENCHMARK_CAPTURE(read_properties, one_value, "spark.x=" + std::string(mib - 20, 'x'));
BENCHMARK_CAPTURE(read_properties, escapes, "spark.x=" + repeated("\\u20ac", mib - 20));
BENCHMARK_CAPTURE(read_properties, continued, "spark.x=" + repeated("\\\n", mib - 20));
BENCHMARK_CAPTURE(read_properties, keys, repeated("spark.k=1\n", mib));
BENCHMARK_CAPTURE(read_properties, relevant_keys, [] {
    std::string text;
    for (int i = 0; text.size() < mib - 100; ++i) {
        text += "spark.kubernetes.node.selector." + std::to_string(i) + "=1\n";
    }
    return text;
}());
BENCHMARK_CAPTURE(
    read_properties,
    references,
    "spark.executor.cores=${spark.a}${spark.b}${spark.c}${spark.d}${spark.e}\n" +
        repeated("spark.k=1\n", mib - 100));

void read_template(benchmark::State& state, const std::string& text) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(k8s::decode_executor_template(text));
    }
}
constexpr std::size_t most = k8s::executor_template_max;
BENCHMARK_CAPTURE(read_template, usual, std::string(usual_template));
BENCHMARK_CAPTURE(
    read_template,
    containers,
    "spec:\n  containers:\n" + repeated("  - {name: a, env: [{name: b, value: c}]}\n", most - 100));
BENCHMARK_CAPTURE(read_template, flow, "spec: {x: [" + repeated("a,", most - 100) + "a]}");
BENCHMARK_CAPTURE(read_template, nesting, "spec: " + std::string(most - 100, '['));
BENCHMARK_CAPTURE(read_template, keys, "spec: {" + repeated("? a\n", most - 100) + "}");
BENCHMARK_CAPTURE(read_template, no_yaml, std::string(most - 100, '%'));
BENCHMARK_CAPTURE(read_template, comment, "#" + std::string(most - 100, 'x'));
BENCHMARK_CAPTURE(read_template, aliases, [] {
    std::string text = "a: &a [x,x,x,x,x,x,x,x,x]\n";
    for (char c = 'b'; c < 'j'; ++c) {
        text += std::string(1, c) + ": &" + c + " [";
        for (int i = 0; i < 9; ++i) {
            text += std::string(i ? ",*" : "*") + static_cast<char>(c - 1);
        }
        text += "]\n";
    }
    return text + "spec: {x: *i}\n";
}());

}  // namespace
