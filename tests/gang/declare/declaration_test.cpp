// What pods say of their gangs, dialect by dialect and against each other.
#include "gang/declare/declaration.hpp"

#include "gang/declare/gang_size.hpp"
#include "tests/gang/builders.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gang;

namespace {

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

core::StringMap sorted(core::StringMap map) {
    std::sort(map.begin(), map.end());
    return map;
}

core::Pod labelled(core::StringMap labels, core::StringMap annotations = {}) {
    core::Pod pod = tests::pod("d", 1000, 1024);
    pod.labels = sorted(std::move(labels));
    pod.annotations = sorted(std::move(annotations));
    return pod;
}

const core::StringMap ancestor_labels = {
    {"spark-role", "driver"},
    {"driver-cpu", "1"},
    {"driver-mem", "1"},
    {"executors", "2"},
    {"exec-cpu", "3"},
    {"exec-mem", "4"}};

const core::StringMap palantir_annotations = {
    {"spark-driver-cpu", "1"},
    {"spark-driver-mem", "1Gi"},
    {"spark-executor-count", "5"},
    {"spark-executor-cpu", "500m"},
    {"spark-executor-mem", "2g"}};

core::StringMap with(core::StringMap map, const std::string& key, const std::string& value) {
    std::erase_if(map, [&key](const auto& entry) { return entry.first == key; });
    map.emplace_back(key, value);
    return map;
}

core::StringMap without(core::StringMap map, const std::string& key) {
    std::erase_if(map, [&key](const auto& entry) { return entry.first == key; });
    return map;
}

GangSize sized(const core::Pod& pod, const spark::Derivation* derived = nullptr) {
    return size_gang(pod, read_declaration(pod), derived, spark::Limits{});
}

bool says(const std::vector<std::string>& texts, const std::string& part) {
    return std::any_of(texts.begin(), texts.end(), [&part](const std::string& text) {
        return text.find(part) != std::string::npos;
    });
}

spark::Derivation derivation(std::int64_t count, std::int64_t cpu, std::int64_t memory) {
    spark::Derivation derived;
    spark::ExecutorShape& shape = derived.executors.emplace_back();
    shape.count = shape.max = count;
    shape.requests = {cpu, memory, 0, {}};
    shape.constraints.node_selector = {{"pool", "batch"}};
    return derived;
}

}  // namespace

TEST_CASE("declaration: the ancestor's labels are cores and GiB") {
    const core::Pod pod = labelled(ancestor_labels);
    CHECK(declares_gang(pod));
    const GangSize size = sized(pod);
    REQUIRE(size.problem.empty());
    REQUIRE(size.executors.size() == 1);
    CHECK(size.executors[0].count == 2);
    CHECK(size.executors[0].requests == core::Resources{3000, 4 * gibibyte, 0, {}});
    CHECK(size.warnings.empty());
    CHECK(size.source == "label executors, label exec-cpu, label exec-mem");
}

TEST_CASE("declaration: the ancestor's words mean nothing on a pod without its role") {
    CHECK_FALSE(declares_gang(labelled(without(ancestor_labels, "spark-role"))));
    CHECK_FALSE(declares_gang(labelled(with(ancestor_labels, "spark-role", "executor"))));
    CHECK_FALSE(declares_gang(labelled({{"spark-role", "driver"}})));
    CHECK_FALSE(declares_gang(labelled({})));
}

TEST_CASE("declaration: Palantir's annotations, with the plural that people write, and gpus") {
    core::StringMap annotations = without(palantir_annotations, "spark-driver-cpu");
    annotations.emplace_back("spark-driver-cpus", "2");
    annotations.emplace_back("spark-executor-nvidia.com/gpu", "1");
    const core::Pod pod = labelled({}, annotations);
    CHECK(declares_gang(pod));
    const GangSize size = sized(pod);
    REQUIRE(size.problem.empty());
    CHECK(size.executors[0].count == 5);
    CHECK(size.executors[0].max == 5);
    CHECK(
        size.executors[0].requests ==
        core::Resources{500, 2 * gibibyte, 0, {{"nvidia.com/gpu", 1}}});
    CHECK(driver_request(pod, read_declaration(pod)).cpu_milli == 2000);
}

