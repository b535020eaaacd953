// The parts of a derivation, each for itself: volumes, requests, counts, and what is laid over a
// template.

#include "gang/declare/spark/executor/claims.hpp"
#include "gang/declare/spark/executor/executor_count.hpp"
#include "gang/declare/spark/executor/executor_request.hpp"
#include "gang/declare/spark/executor/overlay.hpp"
#include "tests/gang/declare/told.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace executor_parts {

using gang::spark::Conf;
using gang::spark::ConfView;
using gang::spark::Version;
using tests::told_result;
using tests::Walk;

/// Of each key several values, the first of which is a good one.
struct KeyWords {
    const char* key;
    std::vector<std::string> values;
};

const std::vector<Version> versions = {
    {3, 0}, {3, 1}, {3, 2}, {3, 3}, {3, 4}, {3, 5}, {4, 0}, {4, 1}, {4, 2}, {5, 0}};

/// Some of these keys, mostly with their first value: of a conf with a wrong one nothing else is
/// read.
core::StringMap draw(Walk& walk, const std::vector<KeyWords>& words, std::size_t most) {
    std::vector<std::pair<std::string, std::string>> properties;
    for (std::size_t i = walk.pick(most + 1); i > 0; --i) {
        const KeyWords& one = words[walk.pick(words.size())];
        const std::string value = walk.pick(3) > 0 ? one.values.front() : walk.of(one.values);
        std::erase_if(properties, [&one](const auto& entry) { return entry.first == one.key; });
        properties.emplace_back(one.key, value);
    }
    std::sort(properties.begin(), properties.end());
    return {properties.begin(), properties.end()};
}

/// Where the first of these is, the second is there, too, more often than not.
struct Companion {
    const char* key;
    const char* other;
    const char* value;
};

const std::vector<Companion> request_companions = {
    {"spark.executor.resource.fpga.vendor", "spark.executor.resource.fpga.amount", "1"},
    {"spark.task.resource.fpga.amount", "spark.executor.resource.fpga.amount", "1"},
    {"spark.executor.resource.fpga.amount", "spark.executor.resource.fpga.vendor", "xilinx.com"},
    {"spark.executor.resource.gpu.vendor", "spark.executor.resource.gpu.amount", "2"},
    {"spark.task.resource.gpu.amount", "spark.executor.resource.gpu.amount", "2"},
    {"spark.executor.resource.gpu.amount", "spark.executor.resource.gpu.vendor", "nvidia.com"},
    {"spark.memory.offHeap.enabled", "spark.memory.offHeap.size", "3g"},
    {"spark.task.cpus", "spark.executor.cores", "4"}};

const std::string claim_prefix =
    "spark.kubernetes.executor.volumes.persistentVolumeClaim.data.options.";
const std::string claim_class = claim_prefix + "storageClass";
const std::string claim_size = claim_prefix + "sizeLimit";
const std::vector<Companion> volume_companions = {
    {claim_class.c_str(), claim_size.c_str(), "10Gi"},
    {claim_size.c_str(), claim_class.c_str(), "fast"}};

void complete(core::StringMap& properties, Walk& walk, const std::vector<Companion>& companions) {
    for (const Companion& one : companions) {
        if (core::find_value(properties, one.key) != nullptr &&
            core::find_value(properties, one.other) == nullptr && walk.pick(4) > 0) {
            properties.emplace_back(one.other, one.value);
            std::sort(properties.begin(), properties.end());
        }
    }
}

