#include "k8s/embedded/admission/defaults.hpp"
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/store/names.hpp"
#include "k8s/embedded/store/quantity_text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace k8s::embedded;

namespace {

Json json(const std::string& text) {
    auto parsed = Json::parse(text);
    REQUIRE_MESSAGE(parsed.has_value(), text);
    return *parsed;
}

Json minimal_pod() {
    return json(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default"},
            "spec":{"containers":[{"name":"c","image":"x:1"}]}})");
}

std::optional<Failure> create(const char* plural, Json& object) {
    return admit_create(core_kind(plural), object, Surroundings{});
}

// The message of the only cause; empty when the object is taken.
std::string complaint(Json object, const char* plural = "pods") {
    const auto failure = create(plural, object);
    if (!failure) return {};
    CHECK(failure->code == 422);
    const Json::Array& causes = items_at(failure->details, {"causes"});
    if (causes.size() != 1) return failure->message;
    return causes.front().text({"field"}) + ": " + causes.front().text({"message"});
}

Json pod_with(const char* member, const std::string& value) {
    Json pod = minimal_pod();
    pod["spec"].set(member, json(value));
    return pod;
}

Json container_with(const char* member, const std::string& value) {
    Json pod = minimal_pod();
    pod["spec"]["containers"].items().front().set(member, json(value));
    return pod;
}

}  // namespace

TEST_CASE("quantities: stored in one spelling") {
    CHECK(canonical_quantity("13312Mi") == "13Gi");
    CHECK(canonical_quantity("1433Mi") == "1433Mi");
    CHECK(canonical_quantity("1.5Gi") == "1536Mi");
    CHECK(canonical_quantity("1000m") == "1");
    CHECK(canonical_quantity("0.5") == "500m");
    CHECK(canonical_quantity("1000") == "1k");
    CHECK(canonical_quantity("1024") == "1024");
    CHECK(canonical_quantity("0.5Ki") == "512");
    CHECK(canonical_quantity("3e3") == "3e3");
    CHECK(canonical_quantity("0Gi") == "0");
    CHECK(canonical_quantity("-2Gi") == "-2Gi");
    CHECK(canonical_quantity("0.0001") == "1m");
    CHECK(canonical_quantity("100Ei") == "9223372036854775807");
    for (const char* bad : {"", "x", "1..2", "1GiB", "1 Gi", "0x10", ".", "1e", "--1"}) {
        CHECK_MESSAGE(!canonical_quantity(bad).has_value(), bad);
    }
}

TEST_CASE("names: labels, subdomains, keys") {
    CHECK(check_dns_label("a-1").empty());
    CHECK_FALSE(check_dns_label("a.b").empty());
    CHECK_FALSE(check_dns_label("-a").empty());
    CHECK_FALSE(check_dns_label(std::string(64, 'a')).empty());
    CHECK(check_dns_subdomain("a.b-c.d").empty());
    CHECK_FALSE(check_dns_subdomain("a..b").empty());
    CHECK_FALSE(check_dns_subdomain("A").empty());
    CHECK_FALSE(check_dns_subdomain(std::string(254, 'a')).empty());
    CHECK(check_qualified_name("gang-scheduler/slot").empty());
    CHECK(check_qualified_name("a.B_c").empty());
    CHECK_FALSE(check_qualified_name("a/b/c").empty());
    CHECK_FALSE(check_qualified_name("/b").empty());
    CHECK_FALSE(check_qualified_name("").empty());
    CHECK(check_label_value("").empty());
    CHECK_FALSE(check_label_value("a b").empty());
    CHECK_FALSE(check_path_segment("a/b").empty());
    CHECK(check_path_segment("system:node").empty());
    CHECK_FALSE(check_data_key("..").empty());
}

TEST_CASE("admission: a minimal pod gets what the real server fills in") {
    Json pod = minimal_pod();
    REQUIRE_FALSE(create("pods", pod));
    const Json& spec = *pod.find("spec");
    CHECK(spec.text({"restartPolicy"}) == "Always");
    CHECK(spec.text({"dnsPolicy"}) == "ClusterFirst");
    CHECK(spec.text({"schedulerName"}) == "default-scheduler");
    CHECK(spec.text({"serviceAccountName"}) == "default");
    CHECK(spec.text({"preemptionPolicy"}) == "PreemptLowerPriority");
    CHECK(int_at(spec, {"priority"}) == 0);
    CHECK(spec.find("priority") != nullptr);
    CHECK(int_at(spec, {"terminationGracePeriodSeconds"}) == 30);
    CHECK(items_at(spec, {"tolerations"}).size() == 2);
    const Json& container = items_at(spec, {"containers"}).front();
    CHECK(container.text({"imagePullPolicy"}) == "IfNotPresent");
    CHECK(container.text({"terminationMessagePolicy"}) == "File");
    CHECK(pod.text({"status", "phase"}) == "Pending");
    CHECK(pod.text({"status", "qosClass"}) == "BestEffort");
}