TEST_CASE("declaration: Palantir's dynamic allocation") {
    core::StringMap annotations = palantir_annotations;
    annotations.emplace_back("spark-dynamic-allocation-enabled", "true");
    annotations.emplace_back("spark-dynamic-allocation-min-executor-count", "2");
    annotations.emplace_back("spark-dynamic-allocation-max-executor-count", "6");
    const GangSize size = sized(labelled({}, annotations));
    REQUIRE(size.problem.empty());
    CHECK(size.executors[0].count == 2);
    CHECK(size.executors[0].max == 6);
    SUBCASE("switched off it is the fixed count") {
        const GangSize fixed =
            sized(labelled({}, with(annotations, "spark-dynamic-allocation-enabled", "false")));
        CHECK(fixed.executors[0].count == 5);
    }
    SUBCASE("switched off, and no fixed count either") {
        CHECK(sized(labelled({}, {{"spark-dynamic-allocation-enabled", "false"}}))
                  .problem.starts_with("spark-executor-count is missing"));
    }
    SUBCASE("a minimum above the maximum") {
        const auto wrong = with(annotations, "spark-dynamic-allocation-min-executor-count", "7");
        CHECK(sized(labelled({}, wrong)).problem.find("is more than") != std::string::npos);
    }
    SUBCASE("without a minimum") {
        const auto wrong = without(annotations, "spark-dynamic-allocation-min-executor-count");
        CHECK(sized(labelled({}, wrong))
                  .problem.starts_with("spark-dynamic-allocation-min-executor-count is missing"));
    }
}

TEST_CASE("declaration: our own keys, as labels or annotations") {
    const core::StringMap own = {
        {"gang-scheduler/min-executors", "2"},
        {"gang-scheduler/executors", "3"},
        {"gang-scheduler/max-executors", "6"},
        {"gang-scheduler/executor-cpu", "2"},
        {"gang-scheduler/executor-memory", "4Gi"}};
    for (const core::Pod& pod : {labelled(own), labelled({}, own)}) {
        const GangSize initial = sized(pod);
        REQUIRE(initial.problem.empty());
        CHECK(initial.executors[0].count == 3);
        CHECK(initial.executors[0].max == 6);
        spark::Limits limits;
        limits.dynamic_allocation = config::DynamicAllocation::reserve_min;
        CHECK(size_gang(pod, read_declaration(pod), nullptr, limits).executors[0].count == 2);
        limits.dynamic_allocation = config::DynamicAllocation::reserve_max;
        CHECK(size_gang(pod, read_declaration(pod), nullptr, limits).executors[0].count == 6);
    }
    SUBCASE("a minimum of none reserves one, or a cluster of drivers would be back") {
        const GangSize one = sized(labelled(
            without(with(own, "gang-scheduler/min-executors", "0"), "gang-scheduler/executors")));
        CHECK(one.executors[0].count == 1);
    }
    SUBCASE("a fixed number of none is a driver that works alone") {
        const GangSize none = sized(labelled({{"gang-scheduler/executors", "0"}}));
        CHECK(none.problem.empty());
        CHECK(none.executors.empty());
    }
    SUBCASE("a maximum alone does not say how many") {
        CHECK(sized(labelled({{"gang-scheduler/max-executors", "6"}}))
                  .problem.starts_with("gang-scheduler/min-executors is missing"));
    }
}

