#include "k8s/embedded/kubelet/kubelet.hpp"

#include "core/value/exclusive.hpp"
#include "k8s/embedded/http/api_server.hpp"
#include "k8s/embedded/kubelet/pod_runtime.hpp"
#include "k8s/embedded/kubelet/referee.hpp"
#include "k8s/embedded/store/json_path.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <string>

using namespace k8s::embedded;

namespace {

core::Node node(std::int64_t cpu_milli, std::int64_t pods = 110) {
    core::Node made;
    made.name = "n";
    made.allocatable.cpu_milli = cpu_milli;
    made.allocatable.memory_bytes = 1000;
    made.pods = pods;
    made.labels = {{"disk", "ssd"}};
    return made;
}

core::Pod pod(const std::string& uid, std::int64_t cpu_milli) {
    core::Pod made;
    made.uid = uid;
    made.requests.cpu_milli = cpu_milli;
    return made;
}

// A server and its kubelets on a loop of their own; all delays are a few milliseconds.
struct Rig {
    boost::asio::io_context loop;
    ApiServer server{};
    Kubelets kubelets{loop, server, options()};

    static KubeletOptions options() {
        KubeletOptions made;
        made.nodes = 1;
        made.node_cpu = "2";
        made.node_memory = "1Gi";
        made.start_ms = made.stop_ms = 1;
        made.run_ms = 5;
        return made;
    }

    Json call(const char* method, const std::string& target, const std::string& body = "") {
        const Response response = server.handle(Request{method, target, body});
        REQUIRE_MESSAGE(response.status < 300, response.body);
        auto parsed = Json::parse(response.body);
        return parsed ? *parsed : Json();
    }

    void create(
        const std::string& name,
        const std::string& cpu,
        const std::string& annotations = "{}",
        const std::string& volumes = "[]") {
        call(
            "POST",
            "/api/v1/namespaces/default/pods",
            R"({"metadata":{"name":")" + name + R"(","annotations":)" + annotations +
                R"(},"spec":{"nodeName":"node-1","volumes":)" + volumes +
                R"(,"containers":[{"name":"c","image":"x","resources":{"requests":{"cpu":")" + cpu +
                R"("}}}]}})");
    }

    StoredPtr find(const std::string& name) {
        return server.store().find(core_kind("pods"), Key{"default", name});
    }

    std::string phase(const std::string& name) {
        const StoredPtr found = find(name);
        return found != nullptr ? found->json.text({"status", "phase"}) : "gone";
    }

    // Turns the loop until the pod is in the phase; false after two seconds.
    bool reaches(const std::string& name, const std::string& wanted) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
        while (phase(name) != wanted) {
            if (std::chrono::steady_clock::now() > end) return false;
            loop.restart();
            loop.run_one_for(std::chrono::milliseconds(20));
        }
        return true;
    }
};

constexpr const char* forever = R"({"embedded.gang-scheduler/run-seconds":"forever"})";

}  // namespace

TEST_CASE("referee: refuses in a real kubelet's words what does not fit") {
    Referee referee(node(4000));
    CHECK_FALSE(referee.admit(pod("a", 3000)));
    const auto refusal = referee.admit(pod("b", 2000));
    REQUIRE(refusal);
    CHECK(refusal->reason == "OutOfcpu");
    CHECK(
        refusal->message ==
        "Pod was rejected: Node didn't have enough resource: cpu, requested: 2000, used: 3000, "
        "capacity: 4000");
    CHECK_FALSE(referee.admit(pod("c", 1000)));
    CHECK(referee.used().cpu_milli == 4000);
}

TEST_CASE("referee: released room is given again, an admitted pod stays in") {
    Referee referee(node(1000));
    CHECK_FALSE(referee.admit(pod("a", 1000)));
    CHECK_FALSE(referee.admit(pod("a", 1000)));
    CHECK(referee.admit(pod("b", 1)));
    referee.release("a");
    CHECK_FALSE(referee.admit(pod("b", 1000)));
}