const std::vector<KeyWords> of_requests = {
    {"spark.executor.memory", {"1g", "0", "1m", "1023k", "1024k", "-1g", "x", "8191p", "512m"}},
    {"spark.executor.memoryOverhead", {"1g", "0", "1", "-1", "8191p", "x"}},
    {"spark.executor.memoryOverheadFactor", {"0.5", "0", "-1", "x", "1e400", "2.5"}},
    {"spark.executor.minMemoryOverhead", {"500m", "-5", "0", "x", "1g", "384"}},
    {"spark.kubernetes.memoryOverheadFactor", {"0.2", "0", "-1", "x", "0.4"}},
    {"spark.executor.pyspark.memory", {"256m", "0", "x", "-1"}},
    {"spark.memory.offHeap.enabled", {"true", "false", "maybe"}},
    {"spark.memory.offHeap.size", {"1g", "0", "1m", "1048575", "1048576", "x", "-1"}},
    {"spark.kubernetes.resource.type", {"python", "java", "r", "R"}},
    {"spark.executor.cores", {"4", "0", "1", "2", "x"}},
    {"spark.task.cpus", {"1", "2", "0", "4", "5", "x"}},
    {"spark.kubernetes.executor.request.cores", {"500m", "0", "-1", "x", " 2 ", "0.1"}},
    {"spark.executor.resource.gpu.amount", {"2", "1", "0", "-1", "x"}},
    {"spark.executor.resource.gpu.vendor", {"nvidia.com", "", "no name!", "amd.com"}},
    {"spark.executor.resource.fpga.amount", {"1", "0", "x"}},
    {"spark.executor.resource.fpga.vendor", {"xilinx.com", ""}},
    {"spark.task.resource.gpu.amount", {"1", "0.25", "2", "2.5", "0", "-1", "x"}},
    {"spark.task.resource.gpu.other", {"9"}},
    {"spark.task.resource.fpga.amount", {"1", "0"}}};

const std::vector<KeyWords> of_counts = {
    {"spark.executor.instances",
     {"3", "0", "-1", "x", "9", "10", "11", "2147483647", "2147483648"}},
    {"spark.dynamicAllocation.enabled", {"true", "true", "true", "false", "x"}},
    {"spark.dynamicAllocation.minExecutors", {"2", "0", "1", "-1", "x", "5", "6", "9", "10"}},
    {"spark.dynamicAllocation.maxExecutors",
     {"6", "0", "1", "5", "-1", "x", "9", "10", "2147483647", "2147483646"}},
    {"spark.dynamicAllocation.initialExecutors", {"4", "0", "-1", "x", "6", "7", "1"}},
    {"spark.kubernetes.allocation.batch.size", {"5", "1", "0", "x"}},
    {"spark.kubernetes.allocation.pods.allocator",
     {"direct", "statefulset", "deployment", "com.example.Own", "x", ""}},
    {"spark.kubernetes.executor.podNamePrefix", {"mine", "No", "", "a.b", "-", "a-"}}};

const std::vector<KeyWords> of_volumes = {
    {"spark.kubernetes.legacy.useReadWriteOnceAccessMode", {"true", "false", "x"}},
    {"spark.kubernetes.executor.volumes.nothing", {"x"}},
    {"spark.kubernetes.executor.volumes.persistentVolumeClaim.data.mount.path", {"/data"}},
    {"spark.kubernetes.executor.volumes.persistentVolumeClaim.data.options.claimName",
     {"OnDemand", "shared", "SPARK_EXECUTOR_ID"}},
    {"spark.kubernetes.executor.volumes.persistentVolumeClaim.data.options.sizeLimit",
     {"10Gi", "0", "1", "-1", "x", "1.5Gi"}},
    {"spark.kubernetes.executor.volumes.persistentVolumeClaim.data.options.storageClass",
     {"fast", ""}},
    {"spark.kubernetes.executor.volumes.persistentVolumeClaim.a-2.mount.path", {"/a"}},
    {"spark.kubernetes.executor.volumes.persistentVolumeClaim.a.mount.path", {"/a"}},
    {"spark.kubernetes.executor.volumes.persistentVolumeClaim.a.options.claimName", {"all"}},
    {"spark.kubernetes.executor.volumes.emptyDir.tmp.mount.path", {"/tmp"}},
    {"spark.kubernetes.executor.volumes.emptyDir.tmp.options.sizeLimit", {"1Gi"}},
    {"spark.kubernetes.executor.volumes.hostPath.h.mount.path", {"/h"}},
    {"spark.kubernetes.executor.volumes.hostPath.h.options.path", {"/h"}},
    {"spark.kubernetes.executor.volumes.nfs.n.mount.path", {"/n"}},
    {"spark.kubernetes.executor.volumes.nfs.n.options.server", {"s"}},
    {"spark.kubernetes.executor.volumes.csi.c.mount.path", {"/c"}},
    {"spark.kubernetes.executor.volumes.csi.c.options.driver", {"d"}},
    {"spark.kubernetes.executor.volumes.disk.d.mount.path", {"/d"}}};

