#include "k8s/codec/pod/codec_executor_template.hpp"

#include <doctest/doctest.h>

#include <string>

using k8s::decode_executor_template;

namespace {

core::PodTemplate decoded(const std::string& text) {
    auto result = decode_executor_template(text);
    REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
    return *std::move(result);
}

std::string problem(const std::string& text) {
    const auto result = decode_executor_template(text);
    REQUIRE_MESSAGE(!result.has_value(), text.substr(0, 60));
    CHECK(result.error().message.starts_with("executor template: "));
    return result.error().message;
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

std::string repeated(const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) {
        result += text;
    }
    return result;
}

}  // namespace

TEST_CASE("codec_executor_template: a template with everything") {
    const auto result = decoded(R"(
apiVersion: v1
kind: Pod
metadata: {labels: {team: data}}
spec:
  schedulerName: gang-scheduler
  priorityClassName: high
  runtimeClassName: gvisor
  nodeSelector: {pool: spark, generation: 4, fast: true, version: 1.50}
  tolerations: [{key: spark, operator: Equal, value: "true", effect: NoSchedule}]
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: type, operator: In, values: [m5, 8]}]
  topologySpreadConstraints:
  - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}
  overhead: {cpu: 10m}
  initContainers:
  - {name: fetch, resources: {requests: {cpu: 2}}}
  containers:
  - name: spark
    resources: {limits: {cpu: "7", example.com/card: 1}}
  - name: sidecar
    resources: {requests: {cpu: 0.1, memory: 64Mi}}
)");
    CHECK(result.scheduler_name == "gang-scheduler");
    CHECK(result.priority_class_name == "high");
    CHECK(result.runtime_class_name == "gvisor");
    CHECK(
        result.constraints.node_selector ==
        core::StringMap{
            {"fast", "true"}, {"generation", "4"}, {"pool", "spark"}, {"version", "1.50"}});
    REQUIRE(result.constraints.tolerations.size() == 1);
    CHECK(result.constraints.tolerations[0].value == "true");
    REQUIRE(result.constraints.required_affinity.size() == 1);
    CHECK(
        result.constraints.required_affinity[0].match_expressions[0].values ==
        std::vector<std::string>{"m5", "8"});
    CHECK(
        result.topology_spread_json ==
        R"([{"maxSkew":2,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"}])");
    CHECK(contains(result.affinity_json, R"("key":"type")"));
    REQUIRE(result.requests.containers.size() == 2);
    CHECK(
        result.requests.containers[0].requests ==
        core::Resources{7000, 0, 0, {{"example.com/card", 1}}});
    CHECK(result.requests.containers[1].requests == core::Resources{100, 64 << 20, 0, {}});
    CHECK(result.requests.init_containers[0].requests.cpu_milli == 2000);
    CHECK(result.requests.overhead.cpu_milli == 10);
}

TEST_CASE("codec_executor_template: rules between pods, but those that ask for the pod's labels") {
    const auto result = decoded(R"(
spec:
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector: {matchLabels: {spark-role: executor}}
      - topologyKey: zone
        labelSelector: {}
        mismatchLabelKeys: [spark-app-selector]
  topologySpreadConstraints:
  - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}
  - {maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule, labelSelector: {},
     matchLabelKeys: [spark-app-selector]}
)");
    REQUIRE(result.rules);
    CHECK(result.rules->affinity.empty());
    REQUIRE(result.rules->anti_affinity.size() == 1);
    const core::PodAffinityTerm& term = result.rules->anti_affinity[0];
    CHECK(term.topology_key == "kubernetes.io/hostname");
    CHECK(term.selector.matches({{"spark-role", "executor"}}));
    CHECK_FALSE(term.selector.matches({{"spark-role", "driver"}}));
    CHECK(term.namespaces == std::vector<std::string>{""});
    REQUIRE(result.rules->spread.size() == 1);
    CHECK(result.rules->spread[0].max_skew == 2);
    CHECK_FALSE(decoded("spec: {affinity: {nodeAffinity: {}}}").rules);
}

TEST_CASE("codec_executor_template: JSON is YAML, with tabs too") {
    const auto result = decoded(
        "{\n\t\"kind\": \"Pod\",\n\t\"spec\": {\n\t\t\"containers\": [\n\t\t\t{\"name\": \"a\", "
        "\"image\": \"x:1\"}\n\t\t]\n\t}\n}\n");
    REQUIRE(result.requests.containers.size() == 1);
    CHECK(result.requests.containers[0].name == "a");
}

TEST_CASE("codec_executor_template: a template without a spec asks for nothing") {
    CHECK(decoded("kind: Pod\n") == core::PodTemplate{});
    CHECK(decoded("kind: Pod\nspec: {}\n") == core::PodTemplate{});
}

TEST_CASE("codec_executor_template: aliases are followed") {
    const auto result = decoded(
        "x: &size {requests: {cpu: 1}}\n"
        "spec: {containers: [{name: a, resources: *size}, {name: b, resources: *size}]}\n");
    REQUIRE(result.requests.containers.size() == 2);
    CHECK(result.requests.containers[1].requests.cpu_milli == 1000);
}

