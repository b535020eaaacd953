// The daemon in process against the embedded API server: real HTTP, real watches, one loop.
#include "gang/app/daemon/daemon.hpp"

#include "gang/app/demo/demo_objects.hpp"
#include "gang/reservation/format/reservation.hpp"
#include "k8s/embedded/cluster.hpp"
#include "k8s/embedded/kubelet/kubelet.hpp"
#include "k8s/embedded/store/json_value.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

using namespace gang::app;
using k8s::embedded::Json;
namespace embedded = k8s::embedded;

namespace {

config::Schema one_replica() {
    config::Schema out;
    out.leader_election.enabled = false;
    out.control_listen.clear();
    return out;
}

/// A cluster of two nodes with a daemon on it, and everything that the daemon logged.
class World {
public:
    explicit World(config::Schema config = one_replica())
        : cluster_(io_, {}),
          kubelets_(io_, cluster_.api(), nodes()),
          log_(
              config::LogFormat::console,
              config::LogLevel::debug,
              [this](const std::string& line) { logged += line; }),
          config_(std::move(config)) {
        const auto port = cluster_.start();
        REQUIRE(port.has_value());
        port_ = *port;
        kubelets_.start();
    }
    ~World() {
        stop();
        cluster_.stop();
        io_.poll();
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    void start() {
        k8s::Access access;
        access.tls = false;
        access.host = "127.0.0.1";
        access.port = port_;
        access.namespace_name = "default";
        auto endpoint = k8s::Endpoint::make(access, "gang-scheduler/test");
        REQUIRE(endpoint.has_value());
        DaemonOptions options;
        options.endpoint = *endpoint;
        options.config = config_;
        options.identity = "test";
        options.instance = "test";
        options.log = &log_;
        options.lost_lease = [this] { lost = true; };
        options.second_list_after_ms = 50;
        options.idle_after_ms = 1;
        options.on_idle = [this] {
            ++rests;
            CHECK(daemon->stats().synced);
        };
        daemon = std::make_unique<Daemon>(io_, std::move(options));
        daemon->start();
    }

    void stop() {
        if (!daemon) {
            return;
        }
        bool done = false;
        daemon->stop([&done] { done = true; });
        REQUIRE(until([&done] { return done; }));
        daemon.reset();
    }

    void stop_server() { cluster_.stop(); }

    /// No watch is told of the next change of a pod.
    void lose_next_pod_change() {
        cluster_.api().store().lose_next_change(*embedded::find_kind("", "v1", "pods"));
    }

    bool consistency() {
        const auto before = daemon->consistency().runs;
        daemon->check_consistency();
        return until([&] { return daemon->consistency().runs > before; });
    }

    /// Runs the loop until it holds, for at most twenty seconds.
    bool until(const std::function<bool()>& holds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!holds() && std::chrono::steady_clock::now() < end) {
            io_.run_one_for(std::chrono::milliseconds(200));
            io_.restart();
        }
        return holds();
    }

    void create(const std::string& path, const std::string& body) {
        const auto response = cluster_.api().handle(embedded::Request{"POST", path, body});
        REQUIRE_MESSAGE(response.status == 201, response.body);
    }

    void replace(const std::string& path, const std::string& body) {
        const auto response = cluster_.api().handle(embedded::Request{"PUT", path, body});
        REQUIRE_MESSAGE(response.status == 200, response.body);
    }

    Json get(const std::string& path) {
        const auto response = cluster_.api().handle(embedded::Request{"GET", path});
        return response.status == 200 ? *Json::parse(response.body) : Json();
    }

    std::string node_of(const std::string& pod) {
        return get("/api/v1/namespaces/default/pods/" + pod).text({"spec", "nodeName"});
    }

    std::string condition_of(const std::string& pod) {
        const Json object = get("/api/v1/namespaces/default/pods/" + pod);
        const Json* conditions = object.find_path({"status", "conditions"});
        if (conditions == nullptr) {
            return {};
        }
        for (const Json& one : conditions->items()) {
            if (one.text({"type"}) == "PodScheduled") {
                return one.text({"message"});
            }
        }
        return {};
    }