const std::vector<KeyWords> of_overlays = {
    {"spark.kubernetes.executor.podTemplateContainerName", {"main", "side", "absent", "twice", ""}},
    {"spark.kubernetes.executor.limit.cores", {"4", "2", "1999m", "x", " 3 ", "-1"}},
    {"spark.kubernetes.scheduler.name", {"gang-scheduler", "", "other"}},
    {"spark.kubernetes.executor.scheduler.name", {"own", ""}},
    {"spark.kubernetes.node.selector.disk", {"ssd", ""}},
    {"spark.kubernetes.node.selector.zone", {"z1"}},
    {"spark.kubernetes.executor.node.selector.disk", {"nvme"}},
    {"spark.kubernetes.executor.node.selector.pool", {"spark"}},
    {"spark.kubernetes.container.image", {"spark", "", "r:5000/spark"}},
    {"spark.kubernetes.executor.container.image", {"own:1", ""}},
    {"spark.blockManager.port", {"7079", "0", "1", "1023", "1024", "65535", "65536", "-1", "x"}},
    {"spark.kubernetes.executor.label.team", {"etl", "no value!"}},
    {"spark.kubernetes.executor.volumes.emptyDir.tmp.mount.path", {"/tmp"}}};

std::vector<core::HostPort> draw_ports(Walk& walk) {
    std::vector<core::HostPort> ports;
    for (std::size_t i = walk.pick(3); i > 0; --i) {
        ports.push_back(
            {walk.pick(3) == 0 ? "127.0.0.1" : "",
             walk.pick(2) == 0 ? "TCP" : "UDP",
             static_cast<std::int64_t>(80 + walk.pick(4))});
    }
    return ports;
}

core::Resources draw_resources(Walk& walk) {
    core::Resources drawn;
    drawn.cpu_milli = static_cast<std::int64_t>(walk.pick(3)) * 500;
    drawn.memory_bytes = static_cast<std::int64_t>(walk.pick(3)) * tests::mebibyte;
    drawn.ephemeral_bytes = static_cast<std::int64_t>(walk.pick(3)) * 1'000;
    if (walk.pick(3) == 0) drawn.extended.push_back({"a.com/device", 2});
    if (walk.pick(3) == 0) drawn.extended.push_back({"nvidia.com/gpu", 3});
    return drawn;
}

core::PodAffinityTerm draw_term(Walk& walk) {
    core::PodAffinityTerm term;
    term.topology_key = walk.pick(2) == 0 ? "zone" : "host";
    term.namespaces = {walk.pick(2) == 0 ? "" : "team"};
    return term;
}