TEST_CASE("referee: pods, memory, cards, labels and hostile numbers") {
    Referee few(node(1000, 1));
    CHECK_FALSE(few.admit(pod("a", 0)));
    CHECK(few.admit(pod("b", 0))->reason == "OutOfpods");
    Referee referee(node(1000));
    core::Pod heavy = pod("m", 0);
    heavy.requests.memory_bytes = 1001;
    CHECK(referee.admit(heavy)->reason == "OutOfmemory");
    core::Pod card = pod("g", 0);
    card.requests.extended = {{"nvidia.com/gpu", 1}};
    CHECK(referee.admit(card)->reason == "OutOfnvidia.com/gpu");
    core::Pod picky = pod("s", 0);
    picky.constraints.edit().node_selector = {{"disk", "tape"}};
    CHECK(referee.admit(picky)->reason == "NodeAffinity");
    CHECK_FALSE(referee.admit(pod("one", 1)));
    CHECK(referee.admit(pod("huge", INT64_MAX))->reason == "OutOfcpu");
    core::Pod unreadable = pod("u", 0);
    unreadable.problem = "cpu does not fit";
    CHECK(referee.admit(unreadable)->reason == "UnexpectedAdmissionError");
}

TEST_CASE("referee: a port of the node is one pod's until it is released") {
    Referee referee(node(10'000));
    core::Pod first = pod("a", 100);
    core::add_host_ports(first.requests, {{"", "TCP", 80}});
    core::Pod second = pod("b", 100);
    core::add_host_ports(second.requests, {{"10.0.0.1", "TCP", 80}});
    CHECK_FALSE(referee.admit(first));
    const auto refusal = referee.admit(second);
    REQUIRE(refusal);
    CHECK(*refusal == Refusal{"NodePorts", "Pod was rejected: Predicate NodePorts failed"});
    referee.release("a");
    CHECK_FALSE(referee.admit(second));
}

TEST_CASE("pod runtime: how long a pod runs") {
    const auto annotated = [](const std::string& seconds) {
        Json pod;
        pod["metadata"]["annotations"].set(run_seconds_annotation, seconds);
        return pod;
    };
    CHECK(run_time_ms(Json(Json::Object{}), 7) == 7);
    CHECK(run_time_ms(annotated("1.5"), 7) == 1500);
    CHECK(run_time_ms(annotated("forever"), 7) == std::nullopt);
    for (const char* nonsense : {"-1", "nan", "1e99", "2x", ""}) {
        CHECK_MESSAGE(run_time_ms(annotated(nonsense), 7) == 7, nonsense);
    }
    Json executor;
    Json owner;
    owner.set("kind", "Pod");
    owner.set("uid", "driver");
    executor["metadata"]["ownerReferences"].items().push_back(owner);
    CHECK(run_time_ms(executor, 7) == std::nullopt);
    CHECK(owner_pod_uid(executor) == "driver");
}

TEST_CASE("pod runtime: config maps that a pod needs, optional ones left out") {
    const auto pod = Json::parse(
        R"({"spec":{"volumes":[{"configMap":{"name":"b"}},
              {"configMap":{"name":"o","optional":true}},
              {"projected":{"sources":[{"configMap":{"name":"p"}}]}}],
            "containers":[{"envFrom":[{"configMapRef":{"name":"b"}}],
              "env":[{"name":"A","valueFrom":{"configMapKeyRef":{"name":"a","key":"k"}}}]}]}})");
    REQUIRE(pod);
    CHECK(needed_config_maps(*pod) == std::vector<std::string>{"a", "b", "p"});
}

TEST_CASE("kubelet: registers a Ready node and its lease") {
    Rig rig;
    rig.kubelets.start();
    const Json registered = rig.call("GET", "/api/v1/nodes/node-1");
    CHECK(registered.text({"status", "allocatable", "cpu"}) == "2");
    CHECK(items_at(registered, {"status", "conditions"}).back().text({"status"}) == "True");
    const Json lease =
        rig.call("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1");
    CHECK(lease.text({"spec", "holderIdentity"}) == "node-1");
}

TEST_CASE("kubelet: runs a pod to its end and keeps a record of it") {
    Rig rig;
    int running = 0;
    int gone = 0;
    KubeletHooks hooks;
    hooks.on_running = [&](const Json&) { ++running; };
    hooks.on_gone = [&](const Json&) { ++gone; };
    rig.kubelets.start(hooks);
    rig.create("p", "1");
    REQUIRE(rig.reaches("p", "Running"));
    CHECK_FALSE(rig.find("p")->json.text({"status", "podIP"}).empty());
    REQUIRE(rig.reaches("p", "Succeeded"));
    const Json status = *rig.find("p")->json.find("status");
    const Json& container = items_at(status, {"containerStatuses"}).front();
    CHECK(container.text({"state", "terminated", "reason"}) == "Completed");
    CHECK(running == 1);
    CHECK(gone == 1);
    REQUIRE(rig.kubelets.records().size() == 1);
    const PodRecord& record = rig.kubelets.records().front();
    CHECK(record.cpu_milli == 1000);
    CHECK(record.bound_ms <= record.started_ms);
    CHECK(record.started_ms <= record.ended_ms);
    CHECK(record.refusal.empty());
}