TEST_CASE("declaration: annotations win over labels, ours over Palantir's over the ancestor's") {
    const GangSize both = sized(labelled(ancestor_labels, palantir_annotations));
    REQUIRE(both.problem.empty());
    CHECK(both.executors[0].count == 5);
    CHECK(both.executors[0].requests == core::Resources{500, 2 * gibibyte, 0, {}});
    CHECK(says(both.warnings, "annotation spark-executor-count counts"));
    CHECK(says(both.warnings, "contradicts label exec-cpu"));
    const GangSize own = sized(
        labelled(ancestor_labels, with(palantir_annotations, "gang-scheduler/executors", "7")));
    CHECK(own.executors[0].count == 7);
    SUBCASE("what agrees is not worth a word") {
        const core::StringMap same = {
            {"spark-driver-cpu", "1000m"},
            {"spark-driver-mem", "1024m"},
            {"spark-executor-count", "2"},
            {"spark-executor-cpu", "3.0"},
            {"spark-executor-mem", "4Gi"}};
        CHECK(sized(labelled(ancestor_labels, same)).warnings.empty());
    }
}

TEST_CASE("declaration: a bad value parks the gang, also where another dialect says it well") {
    for (const char* key : {"executors", "exec-cpu", "exec-mem", "driver-cpu", "driver-mem"}) {
        for (const char* value : {"lots", "-1", "", "NaN", "1e400"}) {
            const GangSize size =
                sized(labelled(with(ancestor_labels, key, value), palantir_annotations));
            CHECK_MESSAGE(
                size.problem.starts_with(std::string("label ") + key + " = \""), key, value);
            CHECK(size.problem.find("expected") != std::string::npos);
            CHECK(size.executors.empty());
        }
    }
}

TEST_CASE("declaration: what is missing is named, not taken for none") {
    CHECK(
        sized(labelled(without(ancestor_labels, "executors"))).problem.find("executors") !=
        std::string::npos);
    CHECK(
        sized(labelled(without(ancestor_labels, "exec-cpu"))).problem.find("exec-cpu") !=
        std::string::npos);
    CHECK(
        sized(labelled(without(ancestor_labels, "exec-mem"))).problem.find("exec-mem") !=
        std::string::npos);
}

TEST_CASE("declaration: 10^9 executors are refused, not counted") {
    for (const char* many : {"2000", "999999999", "1000000000"}) {
        const GangSize size = sized(labelled(with(ancestor_labels, "executors", many)));
        CHECK_FALSE_MESSAGE(size.problem.empty(), many);
    }
    CHECK(sized(labelled(with(ancestor_labels, "executors", "1999"))).problem.empty());
}

TEST_CASE("declaration: a key of ours that does not exist is a mistake") {
    const core::Pod pod = labelled({}, {{"gang-scheduler/min-executers", "3"}});
    CHECK(declares_gang(pod));
    CHECK(read_declaration(pod).problem.starts_with(
        "gang-scheduler/min-executers is no key of gang-scheduler's: expected one of"));
    CHECK(read_declaration(pod).problem.ends_with("did you mean \"min-executors\"?"));
    // D28: of several each is said, and once what there is.
    const std::string two = read_declaration(labelled(
                                                 {{"gang-scheduler/quue", "etl"}},
                                                 {{"gang-scheduler/min-executers", "3"}}))
                                .problem;
    CHECK(two.find("did you mean \"min-executors\"?; gang-scheduler/quue is no key") != std::string::npos);
    CHECK(two.ends_with("gang-scheduler's, did you mean \"queue\"?"));
    CHECK(two.find("expected one of") == two.rfind("expected one of"));
    CHECK(read_declaration(labelled({}, {{"gang-scheduler/reservation", "v1"}})) == Declaration{});
}

