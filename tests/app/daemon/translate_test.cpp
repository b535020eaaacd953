#include "gang/app/daemon/translate.hpp"

#include "config/schema.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace {

using namespace gang::app;

const gang::FetchSparkConf plain{
    {"etl", "pi-driver", "u1"}, "4.1.0", {"pi-conf-map", "spark.properties"}, std::nullopt};

gang::FetchSparkConf with_template() {
    gang::FetchSparkConf out = plain;
    out.executor_template = core::ConfigMapKey{"pi-podspec", "pod-spec-template.yml"};
    return out;
}

k8s::ConfigMapResult found(const std::string& key, const std::string& text) {
    k8s::ConfigMapResult out;
    out.outcome = k8s::FetchOutcome::found;
    out.config_map.data = {{key, text}};
    return out;
}

k8s::ConfigMapResult failed(k8s::FetchOutcome outcome, const std::string& message) {
    k8s::ConfigMapResult out;
    out.outcome = outcome;
    out.message = message;
    return out;
}

gang::SparkConfMissing missing(
    const gang::FetchSparkConf& decision,
    const k8s::ConfigMapResult& properties,
    const k8s::ConfigMapResult& executor_template = {}) {
    const gang::Event event = to_event(decision, properties, executor_template);
    REQUIRE(std::holds_alternative<gang::SparkConfMissing>(event));
    return std::get<gang::SparkConfMissing>(event);
}

const std::string properties = "spark.executor.instances=3\nspark.secret.password=hunter2\n";

}  // namespace

TEST_CASE("translate: a conf that was found keeps what sizing needs and nothing else") {
    const gang::Event event = to_event(plain, found("spark.properties", properties), {});
    REQUIRE(std::holds_alternative<gang::SparkConfFound>(event));
    const auto& conf_found = std::get<gang::SparkConfFound>(event);
    CHECK(conf_found.driver_uid == "u1");
    CHECK(conf_found.conf.spark_version == "4.1.0");
    CHECK(conf_found.conf.properties == core::StringMap{{"spark.executor.instances", "3"}});
    CHECK_FALSE(conf_found.conf.executor_template.has_value());
}

TEST_CASE("translate: the executor template travels with the conf") {
    const gang::Event event = to_event(
        with_template(),
        found("spark.properties", properties),
        found("pod-spec-template.yml", "spec: {nodeSelector: {pool: batch}, containers: []}"));
    REQUIRE(std::holds_alternative<gang::SparkConfFound>(event));
    const auto& conf = std::get<gang::SparkConfFound>(event).conf;
    REQUIRE(conf.executor_template.has_value());
    CHECK(conf.executor_template->constraints.node_selector == core::StringMap{{"pool", "batch"}});
}

TEST_CASE("translate: each way in which a config map is not there has its own problem") {
    using gang::ConfProblem;
    using k8s::FetchOutcome;
    for (const auto& [outcome, problem] :
         {std::pair(FetchOutcome::not_found, ConfProblem::not_found),
          std::pair(FetchOutcome::forbidden, ConfProblem::forbidden),
          std::pair(FetchOutcome::unreadable, ConfProblem::unreadable),
          std::pair(FetchOutcome::failed, ConfProblem::failed)}) {
        const auto event = missing(plain, failed(outcome, "because"));
        CHECK(event.driver_uid == "u1");
        CHECK(event.problem == problem);
        CHECK(event.message == "config map pi-conf-map: because");
    }
}

TEST_CASE("translate: a config map that the API server has named is not named again") {
    const std::string said = "configmaps \"pi-conf-map\" not found";
    const auto event = missing(plain, failed(k8s::FetchOutcome::not_found, said));
    CHECK(event.message == said);
    const std::string other = "configmaps \"pi-conf-map-2\" not found";
    CHECK(
        missing(plain, failed(k8s::FetchOutcome::not_found, other)).message ==
        "config map pi-conf-map: " + other);
}

TEST_CASE("translate: a config map without the key, or with another text, is unreadable") {
    const auto no_key = missing(plain, found("other", properties));
    CHECK(no_key.problem == gang::ConfProblem::unreadable);
    CHECK(no_key.message == "config map pi-conf-map has no key spark.properties");
    const auto no_properties = missing(plain, found("spark.properties", "<html></html>"));
    CHECK(no_properties.problem == gang::ConfProblem::unreadable);
    CHECK(no_properties.message.find("config map pi-conf-map") == 0);
}

TEST_CASE("translate: a template that is missing or wrong is said of the template") {
    const auto gone = missing(
        with_template(),
        found("spark.properties", properties),
        failed(k8s::FetchOutcome::not_found, "not found"));
    CHECK(gone.problem == gang::ConfProblem::not_found);
    CHECK(gone.message == "config map pi-podspec: not found");
    const auto wrong = missing(
        with_template(),
        found("spark.properties", properties),
        found("pod-spec-template.yml", "spec: ["));
    CHECK(wrong.problem == gang::ConfProblem::unreadable);
}

TEST_CASE("translate: whose version is used is told of each new one") {
    const config::Schema schema;
    const gang::DeclarationReader reader(schema);
    const auto use_of = [&reader](const core::Pod& pod) { return version_use(reader, pod); };
    core::Pod pod;
    pod.scheduler_name = "gang-scheduler";
    CHECK(use_of(pod) == k8s::VersionUse::now);  // it may be bound
    pod.node_name = "n1";
    CHECK(use_of(pod) == k8s::VersionUse::never);

    // A bound driver whose reservation was taken away before we saw it: it is written anew.
    core::Pod driver = pod;
    driver.annotations = {{"gang-scheduler/executors", "2"}};
    driver.labels = {{"spark-role", "driver"}};
    CHECK(use_of(driver) == k8s::VersionUse::for_good);
    core::Pod spark_driver = pod;
    spark_driver.labels = {{"spark-role", "driver"}};
    spark_driver.spark_properties = core::ConfigMapKey{"pi-conf-map", "spark.properties"};
    CHECK(use_of(spark_driver) == k8s::VersionUse::for_good);
    core::Pod member = pod;
    member.annotations = {{"gang-scheduler/min-members", "2"}, {"gang-scheduler/pod-group", "g"}};
    CHECK(use_of(member) == k8s::VersionUse::for_good);

    core::Pod executor = pod;
    executor.labels = {{"spark-role", "executor"}};
    CHECK(use_of(executor) == k8s::VersionUse::never);
    driver.scheduler_name = "default-scheduler";
    CHECK(use_of(driver) == k8s::VersionUse::never);
    driver.annotations.emplace_back("gang-scheduler/reservation", "v1");
    CHECK(use_of(driver) == k8s::VersionUse::for_good);
    driver.phase = core::PodPhase::succeeded;
    CHECK(use_of(driver) == k8s::VersionUse::never);
}

TEST_CASE("translate: watch events of both kinds") {
    using k8s::WatchKind;
    const auto begun = to_event(WatchKind::nodes, k8s::RelistBegun{});
    CHECK(std::get<gang::RelistBegun>(begun).kind == gang::Kind::nodes);
    const auto ended = to_event(WatchKind::pods, k8s::RelistEnded{});
    CHECK(std::get<gang::RelistEnded>(ended).kind == gang::Kind::pods);
    core::Pod pod;
    pod.name = "p";
    const auto upserted = to_event(WatchKind::pods, k8s::PodUpserted{pod});
    CHECK(std::get<gang::PodUpserted>(upserted).pod == pod);
    const auto gone = to_event(WatchKind::nodes, k8s::NodeDeleted{"n1"});
    CHECK(std::get<gang::NodeDeleted>(gone).name == "n1");
}