core::PodTemplate draw_template(Walk& walk) {
    core::PodTemplate drawn;
    for (std::size_t i = walk.pick(4); i > 0; --i) {
        const char* const names[] = {
            "main", "side", "twice", "third", "fourth", "fifth", "sixth", ""};
        drawn.requests.containers.push_back({walk.of(names), draw_resources(walk), false});
    }
    // Sometimes one fewer than there are containers: the rest says nothing.
    for (std::size_t i = walk.pick(drawn.requests.containers.size() + 1); i > 0; --i) {
        core::TemplateContainer said;
        if (walk.pick(2) == 0)
            said.cpu_limit_milli = 1'999 + static_cast<std::int64_t>(walk.pick(3));
        if (walk.pick(2) == 0) said.memory_limit_bytes = 5'000;
        if (walk.pick(2) == 0) said.image = "image" + std::to_string(i);
        said.host_ports = draw_ports(walk);
        drawn.containers.push_back(said);
    }
    if (walk.pick(4) == 0) drawn.requests.overhead.cpu_milli = 10;
    if (walk.pick(3) == 0) drawn.sidecar_ports = draw_ports(walk);
    if (walk.pick(3) == 0) drawn.disks = {{"gce-pd d1", walk.pick(2) == 0}};
    if (walk.pick(3) == 0) drawn.constraints.node_selector = {{"disk", "hdd"}, {"rack", "r1"}};
    if (walk.pick(3) == 0) drawn.constraints.images = {"init:1"};
    if (walk.pick(3) == 0)
        drawn.constraints.tolerations = {
            {"dedicated", true, "", true, core::TaintEffect::no_schedule, -1}};
    if (walk.pick(2) == 0) {
        drawn.rules.emplace();
        if (walk.pick(2) == 0) drawn.rules->affinity.push_back(draw_term(walk));
        if (walk.pick(2) == 0) drawn.rules->anti_affinity.push_back(draw_term(walk));
        if (walk.pick(2) == 0) drawn.rules->preferred.push_back({draw_term(walk), 7});
        if (drawn.rules->empty()) drawn.rules.reset();
    }
    drawn.labels = {{"tier", "batch"}};
    drawn.host_network = walk.pick(2) == 0;
    if (walk.pick(2) == 0) drawn.scheduler_name = "templates";
    if (walk.pick(4) == 0) drawn.node_name = "n1";
    if (walk.pick(4) == 0) drawn.priority_class_name = "high";
    if (walk.pick(4) == 0) drawn.preemption_policy = "Never";
    if (walk.pick(4) == 0) drawn.runtime_class_name = "kata";
    if (walk.pick(4) == 0) drawn.affinity_json = "{a}";
    if (walk.pick(4) == 0) drawn.topology_spread_json = "[s]";
    if (walk.pick(4) == 0) drawn.volumes_json = "[v]";
    if (walk.pick(4) == 0) drawn.scheduling_gates_json = "[g]";
    return drawn;
}

}  // namespace executor_parts

}  // namespace

TEST_CASE("executor parts: what an executor requests") {
    using namespace executor_parts;
    Walk walk(3);
    std::string told;
    for (int i = 0; i < 500; ++i) {
        core::StringMap properties = draw(walk, of_requests, 7);
        complete(properties, walk, request_companions);
        const Version version = walk.of(versions);
        told += std::to_string(version.major) + "." + std::to_string(version.minor);
        for (const auto& [key, value] : properties) {
            told += " " + key.substr(6) + "=" + value;
        }
        told += "\n  ";
        told +=
            told_result(
                executor_request(ConfView(properties, version), version), core::describe_exactly) +
            "\n";
    }
    tests::check_transcript("gang/declare/spark/transcripts/executor_requests", told);
}

TEST_CASE("executor parts: memory up to what a size can hold, and one mebibyte more") {
    using namespace executor_parts;
    const auto with_overhead = [](const char* overhead) {
        const core::StringMap properties = {
            {"spark.executor.memory", "8796093021823m"},
            {"spark.executor.memoryOverhead", overhead}};
        return executor_request(ConfView(properties), {4, 1});
    };
    CHECK(with_overhead("384m")->memory_bytes == 8'796'093'022'207 * tests::mebibyte);
    CHECK_FALSE(with_overhead("385m"));
}

TEST_CASE("executor parts: how many executors there are, by each way to reserve them") {
    using namespace executor_parts;
    Walk walk(4);
    std::string told;
    for (int i = 0; i < 600; ++i) {
        core::StringMap properties = draw(walk, of_counts, 6);
        if (walk.pick(3) > 0 &&
            core::find_value(properties, "spark.dynamicAllocation.enabled") == nullptr) {
            properties.emplace_back("spark.dynamicAllocation.enabled", "true");
            std::sort(properties.begin(), properties.end());
        }
        const Version version = walk.of(versions);
        gang::spark::Limits limits;
        limits.max_gang_size = walk.pick(3) == 0 ? 2'000 : 10;
        limits.dynamic_allocation = static_cast<config::DynamicAllocation>(walk.pick(3));
        told += std::to_string(version.major) + "." + std::to_string(version.minor) + " by " +
                std::to_string(static_cast<int>(limits.dynamic_allocation)) + " of " +
                std::to_string(limits.max_gang_size);
        for (const auto& [key, value] : properties) {
            told += " " + key.substr(6) + "=" + value;
        }
        told += "\n  " +
                told_result(
                    executor_count(ConfView(properties, version), version, limits),
                    [](const gang::spark::ExecutorCount& count) {
                        return std::to_string(count.reserved) + " of " + std::to_string(count.min) +
                               ".." + std::to_string(count.max) + "\n" +
                               tests::told_lines("note", count.notes);
                    }) +
                "\n";
    }
    tests::check_transcript("gang/declare/spark/transcripts/executor_counts", told);
}

