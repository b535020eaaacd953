// What some hundred pods and confs, drawn by chance from all keys and many values, are read as: every field.

#include "gang/declare/declaration.hpp"
#include "gang/declare/gang_size.hpp"
#include "gang/declare/group_membership.hpp"
#include "gang/declare/spark/executor/derive.hpp"
#include "gang/record/event_log.hpp"
#include "tests/gang/builders.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using tests::Walk;

/// Requests and constraints, as a recording has them.
std::string text_of_shape(const core::Resources& requests, const core::Constraints& constraints) {
    core::Pod pod;
    pod.requests = requests;
    pod.constraints.edit() = constraints;
    return gang::encode(gang::StampedEvent{1, 1, gang::PodUpserted{pod}});
}

std::string text_of_amount(const char* name, const std::optional<gang::DeclaredAmount>& amount) {
    return amount ? std::string(" ") + name + " " + std::to_string(amount->value) + " (" + amount->source + ")" : "";
}

std::string text_of_list(const char* name, const std::vector<std::string>& texts) {
    std::string text;
    for (const std::string& one : texts) {
        text += std::string("    ") + name + ": " + one + "\n";
    }
    return text;
}

std::string text_of(const gang::Declaration& said) {
    std::string text = "  ";
    if (said.count) {
        text += " count " + std::to_string(said.count->min) + "/" + std::to_string(said.count->initial) + "/" +
                std::to_string(said.count->max) + (said.count->is_dynamic ? " dynamic" : "") +
                (said.count->is_capped ? " capped" : "") + (said.count->is_of_task_groups ? " of groups" : "") +
                " (" + said.count->source + ")";
    }
    for (const auto* size : {&said.driver, &said.executor}) {
        text += size == &said.driver ? " driver" : " executor";
        text += text_of_amount("cpu", size->cpu_milli) + text_of_amount("memory", size->memory_bytes) +
                text_of_amount("gpus", size->gpus);
    }
    text += " queue " + said.queue;
    if (said.packing) {
        text += " packing " + std::to_string(static_cast<int>(*said.packing));
    }
    if (said.topology) {
        text += " topology " + said.topology->key + (said.topology->is_required ? " required" : "");
    }
    text += "\n";
    core::Constraints tolerating;
    tolerating.tolerations = said.executor_tolerations;
    if (!said.executor_tolerations.empty()) {
        text += "    " + text_of_shape({}, tolerating);
    }
    for (const gang::yunikorn::TaskGroup& group : said.task_groups) {
        text += "    group " + group.name + " " + std::to_string(group.members) + " " +
                text_of_shape(group.requests, group.constraints) + text_of_list("unread", group.unread);
    }
    return text + text_of_list("warning", said.warnings) + text_of_list("note", said.notes) +
           (said.problem.empty() ? "" : "    problem: " + said.problem + "\n");
}

std::string text_of(const gang::spark::ExecutorShape& shape) {
    std::string text = "    " + std::to_string(shape.count) + " of profile " + std::to_string(shape.profile) + ", " +
                       std::to_string(shape.min) + ".." + std::to_string(shape.max) + " " + shape.scheduler_name + " " +
                       shape.node_name + shape.priority_class_name + shape.runtime_class_name + " " +
                       text_of_shape(shape.requests, shape.constraints);
    for (const core::ContainerLimits& one : shape.containers) {
        text += "      container " + core::describe_exactly(one.requests) + ", at most " +
                std::to_string(one.cpu_limit_milli.value_or(-1)) + "m " +
                std::to_string(one.memory_limit_bytes.value_or(-1)) + "\n";
    }
    for (const core::HostPort& port : shape.host_ports) {
        text += "      port " + port.ip + " " + port.protocol + " " + std::to_string(port.port) + "\n";
    }
    for (const gang::spark::VolumeClaim& claim : shape.claims) {
        text += "      claim " + claim.volume + " " + claim.claim_name + (claim.is_shared() ? " shared" : "") +
                (claim.made ? " " + claim.made->storage_class + " " + std::to_string(claim.made->bytes) +
                                  (claim.made->one_pod ? " of one pod" : "")
                            : "") + "\n";
    }
    for (const auto& [key, value] : shape.labels) {
        text += "      label " + key + "=" + value + "\n";
    }
    return text;
}

std::string text_of(const gang::spark::Derivation& derived) {
    std::string text;
    for (const gang::spark::ExecutorShape& shape : derived.executors) {
        text += text_of(shape);
    }
    for (const gang::spark::ExecutorShape& shape : derived.foreign_executors) {
        text += "    foreign\n" + text_of(shape);
    }
    return text + text_of_list("note", derived.notes) +
           (derived.problem.empty() ? "" : "    problem: " + derived.problem + "\n");
}