TEST_CASE("declaration: how other schedulers know gangs is said to be unread") {
    const core::Pod labels = labelled(
        {{"pod-group.scheduling.sigs.k8s.io", "old"},
         {"pod-group.scheduling.sigs.k8s.io/min-available", "3"},
         {"pod-group.scheduling.sigs.k8s.io/name", "older"},
         {"scheduling.x-k8s.io/pod-group", "g"}});
    CHECK_FALSE(declares_gang(labels));
    const auto told = unread_warnings(labels, "the pod is scheduled by itself");
    CHECK(told.size() == 4);
    CHECK(says(
        told,
        "label scheduling.x-k8s.io/pod-group = \"g\" is how another scheduler knows a gang and is "
        "not supported yet: the pod is scheduled by itself"));
    const auto annotations = unread_warnings(
        labelled(
            {},
            {{"scheduling.k8s.io/group-name", ""},
             {"scheduling.volcano.sh/group-name", ""},
             {"godel.bytedance.com/pod-group-name", ""},
             {"pod-group-name", ""}}),
        "x");
    CHECK(annotations.size() == 4);
    CHECK(says(annotations, "annotation godel.bytedance.com/pod-group-name is how another"));
    CHECK(says(annotations, "annotation pod-group-name is how another"));
    core::Pod native = labelled({});
    native.pod_group = std::string("workers");
    CHECK(says(unread_warnings(native, "x"), "spec.schedulingGroup \"workers\" is how"));
    SUBCASE("a driver's is among its warnings, and its gang is what it says elsewhere") {
        core::Pod driver =
            labelled({}, with(palantir_annotations, "godel.bytedance.com/pod-group-name", "g"));
        const Declaration said = read_declaration(driver);
        CHECK(said.count->initial == 5);
        CHECK(says(said.warnings, "godel.bytedance.com/pod-group-name"));
    }
    SUBCASE("a driver's PodGroup shows its gang in its status: nothing is said of it") {
        core::Pod driver = labelled(
            {{"scheduling.x-k8s.io/pod-group", "g"}, {"spark-role", "driver"}},
            {{"scheduling.k8s.io/group-name", "g"}});
        CHECK(unread_warnings(driver, "x").empty());
    }
    SUBCASE("a pod's own keys that are not supported are among them") {
        CHECK(says(
            unread_warnings(labelled({{"gang-scheduler/style", "a"}}), "x"),
            "label gang-scheduler/style = \"a\" is not supported yet and changes nothing"));
    }
}

TEST_CASE("declaration: one domain for the whole gang") {
    const auto of = [](core::StringMap annotations) {
        return read_declaration(labelled({}, std::move(annotations)));
    };
    CHECK_FALSE(of({}).topology);
    const std::string key = "gang-scheduler/topology-key";
    const std::string mode = "gang-scheduler/topology-mode";
    CHECK(
        of({{key, "topology.kubernetes.io/zone"}}).topology ==
        DeclaredTopology{"topology.kubernetes.io/zone", true});
    CHECK(of({{key, "zone"}, {mode, "required"}}).topology == DeclaredTopology{"zone", true});
    CHECK(of({{key, "zone"}, {mode, "preferred"}}).topology == DeclaredTopology{"zone", false});
    CHECK(read_declaration(labelled({{key, "zone"}})).topology == DeclaredTopology{"zone", true});
    CHECK(
        of({{key, ""}}).problem ==
        "annotation gang-scheduler/topology-key = \"\" is no name of a node label");
    CHECK(of({{key, "a b"}}).problem.find("is no name of a node label") != std::string::npos);
    CHECK(of({{key, "zone"}, {mode, "Required"}}).problem.find("neither") != std::string::npos);
    CHECK(of({{mode, "required"}}).problem.find("says nothing") != std::string::npos);
}

TEST_CASE("declaration: what is not acted upon yet is said") {
    const Declaration said = read_declaration(labelled(
        {{"gang-scheduler/queue", "etl"}, {"gang-scheduler/priority", "7"}},
        {{"gang-scheduler/style", "static-driver"}, {"gang-scheduler/on-timeout", "fail"}}));
    CHECK(said.problem.empty());
    CHECK(said.queue == "etl");
    CHECK(says(said.notes, "gang-scheduler/priority = 7"));
    CHECK(says(said.warnings, "gang-scheduler/style = \"static-driver\" is not supported yet"));
    CHECK(says(said.warnings, "gang-scheduler/on-timeout"));
    SUBCASE("letters, digits, dashes, dots and underscores are a queue's name") {
        const Declaration named =
            read_declaration(labelled({}, {{"gang-scheduler/queue", "azAZ09-._"}}));
        CHECK(named.queue == "azAZ09-._");
        CHECK(says(
            named.notes,
            "is kept with the gang; without `queues` in the configuration all wait in one line"));
    }
    SUBCASE("a bad priority is a mistake, a bad queue is ignored and said") {
        CHECK_FALSE(
            read_declaration(labelled({}, {{"gang-scheduler/priority", "high"}})).problem.empty());
        const Declaration bad = read_declaration(labelled({}, {{"gang-scheduler/queue", "a b"}}));
        CHECK(bad.queue == "default");
        CHECK(says(bad.warnings, "no name of a queue"));
    }
}