TEST_CASE("executor parts: a prefix of names leaves room for what Spark adds") {
    using namespace executor_parts;
    const auto is_fine = [](const std::string& prefix) {
        const core::StringMap properties = {{"spark.kubernetes.executor.podNamePrefix", prefix}};
        return executor_count(ConfView(properties), {4, 1}, {}).has_value();
    };
    CHECK(is_fine(std::string(228, 'a')));
    CHECK_FALSE(is_fine(std::string(229, 'a')));
}

TEST_CASE("executor parts: a gang is as large as it may be, or one more") {
    using namespace executor_parts;
    const auto is_fine = [](const char* key, const char* number, bool is_dynamic) {
        core::StringMap properties = {
            {"spark.dynamicAllocation.enabled", is_dynamic ? "true" : "false"}, {key, number}};
        std::sort(properties.begin(), properties.end());
        gang::spark::Limits limits;
        limits.max_gang_size = 10;
        return executor_count(ConfView(properties), {4, 1}, limits).has_value();
    };
    CHECK(is_fine("spark.executor.instances", "9", false));
    CHECK_FALSE(is_fine("spark.executor.instances", "10", false));
    CHECK(is_fine("spark.dynamicAllocation.initialExecutors", "9", true));
    CHECK_FALSE(is_fine("spark.dynamicAllocation.initialExecutors", "10", true));
}

TEST_CASE("executor parts: volumes and the claims among them") {
    using namespace executor_parts;
    Walk walk(5);
    std::string told;
    for (int i = 0; i < 480; ++i) {
        core::StringMap properties = draw(walk, of_volumes, 5);
        // Each volume can be mounted, more often than not.
        for (const char* volume :
             {"persistentVolumeClaim.data",
              "persistentVolumeClaim.a",
              "persistentVolumeClaim.a-2",
              "nfs.n",
              "csi.c",
              "hostPath.h"}) {
            const std::string prefix =
                std::string("spark.kubernetes.executor.volumes.") + volume + ".";
            const std::string type(volume, std::string(volume).find('.'));
            const bool is_named =
                std::any_of(properties.begin(), properties.end(), [&prefix](const auto& entry) {
                    return entry.first.starts_with(prefix);
                });
            const std::string option = type == "nfs"        ? "server"
                                       : type == "csi"      ? "driver"
                                       : type == "hostPath" ? "path"
                                                            : "claimName";
            if (is_named && walk.pick(5) > 0) {
                for (const auto& key : {prefix + "mount.path", prefix + "options." + option}) {
                    if (core::find_value(properties, key) == nullptr) {
                        properties.emplace_back(key, "x");
                        std::sort(properties.begin(), properties.end());
                    }
                }
            }
        }
        complete(properties, walk, volume_companions);
        const Version version = walk.of(versions);
        told += std::to_string(version.major) + "." + std::to_string(version.minor);
        for (const auto& [key, value] : properties) {
            told += " " + key.substr(26) + "=" + value;
        }
        told += "\n  " +
                told_result(
                    volume_claims(ConfView(properties, version), version),
                    [](const std::vector<gang::spark::VolumeClaim>& claims) {
                        std::string all;
                        for (const auto& claim : claims) {
                            all += tests::told_claim(claim) + "; ";
                        }
                        return all;
                    }) +
                "\n";
    }
    tests::check_transcript("gang/declare/spark/transcripts/executor_volumes", told);
}

