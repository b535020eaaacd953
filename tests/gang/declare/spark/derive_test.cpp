#include "gang/declare/spark/executor/derive.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using gang::spark::Conf;
using gang::spark::Derivation;
using gang::spark::derive;
using gang::spark::ExecutorShape;
using gang::spark::Limits;

namespace {

constexpr std::int64_t mib = 1024 * 1024;
using Properties = core::StringMap;

/// An application in cluster mode as the submitter leaves it: the factor is resolved.
struct SparkApplication {
    Conf conf;
    core::Pod driver;
    Limits limits;

    SparkApplication(Properties properties, std::string version) {
        // The common key exists since 3.3; older submitters can only name the executors' one.
        const bool is_old = version.empty() || (version >= "3.0" && version < "3.3");
        properties.emplace_back(
            is_old ? "spark.kubernetes.executor.scheduler.name" : "spark.kubernetes.scheduler.name",
            "gang-scheduler");
        std::sort(properties.begin(), properties.end());
        conf.properties = std::move(properties);
        conf.spark_version = std::move(version);
        driver.scheduler_name = "gang-scheduler";
    }

    SparkApplication& with(const char* key, const char* value) {
        conf.properties.emplace_back(key, value);
        std::sort(conf.properties.begin(), conf.properties.end());
        return *this;
    }
    SparkApplication& python() {
        const bool has_factor =
            core::find_value(conf.properties, "spark.kubernetes.memoryOverheadFactor") != nullptr;
        if (!has_factor) {
            with("spark.kubernetes.memoryOverheadFactor", "0.4");
        }
        return with("spark.kubernetes.resource.type", "python");
    }

