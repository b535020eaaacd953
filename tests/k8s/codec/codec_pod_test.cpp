#include "k8s/codec/pod/codec_pod.hpp"

#include "core/value/exclusive.hpp"

#include <doctest/doctest.h>

#include <string>

using k8s::decode_pod;

namespace {

core::Pod decoded(const std::string& json) {
    auto pod = decode_pod(json);
    REQUIRE_MESSAGE(pod.has_value(), (pod ? "" : pod.error().message));
    return *std::move(pod);
}

core::Pod with_spec(const std::string& spec) {
    return decoded(R"({"metadata": {"name": "p"}, "spec": {)" + spec + "}}");
}

bool is_error(const std::string& json) {
    return !decode_pod(json).has_value();
}

std::string repeated(const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) {
        result += text;
    }
    return result;
}

const char* const driver_spec = R"(
  "containers": [
    {"name": "log", "args": ["tail"]},
    {"name": "spark-kubernetes-driver",
     "args": ["driver", "--properties-file", "/opt/spark/conf/spark.properties", "--class", "Pi"],
     "volumeMounts": [{"mountPath": "/var/data", "name": "spark-local-dir-1"},
                      {"mountPath": "/opt/spark/conf", "name": "spark-conf-volume-driver"}]}],
  "volumes": [
    {"name": "spark-local-dir-1", "emptyDir": {}},
    {"name": "pod-template-volume", "configMap": {"name": "pi-podspec-conf-map",
      "items": [{"key": "podspec-configmap-key", "path": "pod-spec-template.yml"}]}},
    {"name": "spark-conf-volume-driver", "configMap": {"name": "spark-drv-1-conf-map",
      "items": [{"key": "log4j.properties", "path": "log4j.properties"},
                {"key": "conf", "path": "spark.properties"}]}}])";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("codec_pod: identity, times, owners and labels") {
    const auto pod = decoded(R"({
      "metadata": {
        "name": "p", "namespace": "ns", "uid": "u", "resourceVersion": "17",
        "creationTimestamp": "2026-11-21T03:25:42Z", "deletionTimestamp": "2026-11-21T03:26:00Z",
        "labels": {"z": "1", "env": "prod", "a": "2"},
        "annotations": {"gang-scheduler/slot": "s", "other/secret": "x", "gang-scheduler/a": "b"},
        "ownerReferences": [{"kind": "Pod", "name": "d", "uid": "du", "controller": true},
                            {"kind": "X", "name": "x", "uid": "xu"}]},
      "spec": {"nodeName": "n1", "schedulerName": "gang-scheduler", "priority": -5,
               "schedulingGates": [{"name": "g"}]},
      "status": {"phase": "Running", "conditions": [
        {"type": "Ready", "status": "True"},
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "m"}]}})");
    CHECK(pod.namespace_name == "ns");
    CHECK(pod.name == "p");
    CHECK(pod.uid == "u");
    CHECK(pod.resource_version == "17");
    CHECK(pod.created == 1795231542);
    CHECK(pod.deleting);
    CHECK(pod.gated);
    CHECK(pod.node_name == "n1");
    CHECK(pod.scheduler_name == "gang-scheduler");
    CHECK(pod.priority == -5);
    CHECK(pod.phase == core::PodPhase::running);
    CHECK(pod.labels == core::StringMap{{"a", "2"}, {"env", "prod"}, {"z", "1"}});
    CHECK(
        pod.annotations ==
        core::StringMap{{"gang-scheduler/a", "b"}, {"gang-scheduler/slot", "s"}});
    CHECK(
        pod.owners ==
        std::vector<core::OwnerReference>{{"Pod", "d", "du", true}, {"X", "x", "xu", false}});
    CHECK(pod.scheduled == core::ScheduledCondition{false, "Unschedulable", "m"});
    CHECK(pod.problem.empty());
}