TEST_CASE(
    "executor parts: a claim's size is more than nothing, and who may mount it depends on the "
    "version") {
    using namespace executor_parts;
    core::StringMap properties = {
        {"spark.kubernetes.executor.volumes.persistentVolumeClaim.data.mount.path", "/data"},
        {"spark.kubernetes.executor.volumes.persistentVolumeClaim.data.options.claimName",
         "OnDemand"},
        {claim_size, "1"},
        {claim_class, "fast"}};
    const auto made = [&properties](Version version) {
        return volume_claims(ConfView(properties, version), version);
    };
    CHECK(made({4, 0})->front().made == gang::spark::MadeClaim{"fast", 1, true});
    CHECK(made({3, 9})->front().made == gang::spark::MadeClaim{"fast", 1, false});
    for (const char* wrong : {"0", "-1", "x"}) {
        properties[2].second = wrong;
        const auto refused = made({4, 0});
        REQUIRE_FALSE(refused);
        CHECK(
            refused.error().message.find("expected a Kubernetes quantity greater than 0") !=
            std::string::npos);
    }
}

TEST_CASE("executor parts: what Spark lays over templates") {
    using namespace executor_parts;
    Walk walk(6);
    std::string told;
    for (int i = 0; i < 140; ++i) {
        Conf conf;
        conf.properties = draw(walk, of_overlays, 6);
        if (walk.pick(8) > 0) {
            conf.executor_template = draw_template(walk);
        }
        const core::Pod driver = tests::driver("d");
        const Version version = walk.of(versions);
        core::Resources own = {2'000, 1'024 * tests::mebibyte, 0, {}};
        if (walk.pick(3) == 0) own.extended = {{"nvidia.com/gpu", 1}};
        told += std::to_string(version.major) + "." + std::to_string(version.minor);
        for (const auto& [key, value] : conf.properties) {
            told += " " + key.substr(6) + "=" + value;
        }
        told += "\n" +
                told_result(gang::spark::overlay({conf, driver, version}, own), tests::told_shape) +
                "\n";
    }
    tests::check_transcript("gang/declare/spark/transcripts/overlays", told);
}

TEST_CASE("executor parts: a template that Spark or the API server refuses") {
    using namespace executor_parts;
    const core::Pod driver = tests::driver("d");
    const core::Resources own = {1'000, 1'024, 0, {}};
    const auto problem = [&](const Conf& conf) {
        const auto laid = gang::spark::overlay({conf, driver, {4, 1}}, own);
        return laid ? std::string() : laid.error().message;
    };
    Conf conf;
    conf.executor_template.emplace().requests.containers = {{"", {}, false}, {"side", {}, false}};
    CHECK(problem(conf).empty());  // Spark gives its own a name
    conf.executor_template->requests.containers[1].name = "";
    CHECK(problem(conf).find("a container without a name") != std::string::npos);
    conf.executor_template->requests.containers = {
        {"a", {}, false}, {"b", {INT64_MAX, 0, 0, {}}, false}};
    CHECK(problem(conf).find("an executor's requests together") != std::string::npos);
    conf.executor_template.reset();
    conf.properties = {{"spark.blockManager.port", "x"}};
    CHECK(problem(conf).find("spark.blockManager.port") != std::string::npos);
    conf.properties = {{"spark.kubernetes.legacy.useReadWriteOnceAccessMode", "x"}};
    CHECK(problem(conf).find("useReadWriteOnceAccessMode") != std::string::npos);
}

TEST_CASE("executor parts: of two containers with the conf's name none is Spark's by it") {
    using namespace executor_parts;
    const core::Pod driver = tests::driver("d");
    Conf conf;
    conf.properties = {{"spark.kubernetes.executor.podTemplateContainerName", "main"}};
    auto& containers = conf.executor_template.emplace().requests.containers;
    containers = {{"first", {10, 0, 0, {}}, false}, {"main", {20, 0, 0, {}}, false}};
    const core::Resources own = {1'000, 1'024, 0, {}};
    CHECK(gang::spark::overlay({conf, driver, {4, 1}}, own)->requests.cpu_milli == 1'010);
    containers.push_back({"main", {30, 0, 0, {}}, false});
    CHECK(gang::spark::overlay({conf, driver, {4, 1}}, own)->requests.cpu_milli == 1'050);
}