TEST_CASE("admission: limits become requests, volumes and ports get their defaults") {
    Json pod = json(
        R"({"metadata":{"name":"p"},"spec":{"hostNetwork":true,
            "containers":[{"name":"c","image":"x","ports":[{"containerPort":80}],
              "resources":{"limits":{"cpu":1,"memory":"2048Mi"},"requests":{"cpu":"1000m"}}}],
            "volumes":[{"name":"e"},{"name":"m","configMap":{"name":"m"}}]}})");
    REQUIRE_FALSE(create("pods", pod));
    const Json& container = items_at(pod, {"spec", "containers"}).front();
    CHECK(container.text({"resources", "requests", "memory"}) == "2Gi");
    CHECK(container.text({"resources", "requests", "cpu"}) == "1");
    CHECK(container.text({"imagePullPolicy"}) == "Always");
    CHECK(items_at(container, {"ports"}).front().text({"protocol"}) == "TCP");
    CHECK(int_at(items_at(container, {"ports"}).front(), {"hostPort"}) == 80);
    CHECK(items_at(pod, {"spec", "volumes"})[0].find("emptyDir") != nullptr);
    CHECK(int_at(items_at(pod, {"spec", "volumes"})[1], {"configMap", "defaultMode"}) == 420);
    CHECK(pod.text({"status", "qosClass"}) == "Guaranteed");
}

TEST_CASE("admission: gated pods say so from the first moment, a posted status is dropped") {
    Json pod = pod_with("schedulingGates", R"([{"name":"example.com/wait"}])");
    pod["status"].set("phase", "Running");
    REQUIRE_FALSE(create("pods", pod));
    CHECK(pod.text({"status", "phase"}) == "Pending");
    CHECK(items_at(pod, {"status", "conditions"}).front().text({"reason"}) == "SchedulingGated");
}

TEST_CASE("admission: what a pod must have, in Kubernetes' words") {
    CHECK(complaint(pod_with("containers", "[]")) == "spec.containers: Required value");
    CHECK(complaint(container_with("image", "\"\"")) == "spec.containers[0].image: Required value");
    CHECK(complaint(container_with("name", "\"\"")) == "spec.containers[0].name: Required value");
    CHECK(
        complaint(pod_with("restartPolicy", "\"Sometimes\"")) ==
        "spec.restartPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", "
        "\"OnFailure\", \"Never\"");
    CHECK(
        complaint(container_with("volumeMounts", R"([{"name":"v","mountPath":"/m"}])")) ==
        "spec.containers[0].volumeMounts[0].name: Not found: \"v\"");
    CHECK(
        complaint(container_with("ports", R"([{"containerPort":70000}])")) ==
        "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and "
        "65535, inclusive");
    Json nameless = minimal_pod();
    nameless["metadata"].erase("name");
    CHECK(complaint(nameless) == "metadata.name: Required value: name or generateName is required");
    CHECK(
        complaint(pod_with("tolerations", R"([{"operator":"Equal","value":"x"}])"))
            .find("operator must be Exists when `key` is empty") != std::string::npos);
}

TEST_CASE("admission: names and labels are checked") {
    Json pod = minimal_pod();
    pod["metadata"].set("name", "Not_A_Name");
    const auto failure = create("pods", pod);
    REQUIRE(failure);
    CHECK(
        failure->message.find("Pod \"Not_A_Name\" is invalid: metadata.name: Invalid value: "
                              "\"Not_A_Name\": a lowercase RFC 1123 subdomain must") == 0);
    Json labelled = minimal_pod();
    labelled["metadata"]["labels"].set("k", "not a value");
    CHECK(complaint(labelled).find("metadata.labels: Invalid value: \"not a value\"") == 0);
    Json annotated = minimal_pod();
    annotated["metadata"]["annotations"].set("a/b/c", "");
    CHECK(complaint(annotated).find("metadata.annotations: Invalid value: \"a/b/c\"") == 0);
    Json heavy = minimal_pod();
    heavy["metadata"]["annotations"].set("k", std::string(256 << 10, 'x'));
    CHECK(complaint(heavy) == "metadata.annotations: Too long: may not be more than 262144 bytes");
}