TEST_CASE("codec_pod: what is missing has the API server's default") {
    const auto pod = with_spec("");
    CHECK(pod.namespace_name == "default");
    CHECK(pod.scheduler_name == "default-scheduler");
    CHECK(pod.phase == core::PodPhase::pending);
    CHECK(pod.node_name.empty());
    CHECK(!pod.deleting);
    CHECK(!pod.gated);
    CHECK(!pod.scheduled);
    CHECK(!pod.spark_properties);
    CHECK(pod.requests == core::Resources{});
    CHECK(pod.constraints == core::Constraints{});
    CHECK(pod.problem.empty());
}

TEST_CASE("codec_pod: null is the same as missing") {
    const auto pod = decoded(R"({"metadata": {"name": "p", "deletionTimestamp": null,
        "creationTimestamp": null, "labels": null, "ownerReferences": null},
        "spec": {"containers": null, "nodeSelector": null, "schedulingGates": null,
                 "overhead": null}, "status": null})");
    CHECK(!pod.deleting);
    CHECK(pod.problem.empty());
}

TEST_CASE("codec_pod: requests of containers, sidecars and overhead; limits stand in") {
    const auto pod = with_spec(R"(
      "containers": [
        {"name": "a", "resources": {"requests": {"cpu": "500m"},
                                    "limits": {"cpu": "2", "memory": "1Gi", "nvidia.com/gpu": "1"}}},
        {"name": "b", "resources": {"requests": {"memory": "64Mi", "cpu": 0.25}}}],
      "initContainers": [
        {"name": "s", "restartPolicy": "Always", "resources": {"requests": {"cpu": "100m"}}},
        {"name": "i", "resources": {"requests": {"cpu": "3"}}}],
      "overhead": {"memory": "10Mi"})");
    CHECK(pod.problem.empty());
    CHECK(pod.requests.cpu_milli == 3100);
    CHECK(pod.requests.memory_bytes == (1024 + 64 + 10) * 1024LL * 1024);
    CHECK(pod.requests.extended_amount("nvidia.com/gpu") == 1);
}

TEST_CASE("codec_pod: pod-level requests replace the sum") {
    const auto pod = with_spec(R"("resources": {"requests": {"cpu": "4"}},
      "containers": [{"name": "a", "resources": {"requests": {"cpu": "1", "memory": "1Mi"}}}])");
    CHECK(pod.requests.cpu_milli == 4000);
    CHECK(pod.requests.memory_bytes == 1024 * 1024);
}

TEST_CASE("codec_pod: selector, node affinity and tolerations") {
    const auto pod = with_spec(R"(
      "nodeSelector": {"b": "2", "a": "1"},
      "affinity": {"nodeAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [
          {"weight": 80, "preference": {"matchExpressions": [{"key": "ssd", "operator": "Exists"}]}},
          {"weight": 101, "preference": {}}],
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
          {"matchExpressions": [{"key": "k", "operator": "NotIn", "values": ["x", "y"]},
                                {"key": "n", "operator": "Gt", "values": ["5"]}]},
          {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]}}},
      "tolerations": [{"operator": "Exists"},
        {"key": "spark", "value": "true", "effect": "NoSchedule"},
        {"key": "g", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}])");
    CHECK(pod.problem.empty());
    const core::Constraints& constraints = pod.constraints;
    CHECK(constraints.node_selector == core::StringMap{{"a", "1"}, {"b", "2"}});
    CHECK(constraints.has_required_affinity);
    using Op = core::SelectorOperator;
    CHECK(
        constraints.required_affinity ==
        std::vector<core::NodeSelectorTerm>{
            {{{"k", Op::not_in, {"x", "y"}}, {"n", Op::greater, {"5"}}}, {}},
            {{}, {{"metadata.name", Op::in, {"n1"}}}}});
    CHECK(
        constraints.preferred_affinity ==
        std::vector<core::PreferredTerm>{{80, {{{"ssd", Op::exists, {}}}, {}}}, {100, {}}});
    using Effect = core::TaintEffect;
    CHECK(
        constraints.tolerations == std::vector<core::Toleration>{
                                       {"", true, "", true, Effect::no_schedule, -1},
                                       {"spark", false, "true", false, Effect::no_schedule, -1},
                                       {"g", true, "", false, Effect::no_execute, 300}});
}