std::string text_of(const gang::GangSize& size) {
    std::string text = "   of " + size.source + "\n";
    for (const gang::spark::ExecutorShape& shape : size.executors) {
        text += text_of(shape);
    }
    return text + text_of_list("warning", size.warnings) + text_of_list("note", size.notes) +
           (size.problem.empty() ? "" : "    problem: " + size.problem + "\n");
}

/// For keys of every kind: what some of them take, and others do not.
const std::vector<std::string> values = {
    "1", "2", "3", "0", "-1", "007", "2.5", "500m", "1Gi", "2g", "1500M", "1024", "1e3", "99999999999999999999",
    "true", "false", "driver", "executor", "root.etl", "a b", "", "spread", "tightest", "least-allocated", "5m", "90s",
    "2h", "zone", "required", "preferred", "dedicated=spark:NoSchedule", "x:NoExecute,y=z:PreferNoSchedule",
    "placeholderTimeoutInSeconds=30 gangSchedulingStyle=Soft", "spark-driver", "group-a"};

const std::map<std::string, std::vector<std::string>> conf_values = {
    {"spark.executor.instances", {"3", "0", "1", "-2", "many"}},
    {"spark.executor.cores", {"1", "4", "0", "two"}},
    {"spark.executor.memory", {"1g", "2048m", "512k", "1t", "3", "1.5g", "-1g"}},
    {"spark.executor.memoryOverhead", {"384m", "1g", "500"}},
    {"spark.executor.memoryOverheadFactor", {"0.2", "0.5", "-1", "x"}},
    {"spark.executor.minMemoryOverhead", {"100m", "1g"}},
    {"spark.kubernetes.memoryOverheadFactor", {"0.1", "0.4"}},
    {"spark.yarn.executor.memoryOverhead", {"1g"}},
    {"spark.executor.pyspark.memory", {"256m", "1g"}},
    {"spark.memory.offHeap.enabled", {"true", "false", "maybe"}},
    {"spark.memory.offHeap.size", {"1g", "0", "512m"}},
    {"spark.kubernetes.resource.type", {"java", "python", "r"}},
    {"spark.kubernetes.executor.request.cores", {"500m", "2", "0.1", "x"}},
    {"spark.kubernetes.executor.limit.cores", {"2", "4", "100m"}},
    {"spark.task.cpus", {"1", "2"}},
    {"spark.dynamicAllocation.enabled", {"true", "false"}},
    {"spark.dynamicAllocation.shuffleTracking.enabled", {"true", "false"}},
    {"spark.dynamicAllocation.minExecutors", {"2", "0", "9"}},
    {"spark.dynamicAllocation.maxExecutors", {"4", "10", "infinity"}},
    {"spark.dynamicAllocation.initialExecutors", {"3", "1", "20"}},
    {"spark.shuffle.service.enabled", {"true"}},
    {"spark.decommission.enabled", {"true"}},
    {"spark.storage.decommission.shuffleBlocks.enabled", {"true"}},
    {"spark.kubernetes.scheduler.name", {"gang-scheduler", "default-scheduler"}},
    {"spark.kubernetes.executor.scheduler.name", {"gang-scheduler", "other"}},
    {"spark.kubernetes.node.selector.disk", {"ssd", "hdd"}},
    {"spark.kubernetes.executor.node.selector.disk", {"nvme"}},
    {"spark.kubernetes.executor.node.selector.pool", {"spark"}},
    {"spark.kubernetes.executor.label.team", {"etl"}},
    {"spark.executor.resource.gpu.amount", {"1", "2", "x"}},
    {"spark.executor.resource.gpu.vendor", {"nvidia.com", "amd.com"}},
    {"spark.task.resource.gpu.amount", {"0.25", "1"}},
    {"spark.kubernetes.executor.volumes.persistentVolumeClaim.data.mount.path", {"/data"}},
    {"spark.kubernetes.executor.volumes.persistentVolumeClaim.data.options.claimName", {"OnDemand", "shared", "a-SPARK_EXECUTOR_ID"}},
    {"spark.kubernetes.executor.volumes.persistentVolumeClaim.data.options.storageClass", {"fast"}},
    {"spark.kubernetes.executor.volumes.persistentVolumeClaim.data.options.sizeLimit", {"10Gi", "x"}},
    {"spark.kubernetes.legacy.useReadWriteOnceAccessMode", {"true"}},
    {"spark.kubernetes.allocation.pods.allocator", {"direct", "statefulset"}},
    {"spark.kubernetes.allocation.batch.size", {"5", "20"}},
    {"spark.kubernetes.executor.podNamePrefix", {"mine"}},
    {"spark.kubernetes.executor.annotation.gpu-memory", {"4096"}},
    {"spark.blockManager.port", {"7079", "0"}}};

