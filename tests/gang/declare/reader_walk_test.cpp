// What pods are to us under every configuration: pods, confs and groups by chance, and all that the
// reader says of them.

#include "gang/declare/declaration_reader.hpp"
#include "tests/gang/builders.hpp"
#include "tests/gang/declare/told.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace reader_walk {

using tests::Walk;

config::Schema drawn_schema(Walk& walk) {
    config::Schema schema;
    const config::Discovery ways[] = {
        config::Discovery::automatic,
        config::Discovery::automatic,
        config::Discovery::spark_conf,
        config::Discovery::annotations,
        config::Discovery::none};
    schema.gang.discovery = walk.of(ways);
    if (walk.pick(3) == 0) schema.profiles.emplace_back().scheduler_name = "second";
    if (walk.pick(3) == 0) {
        schema.profiles.emplace_back().scheduler_name = "alone";
        schema.profiles.back().gangs = false;
    }
    schema.extender.enabled = walk.pick(2) == 0;
    if (walk.pick(2) == 0) schema.seal_key_file = "/key";
    if (walk.pick(2) == 0) schema.gpu_metrics.url = "http://prometheus";
    if (walk.pick(4) == 0) schema.gang.max_gang_size = 4;
    return schema;
}

core::Pod drawn_pod(Walk& walk) {
    core::Pod pod = walk.pick(3) == 0 ? tests::driver("d") : tests::pod("d", 1'000, 1'024);
    std::map<std::string, std::string> labels(pod.labels.begin(), pod.labels.end());
    std::map<std::string, std::string> annotations;
    const char* const roles[] = {"driver", "executor", "none"};
    if (walk.pick(2) == 0) labels["spark-role"] = walk.of(roles);
    if (walk.pick(4) == 0) annotations["gang-scheduler/executors"] = walk.pick(3) == 0 ? "x" : "3";
    if (walk.pick(6) == 0) annotations["gang-scheduler/executor-cpu"] = "500m";
    if (walk.pick(6) == 0) annotations["gang-scheduler/executor-memory"] = "1Gi";
    if (walk.pick(6) == 0) annotations["gang-scheduler/reservation"] = "x";
    if (walk.pick(5) == 0) annotations["scheduling.k8s.io/group-name"] = "g";
    if (walk.pick(6) == 0) labels["scheduling.x-k8s.io/pod-group"] = "g";
    if (walk.pick(6) == 0) annotations["gang-scheduler/pod-group"] = "own";
    if (walk.pick(6) == 0) annotations["gang-scheduler/min-members"] = "2";
    if (walk.pick(6) == 0) labels["spark-app-selector"] = "app";
    if (walk.pick(6) == 0) labels["team"] = "etl";
    const char* const names[] = {
        "gang-scheduler", "gang-scheduler", "default-scheduler", "second", "alone"};
    pod.scheduler_name = walk.of(names);
    if (walk.pick(4) == 0) pod.node_name = "n1";
    pod.labels.assign(labels.begin(), labels.end());
    pod.annotations.assign(annotations.begin(), annotations.end());
    return pod;
}

gang::spark::Conf drawn_conf(Walk& walk) {
    gang::spark::Conf conf = tests::conf(static_cast<std::int64_t>(walk.pick(5)));
    const std::string annotation = "spark.kubernetes.executor.annotation.";
    if (walk.pick(4) == 0) conf = tests::with(conf, "spark.dynamicAllocation.enabled", "true");
    if (walk.pick(4) == 0) conf = tests::with(conf, "spark.dynamicAllocation.maxExecutors", "7");
    if (walk.pick(4) == 0)
        conf = tests::with(
            conf, annotation + "genius/gpu-memory-each", walk.pick(3) == 0 ? "x" : "4096");
    if (walk.pick(4) == 0) conf = tests::with(conf, annotation + "genius/gpu-number", "2");
    if (walk.pick(6) == 0) conf = tests::with(conf, annotation + "volcano.sh/vgpu-ids-new", "x");
    if (walk.pick(4) == 0) {
        conf = tests::with(
            conf, "spark.executor.resource.vgpu-number.amount", walk.pick(2) == 0 ? "1" : "65");
        conf = tests::with(conf, "spark.executor.resource.vgpu-number.vendor", "volcano.sh");
    }
    if (walk.pick(5) == 0)
        conf = tests::with(conf, "spark.kubernetes.executor.scheduler.name", "second");
    return conf;
}