TEST_CASE("codec_pod: whether it wants ports of its node") {
    const auto wants = [](const std::string& spec) {
        const auto pod = with_spec(spec);
        CHECK(pod.problem.empty());
        return pod.constraints->has_host_ports;
    };
    CHECK_FALSE(wants(R"("containers": [{"name": "a", "ports": [{"containerPort": 80}]}])"));
    CHECK_FALSE(wants(R"("containers": [{"name": "a", "ports": [{"hostPort": 0}]}])"));
    CHECK(wants(R"("containers": [{"name": "a"}, {"name": "b", "ports":
        [{"containerPort": 80}, {"containerPort": 81, "hostPort": 81}]}])"));
    const std::string init = R"("initContainers": [{"name": "i", "ports": [{"hostPort": 81}])";
    CHECK_FALSE(wants(init + "}]"));
    CHECK(wants(init + R"(, "restartPolicy": "Always"}])"));
}

TEST_CASE("codec_pod: ports of the node are among what it takes of it") {
    const auto pod = with_spec(R"("containers": [{"name": "a", "ports": [
        {"containerPort": 1, "hostPort": 80}, {"containerPort": 2},
        {"containerPort": 3, "hostPort": 53, "protocol": "UDP", "hostIP": "10.0.0.1"}]}],
        "initContainers": [
        {"name": "once", "ports": [{"containerPort": 4, "hostPort": 90}]},
        {"name": "sidecar", "restartPolicy": "Always", "ports": [{"hostPort": 91}]}])");
    core::Resources expected;
    core::add_host_ports(expected, {{"", "TCP", 80}, {"10.0.0.1", "UDP", 53}, {"", "TCP", 91}});
    CHECK(pod.problem.empty());
    CHECK(pod.requests == expected);
    const auto problem = [](const std::string& port) {
        return with_spec(R"("containers": [{"name": "a", "ports": [{)" + port + "}]}]").problem;
    };
    CHECK(problem(R"("hostPort": 65536)") == "hostPort: expected a port from 1 to 65535");
    CHECK(problem(R"("hostPort": -1)") == "hostPort: expected a port from 1 to 65535");
    CHECK(problem(R"("hostPort": 80, "protocol": "IPX")") == "protocol: expected TCP, UDP or SCTP");
}

TEST_CASE("codec_pod: PRED-7: disks of its own volumes are among what it takes of its node") {
    const auto disks_of = [](const std::string& volumes) {
        const auto pod =
            with_spec(R"("containers": [{"name": "a"}], "volumes": [)" + volumes + "]");
        CHECK(pod.problem.empty());
        return pod.requests;
    };
    const auto expected = [](const std::vector<core::InTreeDisk>& disks) {
        core::Resources requests;
        core::add_disks(requests, disks);
        return requests;
    };
    CHECK(
        disks_of(R"({"name": "v", "gcePersistentDisk": {"pdName": "d1", "fsType": "ext4"}},
                    {"name": "w", "gcePersistentDisk": {"pdName": "d2", "readOnly": true}})") ==
        expected({{"gce-pd d1", false}, {"gce-pd d2", true}}));
    // Nobody shares one, whatever is said.
    CHECK(
        disks_of(R"({"name": "v", "awsElasticBlockStore": {"volumeID": "x", "readOnly": true}})") ==
        expected({{"aws-ebs x", false}}));
    CHECK(
        disks_of(R"({"name": "v", "iscsi": {"iqn": "iqn.2001-04.com.example:sn.42", "lun": 3}})") ==
        expected({{"iscsi iqn.2001-04.com.example:sn.42", false}}));
    CHECK(
        disks_of(R"({"name": "v", "rbd": {"monitors": ["m1", "m2"], "image": "i"}},
                    {"name": "w", "rbd": {"monitors": ["m1"], "pool": "p", "image": "i",
                     "readOnly": true}})") ==
        expected({{"rbd m1/rbd/i", false}, {"rbd m2/rbd/i", false}, {"rbd m1/p/i", true}}));
    // Those that pods share, and that count for the limit of their drivers.
    CHECK(
        disks_of(R"({"name": "v", "azureDisk": {"diskName": "n", "diskURI": "/d/1"}},
                    {"name": "w", "cinder": {"volumeID": "c"}},
                    {"name": "x", "portworxVolume": {"volumeID": "p"}})") ==
        expected({{"azure-disk /d/1", true}, {"cinder c", true}, {"portworx-volume p", true}}));
    CHECK(disks_of(R"({"name": "iscsi", "emptyDir": {}})") == core::Resources{});
}