TEST_CASE("kubelet: refuses the pod that does not fit, and only that one") {
    Rig rig;
    rig.kubelets.start();
    rig.create("a", "1500m", forever);
    rig.create("b", "1", forever);
    rig.create("c", "500m", forever);
    REQUIRE(rig.reaches("b", "Failed"));
    CHECK(rig.find("b")->json.text({"status", "reason"}) == "OutOfcpu");
    REQUIRE(rig.reaches("a", "Running"));
    REQUIRE(rig.reaches("c", "Running"));
    CHECK(rig.kubelets.records()[1].refusal == "OutOfcpu");
}

TEST_CASE("kubelet: waits for a config map, ContainerCreating meanwhile") {
    Rig rig;
    rig.kubelets.start();
    rig.create("p", "1", forever, R"([{"name":"v","configMap":{"name":"late"}}])");
    rig.loop.run_for(std::chrono::milliseconds(30));
    const Json status = *rig.find("p")->json.find("status");
    CHECK(status.text({"phase"}) == "Pending");
    const Json& container = items_at(status, {"containerStatuses"}).front();
    CHECK(container.text({"state", "waiting", "reason"}) == "ContainerCreating");
    rig.call("POST", "/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"late"}})");
    CHECK(rig.reaches("p", "Running"));
}

TEST_CASE("kubelet: a deleted pod is gone after its grace and gives its room back") {
    Rig rig;
    rig.kubelets.start();
    rig.create("a", "2", forever);
    REQUIRE(rig.reaches("a", "Running"));
    rig.call("DELETE", "/api/v1/namespaces/default/pods/a");
    CHECK_FALSE(rig.find("a")->json.text({"metadata", "deletionTimestamp"}).empty());
    REQUIRE(rig.reaches("a", "gone"));
    rig.create("b", "2", forever);
    CHECK(rig.reaches("b", "Running"));
}

TEST_CASE("kubelet: executors end with their driver") {
    Rig rig;
    rig.kubelets.start();
    rig.create("driver", "1", forever);
    REQUIRE(rig.reaches("driver", "Running"));
    const std::string uid = rig.find("driver")->json.text({"metadata", "uid"});
    rig.call(
        "POST",
        "/api/v1/namespaces/default/pods",
        R"({"metadata":{"name":"executor","ownerReferences":[{"apiVersion":"v1","kind":"Pod",
              "name":"driver","controller":true,"uid":")" +
            uid + R"("}]},"spec":{"nodeName":"node-1","containers":[{"name":"c","image":"x"}]}})");
    REQUIRE(rig.reaches("executor", "Running"));
    rig.kubelets.finish(uid);
    CHECK(rig.reaches("driver", "Succeeded"));
    CHECK(rig.reaches("executor", "Succeeded"));
}

TEST_CASE("kubelet: a pod told to fail says with which exit code") {
    Rig rig;
    rig.kubelets.start();
    rig.create("p", "1", forever);
    REQUIRE(rig.reaches("p", "Running"));
    rig.kubelets.finish(rig.find("p")->json.text({"metadata", "uid"}), 3);
    REQUIRE(rig.reaches("p", "Failed"));
    const Json::Array& statuses = items_at(rig.find("p")->json, {"status", "containerStatuses"});
    CHECK(int_at(statuses.front(), {"state", "terminated", "exitCode"}) == 3);
}

TEST_CASE("kubelet: when the records are full, pods run on without one") {
    boost::asio::io_context loop;
    ApiServer server;
    KubeletOptions options = Rig::options();
    options.records_max = 0;
    Kubelets kubelets(loop, server, options);
    int gone = 0;
    KubeletHooks hooks;
    hooks.on_gone = [&](const Json&) { ++gone; };
    kubelets.start(hooks);
    const Response made = server.handle(
        {"POST",
         "/api/v1/namespaces/default/pods",
         R"({"metadata":{"name":"p"},"spec":{"nodeName":"node-1",
             "containers":[{"name":"c","image":"x"}]}})"});
    REQUIRE(made.status == 201);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (gone == 0 && std::chrono::steady_clock::now() < end) {
        loop.run_one_for(std::chrono::milliseconds(20));
    }
    CHECK(gone == 1);
    CHECK(kubelets.records().empty());
}