core::Pod draw_pod(Walk& walk) {
    std::vector<std::string> keys = {"spark-role", "spark-app-selector", "gang-scheduler/unknown"};
    for (const gang::Dialect& dialect : gang::dialects()) {
        for (const gang::DeclarationKey& key : dialect.keys) {
            keys.emplace_back(key.name);
        }
    }
    core::Pod pod = tests::pod("d", 1'000, 1'024);
    std::map<std::string, std::string> labels;
    std::map<std::string, std::string> annotations;
    for (std::size_t i = 1 + walk.pick(6); i > 0; --i) {
        (walk.pick(2) == 0 ? labels : annotations)[walk.of(keys)] = walk.of(values);
    }
    // One dialect in whole is rare by chance.
    const auto& dialect = gang::dialects()[walk.pick(gang::dialects().size())];
    if (walk.pick(2) == 0) {
        const bool are_labels = walk.pick(2) == 0;
        for (const gang::DeclarationKey& key : dialect.keys) {
            if (walk.pick(3) > 0) {
                (are_labels ? labels : annotations)[std::string(key.name)] = values[walk.pick(12)];
            }
        }
    }
    if (walk.pick(2) == 0) {
        labels["spark-role"] = "driver";
    }
    pod.labels.assign(labels.begin(), labels.end());
    pod.annotations.assign(annotations.begin(), annotations.end());
    return pod;
}

gang::spark::Conf draw_conf(Walk& walk) {
    gang::spark::Conf conf = tests::conf(2);
    const char* const versions[] = {"4.1.0", "3.5.1", "3.3.0", "3.0.0", "", "4.2.0-preview"};
    conf.spark_version = versions[walk.pick(6)];
    for (std::size_t i = walk.pick(10); i > 0; --i) {
        auto entry = conf_values.begin();
        std::advance(entry, static_cast<std::ptrdiff_t>(walk.pick(conf_values.size())));
        // The first is a good one: of a conf with a wrong value nothing else is read.
        const std::string& value = walk.pick(4) > 0 ? entry->second.front() : walk.of(entry->second);
        conf = tests::with(std::move(conf), entry->first, value);
    }
    return conf;
}

std::string text_of(const core::StringMap& map) {
    std::string text;
    for (const auto& [key, value] : map) {
        text += " " + key + "=" + value;
    }
    return text;
}

}  // namespace

TEST_CASE("transcripts: what pods declare") {
    Walk walk(1);
    std::string told;
    for (int i = 0; i < 200; ++i) {
        const core::Pod pod = draw_pod(walk);
        told += "labels" + text_of(pod.labels) + " annotations" + text_of(pod.annotations) + "\n";
        const gang::Declaration said = gang::read_declaration(pod, walk.pick(2) == 0);
        told += text_of(said);
        told += "   role " + std::to_string(static_cast<int>(gang::role_of(pod))) + " of " + gang::application_id(pod) +
                (gang::declares_gang(pod) ? ", a gang" : "") + (gang::is_complete(said) ? ", complete" : "") +
                (gang::asks_hold(pod) ? ", held" : "");
        const std::string* const queue = gang::asked_queue(pod);
        const std::string* const elsewhere = gang::queue_elsewhere(pod);
        told += std::string(" queue ") + (queue == nullptr ? "none" : *queue) + "/" +
                (elsewhere == nullptr ? "none" : *elsewhere) + " waits " +
                std::to_string(gang::asked_max_wait_ms(pod).value_or(-1)) + "\n";
        told += text_of_list("unread", gang::unread_warnings(pod, "It waits."));
        told += text_of(gang::size_gang(pod, said, nullptr, gang::spark::Limits{}));
    }
    tests::check_transcript("gang/declare/transcripts/declarations", told);
}

TEST_CASE("transcripts: what executors Spark confs foretell") {
    Walk walk(2);
    std::string told;
    for (int i = 0; i < 200; ++i) {
        const gang::spark::Conf conf = draw_conf(walk);
        told += conf.spark_version + text_of(conf.properties) + "\n";
        gang::spark::Limits limits;
        limits.max_gang_size = walk.pick(4) == 0 ? 5 : 2'000;
        limits.scheduler_names = {"gang-scheduler"};
        const core::Pod driver = walk.pick(2) == 0 ? tests::driver("d") : draw_pod(walk);
        const gang::spark::Derivation derived = gang::spark::derive(conf, driver, limits);
        told += text_of(derived);
        const gang::Declaration said = gang::read_declaration(driver);
        told += text_of(gang::size_gang(driver, said, &derived, limits));
    }
    tests::check_transcript("gang/declare/transcripts/confs", told);
}