TEST_CASE("codec_pod: a pod with resource claims is not to be bound; one that is, is no problem") {
    const std::string claims =
        R"("resourceClaims": [{"name": "gpu", "resourceClaimName": "mine"}])";
    CHECK(
        with_spec(claims).problem.starts_with("spec.resourceClaims: dynamic resource allocation"));
    CHECK(with_spec(claims + R"(, "nodeName": "n1")").problem.empty());
    CHECK(with_spec(R"("resourceClaims": [])").problem.empty());
}

TEST_CASE("codec_pod: what a pod asks of cards is one ask, or a problem") {
    const auto asking = [](const std::string& limits, const std::string& rest = "") {
        return with_spec(
            R"("containers": [{"name": "a"}, {"name": "b", "resources": {"limits": {)" + limits +
            "}}}]" + rest);
    };
    const auto pod =
        asking(R"("volcano.sh/vgpu-number": "2", "volcano.sh/vgpu-memory-percentage": "25")");
    CHECK(pod.problem.empty());
    CHECK(
        pod.requests.extended ==
        std::vector<core::ExtendedResource>{
            {"volcano.sh/vgpu-number", 2}, {"volcano.sh/vgpu=2,percent=25", 1}});
    const std::string hami = R"("nvidia.com/gpu": "1", "nvidia.com/gpumem": "3000")";
    CHECK(asking(hami).problem.starts_with("nvidia.com/gpumem is not supported"));
    CHECK(asking(hami, R"(, "nodeName": "n1")").problem.empty());  // it is somebody else's
    const std::string one = R"("volcano.sh/vgpu-number": "1")";
    CHECK(asking(
              one, R"(, "initContainers": [{"name": "i", "resources": {"limits": {)" + one + "}}}]")
              .problem.starts_with("init container i asks for shared GPUs"));
    const auto kai = decoded(
        R"({"metadata": {"name": "p", "annotations": {"gpu-fraction": "0.5"}}, "spec": {}})");
    CHECK(kai.problem.starts_with("annotation gpu-fraction is not supported"));
}

TEST_CASE("codec_pod: of other schedulers' gangs it is kept that there is one") {
    const std::string large(100'000, 'x');
    const auto pod = decoded(
        R"({"metadata": {"name": "p", "annotations": {
        "godel.bytedance.com/pod-group-name": ")" +
        large + R"(", "scheduling.k8s.io/group-name": "g", "spark-app-id": "a", "other": "b"}},
        "spec": {"schedulingGroup": {"podGroupName": "workers"}}})");
    CHECK(
        pod.annotations == core::StringMap{
                               {"godel.bytedance.com/pod-group-name", ""},
                               {"scheduling.k8s.io/group-name", "g"},
                               {"spark-app-id", "a"}});
    CHECK(pod.annotations.front().second.capacity() < 100);
    REQUIRE(pod.pod_group);
    CHECK(*pod.pod_group == "workers");
    CHECK_FALSE(with_spec(R"("schedulingGroup": null)").pod_group);
    CHECK(with_spec(R"("schedulingGroup": {})").pod_group);
}

TEST_CASE("codec_pod: a service account, if it is another than the default") {
    const core::Pod pod = with_spec(R"("serviceAccountName": "boss")");
    REQUIRE(pod.service_account);
    CHECK(*pod.service_account == "boss");
    CHECK_FALSE(with_spec(R"("serviceAccountName": "default")").service_account);
    CHECK_FALSE(with_spec(R"("serviceAccountName": "")").service_account);
    CHECK_FALSE(with_spec(R"("priority": 1)").service_account);
}