TEST_CASE("codec_executor_template: what is no pod in YAML is an error") {
    CHECK(contains(problem(""), "expected one YAML document"));
    CHECK(contains(problem("just words"), "no map"));
    CHECK(contains(problem("- a\n- b\n"), "no map"));
    CHECK(contains(problem("a: [1\n"), "not a YAML document"));
    CHECK(contains(problem("a: *missing\n"), "not a YAML document"));
    CHECK(contains(problem("kind: Pod\n---\nkind: Pod\n"), "expected one YAML document"));
    CHECK(contains(problem(",,,,*"), "expected one YAML document"));
    CHECK(contains(problem("kind: Pod\n,\n"), "YAML document"));
    CHECK(contains(problem("kind: Deployment\n"), "expected Pod"));
    CHECK(contains(problem("spec: {a: 1, a: 2}\n"), "twice"));
    CHECK(contains(problem("spec: {<<: {a: 1}}\n"), "merge keys"));
    CHECK(contains(problem("spec: {[a]: 1}\n"), "no scalar"));
    CHECK(contains(problem("spec: []\n"), "spec: expected an object"));
    CHECK(contains(problem("spec: {containers: 7}\n"), "containers: expected an array"));
    CHECK(contains(problem("spec: {affinity: [1]}\n"), "affinity: expected an object"));
    CHECK(!problem("spec: {containers: [{resources: {requests: {cpu: lots}}}]}\n").empty());
    CHECK(!problem("spec: {containers: [{resources: {requests: {cpu: -1}}}]}\n").empty());
    CHECK(!problem(std::string("kind: Pod\n\0\x01\x02", 13)).empty());
    CHECK(contains(problem(std::string(600'000, ' ')), "more than"));
}

TEST_CASE("codec_executor_template: a bomb of aliases is refused quickly") {
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string below = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
                repeated(below + ", ", 9) + below + "]\n";
    }
    CHECK(contains(problem(bomb), "aliases"));
    CHECK(contains(problem("spec: &a {b: *a}\n"), "an alias inside of what it stands for"));
}

TEST_CASE("codec_executor_template: deep nesting is refused, not followed") {
    CHECK(!problem("spec: " + repeated("[", 100) + repeated("]", 100)).empty());
    CHECK(!problem("spec: " + repeated("[", 100'000)).empty());
    CHECK(!problem("spec: " + repeated("{a: ", 25'000)).empty());
    CHECK(!problem(repeated("- ", 60'000)).empty());
}

TEST_CASE("codec_executor_template: ports, limits, volumes, labels and gates") {
    const auto result = decoded(R"(
metadata: {labels: {team: data}}
spec:
  nodeName: n1
  preemptionPolicy: Never
  schedulingGates: [{name: wait}]
  volumes:
  - {name: scratch, emptyDir: {}}
  - {name: data, persistentVolumeClaim: {claimName: shared}}
  initContainers:
  - {name: proxy, restartPolicy: Always, ports: [{containerPort: 1, hostPort: 81}]}
  - {name: fetch, ports: [{containerPort: 1, hostPort: 82}]}
  containers:
  - {name: a, ports: [{containerPort: 1}], resources: {limits: {cpu: 1500m, memory: 1Gi}}}
  - {name: b, ports: [{containerPort: 2, hostPort: 83, protocol: UDP, hostIP: 127.0.0.1}]}
)");
    using Ports = std::vector<core::HostPort>;
    REQUIRE(result.containers.size() == 2);
    CHECK(result.containers[0] == core::TemplateContainer{1500, 1'073'741'824, {}});
    CHECK(result.containers[1] == core::TemplateContainer{{}, {}, Ports{{"127.0.0.1", "UDP", 83}}});
    CHECK(result.sidecar_ports == Ports{{"", "TCP", 81}});
    CHECK(result.constraints.has_host_ports);
    CHECK(result.labels == core::StringMap{{"team", "data"}});
    CHECK(result.node_name == "n1");
    CHECK(result.preemption_policy == "Never");
    CHECK(result.scheduling_gates_json == R"([{"name":"wait"}])");
    CHECK(
        result.volumes_json ==
        R"([{"name":"data","persistentVolumeClaim":{"claimName":"shared"}}])");
}

TEST_CASE("codec_executor_template: on the host's network every port is one of the node") {
    const auto result = decoded(
        "spec: {hostNetwork: true, containers: [{name: a, ports: [{containerPort: 9000}]}]}");
    CHECK(result.host_network);
    CHECK(result.containers[0].host_ports == std::vector<core::HostPort>{{"", "TCP", 9000}});
}

TEST_CASE("codec_executor_template: executors that could not be served are an error by name") {
    const auto error = [](const std::string& yaml) {
        const auto read = k8s::decode_executor_template(yaml);
        REQUIRE_FALSE(read);
        return read.error().message;
    };
    CHECK(
        error("spec: {resourceClaims: [{name: gpu, resourceClaimName: mine}]}")
            .find("spec.resourceClaims: dynamic resource allocation is not supported") !=
        std::string::npos);
    CHECK(
        error("metadata: {annotations: {gpu-memory: '2000'}}")
            .find("annotation gpu-memory is not supported") != std::string::npos);
    CHECK(
        error("spec: {containers: [{name: a, resources: {limits: {volcano.sh/vgpu-number: 1}}}, "
              "{name: b, resources: {limits: {volcano.sh/vgpu-number: 1}}}]}")
            .find("more than one container") != std::string::npos);
}
