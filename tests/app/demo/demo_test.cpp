#include "gang/app/demo/demo_metrics.hpp"
#include "gang/app/demo/demo_report.hpp"
#include "gang/app/demo/demo_spark.hpp"
#include "k8s/embedded/http/api_server.hpp"
#include "k8s/embedded/kubelet/kubelet.hpp"
#include "k8s/embedded/store/json_path.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

using namespace gang::app;
namespace embedded = k8s::embedded;

namespace {

DemoJobRecord job(std::string uid, std::int64_t worked_ms, std::int64_t finished_ms) {
    DemoJobRecord record;
    record.driver_uid = std::move(uid);
    record.submitted_ms = 1'000;
    record.worked_ms = worked_ms;
    record.finished_ms = finished_ms;
    return record;
}

embedded::PodRecord driver(std::string uid, std::int64_t bound_ms) {
    embedded::PodRecord record;
    record.uid = std::move(uid);
    record.cpu_milli = 2'000;
    record.bound_ms = bound_ms;
    return record;
}

// Binds whatever waits to node-1: a scheduler that always has room.
void bind_all(embedded::ApiServer& server) {
    const auto pods = server.store().list(embedded::core_kind("pods"), {});
    REQUIRE(pods);
    for (const embedded::StoredPtr& pod : pods->objects) {
        if (!pod->json.text({"spec", "nodeName"}).empty()) continue;
        const std::string name = pod->json.text({"metadata", "name"});
        const embedded::Response answer = server.handle(
            {"POST",
             "/api/v1/namespaces/default/pods/" + name + "/binding",
             R"({"metadata":{"name":")" + name + R"("},"target":{"name":"node-1"}})"});
        REQUIRE_MESSAGE(answer.status == 201, answer.body);
    }
}

}  // namespace

TEST_CASE("demo: the summary counts waiting, half gangs and idle drivers as the referee saw them") {
    const std::vector<DemoJobRecord> jobs = {
        job("a", 3'000, 6'000), job("b", 0, 0), job("never-bound", 0, 0)};
    std::vector<embedded::PodRecord> pods = {driver("a", 2'000), driver("b", 4'000)};
    embedded::PodRecord refused;
    refused.refusal = "OutOfcpu";
    pods.push_back(refused);
    const DemoResult result = sum_up(jobs, pods, 1'000, 10'000);
    CHECK(result.jobs == 3);
    CHECK(result.finished == 1);
    CHECK(result.mean_wait_ms == 2'000);
    CHECK(result.longest_wait_ms == 2'000);
    CHECK(result.half_gangs == 1);
    CHECK(result.idle_core_ms == 2 * 1'000 + 2 * 6'000);
    CHECK(result.refused == 1);
    CHECK(result.took_ms == 9'000);
}

TEST_CASE("demo: a phase in which nobody worked has no waiting time") {
    const DemoResult none = sum_up({job("a", 0, 0)}, {driver("a", 2'000)}, 1'000, 5'000);
    CHECK(none.mean_wait_ms == -1);
    CHECK(comparison_table(none, none).find("no end") != std::string::npos);
}

TEST_CASE("demo: every object is JSON once its placeholders are filled") {
    const core::StringMap values = {
        {"APP", "spark-a"},
        {"DRIVER_UID", "u"},
        {"EXECUTORS", "3"},
        {"ID", "1"},
        {"NAME", "a"},
        {"NAMESPACE", "default"}};
    for (const DemoLanguage language : {DemoLanguage::jvm, DemoLanguage::python}) {
        for (const DemoObject object :
             {DemoObject::driver,
              DemoObject::driver_conf_map,
              DemoObject::driver_service,
              DemoObject::executor,
              DemoObject::executor_conf_map}) {
            const std::string text = fill_template(template_of(object, language), values);
            const auto parsed = embedded::Json::parse(text);
            REQUIRE_MESSAGE(parsed.has_value(), text);
            CHECK(text.find("@NAME@") == std::string::npos);
            CHECK(text.find("@DRIVER_UID@") == std::string::npos);
            CHECK(parsed->text({"metadata", "namespace"}) == "default");
        }
    }
}

TEST_CASE("demo: a Spark job runs its executors, works, deletes them and succeeds") {
    boost::asio::io_context loop;
    embedded::ApiServer server;
    embedded::KubeletOptions options;
    options.nodes = 1;
    options.node_cpu = "8";
    options.node_memory = "32Gi";
    options.start_ms = options.stop_ms = 1;
    options.run_ms = 3'600'000;
    embedded::Kubelets kubelets(loop, server, options);
    DemoSpark spark(loop, server, [&](const std::string& uid) { kubelets.finish(uid); });
    kubelets.start(
        {[&](const embedded::Json& pod) { spark.on_running(pod); },
         [&](const embedded::Json& pod) { spark.on_gone(pod); }});
    DemoJob work;
    work.name = "app";
    work.executors = 3;
    work.work_ms = 10;
    spark.submit({work});
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!spark.all_finished() && std::chrono::steady_clock::now() < end) {
        loop.run_for(std::chrono::milliseconds(10));
        bind_all(server);
    }
    REQUIRE(spark.all_finished());
    loop.run_for(std::chrono::milliseconds(100));
    CHECK(spark.jobs().front().executors_running == 3);
    const auto left = server.store().list(embedded::core_kind("pods"), {});
    REQUIRE(left);
    REQUIRE(left->objects.size() == 1);
    CHECK(left->objects.front()->json.text({"metadata", "labels", "spark-role"}) == "driver");
    CHECK(left->objects.front()->json.text({"status", "phase"}) == "Succeeded");
    CHECK(kubelets.records().size() == 4);
}

TEST_CASE("demo: executors with devices say so in their pod and in their driver's conf") {
    const std::string pod = with_limit(
        fill_template(template_of(DemoObject::executor, DemoLanguage::jvm), {}),
        "nvidia.com/gpu",
        2);
    const auto parsed = embedded::Json::parse(pod);
    REQUIRE(parsed);
    const embedded::Json* const containers = parsed->find_path({"spec", "containers"});
    REQUIRE(containers != nullptr);
    CHECK(containers->items().front().text({"resources", "limits", "nvidia.com/gpu"}) == "2");
    const std::string conf_map = with_properties(
        fill_template(template_of(DemoObject::driver_conf_map, DemoLanguage::jvm), {}),
        "spark.a=1\nspark.b=2\n");
    const auto conf = embedded::Json::parse(conf_map);
    REQUIRE(conf);
    CHECK(
        conf->text({"data", "spark.properties"})
            .find("\nspark.a=1\nspark.b=2\nspark.driver.port=") != std::string::npos);
}

TEST_CASE("demo: the exporter's page has ObserverWard's ten metrics of each GPU") {
    const std::string page = exporter_page({{"A100", 40960, 8000}, {"T4", 15360, 3000}});
    CHECK(std::count(page.begin(), page.end(), '\n') == 20);
    CHECK(
        page.find("observerward_dynamic_gpu_free_global_memory_MiB{id=\"1\",uuid=\"GPU-1\",model="
                  "\"T4\"} 3000\n") != std::string::npos);
}