TEST_CASE("admission: resources") {
    const auto resources = [](const std::string& text) {
        return complaint(container_with("resources", text));
    };
    CHECK(
        resources(R"({"requests":{"cpu":"2"},"limits":{"cpu":"1"}})") ==
        "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal "
        "to cpu limit of 1");
    CHECK(
        resources(R"({"requests":{"cpu":"-1"}})") ==
        "spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be greater than "
        "or equal to 0");
    CHECK(
        resources(R"({"requests":{"nvidia.com/gpu":"1"}})") ==
        "spec.containers[0].resources.limits: Required value: Limit must be set for non "
        "overcommitable resources");
    CHECK(resources(R"({"limits":{"nvidia.com/gpu":"1"}})").empty());
    CHECK(
        resources(R"({"requests":{"nonsense":"1"}})")
            .find("must be a standard resource type or fully qualified") != std::string::npos);
}

TEST_CASE("admission: wrong types and quantities that do not parse are a 400") {
    const auto code_of = [](Json object) {
        const auto failure = create("pods", object);
        return failure ? failure->code : 0;
    };
    CHECK(code_of(pod_with("containers", "\"none\"")) == 400);
    CHECK(code_of(pod_with("containers", "[1]")) == 400);
    CHECK(code_of(pod_with("nodeSelector", R"({"a":1})")) == 400);
    CHECK(code_of(pod_with("priority", "\"high\"")) == 400);
    CHECK(code_of(container_with("resources", R"({"requests":{"cpu":"many"}})")) == 400);
    CHECK(code_of(container_with("resources", "[]")) == 400);
    CHECK(code_of(container_with("env", R"([{"name":"A","value":1}])")) == 400);
    Json spec_is_text = minimal_pod();
    spec_is_text.set("spec", "x");
    CHECK(code_of(spec_is_text) == 400);
    CHECK(code_of(json("[]")) == 400);
    Json nulls = minimal_pod();
    nulls["metadata"].set("labels", Json());
    nulls["spec"].set("nodeSelector", Json());
    CHECK(code_of(nulls) == 0);
}