    Derivation derive() const { return gang::spark::derive(conf, driver, limits); }
    ExecutorShape shape() const {
        const Derivation derivation = derive();
        REQUIRE_MESSAGE(derivation.problem.empty(), derivation.problem);
        REQUIRE(derivation.executors.size() == 1);
        return derivation.executors[0];
    }
    std::int64_t memory_mib() const {
        const auto bytes = shape().requests.memory_bytes;
        REQUIRE(bytes % mib == 0);
        return bytes / mib;
    }
    std::string problem() const {
        const Derivation derivation = derive();
        CHECK(derivation.executors.empty());
        return derivation.problem;
    }
};

SparkApplication make(Properties properties, std::string version = "4.1.4") {
    return SparkApplication(std::move(properties), std::move(version));
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

bool has_note(const Derivation& derivation, std::string_view part) {
    return std::any_of(
        derivation.notes.begin(), derivation.notes.end(), [&](const std::string& note) {
            return contains(note, part);
        });
}

}  // namespace

TEST_CASE("derive: nothing set is two executors of one core and 1408 MiB") {
    const auto shape = make({}).shape();
    CHECK(shape.profile == 0);
    CHECK(shape.count == 2);
    CHECK(shape.max == 2);
    CHECK(shape.requests == core::Resources{1000, 1408 * mib, 0, {}});
    CHECK(shape.scheduler_name == "gang-scheduler");
}

TEST_CASE("derive: sizes of JVM applications") {
    const auto sized = make(
        {{"spark.executor.cores", "4"},
         {"spark.executor.instances", "4"},
         {"spark.executor.memory", "4g"}});
    CHECK(sized.shape().count == 4);
    CHECK(sized.shape().requests.cpu_milli == 4000);
    CHECK(sized.memory_mib() == 4505);

    const auto small = make(
        {{"spark.executor.memory", "512m"}, {"spark.kubernetes.executor.request.cores", "500m"}});
    CHECK(small.shape().requests.cpu_milli == 500);
    CHECK(small.memory_mib() == 896);

    CHECK(make({{"spark.executor.memory", "2048k"}}).memory_mib() == 386);
    CHECK(make({{"spark.executor.memory", "3000"}}).memory_mib() == 3384);
}

TEST_CASE("derive: a given overhead replaces factor and floor") {
    CHECK(
        make({{"spark.executor.memory", "8G"}, {"spark.executor.memoryOverhead", "1g"}})
            .memory_mib() == 9216);
    CHECK(
        make({{"spark.executor.memory", "8g"}, {"spark.executor.memoryOverhead", "100"}})
            .memory_mib() == 8292);
    CHECK(
        make({{"spark.executor.memory", "8g"}, {"spark.executor.memoryOverhead", "0"}})
            .memory_mib() == 8192);
}

TEST_CASE("derive: Python and R have their own factor, Python its own memory") {
    CHECK(make({{"spark.executor.memory", "4g"}}).python().memory_mib() == 5734);
    const Properties with_pyspark = {
        {"spark.executor.memory", "8g"}, {"spark.executor.pyspark.memory", "2g"}};
    CHECK(make(with_pyspark).python().memory_mib() == 13516);
    CHECK(make(with_pyspark).memory_mib() == 9011);
    CHECK(
        make({{"spark.executor.memory", "1g"}, {"spark.kubernetes.resource.type", "r"}})
            .memory_mib() == 1433);
    // The user's number beats Python's 0.4.
    CHECK(
        make({{"spark.kubernetes.memoryOverheadFactor", "0.2"}, {"spark.executor.memory", "5g"}})
            .python()
            .memory_mib() == 6144);
}

TEST_CASE("derive: off-heap memory counts from Spark 3.1 on, floored to MiB") {
    const Properties off_heap = {
        {"spark.executor.memory", "6g"},
        {"spark.memory.offHeap.enabled", "true"},
        {"spark.memory.offHeap.size", "1610612736"}};
    for (const char* version : {"3.1.3", "3.5.9", "4.1.4", "9.0.0", ""}) {
        CAPTURE(std::string(version));
        CHECK(make(off_heap, version).memory_mib() == 8294);
    }
    CHECK(make(off_heap, "3.0.3").memory_mib() == 6758);
    CHECK(
        make({{"spark.executor.memory", "1g"},
              {"spark.memory.offHeap.enabled", "TRUE"},
              {"spark.memory.offHeap.size", "1073741823"}})
            .memory_mib() == 2431);
    CHECK(
        make({{"spark.executor.memory", "6g"}, {"spark.memory.offHeap.size", "1g"}}).memory_mib() ==
        6758);
}

TEST_CASE("derive: custom resources are asked for as vendor/name") {
    const auto app = make(
        {{"spark.executor.cores", "8"},
         {"spark.executor.memory", "14g"},
         {"spark.executor.resource.gpu.amount", "1"},
         {"spark.executor.resource.gpu.vendor", "nvidia.com"}});
    CHECK(app.memory_mib() == 15769);
    CHECK(app.shape().requests.cpu_milli == 8000);
    CHECK(
        app.shape().requests.extended ==
        std::vector<core::ExtendedResource>{{"nvidia.com/gpu", 1}});
}

TEST_CASE("derive: the minimum overhead is honoured from Spark 4.0 on") {
    const Properties minimum = {
        {"spark.executor.memory", "2g"}, {"spark.executor.minMemoryOverhead", "1g"}};
    CHECK(make(minimum, "4.0.5").memory_mib() == 3072);
    CHECK(make(minimum, "5.7.0-SNAPSHOT").memory_mib() == 3072);
    CHECK(make(minimum, "3.5.9").memory_mib() == 2432);
}

TEST_CASE("derive: the executors' own factor counts from Spark 3.3 on") {
    const Properties factor = {
        {"spark.executor.memory", "6g"}, {"spark.executor.memoryOverheadFactor", "0.25"}};
    CHECK(make(factor, "3.3.0").memory_mib() == 7680);
    CHECK(make(factor, "3.2.4").memory_mib() == 6758);
    // The label exists since 3.3, so without it the older rule holds.
    auto unlabelled = make(factor, "");
    CHECK(unlabelled.memory_mib() == 6758);
    CHECK(
        make({{"spark.executor.memory", "7g"}, {"spark.executor.memoryOverheadFactor", "0.35"}})
            .memory_mib() == 9676);
}

TEST_CASE("derive: the factor is multiplied in doubles and cut, as Spark does") {
    CHECK(
        make({{"spark.kubernetes.memoryOverheadFactor", "0.57"},
              {"spark.executor.memory", "10000m"}})
            .memory_mib() == 15699);
}

TEST_CASE("derive: without a version label the config map's name tells 3.0 from later") {
    auto app = make(
        {{"spark.executor.memory", "6g"},
         {"spark.memory.offHeap.enabled", "true"},
         {"spark.memory.offHeap.size", "1536m"}},
        "");
    app.driver.spark_properties = core::ConfigMapKey{"pi-17-driver-conf-map", "spark.properties"};
    CHECK(app.memory_mib() == 6758);
    app.driver.spark_properties = core::ConfigMapKey{"spark-drv-17-conf-map", "spark.properties"};
    CHECK(app.memory_mib() == 8294);
}

TEST_CASE("derive: a template's other containers, overhead and selectors stay") {
    auto app = make({{"spark.executor.memory", "1g"}});
    auto& base = app.conf.executor_template.emplace();
    base.requests.containers = {
        {"spark", {7000, 0, 5 * mib, {{"example.com/card", 2}}}, false},
        {"sidecar", {100, 128 * mib, 0, {}}, false}};
    CHECK(
        app.shape().requests ==
        core::Resources{1100, 1536 * mib, 5 * mib, {{"example.com/card", 2}}});

    SUBCASE("init containers and overhead count for the whole pod") {
        base.requests.init_containers = {{"fetch", {3000, 64 * mib, 0, {}}, false}};
        base.requests.overhead = {50, 32 * mib, 0, {}};
        CHECK(app.shape().requests.cpu_milli == 3050);
        CHECK(app.shape().requests.memory_bytes == 1568 * mib);
    }
    SUBCASE("the Spark container is the named one") {
        app.with("spark.kubernetes.executor.podTemplateContainerName", "sidecar");
        CHECK(app.shape().requests.cpu_milli == 8000);
        CHECK(app.shape().requests.memory_bytes == 1408 * mib);
    }
    SUBCASE("a name that no container has: the first") {
        app.with("spark.kubernetes.executor.podTemplateContainerName", "nobody");
        CHECK(app.shape().requests.cpu_milli == 1100);
    }
    SUBCASE("a template without containers gets one") {
        base.requests.containers.clear();
        CHECK(app.shape().requests == core::Resources{1000, 1408 * mib, 0, {}});
    }
}

TEST_CASE("derive: node selectors are added to the template's, the executors' own win") {
    const Properties selectors = {
        {"spark.kubernetes.executor.node.selector.pool", "spark"},
        {"spark.kubernetes.node.selector.disk", "ssd"},
        {"spark.kubernetes.node.selector.pool", "any"}};
    auto app = make(selectors);
    auto& base = app.conf.executor_template.emplace();
    base.constraints.node_selector = {{"pool", "template"}, {"zone", "a"}};
    base.constraints.tolerations = {{"spark", false, "true", true, {}, -1}};
    base.affinity_json = "{}";
    base.rules = core::PodRules{{{"zone", {}, {"", "other"}, {}}}, {{"host", {}, {}, {}}}, {}};
    base.priority_class_name = "high";
    const auto shape = app.shape();
    REQUIRE(shape.rules);
    // A term without a namespace means the pod's own: the driver's.
    CHECK(
        shape.rules->affinity[0].namespaces ==
        std::vector<std::string>{app.driver.namespace_name, "other"});
    CHECK(shape.rules->anti_affinity[0].namespaces.empty());
    CHECK(
        shape.constraints.node_selector ==
        Properties{{"disk", "ssd"}, {"pool", "spark"}, {"zone", "a"}});
    CHECK(shape.constraints.tolerations == base.constraints.tolerations);
    CHECK(shape.affinity_json == "{}");
    CHECK(shape.priority_class_name == "high");
    // Selectors per role came with 3.3.
    auto older = make(selectors, "3.2.1");
    CHECK(older.shape().constraints.node_selector == Properties{{"disk", "ssd"}, {"pool", "any"}});
    auto first = make(selectors, "3.3.0");
    CHECK(
        first.shape().constraints.node_selector == Properties{{"disk", "ssd"}, {"pool", "spark"}});
}

TEST_CASE("derive: executors of another scheduler are not ours to reserve for") {
    auto app = make({{"spark.kubernetes.executor.scheduler.name", "default-scheduler"}});
    const auto derivation = app.derive();
    CHECK(derivation.problem.empty());
    CHECK(derivation.executors.empty());
    REQUIRE(derivation.foreign_executors.size() == 1);
    CHECK(derivation.foreign_executors[0].scheduler_name == "default-scheduler");
    CHECK(has_note(derivation, "default-scheduler"));
    SUBCASE("unless that name is one of ours too") {
        app.limits.scheduler_names = {"gang-scheduler", "default-scheduler"};
        CHECK(app.derive().executors.size() == 1);
    }
}

TEST_CASE("derive: which key names the executors' scheduler") {
    const Conf none{{}, "4.1.4", {}};
    core::Pod driver;
    driver.scheduler_name = "gang-scheduler";
    REQUIRE(derive(none, driver, {}).foreign_executors.size() == 1);
    CHECK(derive(none, driver, {}).foreign_executors[0].scheduler_name == "default-scheduler");

    Conf templated = none;
    templated.executor_template.emplace().scheduler_name = "gang-scheduler";
    CHECK(derive(templated, driver, {}).executors.size() == 1);

    // The common key does nothing before 3.3.
    Conf old{{{"spark.kubernetes.scheduler.name", "gang-scheduler"}}, "3.2.0", {}};
    CHECK(derive(old, driver, {}).foreign_executors.size() == 1);
    old.spark_version = "3.3.0";
    CHECK(derive(old, driver, {}).executors.size() == 1);
}

TEST_CASE("derive: dynamic allocation reserves what the policy says, and never nothing") {
    auto app = make(
        {{"spark.dynamicAllocation.enabled", "true"},
         {"spark.dynamicAllocation.initialExecutors", "5"},
         {"spark.dynamicAllocation.maxExecutors", "20"},
         {"spark.dynamicAllocation.minExecutors", "2"},
         {"spark.executor.instances", "3"}});
    CHECK(app.shape().count == 5);
    CHECK(app.shape().max == 20);
    app.limits.dynamic_allocation = config::DynamicAllocation::reserve_min;
    CHECK(app.shape().count == 2);
    app.limits.dynamic_allocation = config::DynamicAllocation::reserve_max;
    CHECK(app.shape().count == 20);
    app.limits.max_gang_size = 11;
    CHECK(app.shape().count == 10);
    CHECK(app.shape().max == 20);
    CHECK(has_note(app.derive(), "gang.maxGangSize"));

    auto bare = make({{"spark.dynamicAllocation.enabled", "true"}});
    CHECK(bare.shape().count == 1);
    CHECK(bare.shape().max == gang::spark::unlimited_executors);
    bare.limits.dynamic_allocation = config::DynamicAllocation::reserve_max;
    CHECK(bare.shape().count == 1);
    CHECK(has_note(bare.derive(), "spark.dynamicAllocation.maxExecutors is not set"));
}

TEST_CASE("derive: the initial number is the largest of three") {
    CHECK(
        make({{"spark.dynamicAllocation.enabled", "true"},
              {"spark.dynamicAllocation.initialExecutors", "3"},
              {"spark.executor.instances", "6"}})
            .shape()
            .count == 6);
    CHECK(
        make({{"spark.dynamicAllocation.enabled", "true"},
              {"spark.dynamicAllocation.minExecutors", "4"}})
            .shape()
            .count == 4);
}

TEST_CASE("derive: a driver that works alone has no executors") {
    for (const char* master : {"local", "local[*]", "local[4]"}) {
        const auto derivation = make({{"spark.kubernetes.driver.master", master}}).derive();
        CHECK(derivation == Derivation{});
    }
    CHECK(make({{"spark.kubernetes.driver.master", "https://127.0.0.1:6443"}}).shape().count == 2);
    CHECK(make({{"spark.executor.instances", "0"}}).derive() == Derivation{});
}

TEST_CASE("derive: doubts are said") {
    CHECK(has_note(make({{"spark.executor.memory", "1536"}}).derive(), "has no unit"));
    CHECK(has_note(
        make({{"spark.executor.memoryOverheadBursty.enabled", "true"}}).derive(), "less memory"));
    auto runtime = make({});
    runtime.conf.executor_template.emplace().runtime_class_name = "gvisor";
    CHECK(has_note(runtime.derive(), "\"gvisor\""));
    runtime.conf.executor_template->requests.overhead.cpu_milli = 1;
    CHECK(runtime.derive().notes.empty());
    auto mutated = make({});
    mutated.driver.labels = {{"sparkoperator.k8s.io/mutated-by-spark-operator", "true"}};
    CHECK(has_note(mutated.derive(), "webhook"));
    CHECK(make({}).derive().notes.empty());
}

TEST_CASE("derive: D3: executors tolerate what a webhook has made their driver tolerate") {
    const core::Toleration dedicated{"dedicated", false, "spark", true, {}, -1};
    const core::Toleration not_ready{
        "node.kubernetes.io/not-ready", true, "", false, core::TaintEffect::no_execute, 300};
    const auto with = [](SparkApplication made, std::vector<core::Toleration> tolerations) {
        core::Constraints constraints;
        constraints.tolerations = std::move(tolerations);
        made.driver.constraints = constraints;
        return made;
    };
    using Tolerations = std::vector<core::Toleration>;
    const auto webhook = with(make({}), {not_ready, dedicated});
    CHECK(webhook.shape().constraints.tolerations == Tolerations{dedicated});
    CHECK(has_note(webhook.derive(), "taken to tolerate what the driver tolerates"));
    CHECK(with(make({}), {not_ready}).derive().notes.empty());

    auto both = webhook;
    both.conf.executor_template.emplace().constraints.tolerations = {dedicated};
    CHECK(both.shape().constraints.tolerations == Tolerations{dedicated});
    CHECK(both.derive().notes.empty());

    // The driver's own template may have said so, of the driver alone.
    const char* const driver_template = "spark.kubernetes.driver.podTemplateFile";
    auto own = with(make({{driver_template, "/driver.yaml"}}), {dedicated});
    CHECK(own.shape().constraints.tolerations.empty());
    for (const char* label :
         {"sparkoperator.k8s.io/app-name", "sparkoperator.k8s.io/launched-by-spark-operator"}) {
        own.driver.labels = {{label, "x"}};
        CHECK(own.shape().constraints.tolerations == Tolerations{dedicated});
    }
}

TEST_CASE("derive: a wrong value is a problem that names key, value and what is accepted") {
    struct Case {
        const char* key;
        const char* value;
        const char* accepted;
    };
    for (const Case& c : std::vector<Case>{
             {"spark.executor.memory", "1.5g", "such as 1536m or 4g"},
             {"spark.executor.memory", "4Gi", "such as 1536m or 4g"},
             {"spark.executor.memory", "-4g", "such as 1536m or 4g"},
             {"spark.executor.memory", "2g;rm", "such as 1536m or 4g"},
             {"spark.executor.memory", "", "such as 1536m or 4g"},
             {"spark.executor.memory", "0", "at least 1m"},
             {"spark.executor.memory", "99999999p", "too large"},
             {"spark.executor.memoryOverhead", "1 g", "such as 1536m or 4g"},
             {"spark.executor.minMemoryOverhead", "x", "such as 1536m or 4g"},
             {"spark.executor.memoryOverheadFactor", "-0.1", "such as 0.1"},
             {"spark.executor.memoryOverheadFactor", "nan", "such as 0.1"},
             {"spark.kubernetes.memoryOverheadFactor", "0,4", "such as 0.1"},
             {"spark.kubernetes.memoryOverheadFactor", "infinity", "such as 0.1"},
             {"spark.executor.cores", "0.5", "whole number"},
             {"spark.executor.cores", "0x10", "whole number"},
             {"spark.executor.cores", "-1", "at least 1"},
             {"spark.executor.cores", "4294967297", "whole number"},
             {"spark.kubernetes.executor.request.cores", "half", "Kubernetes quantity"},
             {"spark.kubernetes.executor.request.cores", "-1", "Kubernetes quantity"},
             {"spark.kubernetes.executor.request.cores", "1e400", "Kubernetes quantity"},
             {"spark.executor.instances", "-3", "at least 0"},
             {"spark.executor.instances", "two", "whole number"},
             {"spark.executor.instances", "1e9", "whole number"},
             {"spark.executor.instances", "99999999999999999999", "whole number"},
             {"spark.dynamicAllocation.enabled", "yes", "true or false"},
             {"spark.memory.offHeap.enabled", "1", "true or false"},
             {"spark.executor.resource.gpu.amount", "one", "whole number"}}) {
        const auto problem = make({{c.key, c.value}}).problem();
        CAPTURE(problem);
        CAPTURE(std::string(c.key));
        CHECK(contains(problem, c.key));
        CHECK(contains(problem, std::string("\"") + c.value + "\""));
        CHECK(contains(problem, c.accepted));
    }
}

TEST_CASE("derive: contradictions are problems") {
    CHECK(contains(
        make({{"spark.executor.resource.gpu.amount", "1"}}).problem(),
        "spark.executor.resource.gpu.vendor is missing"));
    CHECK(contains(
        make({{"spark.memory.offHeap.enabled", "true"}}).problem(), "spark.memory.offHeap.size"));
    CHECK(contains(
        make({{"spark.memory.offHeap.enabled", "true"}, {"spark.memory.offHeap.size", "0"}})
            .problem(),
        "spark.memory.offHeap.size"));
    CHECK(contains(
        make({{"spark.dynamicAllocation.enabled", "true"},
              {"spark.dynamicAllocation.maxExecutors", "4"},
              {"spark.executor.instances", "5"}})
            .problem(),
        "more than spark.dynamicAllocation.maxExecutors = 4"));
    CHECK(contains(
        make({{"spark.dynamicAllocation.enabled", "true"},
              {"spark.dynamicAllocation.maxExecutors", "1"},
              {"spark.dynamicAllocation.minExecutors", "2"}})
            .problem(),
        "spark.dynamicAllocation.minExecutors = 2 is more than"));
    CHECK(contains(
        make({{"spark.kubernetes.executor.podTemplateFile", "/opt/x.yml"}}).problem(),
        "mounts no executor template"));
}

TEST_CASE("derive: sums that do not fit are problems") {
    CHECK(contains(make({{"spark.executor.memory", "8191p"}}).problem(), "too large"));
    CHECK(contains(
        make({{"spark.executor.memory", "5000p"}, {"spark.executor.memoryOverhead", "5000p"}})
            .problem(),
        "too large"));
    auto app = make({{"spark.executor.memory", "7000p"}, {"spark.executor.memoryOverhead", "0"}});
    app.conf.executor_template.emplace().requests.containers = {
        {"spark", {}, false}, {"other", {0, 2000LL << 50, 0, {}}, false}};
    CHECK(contains(app.problem(), "together"));
}

TEST_CASE("derive: a gang beyond the limit is a problem with numbers") {
    const auto problem = make({{"spark.executor.instances", "1000000000"}}).problem();
    CHECK(contains(problem, "spark.executor.instances = 1000000000"));
    CHECK(contains(problem, "2000 pods that gang.maxGangSize allows"));
    auto edge = make({{"spark.executor.instances", "1999"}});
    CHECK(edge.shape().count == 1999);
    edge.limits.max_gang_size = 1999;
    CHECK(!edge.problem().empty());
    CHECK(!make({{"spark.dynamicAllocation.enabled", "true"},
                 {"spark.dynamicAllocation.minExecutors", "5000"}})
               .problem()
               .empty());
}

TEST_CASE("derive: Java's spelling of numbers") {
    CHECK(make({{"spark.executor.cores", " +4 "}}).shape().requests.cpu_milli == 4000);
    CHECK(
        make(
            {{"spark.executor.memory", "10g"}, {"spark.executor.memoryOverheadFactor", "+2.5e-1d"}})
            .memory_mib() == 12800);
    CHECK(
        make({{"spark.kubernetes.executor.request.cores", "0.1"}}).shape().requests.cpu_milli ==
        100);
}

TEST_CASE("derive: names of former versions are read when the key itself is absent") {
    const Properties former = {
        {"spark.executor.memory", "8g"}, {"spark.yarn.executor.memoryOverhead", "900"}};
    CHECK(make(former).memory_mib() == 8192 + 900);
    CHECK(make(former).with("spark.executor.memoryOverhead", "100").memory_mib() == 8192 + 100);
    const Properties off_heap = {
        {"spark.memory.offHeap.size", "1g"}, {"spark.unsafe.offHeap", "true"}};
    CHECK(make(off_heap).memory_mib() == 1408 + 1024);
}

TEST_CASE("derive: what a given overhead replaces must be right all the same") {
    const Properties fixed = {{"spark.executor.memoryOverhead", "1g"}};
    CHECK(contains(
        make(fixed).with("spark.executor.memoryOverheadFactor", "0").problem(),
        "spark.executor.memoryOverheadFactor"));
    CHECK(contains(
        make(fixed).with("spark.executor.minMemoryOverhead", "x").problem(),
        "spark.executor.minMemoryOverhead"));
    CHECK(make(fixed).with("spark.executor.memoryOverheadFactor", "1e400").memory_mib() == 2048);
    // For applications of the JVM too.
    CHECK(contains(
        make({{"spark.executor.pyspark.memory", "1.5g"}}).problem(),
        "spark.executor.pyspark.memory"));
}

TEST_CASE("derive: the common factor may be 0, the minimum overhead negative") {
    CHECK(make({{"spark.kubernetes.memoryOverheadFactor", "0.0"}}).memory_mib() == 1408);
    CHECK(
        make({{"spark.executor.memory", "10g"}, {"spark.executor.minMemoryOverhead", "-5"}})
            .memory_mib() == 11264);
}

TEST_CASE("derive: custom resources are taken apart at the first dot") {
    CHECK(make({{"spark.executor.resource.gpu.amount", "0"}}).shape().requests.extended.empty());
    CHECK(contains(
        make({{"spark.executor.resource.gpu.vendor", "nvidia.com"}}).problem(),
        "spark.executor.resource.gpu.amount is missing"));
    CHECK(contains(
        make({{"spark.executor.resource.gpu.amount", "1"},
              {"spark.executor.resource.gpu.vendor", "not valid!"}})
            .problem(),
        "\"not valid!\""));
    CHECK(contains(
        make({{"spark.executor.resource.a.b.amount", "1"},
              {"spark.executor.resource.a.b.vendor", "nvidia.com"}})
            .problem(),
        "spark.executor.resource.a.amount is missing"));
}

TEST_CASE("derive: what lets the driver end at once is a problem") {
    const Properties card = {
        {"spark.executor.resource.gpu.amount", "1"},
        {"spark.executor.resource.gpu.vendor", "nvidia.com"}};
    CHECK(make(card).with("spark.task.resource.gpu.amount", "0.25").shape().count == 2);
    CHECK(contains(
        make(card).with("spark.task.resource.gpu.amount", "2").problem(), "more than an executor"));
    CHECK(contains(
        make({{"spark.task.resource.gpu.amount", "1"}}).problem(), "more than an executor"));
    CHECK(contains(make({{"spark.task.cpus", "4"}}).problem(), "spark.task.cpus"));
    CHECK(make({{"spark.executor.cores", "4"}, {"spark.task.cpus", "4"}}).shape().count == 2);
    CHECK(
        contains(make({{"spark.kubernetes.allocation.batch.size", "0"}}).problem(), "at least 1"));
    const Properties deployment = {{"spark.kubernetes.allocation.pods.allocator", "deployment"}};
    CHECK(contains(make(deployment, "4.1.4").problem(), "statefulset"));
    CHECK(make(deployment, "4.2.1").shape().count == 2);
    CHECK(
        make({{"spark.kubernetes.allocation.pods.allocator", "com.example.Own"}}).shape().count ==
        2);
    CHECK(contains(make({{"spark.blockManager.port", "80"}}).problem(), "1024"));
    for (const char* port : {"1024", "65535"}) {
        CHECK(make({{"spark.blockManager.port", port}}).shape().count == 2);
    }
    for (const char* port : {"1023", "65536"}) {
        CHECK(contains(make({{"spark.blockManager.port", port}}).problem(), "1024"));
    }
    CHECK(contains(
        make({{"spark.kubernetes.executor.podNamePrefix", "Not_a_name"}}).problem(), "lower-case"));
}

TEST_CASE("derive: a CPU limit below the request is a problem") {
    auto app = make({{"spark.executor.cores", "4"}});
    app.conf.executor_template.emplace();
    app.conf.executor_template->requests.containers = {{"spark", {}, false}, {"other", {}, false}};
    app.conf.executor_template->containers = {{3999, {}, {}}, {1, {}, {}}};
    CHECK(contains(app.problem(), "limits its Spark container to 3999m cpu"));
    CHECK(app.with("spark.kubernetes.executor.limit.cores", "4").shape().count == 2);
    CHECK(contains(
        make({{"spark.executor.cores", "2"}, {"spark.kubernetes.executor.limit.cores", "1500m"}})
            .problem(),
        "less than the 2 cpu"));
    CHECK(contains(
        make({{"spark.kubernetes.executor.limit.cores", "x"}}).problem(), "Kubernetes quantity"));
}

TEST_CASE("derive: limits of the containers, for quotas") {
    auto app = make({{"spark.executor.cores", "2"}});
    const auto alone = app.shape();
    REQUIRE(alone.containers.size() == 1);
    CHECK(alone.containers[0].requests == alone.requests);
    CHECK_FALSE(alone.containers[0].cpu_limit_milli);
    CHECK(alone.containers[0].memory_limit_bytes == alone.requests.memory_bytes);
    app.conf.executor_template.emplace();
    core::Resources side;
    side.cpu_milli = 100;
    app.conf.executor_template->requests.containers = {{"spark", {}, false}, {"side", side, false}};
    app.conf.executor_template->containers = {{3'000, 1, {}}, {200, {}, {}}};
    const auto both = app.shape();
    REQUIRE(both.containers.size() == 2);
    CHECK(both.containers[0].cpu_limit_milli == 3'000);
    CHECK(both.containers[0].memory_limit_bytes == alone.requests.memory_bytes);  // Spark's own
    CHECK(both.containers[1] == core::ContainerLimits{side, 200, std::nullopt});
    app.with("spark.kubernetes.executor.limit.cores", "4");
    CHECK(app.shape().containers[0].cpu_limit_milli == 4'000);
}

TEST_CASE("derive: ports of the node") {
    auto app = make({});
    auto& pod = app.conf.executor_template.emplace();
    pod.requests.containers = {{"spark", {}, false}, {"other", {}, false}};
    pod.containers = {{{}, {}, {{"", "TCP", 9000}}}, {{}, {}, {{"", "UDP", 53}}}};
    pod.sidecar_ports = {{"127.0.0.1", "TCP", 80}};
    using Ports = std::vector<core::HostPort>;
    const Ports all = {{"", "TCP", 9000}, {"", "UDP", 53}, {"127.0.0.1", "TCP", 80}};
    CHECK(app.shape().host_ports == all);
    app.conf.spark_version = "3.3.4";  // the Spark container lost its own
    CHECK(app.shape().host_ports == Ports{{"", "UDP", 53}, {"127.0.0.1", "TCP", 80}});
    pod.sidecar_ports.clear();
    pod.containers = {{}, {}};
    pod.host_network = true;
    CHECK(app.shape().host_ports == Ports{{"", "TCP", 7079}});
    app.with("spark.blockManager.port", "0");
    CHECK(app.shape().host_ports.empty());
}

TEST_CASE("derive: an application id that is the placeholder itself is put in once") {
    auto app = make({{"spark.kubernetes.executor.label.app", "x-{{APP_ID}}-{{APP_ID}}"}});
    app.driver.labels = {{"spark-app-selector", "{{APP_ID}}"}, {"spark-version", "4.1.4"}};
    CHECK(contains(app.problem(), "x-{{APP_ID}}-{{APP_ID}}"));
    app.driver.labels = {{"spark-app-selector", ""}, {"spark-version", "4.1.4"}};
    CHECK(contains(app.problem(), "x--"));
}

TEST_CASE("derive: labels that all executors share") {
    auto app = make(
        {{"spark.kubernetes.executor.label.app", "x-{{APP_ID}}"},
         {"spark.kubernetes.executor.label.team", "etl"}});
    app.driver.labels = {{"spark-app-selector", "spark-1"}, {"spark-version", "4.1.4"}};
    app.conf.executor_template.emplace().labels = {
        {"spark-app-name", "old"}, {"team", "data"}, {"tier", "batch"}};
    const core::StringMap all = {
        {"app", "x-spark-1"},
        {"spark-app-selector", "spark-1"},
        {"spark-exec-resourceprofile-id", "0"},
        {"spark-role", "executor"},
        {"spark-version", "4.1.4"},
        {"team", "etl"},
        {"tier", "batch"}};
    CHECK(app.shape().labels == all);
    app.conf.spark_version = "3.5.9";  // the placeholder stays, and is no label's value
    CHECK(contains(app.problem(), "x-{{APP_ID}}"));
    const auto labelled = [](const std::string& key) {
        return make({{"spark.kubernetes.executor.label." + key, "x"}});
    };
    std::string subdomain = std::string(63, 'a');
    for (int i = 0; i < 3; ++i) subdomain += "." + std::string(i == 2 ? 61 : 63, 'a');
    REQUIRE(subdomain.size() == 253);
    CHECK(labelled(subdomain + "/key").shape().count == 2);
    CHECK_FALSE(labelled(subdomain + "a/key").problem().empty());
    for (const char* value : {"not valid!", "-x", "x.", "\xc3\xa9"}) {
        CHECK(contains(
            make({{"spark.kubernetes.executor.label.team", value}}).problem(), "a label's value"));
    }
    for (const char* key : {"-bad", "a/b/c", "/x", "Up.per/x", "a..b/x", "x y", "a.b/-x", "a.b/", "a.b/ x"}) {
        const std::string full = std::string("spark.kubernetes.executor.label.") + key;
        CHECK(contains(make({{full, "x"}}).problem(), "a label's key"));
    }
    CHECK(contains(
        make({{"spark.kubernetes.executor.label.spark-role", "driver"}}).problem(),
        "Spark keeps this label"));
}

TEST_CASE("derive: a claim that each executor has made for itself is not shared") {
    using gang::spark::VolumeClaim;
    CHECK(VolumeClaim{"data", "models", {}}.is_shared());
    CHECK_FALSE(VolumeClaim{"data", "OnDemand", {}}.is_shared());
    CHECK_FALSE(VolumeClaim{"data", "part-SPARK_EXECUTOR_ID", {}}.is_shared());
    CHECK_FALSE(VolumeClaim{"data", "models", gang::spark::MadeClaim{}}.is_shared());
}

TEST_CASE("derive: claims of the conf") {
    const std::string prefix = "spark.kubernetes.executor.volumes.persistentVolumeClaim.data.";
    const Properties on_demand = {
        {prefix + "mount.path", "/data"},
        {prefix + "options.claimName", "OnDemand"},
        {prefix + "options.sizeLimit", "10Gi"},
        {prefix + "options.storageClass", "fast"}};
    using gang::spark::VolumeClaim;
    const std::vector<VolumeClaim> made = {
        {"data", "OnDemand", gang::spark::MadeClaim{"fast", 10LL << 30, true}}};
    CHECK(make(on_demand).shape().claims == made);
    CHECK_FALSE(make(on_demand, "3.5.9").shape().claims[0].made->one_pod);
    CHECK_FALSE(make(on_demand)
                    .with("spark.kubernetes.legacy.useReadWriteOnceAccessMode", "true")
                    .shape()
                    .claims[0]
                    .made->one_pod);
    const Properties shared = {
        {prefix + "mount.path", "/data"}, {prefix + "options.claimName", "shared"}};
    CHECK(make(shared).shape().claims == std::vector<VolumeClaim>{{"data", "shared", {}}});
    CHECK(
        contains(make({{prefix + "mount.path", "/x"}}).problem(), "options.claimName is missing"));
    CHECK(contains(make({{prefix + "options.claimName", "x"}}).problem(), "mount.path is missing"));
    CHECK(contains(
        make({{"spark.kubernetes.executor.volumes.disk.a.mount.path", "/a"}}).problem(),
        "a type of volume"));
}

TEST_CASE("derive: executors that are born on a node, or wait at a gate") {
    auto born = make({});
    born.conf.executor_template.emplace().node_name = "n1";
    CHECK(born.derive().executors.empty());
    CHECK(born.derive().foreign_executors.size() == 1);
    CHECK(has_note(born.derive(), "nodeName \"n1\""));
    auto gated = make({});
    gated.conf.executor_template.emplace().scheduling_gates_json = R"([{"name":"x"}])";
    CHECK(gated.shape().count == 2);
    CHECK(has_note(gated.derive(), "scheduling gates"));
}

TEST_CASE("derive: an empty scheduler name is one that is set") {
    const auto app = make({{"spark.kubernetes.executor.scheduler.name", ""}});
    REQUIRE(app.derive().foreign_executors.size() == 1);
    CHECK(app.derive().foreign_executors[0].scheduler_name == "default-scheduler");
}

TEST_CASE("derive: an infinite factor is as many mebibytes as an int holds") {
    for (const char* factor : {"1e400", "Infinity", "1e308"}) {
        CHECK(
            make({{"spark.executor.memoryOverheadFactor", factor}}).memory_mib() ==
            1024 + 2147483647LL);
    }
}

TEST_CASE("derive: 4Gi is a size from Spark 4.2 on") {
    for (const char* size : {"4Gi", "4GiB", "4096mi", "4g"}) {
        CHECK(make({{"spark.executor.memory", size}}, "4.2.1").memory_mib() == 4505);
    }
    for (const char* size : {"4bi", "4gii", "4 Gi", "4i", "4ib", "4Ei"}) {
        CHECK(contains(make({{"spark.executor.memory", size}}, "4.2.1").problem(), "not a size"));
    }
    CHECK(contains(make({{"spark.executor.memory", "4Gi"}}, "4.1.4").problem(), "not a size"));
}

TEST_CASE("derive: dynamic allocation that the driver will refuse is said") {
    const Properties dynamic = {{"spark.dynamicAllocation.enabled", "true"}};
    CHECK(make(dynamic, "3.4.4").derive().notes.empty());
    CHECK(has_note(make(dynamic, "3.3.4").derive(), "shuffleTracking"));
    for (const char* key :
         {"spark.dynamicAllocation.shuffleTracking.enabled", "spark.shuffle.service.enabled"}) {
        CHECK(make(dynamic, "3.3.4").with(key, "true").derive().notes.empty());
    }
    CHECK(has_note(
        make(dynamic, "4.3.0")
            .with("spark.dynamicAllocation.shuffleTracking.enabled", "false")
            .derive(),
        "will end"));
}

TEST_CASE("derive: a heap that the driver will refuse is said") {
    CHECK(has_note(make({{"spark.executor.memory", "449m"}}).derive(), "450m"));
    CHECK(make({{"spark.executor.memory", "450m"}}).derive().notes.empty());
    CHECK(has_note(make({{"spark.executor.memory", "3000000000"}}).derive(), "has no unit"));
}

TEST_CASE("derive: the images of an executor's containers") {
    using Images = std::vector<std::string>;
    SparkApplication app({}, "4.1.4");
    CHECK(app.shape().constraints.images.empty());
    app.with("spark.kubernetes.container.image", "spark");
    CHECK(app.shape().constraints.images == Images{"spark:latest"});
    app.with("spark.kubernetes.executor.container.image", "registry:5000/spark:4.1.4");
    CHECK(app.shape().constraints.images == Images{"registry:5000/spark:4.1.4"});
    core::PodTemplate file;
    file.requests.containers.resize(2);
    file.requests.containers[1].name = "sidecar";
    file.containers.resize(2);
    file.containers[0].image = "replaced:1";
    file.containers[1].image = "sidecar:1";
    file.constraints.images = {"init:1"};
    app.conf.executor_template = file;
    CHECK(
        app.shape().constraints.images ==
        Images{"registry:5000/spark:4.1.4", "sidecar:1", "init:1"});
}