TEST_CASE("codec_pod: a Spark driver's config maps are traced through its volumes") {
    const auto pod = with_spec(driver_spec);
    CHECK(pod.spark_properties == core::ConfigMapKey{"spark-drv-1-conf-map", "conf"});
    CHECK(
        pod.executor_template ==
        core::ConfigMapKey{"pi-podspec-conf-map", "podspec-configmap-key"});
}

TEST_CASE("codec_pod: other ways to mount the properties") {
    const std::string spec = driver_spec;
    SUBCASE("a volume without items: the key is the file's name") {
        const auto pod = with_spec(
            R"("containers": [{"args": ["driver", "--properties-file", "/c/x.conf"],
                 "volumeMounts": [{"mountPath": "/c/", "name": "v"}]}],
               "volumes": [{"name": "v", "configMap": {"name": "m"}}])");
        CHECK(pod.spark_properties == core::ConfigMapKey{"m", "x.conf"});
        CHECK(!pod.executor_template);
    }
    SUBCASE("a subPath") {
        const auto pod = with_spec(replaced(
            spec,
            R"("mountPath": "/opt/spark/conf")",
            R"("mountPath": "/opt/spark/conf/spark.properties", "subPath": "spark.properties")"));
        CHECK(pod.spark_properties == core::ConfigMapKey{"spark-drv-1-conf-map", "conf"});
    }
}

TEST_CASE("codec_pod: what is no driver with mounted properties is none") {
    const std::string spec = driver_spec;
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"[\"driver\"", "[\"executor\""},
             {"[\"driver\"", "[7"},
             {"\"--properties-file\"", "\"--conf\""},
             {"\"/opt/spark/conf/spark.properties\"", "{}"},
             {"\"/opt/spark/conf/spark.properties\"", "\"spark.properties\""},
             {"\"mountPath\": \"/opt/spark/conf\"", "\"mountPath\": \"/elsewhere\""},
             {"\"name\": \"spark-conf-volume-driver\", \"configMap\"",
              "\"name\": \"spark-conf-volume-driver\", \"secret\""},
             {"\"path\": \"spark.properties\"", "\"path\": \"other\""}}) {
        const auto pod = with_spec(replaced(spec, from, to));
        CHECK_MESSAGE(!pod.spark_properties, to);
        CHECK_MESSAGE(!pod.executor_template, to);
    }
}

TEST_CASE("codec_pod: large trees that nobody reads are skipped, wherever they stand") {
    const std::string noise =
        R"([{"name": "X", "v": {"a": [1, {"b": []}], "env": [2]}}, [[]], "s"])";
    const auto pod = decoded(
        R"({"metadata": {"managedFields": )" + noise + R"(, "name": "p", "labels": {"env": "e"}},
        "spec": {"containers": [{"env": )" +
        noise + R"(, "name": "c", "volumeDevices": )" + noise +
        R"(, "resources": {"requests": {"cpu": "1"}}, "env": []}], "nodeName": "n"},
        "status": {"containerStatuses": )" +
        noise + R"(, "phase": "Failed"}})");
    CHECK(pod.problem.empty());
    CHECK(pod.name == "p");
    CHECK(pod.labels == core::StringMap{{"env", "e"}});
    CHECK(pod.requests.cpu_milli == 1000);
    CHECK(pod.node_name == "n");
    CHECK(pod.phase == core::PodPhase::failed);
}

TEST_CASE("codec_pod: one bad field is the pod's problem, not an error of the watch") {
    for (const char* spec :
         {R"("nodeName": 7)",
          R"("schedulingGates": {})",
          R"("containers": {})",
          R"("containers": [1])",
          R"("containers": [{"resources": []}])",
          R"("containers": [{"resources": {"requests": {"cpu": "lots"}}}])",
          R"("containers": [{"resources": {"requests": {"cpu": "-1"}}}])",
          R"("containers": [{"resources": {"requests": {"cpu": true}}}])",
          R"("containers": [{"resources": {"requests": {"memory": "99999999999E"}}}])",
          R"("containers": [{"resources": {"requests": {"memory": "8E"}}},
                            {"resources": {"requests": {"memory": "8E"}}}])",
          R"("nodeSelector": {"a": 1})",
          R"("nodeSelector": [])",
          R"("priority": "high")",
          R"("priority": 99999999999)",
          R"("priority": 1e300)",
          R"("tolerations": [{"effect": "No"}])",
          R"("tolerations": [{"operator": "Maybe"}])",
          R"("affinity": {"nodeAffinity":
             {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms":
             [{"matchExpressions": [{"key": "a", "operator": "Near"}]}]}}})"}) {
        const auto pod = with_spec(spec);
        CHECK_MESSAGE(!pod.problem.empty(), std::string(spec));
        CHECK(pod.name == "p");
    }
    CHECK(!decoded(R"({"metadata": {"name": "p", "creationTimestamp": "soon"}, "spec": {}})")
               .problem.empty());
    CHECK(!decoded(R"({"metadata": {"name": "p"}})").problem.empty());
}