TEST_CASE("admission: the priority comes from the class") {
    const Json high = json(R"({"value":1000,"preemptionPolicy":"Never"})");
    Surroundings around;
    around.find_priority_class = [&](std::string_view name) {
        return name == "high" ? &high : nullptr;
    };
    Json pod = pod_with("priorityClassName", "\"high\"");
    REQUIRE_FALSE(admit_create(core_kind("pods"), pod, around));
    CHECK(int_at(pod, {"spec", "priority"}) == 1000);
    CHECK(pod.text({"spec", "preemptionPolicy"}) == "Never");
    Json unknown = pod_with("priorityClassName", "\"higher\"");
    const auto failure = admit_create(core_kind("pods"), unknown, around);
    REQUIRE(failure);
    CHECK(failure->code == 403);
    CHECK(
        failure->message == "pods \"p\" is forbidden: no PriorityClass with name higher was found");
    Json forged = pod_with("priority", "7");
    CHECK(admit_create(core_kind("pods"), forged, around)->code == 403);
    Json system = pod_with("priorityClassName", "\"system-node-critical\"");
    REQUIRE_FALSE(admit_create(core_kind("pods"), system, around));
    CHECK(int_at(system, {"spec", "priority"}) == 2'000'001'000);
}

TEST_CASE("admission: a stored pod's spec changes only where Kubernetes allows it") {
    Json stored = pod_with("tolerations", R"([{"key":"a","operator":"Exists"}])");
    REQUIRE_FALSE(create("pods", stored));
    const Kind& pods = core_kind("pods");
    const auto update = [&](auto&& change) {
        Json object = stored;
        change(object);
        const auto failure = admit_update(pods, stored, object, Surroundings{});
        return failure ? failure->message : std::string();
    };
    CHECK(update([](Json&) {}).empty());
    CHECK(update([](Json& pod) {
              for (const char* key : {"priority", "dnsPolicy", "serviceAccountName"}) {
                  pod["spec"].erase(key);
              }
          }).empty());
    CHECK(update([](Json& pod) { pod["metadata"]["labels"].set("a", "b"); }).empty());
    CHECK(update([](Json& pod) {
              pod["spec"]["containers"].items().front().set("image", "y:2");
          }).empty());
    CHECK(
        update([](Json& pod) {
            pod["spec"].set("schedulerName", "other");
        }).find("spec: Forbidden: pod updates may not change fields other than") !=
        std::string::npos);
    CHECK_FALSE(update([](Json& pod) { pod["spec"].set("nodeName", "n1"); }).empty());
    CHECK_FALSE(update([](Json& pod) { pod["spec"]["tolerations"].items().clear(); }).empty());
    CHECK_FALSE(update([](Json& pod) { pod["metadata"].set("uid", "other"); }).empty());
    CHECK(
        update([](Json& pod) {
            pod["spec"]["containers"].items().clear();
        }).find("spec.containers: Forbidden: pod updates may not add or remove containers") !=
        std::string::npos);
    CHECK_FALSE(update([](Json& pod) {
                    pod["spec"].set("schedulingGates", json(R"([{"name":"g"}])"));
                }).empty());
}

TEST_CASE("admission: a pod whose annotations went bad cannot get a status any more") {
    Json stored = minimal_pod();
    REQUIRE_FALSE(create("pods", stored));
    stored["metadata"]["annotations"].set("not a key", "x");
    Json object = stored;
    object["status"].set("phase", "Running");
    const auto failure = admit_status(core_kind("pods"), stored, object, Surroundings{});
    REQUIRE(failure);
    CHECK(failure->code == 422);
}

TEST_CASE("admission: finalizers are qualified, owners complete, nobody sets a deletion time") {
    Json pod = minimal_pod();
    pod["metadata"].set("finalizers", json(R"(["mine"])"));
    CHECK(
        complaint(pod) ==
        "metadata.finalizers[0]: Invalid value: \"mine\": name is neither a standard finalizer "
        "name "
        "nor is it fully qualified");
    Json owned = minimal_pod();
    owned["metadata"].set(
        "ownerReferences", json(R"([{"apiVersion":"v1","kind":"Pod","name":"o"}])"));
    CHECK(
        complaint(owned) ==
        "metadata.ownerReferences[0].uid: Required value: must not be empty");
    Json stored = minimal_pod();
    REQUIRE_FALSE(create("pods", stored));
    Json doomed = stored;
    doomed["metadata"].set("deletionTimestamp", "2026-01-01T00:00:00Z");
    CHECK(admit_update(core_kind("pods"), stored, doomed, Surroundings{}));
    stored["metadata"].set("deletionTimestamp", "2026-01-01T00:00:00Z");
    Json revived = stored;
    revived["metadata"].erase("deletionTimestamp");
    REQUIRE_FALSE(admit_update(core_kind("pods"), stored, revived, Surroundings{}));
    CHECK(revived.text({"metadata", "deletionTimestamp"}) == "2026-01-01T00:00:00Z");
}

TEST_CASE("admission: services, namespaces, nodes and config maps") {
    Json service = json(R"({"metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}})");
    REQUIRE_FALSE(create("services", service));
    CHECK(service.text({"spec", "type"}) == "ClusterIP");
    CHECK(service.text({"spec", "clusterIP"}).starts_with("10.96."));
    CHECK(int_at(items_at(service, {"spec", "ports"}).front(), {"targetPort"}) == 80);
    Json headless =
        json(R"({"metadata":{"name":"s"},"spec":{"clusterIP":"None","ports":[{"port":80}]}})");
    REQUIRE_FALSE(create("services", headless));
    CHECK(headless.text({"spec", "clusterIP"}) == "None");
    Json space = json(R"({"metadata":{"name":"ns"}})");
    REQUIRE_FALSE(create("namespaces", space));
    CHECK(space.text({"status", "phase"}) == "Active");
    CHECK(space.text({"metadata", "labels", "kubernetes.io/metadata.name"}) == "ns");
    CHECK_FALSE(complaint(json(R"({"metadata":{"name":"a.b"}})"), "namespaces").empty());
    Json node = json(
        R"({"metadata":{"name":"n"},"status":{"capacity":{"cpu":"4000m","memory":"8192Mi"}}})");
    REQUIRE_FALSE(create("nodes", node));
    CHECK(node.text({"status", "allocatable", "cpu"}) == "4");
    CHECK(node.text({"status", "allocatable", "memory"}) == "8Gi");
    Json bare = json(R"({"metadata":{"name":"n"}})");
    REQUIRE_FALSE(create("nodes", bare));
    CHECK(bare.find("spec")->is_object());
    CHECK(bare.find_path({"status", "nodeInfo", "osImage"}) != nullptr);
    CHECK(bare.find_path({"status", "allocatable"}) == nullptr);
    CHECK_FALSE(
        complaint(json(R"({"metadata":{"name":"m"},"data":{"a/b":""}})"), "configmaps").empty());
}

TEST_CASE("admission: an immutable config map stays as it is") {
    const Kind& maps = core_kind("configmaps");
    Json stored = json(R"({"metadata":{"name":"m"},"immutable":true,"data":{"a":"b"}})");
    REQUIRE_FALSE(admit_create(maps, stored, Surroundings{}));
    Json changed = stored;
    changed["data"].set("a", "c");
    CHECK(
        admit_update(maps, stored, changed, Surroundings{})->message ==
        "ConfigMap \"m\" is invalid: data: Forbidden: field is immutable when `immutable` is set");
    Json labelled = stored;
    labelled["metadata"]["labels"].set("a", "b");
    CHECK_FALSE(admit_update(maps, stored, labelled, Surroundings{}));
}