    std::string logged;
    bool lost = false;
    int rests = 0;
    std::unique_ptr<Daemon> daemon;

private:
    static embedded::KubeletOptions nodes() {
        embedded::KubeletOptions out;
        out.nodes = 2;
        out.run_ms = 3'600'000;
        return out;
    }

    boost::asio::io_context io_{1};
    embedded::Cluster cluster_;
    embedded::Kubelets kubelets_;
    Log log_;
    config::Schema config_;
    std::uint16_t port_ = 0;
};

const std::string pods_path = "/api/v1/namespaces/default/pods";
const std::string maps_path = "/api/v1/namespaces/default/configmaps";

std::string lone_pod(const std::string& name, const std::string& cpu) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
           R"("},"spec":{"schedulerName":"gang-scheduler","containers":[{"name":"c","image":"i",)"
           R"("resources":{"requests":{"cpu":")" +
           cpu + R"("}}}]}})";
}

std::string filled(DemoObject object, const std::string& driver_uid = "") {
    return fill_template(
        template_of(object, DemoLanguage::jvm),
        {{"APP", "spark-0001"},
         {"DRIVER_UID", driver_uid},
         {"EXECUTORS", "2"},
         {"ID", "1"},
         {"NAME", "pi"},
         {"NAMESPACE", "default"}});
}

}  // namespace

TEST_CASE("daemon: a pod that fits is bound, one that does not gets a condition with a code") {
    World world;
    world.start();
    world.create(pods_path, lone_pod("small", "1"));
    world.create(pods_path, lone_pod("giant", "64"));
    CHECK(world.until([&] { return !world.node_of("small").empty(); }));
    CHECK(world.until([&] { return world.condition_of("giant").ends_with("[ExceedsCluster]"); }));
    CHECK(world.condition_of("giant").rfind("0/2 nodes", 0) == 0);
    CHECK(world.node_of("giant").empty());
    CHECK(world.logged.find("info bind pod=default/small node=node-") != std::string::npos);
    CHECK(world.daemon->stats().leading);
    CHECK(world.daemon->stats().synced);
}

TEST_CASE("daemon: a Spark driver waits for its config map, then holds its gang's room") {
    World world;
    world.start();
    world.create(pods_path, filled(DemoObject::driver));
    const std::string driver = Json::parse(filled(DemoObject::driver))->text({"metadata", "name"});
    CHECK(
        world.until([&] { return world.condition_of(driver).ends_with("[WaitingForSparkConf]"); }));
    CHECK(world.node_of(driver).empty());
    const std::string uid = world.get(pods_path + "/" + driver).text({"metadata", "uid"});
    world.create(maps_path, filled(DemoObject::driver_conf_map, uid));
    CHECK(world.until([&] { return !world.node_of(driver).empty(); }));
    const Json bound = world.get(pods_path + "/" + driver);
    const std::string annotation =
        bound.text({"metadata", "annotations", gang::reservation_annotation});
    const auto reservation = gang::decode_reservation(annotation, 1000);
    REQUIRE_MESSAGE(reservation.has_value(), annotation);
    CHECK(gang::slot_count(*reservation) == 2);
    CHECK(reservation->anchor == uid);
    CHECK(world.daemon->explain("spark-0001").has_value());
}

TEST_CASE("daemon: a restarted one finds the reservation again") {
    World world;
    world.start();
    world.create(pods_path, filled(DemoObject::driver));
    const std::string driver = Json::parse(filled(DemoObject::driver))->text({"metadata", "name"});
    const std::string uid = world.get(pods_path + "/" + driver).text({"metadata", "uid"});
    world.create(maps_path, filled(DemoObject::driver_conf_map, uid));
    REQUIRE(world.until([&] { return !world.node_of(driver).empty(); }));
    world.stop();
    world.start();
    CHECK(world.until([&] {
        const auto found = world.daemon->explain(driver);
        return found && found->gang.executors == 2 && found->gang.slots_open == 2;
    }));
}