TEST_CASE("codec_pod: what is no pod is an error") {
    for (const char* json :
         {"",
          "   ",
          "null",
          "7",
          "[]",
          "{}",
          "\"pod\"",
          R"({"metadata": []})",
          R"({"metadata": {"name": 7}, "spec": {}})",
          R"({"metadata": {"name": ""}, "spec": {}})",
          R"({"metadata": {"name": "p"}, "spec": {})",
          R"({"metadata": {"name": "p"}} x)",
          R"({"metadata": {"name": "p"}, "n": 1e400})",
          "{\"metadata\": {\"name\": \"\xff\"}}",
          "{\"metadata\": {\"name\": \"a\nb\"}}"}) {
        CHECK_MESSAGE(is_error(json), std::string(json));
    }
    CHECK(is_error(std::string(R"({"metadata": {"name": "p"}, "spec": {}})") + '\0' + "{}"));
}

TEST_CASE("codec_pod: nesting does not exhaust the stack") {
    constexpr int deep = 500'000;
    CHECK(is_error(repeated("[", deep)));
    CHECK(is_error(repeated("{\"a\":", deep)));
    const auto pod = decoded(
        R"({"metadata": {"name": "p"}, "x": )" + repeated("[", deep) + repeated("]", deep) +
        R"(, "spec": {"env": )" + repeated("[", deep) + repeated("]", deep) + "}}");
    CHECK(pod.problem.empty());
}

TEST_CASE("codec_pod: strings may contain an escaped NUL, and keys may repeat") {
    const auto pod = decoded(R"({"metadata": {"name": "p", "labels": {"a": "x\u0000y", "k": "1",
                                 "k": "2"}}, "spec": {}})");
    CHECK(pod.labels == core::StringMap{{"a", std::string("x\0y", 3)}, {"k", "2"}});
}

TEST_CASE("codec_pod: since when it is scheduled, and why a kubelet refused it") {
    const auto pod = k8s::decode_pod(R"({"metadata": {"name": "p", "namespace": "ns", "uid": "u"},
      "spec": {"nodeName": "n1"},
      "status": {"phase": "Failed", "reason": "OutOfcpu", "conditions": [
        {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-11-21T17:05:42Z"}]}})");
    REQUIRE(pod.has_value());
    REQUIRE(pod->scheduled);
    CHECK(pod->scheduled->since == 1795280742);
    CHECK(pod->failure == "OutOfcpu");
    CHECK(core::is_refused_by_kubelet(*pod));
    const auto running = k8s::decode_pod(R"({"metadata": {"name": "p"}, "spec": {},
      "status": {"phase": "Running", "reason": "OutOfcpu", "conditions": [
        {"type": "PodScheduled", "status": "True", "lastTransitionTime": "yesterday"}]}})");
    REQUIRE(running.has_value());
    CHECK(running->scheduled->since == 0);
    CHECK(running->problem.empty());
    CHECK_FALSE(core::is_refused_by_kubelet(*running));
}