TEST_CASE("declaration: with a Spark conf the count is declared, the larger size counts") {
    const auto derived = derivation(4, 1000, 5 * gibibyte);
    const GangSize size = sized(labelled({}, palantir_annotations), &derived);
    REQUIRE(size.problem.empty());
    CHECK(size.executors[0].count == 5);
    CHECK(size.executors[0].requests == core::Resources{1000, 5 * gibibyte, 0, {}});
    CHECK(size.executors[0].constraints.node_selector == core::StringMap{{"pool", "batch"}});
    CHECK(says(size.warnings, "the Spark conf 4"));
    CHECK(says(size.warnings, "annotation spark-executor-mem says 2Gi memory, the Spark conf 5Gi"));
    SUBCASE("a declared size that is larger counts") {
        const auto small = derivation(5, 100, gibibyte);
        CHECK(
            sized(labelled({}, palantir_annotations), &small).executors[0].requests ==
            core::Resources{500, 2 * gibibyte, 0, {}});
    }
    SUBCASE("a count alone takes its size from the conf") {
        const GangSize counted = sized(labelled({{"gang-scheduler/executors", "9"}}), &derived);
        CHECK(counted.executors[0].count == 9);
        CHECK(counted.executors[0].requests == core::Resources{1000, 5 * gibibyte, 0, {}});
    }
    SUBCASE("a conf that cannot be derived stays a problem") {
        spark::Derivation wrong;
        wrong.problem = "spark.executor.memory = \"4Gi\"";
        CHECK(sized(labelled({}, palantir_annotations), &wrong).problem == wrong.problem);
    }
    SUBCASE("nothing declared: what the conf says") {
        const GangSize plain = sized(labelled({}), &derived);
        CHECK(plain.executors == derived.executors);
        CHECK(plain.warnings.empty());
        CHECK(plain.source == "the Spark conf");
    }
}

TEST_CASE("declaration: without a conf executors are bound to the driver's own constraints") {
    core::Pod pod = labelled(ancestor_labels);
    pod.constraints.edit().node_selector = {{"pool", "gang"}};
    CHECK(sized(pod).executors[0].constraints == pod.constraints);
}

TEST_CASE("declaration: a driver that asks for other than it declares is said") {
    core::Pod pod = labelled(ancestor_labels);
    pod.requests = {2000, gibibyte, 0, {}};
    CHECK(says(sized(pod).warnings, "label driver-cpu says 1 cpu, the driver's own request is 2"));
    CHECK(driver_request(pod, read_declaration(pod)).cpu_milli == 2000);
    pod.requests = {};
    CHECK(says(sized(pod).warnings, "label driver-mem says 1Gi memory"));
    CHECK(driver_request(pod, read_declaration(pod)) == core::Resources{1000, gibibyte, 0, {}});
}

TEST_CASE("declaration: roles and ids") {
    CHECK(role_of(labelled({{"spark-role", "driver"}})) == Role::driver);
    CHECK(role_of(labelled({}, {{"gang-scheduler/role", "executor"}})) == Role::executor);
    CHECK(role_of(labelled({{"spark-role", "master"}})) == Role::none);
    CHECK(application_id(labelled({{"spark-app-selector", "a"}})) == "a");
    CHECK(application_id(labelled({{"spark-app-id", "b"}})) == "b");
    CHECK(application_id(labelled({})).empty());
}