TEST_CASE("daemon: with election it takes the lease first and gives it back at the end") {
    config::Schema config = one_replica();
    config.leader_election.enabled = true;
    World world(config);
    const std::string lease =
        "/apis/coordination.k8s.io/v1/namespaces/default/leases/gang-scheduler";
    world.start();
    world.create(pods_path, lone_pod("small", "1"));
    CHECK(world.until([&] { return !world.node_of("small").empty(); }));
    CHECK(world.get(lease).text({"spec", "holderIdentity"}) == "test");
    world.stop();
    CHECK(world.get(lease).text({"spec", "holderIdentity"}).empty());
    CHECK_FALSE(world.lost);
}

TEST_CASE("daemon: a lease that comes back after it was lost starts no second leadership term") {
    config::Schema config = one_replica();
    config.leader_election = {true, "gang-scheduler", "", 2'000, 1'000, 100};
    World world(config);
    const std::string lease =
        "/apis/coordination.k8s.io/v1/namespaces/default/leases/gang-scheduler";
    world.start();
    REQUIRE(world.until([&] { return world.daemon->stats().leading; }));
    world.replace(
        lease,
        R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",)"
        R"("metadata":{"name":"gang-scheduler","namespace":"default","resourceVersion":")" +
            world.get(lease).text({"metadata", "resourceVersion"}) +
            R"("},)"
            R"("spec":{"holderIdentity":"thief","leaseDurationSeconds":1,"leaseTransitions":5}})");
    REQUIRE(world.until([&] { return world.lost; }));
    CHECK(world.until([&] { return world.get(lease).text({"spec", "holderIdentity"}) == "test"; }));
    CHECK_FALSE(world.daemon->stats().leading);
    const std::string leading = " leading epoch=";
    CHECK(world.logged.find(leading) == world.logged.rfind(leading));
}

TEST_CASE("daemon: it stops within seconds, also when the server is gone") {
    World world;
    world.start();
    REQUIRE(world.until([&] { return world.daemon->stats().synced; }));
    world.stop_server();
    const auto begin = std::chrono::steady_clock::now();
    world.stop();
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(6));
}

TEST_CASE("daemon: the audit finds and mends what a watch has lost") {
    World world;
    world.start();
    REQUIRE(world.until([&] { return world.daemon->stats().synced; }));
    REQUIRE(world.consistency());
    CHECK(world.daemon->consistency().drift.empty());
    const auto bound_pods = [&world] {
        std::int64_t pods = 0;
        for (const gang::NodeLedger& node : world.daemon->ledger()) {
            pods += node.pods_bound;
        }
        return pods;
    };
    SUBCASE("a pod of another scheduler that came") {
        world.lose_next_pod_change();
        world.create(
            pods_path,
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"foreign"},"spec":{"nodeName":)"
            R"("node-1","containers":[{"name":"c","image":"i"}]}})");
        REQUIRE(world.consistency());
        REQUIRE(world.daemon->consistency().drift.size() == 1);
        CHECK(world.daemon->consistency().drift[0].kind == gang::DriftKind::pod_unknown);
        CHECK(world.daemon->consistency().drift[0].name == "default/foreign");
        CHECK(world.until([&] { return bound_pods() == 1; }));
        CHECK(
            world.logged.find("error drift kind=\"pod unknown\" name=default/foreign") !=
            std::string::npos);
    }
    SUBCASE("a pod of ours that waits: it is bound after all") {
        world.lose_next_pod_change();
        world.create(pods_path, lone_pod("unheard", "1"));
        REQUIRE(world.consistency());
        CHECK(world.daemon->consistency().drift_total == 1);
        CHECK(world.until([&] { return !world.node_of("unheard").empty(); }));
    }
    REQUIRE(world.until([&] { return world.daemon->stats().synced; }));
    REQUIRE(world.consistency());
    CHECK(world.daemon->consistency().drift.empty());
}

TEST_CASE("daemon: its owner is told when it rests after a full list, and after a later one") {
    World world;
    world.create(pods_path, lone_pod("first", "1"));
    world.start();
    CHECK(world.rests == 0);
    CHECK(world.until([&] { return world.rests > 0; }));
    CHECK(world.until([&] { return !world.node_of("first").empty(); }));
    const int before = world.rests;
    world.lose_next_pod_change();
    world.create(pods_path, lone_pod("unheard", "1"));
    REQUIRE(world.consistency());  // which lists anew
    CHECK(world.until([&] { return world.rests > before; }));
}