std::string told(const gang::GangSize& size) {
    std::string text = " " + size.source;
    for (const gang::spark::ExecutorShape& shape : size.executors) {
        text += " " + std::to_string(shape.count) + " of " + std::to_string(shape.min) + ".." +
                std::to_string(shape.max) + " " + core::describe_exactly(shape.requests);
    }
    return text + " " + std::to_string(size.warnings.size()) + "w " +
           std::to_string(size.notes.size()) + "n " + size.problem + "\n";
}

std::string told(const std::optional<gang::GroupMembership>& said) {
    return said ? said->name + " by " + said->source + " " + std::to_string(said->minimum) : "none";
}

}  // namespace reader_walk

}  // namespace

TEST_CASE("declaration reader: pods of all kinds under configurations of all kinds") {
    using namespace reader_walk;
    Walk walk(11);
    std::string text;
    for (int i = 0; i < 360; ++i) {
        const config::Schema schema = drawn_schema(walk);
        const gang::DeclarationReader reader(schema);
        const core::Pod pod = drawn_pod(walk);
        text += std::to_string(i) + " by " +
                std::to_string(static_cast<int>(schema.gang.discovery)) + " " + pod.scheduler_name +
                " " + tests::told_map(pod.labels) + tests::told_map(pod.annotations) + "\n ";
        text += std::string(reader.is_ours(pod) ? " ours" : "") +
                (reader.names_extender(pod) ? " named" : "") +
                (reader.is_of_extender(pod) ? " of extender" : "") +
                (reader.reads_gangs() ? "" : " no gangs") +
                (reader.is_spark_driver(pod) ? " spark" : "") +
                (reader.is_driver(pod) ? " driver" : "") +
                (reader.is_executor(pod) ? " executor" : "") +
                (reader.was_admitted(pod) ? " admitted" : "") +
                (reader.is_sized_by_group(pod) ? " by group" : "") +
                (reader.declaration_of(pod) == gang::Declaration{} ? "" : " declares");
        text += "; " + told(reader.membership_of(pod)) + "; " + told(reader.group_of_driver(pod)) +
                "\n";
        core::Pod other = pod;
        const std::size_t change = walk.pick(4);
        if (change == 0) other = drawn_pod(walk);
        if (change == 1) other.annotations.clear();
        if (change == 2) other.labels.clear();
        text += std::string(reader.says_other(pod, other) ? "  other" : "  same") +
                (reader.says_other(other, pod) ? " other" : " same") + "\n";
        if (reader.is_driver(pod)) {
            const gang::spark::Conf conf = drawn_conf(walk);
            core::PodGroup group;
            group.min_resources.cpu_milli = static_cast<std::int64_t>(walk.pick(6)) * 1'000;
            text += "  alone" + told(reader.size_of(pod, nullptr)) + "  by group" +
                    told(reader.size_of(pod, nullptr, &group)) + "  by conf" +
                    told(reader.size_of(pod, &conf, &group));
        }
    }
    tests::check_transcript("gang/declare/transcripts/reader", text);
}

TEST_CASE("declaration reader: what a profile leaves out, asks for and spreads") {
    config::Schema schema;
    const gang::ProfileRules rules(schema);
    CHECK(rules.left_out("nobody") == core::FilterSet{});
    CHECK_FALSE(rules.asks_images("nobody"));
    CHECK_FALSE(rules.spreads_alike("nobody"));
    CHECK(rules.has_gangs("nobody"));
    CHECK(rules.has_gangs("gang-scheduler"));
    schema.profiles.emplace_back().scheduler_name = "alone";
    schema.profiles.back().gangs = false;
    CHECK_FALSE(rules.has_gangs("alone"));
}
