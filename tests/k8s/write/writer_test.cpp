#include "k8s/write/writer.hpp"

#include "tests/k8s/fake_server.hpp"

#include <boost/asio/post.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

using namespace k8s;

namespace {

std::string pod(const std::string& version, const std::string& node = "") {
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"ns","uid":"u1",)"
           R"("resourceVersion":")" +
           version + R"("},"spec":{"nodeName":")" + node + R"("}})";
}

const char* const created = R"({"kind":"Status","status":"Success","code":201})";
const char* const binding = "/api/v1/namespaces/ns/pods/p/binding";

struct Rig {
    explicit Rig(fake::Handler handler, WriterOptions options = WriterOptions())
        : server(std::move(handler)) {
        options.component = "gang-scheduler";
        options.instance = "test";
        if (options.call_timeout_ms == WriterOptions().call_timeout_ms) {
            options.call_timeout_ms = 1'000;
        }
        writer = std::make_unique<Writer>(io, server.endpoint(), options);
    }
    ~Rig() {
        writer.reset();
        io.restart();
        io.run_for(std::chrono::seconds(1));
        CHECK(io.stopped());
    }

    static BindRequest request(const std::string& version = "100") {
        BindRequest made;
        made.pod = PodName{"ns", "p", "u1"};
        made.resource_version = version;
        made.node = "n1";
        made.annotations = {{"gang-scheduler/slot", "s1"}};
        return made;
    }
    static StatusPatch condition(const std::string& message) {
        StatusPatch patch;
        patch.pod = PodName{"ns", "p", "u1"};
        patch.condition = PodCondition{"Unschedulable", message};
        return patch;
    }

    BindResult bind(BindRequest wanted) {
        std::optional<BindResult> result;
        writer->bind(wanted, [&](BindResult r) { result = std::move(r); });
        CHECK_FALSE(result);  // never from inside the call
        fake::run_until(io, [&] { return result.has_value(); });
        CHECK(result->request.pod == wanted.pod);
        CHECK(result->request.node == wanted.node);
        return *result;
    }
    StatusResult patch(StatusPatch wanted) {
        std::optional<StatusResult> result;
        writer->patch_status(std::move(wanted), [&](StatusResult r) { result = std::move(r); });
        fake::run_until(io, [&] { return result.has_value(); });
        return *result;
    }

    boost::asio::io_context io;
    fake::Server server;
    std::unique_ptr<Writer> writer;
};

bool is_binding(const fake::Request& request) {
    return request.target == binding;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("writer: a bind carries uid, version, node and annotations") {
    Rig rig([](fake::Peer& peer, const fake::Request&) { peer.reply(201, created); });
    CHECK(rig.bind(Rig::request()).outcome == BindOutcome::bound);
    const auto requests = rig.server.requests();
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].method == "POST");
    CHECK(requests[0].target == binding);
    CHECK(
        requests[0].body ==
        R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p","namespace":"ns","uid":"u1",)"
        R"("resourceVersion":"100","annotations":{"gang-scheduler/slot":"s1"}},)"
        R"("target":{"apiVersion":"v1","kind":"Node","name":"n1"}})");
    CHECK(rig.writer->stats().binds == 1);
}

TEST_CASE("B8: a bind cut after the server applied it is bound, found by one read") {
    Rig rig([](fake::Peer& peer, const fake::Request& request) {
        if (is_binding(request)) return peer.reset();
        peer.reply(200, pod("101", "n1"));
    });
    CHECK(rig.bind(Rig::request()).outcome == BindOutcome::bound);
    CHECK(rig.server.count("POST", "binding") == 1);
    CHECK(rig.server.requests().back().target == "/api/v1/namespaces/ns/pods/p");
    CHECK(rig.writer->stats().binds_unknown == 1);
}

TEST_CASE("B8: a bind cut before the server applied it is sent again, the same") {
    std::atomic<int> posts = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (!is_binding(request)) return peer.reply(200, pod("100"));
        if (++posts == 1) return peer.hang_up();
        peer.reply(201, created);
    });
    CHECK(rig.bind(Rig::request()).outcome == BindOutcome::bound);
    std::vector<std::string> bodies;
    for (const auto& request : rig.server.requests()) {
        if (is_binding(request)) bodies.push_back(request.body);
    }
    REQUIRE(bodies.size() == 2);
    CHECK(bodies[0] == bodies[1]);
}

TEST_CASE("B8: a bind that times out, and then lands, is bound and asked for nothing else") {
    std::atomic<int> reads = 0;
    WriterOptions options;
    options.call_timeout_ms = 150;
    Rig rig(
        [&](fake::Peer& peer, const fake::Request& request) {
            if (is_binding(request)) return peer.hold();
            if (++reads == 1) return peer.reply(500, "{}");
            peer.reply(200, pod("101", "n1"));
        },
        options);
    CHECK(rig.bind(Rig::request()).outcome == BindOutcome::bound);
    CHECK(rig.server.count("POST", "binding") == 1);
}

TEST_CASE("writer: conflicts are told apart by the pod itself") {
    struct Case {
        std::string pod;
        BindOutcome outcome;
    };
    const std::string recreated = R"({"kind":"Pod","metadata":{"uid":"u2","resourceVersion":"1"}})";
    for (const Case& one :
         {Case{pod("101", "n1"), BindOutcome::bound},
          Case{pod("101", "n2"), BindOutcome::taken},
          Case{pod("101"), BindOutcome::changed},
          Case{recreated, BindOutcome::gone}}) {
        CAPTURE(one.pod);
        Rig rig([&](fake::Peer& peer, const fake::Request& request) {
            if (is_binding(request)) {
                return peer.reply(409, fake::status_body(409, "Conflict", "invalid object"));
            }
            peer.reply(200, one.pod);
        });
        CHECK(rig.bind(Rig::request()).outcome == one.outcome);
        CHECK(rig.server.count("POST", "binding") == 1);
    }
}

TEST_CASE("BIND-9: writer: a throttled bind waits and succeeds on the same node") {
    std::atomic<int> posts = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request&) {
        if (++posts == 1) return peer.reply(429, "{}", "Retry-After: 0\r\n");
        peer.reply(201, created);
    });
    CHECK(rig.bind(Rig::request()).outcome == BindOutcome::bound);
    CHECK(rig.writer->stats().throttled == 1);
}

TEST_CASE("writer: binds that wait to be repeated keep no connection from the others") {
    WriterOptions options;
    options.connections_max = 2;
    std::atomic<bool> is_busy = true;
    Rig rig(
        [&](fake::Peer& peer, const fake::Request& request) {
            if (is_busy && has(request.body, "busy")) {
                return peer.reply(429, "{}", "Retry-After: 2\r\n");
            }
            peer.reply(201, created);
        },
        options);
    std::vector<std::string> bound;
    const auto bind = [&](const std::string& uid) {
        BindRequest request = Rig::request();
        request.pod.uid = uid;
        rig.writer->bind(request, [&bound, uid](BindResult result) {
            CHECK(result.outcome == BindOutcome::bound);
            bound.push_back(uid);
        });
    };
    for (const char* uid : {"busy1", "busy2", "busy3"}) bind(uid);
    fake::run_until(rig.io, [&] { return rig.writer->stats().throttled >= 2; });
    bind("other");
    fake::run_until(rig.io, [&] { return !bound.empty(); });
    CHECK(bound.front() == "other");
    CHECK(rig.writer->stats().throttled == 3);
    CHECK(rig.writer->stats().waiting == 3);
    is_busy = false;
    fake::run_until(rig.io, [&] { return bound.size() == 4; });
    CHECK(rig.server.connections() <= 2);
}

TEST_CASE("writer: a status patch that waits to be repeated keeps no connection from the others") {
    WriterOptions options;
    options.connections_max = 1;
    std::atomic<bool> is_busy = true;
    Rig rig(
        [&](fake::Peer& peer, const fake::Request& request) {
            if (request.method == "POST") return peer.reply(201, created);
            if (is_busy) return peer.reply(500, "{}");
            peer.reply(200, pod("105"));
        },
        options);
    std::vector<std::string> order;
    StatusPatch wanted = Rig::condition("fence");
    wanted.pod.uid = "u2";
    rig.writer->patch_status(wanted, [&](StatusResult result) {
        CHECK(result.written);
        order.push_back("patched");
    });
    fake::run_until(rig.io, [&] { return rig.server.requests().size() == 1; });
    rig.writer->bind(Rig::request(), [&](BindResult) { order.push_back("bound"); });
    fake::run_until(rig.io, [&] { return !order.empty(); });
    CHECK(order == std::vector<std::string>{"bound"});
    CHECK(rig.server.count("PATCH", "/status") == 1);
    is_busy = false;
    fake::run_until(rig.io, [&] { return order.size() == 2; });
    CHECK(rig.writer->stats().waiting == 0);
}

TEST_CASE("writer: a condition that waits to be repeated gives way to a bind of its pod") {
    for (const bool is_delayed : {true, false}) {
        CAPTURE(is_delayed);
        std::mutex gate;
        if (!is_delayed) gate.lock();
        Rig rig([&](fake::Peer& peer, const fake::Request& request) {
            if (request.method == "POST") return peer.reply(201, created);
            const std::lock_guard wait(gate);
            peer.reply(503, "{}", "Retry-After: 9\r\n");
        });
        rig.writer->patch_status(Rig::condition("0/3 nodes fit"), {});
        fake::run_until(rig.io, [&] {
            return is_delayed ? rig.writer->stats().throttled == 1
                              : rig.server.requests().size() == 1;
        });
        std::optional<BindResult> result;
        rig.writer->bind(Rig::request(), [&](BindResult r) { result = std::move(r); });
        if (!is_delayed) gate.unlock();
        fake::run_until(rig.io, [&] { return result.has_value(); });
        CHECK(result->outcome == BindOutcome::bound);
        fake::run_until(rig.io, [&] { return rig.writer->stats().waiting == 0; });
        CHECK(rig.server.count("PATCH", "/status") == 1);
    }
}

TEST_CASE(
    "writer: at the bound of parked writes a condition is dropped, a fence keeps its worker") {
    WriterOptions options;
    options.delayed_max = 0;
    std::atomic<int> patches = 0;
    Rig rig(
        [&](fake::Peer& peer, const fake::Request&) {
            if (++patches <= 2) return peer.reply(500, "{}");
            peer.reply(200, pod("105"));
        },
        options);
    rig.writer->patch_status(Rig::condition("droppable"), {});
    fake::run_until(rig.io, [&] { return rig.writer->stats().conditions_dropped == 1; });
    CHECK(rig.patch(Rig::condition("fence")).written);
    CHECK(patches == 3);
}

TEST_CASE("writer: as much is in flight as the window lets out, and not more than is allowed") {
    std::mutex gate;
    gate.lock();
    Rig rig([&](fake::Peer& peer, const fake::Request&) {
        const std::lock_guard wait(gate);
        peer.reply(201, created);
    });
    int bound = 0;
    for (int i = 0; i < 100; ++i) {
        BindRequest request = Rig::request();
        request.pod.uid = "u" + std::to_string(i);
        rig.writer->bind(request, [&](BindResult) { ++bound; });
    }
    const std::size_t window = rig.writer->stats().in_flight_max;
    CHECK(window == 16);
    fake::run_until(rig.io, [&] { return rig.server.requests().size() == window; });
    CHECK(rig.writer->stats().in_flight == window);
    CHECK(rig.writer->stats().waiting == 100);
    gate.unlock();
    fake::run_until(rig.io, [&] { return bound == 100; });
    CHECK(rig.writer->stats().in_flight == 0);
}

TEST_CASE("writer: a few connections at a time shake hands") {
    fake::Server silent([](fake::Peer&, const fake::Request&) { CHECK(false); });
    Access access = silent.access();
    access.tls = true;
    access.insecure_skip_verify = true;
    auto endpoint = Endpoint::make(access, "gang-scheduler/test");
    REQUIRE(endpoint);
    boost::asio::io_context io;
    Writer writer(io, *endpoint, WriterOptions());
    for (int i = 0; i < 100; ++i) {
        BindRequest request = Rig::request();
        request.pod.uid = "u" + std::to_string(i);
        writer.bind(request, [](BindResult) { CHECK(false); });
    }
    fake::run_until(io, [&] { return silent.connections() == 4; });
    io.poll();
    CHECK(writer.stats().in_flight == 4);
    CHECK(writer.stats().in_flight_max == 16);
}

TEST_CASE("B6: writer: a server that refuses everything is asked ever less, by all of the pool") {
    Rig rig([](fake::Peer& peer, const fake::Request&) {
        peer.reply(429, "{}", "Retry-After: 9\r\n");
    });
    for (int i = 0; i < 1'000; ++i) {
        BindRequest request = Rig::request();
        request.pod.uid = "u" + std::to_string(i);
        rig.writer->bind(request, [](BindResult) { CHECK(false); });
    }
    fake::run_until(rig.io, [&] { return rig.writer->stats().in_flight_max == 1; });
    // 16, 8, 4, 2, and the one after which nothing is sent for nine seconds.
    fake::run_until(rig.io, [&] { return rig.writer->stats().in_flight == 0; });
    CHECK(rig.server.requests().size() <= 31);
    CHECK(rig.writer->stats().waiting == 1'000);
}

TEST_CASE(
    "writer: stopping while the server wants to be left alone waits for what is to be bound") {
    std::atomic<bool> is_busy = true;
    WriterOptions options;
    options.connections_max = 1;
    Rig rig(
        [&](fake::Peer& peer, const fake::Request&) {
            if (is_busy) return peer.reply(429, "{}", "Retry-After: 1\r\n");
            peer.reply(201, created);
        },
        options);
    int bound = 0;
    for (int i = 0; i < 3; ++i) {
        BindRequest request = Rig::request();
        request.pod.uid = "u" + std::to_string(i);
        rig.writer->bind(request, [&](BindResult) { ++bound; });
    }
    fake::run_until(rig.io, [&] { return rig.writer->stats().throttled == 1; });
    is_busy = false;
    std::optional<bool> drained;
    rig.writer->stop(8'000, [&](bool all) { drained = all; });
    fake::run_until(rig.io, [&] { return drained.has_value(); });
    CHECK(*drained);
    CHECK(bound == 3);
}

TEST_CASE("writer: a refusal tells the server's reason") {
    Rig rig([](fake::Peer& peer, const fake::Request&) {
        peer.reply(403, fake::status_body(403, "Forbidden", "may not bind"));
    });
    const BindResult result = rig.bind(Rig::request());
    CHECK(result.outcome == BindOutcome::refused);
    CHECK(result.message == "may not bind");
}

TEST_CASE("writer: annotations that would poison the pod never reach the server") {
    WriterOptions options;
    options.annotation_bytes = [](const std::string&) { return std::size_t{262'130}; };
    Rig rig([](fake::Peer& peer, const fake::Request&) { peer.reply(201, created); }, options);
    CHECK(rig.bind(Rig::request()).outcome == BindOutcome::refused);
    BindRequest bad_key = Rig::request();
    bad_key.annotations = {{"not a key", ""}};
    CHECK(rig.bind(bad_key).outcome == BindOutcome::refused);
    CHECK(rig.server.requests().empty());
}

TEST_CASE("writer: no callback comes from inside the call, on the loop's thread neither") {
    Rig rig([](fake::Peer& peer, const fake::Request&) { peer.reply(201, created); });
    bool returned = false;
    bool called = false;
    boost::asio::post(rig.io, [&] {
        BindRequest bad = Rig::request();
        bad.annotations = {{"not a key", ""}};
        rig.writer->bind(bad, [&](BindResult) {
            CHECK(returned);
            called = true;
        });
        returned = true;
    });
    fake::run_until(rig.io, [&] { return called; });
}

TEST_CASE("writer: destroyed in the middle of a call, it asks its owner nothing more") {
    bool alive = true;
    WriterOptions options;
    options.may_write = [&] {
        CHECK(alive);
        return true;
    };
    Rig rig([](fake::Peer& peer, const fake::Request&) { peer.hold(); }, options);
    rig.writer->bind(Rig::request(), [](BindResult) { CHECK(false); });
    fake::run_until(rig.io, [&] { return rig.server.requests().size() == 1; });
    rig.writer.reset();
    alive = false;
    fake::run_out(rig.io);
}

TEST_CASE("writer: a condition, then a bind with the version that the condition made") {
    Rig rig([](fake::Peer& peer, const fake::Request& request) {
        if (is_binding(request)) return peer.reply(201, created);
        peer.reply(200, pod("105"));
    });
    std::vector<std::string> order;
    rig.writer->patch_status(
        Rig::condition("0/1 nodes [WaitingForCapacity]"), [&](StatusResult result) {
            CHECK(result.written);
            order.push_back("patched");
        });
    rig.writer->bind(Rig::request("100"), [&](BindResult result) {
        CHECK(result.outcome == BindOutcome::bound);
        order.push_back("bound");
    });
    fake::run_until(rig.io, [&] { return order.size() == 2; });
    CHECK(order == std::vector<std::string>{"patched", "bound"});
    const auto requests = rig.server.requests();
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].target == "/api/v1/namespaces/ns/pods/p/status");
    CHECK(requests[0].headers.at("content-type") == "application/strategic-merge-patch+json");
    CHECK(has(requests[0].body, R"("metadata":{"uid":"u1"})"));
    CHECK(has(requests[0].body, R"("type":"PodScheduled","status":"False")"));
    CHECK(has(requests[0].body, R"("message":"0/1 nodes [WaitingForCapacity]")"));
    CHECK(has(requests[1].body, R"("resourceVersion":"105")"));
}

TEST_CASE("writer: a patch tells if the pod was bound meanwhile, and why it failed") {
    Rig rig([](fake::Peer& peer, const fake::Request& request) {
        if (has(request.body, "first")) return peer.reply(200, pod("105", "n7"));
        peer.reply(422, fake::status_body(422, "Invalid", "uid is wrong"));
    });
    const StatusResult first = rig.patch(Rig::condition("first"));
    CHECK(first.written);
    CHECK(first.node == "n7");
    const StatusResult second = rig.patch(Rig::condition("second"));
    CHECK_FALSE(second.written);
    CHECK(second.message == "uid is wrong");
}

TEST_CASE("writer: lastTransitionTime is sent when PodScheduled becomes False, and then no more") {
    Rig rig([](fake::Peer& peer, const fake::Request&) { peer.reply(200, pod("105")); });
    const auto has_time = [&](StatusPatch wanted) {
        CHECK(rig.patch(std::move(wanted)).written);
        return has(rig.server.requests().back().body, "lastTransitionTime");
    };
    CHECK(has_time(Rig::condition("first")));
    CHECK_FALSE(has_time(Rig::condition("the watch has not shown the first one yet")));
    StatusPatch another = Rig::condition("of before our start");
    another.pod.uid = "u2";
    another.condition->is_transition = false;
    CHECK_FALSE(has_time(another));
    another.pod.uid = "u3";
    another.condition->is_transition = true;
    CHECK(has_time(another));
}

TEST_CASE("writer: a patch with annotations alone touches no condition") {
    Rig rig([](fake::Peer& peer, const fake::Request&) { peer.reply(200, pod("105", "n1")); });
    StatusPatch patch;
    patch.pod = PodName{"ns", "p", "u1"};
    patch.resource_version = "99";
    patch.annotations = {{"gang-scheduler/reservation", "{\"v\":1}"}};
    CHECK(rig.patch(patch).written);
    CHECK(
        rig.server.requests().back().body ==
        R"({"metadata":{"uid":"u1","resourceVersion":"99",)"
        R"("annotations":{"gang-scheduler/reservation":"{\"v\":1}"}}})");
}

TEST_CASE("writer: a pod that is found on another node is not called unscheduled") {
    Rig rig([](fake::Peer& peer, const fake::Request& request) {
        if (request.method == "POST") {
            return peer.reply(409, fake::status_body(409, "Conflict", "already assigned"));
        }
        peer.reply(200, pod("101", "n2"));
    });
    std::optional<BindResult> result;
    rig.writer->bind(Rig::request(), [&](BindResult r) { result = std::move(r); });
    rig.writer->patch_status(Rig::condition("0/3 nodes fit"), {});
    fake::run_until(rig.io, [&] { return result && rig.writer->stats().waiting == 0; });
    CHECK(result->outcome == BindOutcome::taken);
    CHECK(rig.server.count("PATCH", "/status") == 0);
}

TEST_CASE("writer: nothing is written without leadership, and nothing was") {
    WriterOptions options;
    options.may_write = [] { return false; };
    Rig rig([](fake::Peer& peer, const fake::Request&) { peer.reply(201, created); }, options);
    CHECK(rig.bind(Rig::request()).outcome == BindOutcome::not_sent);
    CHECK_FALSE(rig.patch(Rig::condition("x")).written);
    CHECK(rig.server.requests().empty());
}

TEST_CASE("writer: config maps, found and not") {
    Rig rig([](fake::Peer& peer, const fake::Request& request) {
        if (has(request.target, "/there")) {
            return peer.reply(
                200,
                R"({"kind":"ConfigMap","metadata":{"name":"there","namespace":"ns"},)"
                R"("data":{"spark.properties":"a=b\n"}})");
        }
        if (has(request.target, "/secret")) return peer.reply(403, "{}");
        if (has(request.target, "/odd")) return peer.reply(200, "[]");
        if (has(request.target, "/broken")) return peer.reply(500, "{}");
        peer.reply(404, fake::status_body(404, "NotFound", "no such thing"));
    });
    const auto fetch = [&](const std::string& name) {
        std::optional<ConfigMapResult> result;
        rig.writer->get_config_map("ns", name, [&](ConfigMapResult r) { result = std::move(r); });
        fake::run_until(rig.io, [&] { return result.has_value(); });
        return *result;
    };
    const ConfigMapResult there = fetch("there");
    CHECK(there.outcome == FetchOutcome::found);
    CHECK(there.config_map.data == core::StringMap{{"spark.properties", "a=b\n"}});
    CHECK(fetch("absent").outcome == FetchOutcome::not_found);
    CHECK(fetch("absent").message == "no such thing");
    CHECK(fetch("secret").outcome == FetchOutcome::forbidden);
    CHECK(fetch("odd").outcome == FetchOutcome::unreadable);
    CHECK(fetch("broken").outcome == FetchOutcome::failed);
    CHECK(rig.server.requests().front().target == "/api/v1/namespaces/ns/configmaps/there");
}

TEST_CASE("writer: an event names its pod, and a failing one is dropped and counted") {
    std::atomic<int> posts = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request&) {
        peer.reply(++posts == 1 ? 201 : 500, "{}");
    });
    for (int i = 0; i < 2; ++i) {
        rig.writer->record_event(
            PodEvent{PodName{"ns", "p", "u1"}, i == 1, "GangAdmitted", "4 pods\non 3 nodes"});
    }
    fake::run_until(rig.io, [&] {
        const WriterStats stats = rig.writer->stats();
        return stats.events == 1 && stats.events_dropped == 1;
    });
    const auto requests = rig.server.requests();
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].target == "/apis/events.k8s.io/v1/namespaces/ns/events");
    CHECK(has(requests[0].body, R"("reportingController":"gang-scheduler")"));
    CHECK(has(requests[0].body, R"("note":"4 pods on 3 nodes")"));
    CHECK(
        has(requests[0].body,
            R"("regarding":{"apiVersion":"v1","kind":"Pod","namespace":"ns",)"
            R"("name":"p","uid":"u1"})"));
}

TEST_CASE("writer: a burst uses no more connections than allowed, and all are bound") {
    WriterOptions options;
    options.connections_max = 3;
    Rig rig([](fake::Peer& peer, const fake::Request&) { peer.reply(201, created); }, options);
    int bound = 0;
    for (int i = 0; i < 50; ++i) {
        BindRequest request = Rig::request();
        request.pod.uid = "u" + std::to_string(i);
        rig.writer->bind(request, [&](BindResult result) {
            bound += result.outcome == BindOutcome::bound ? 1 : 0;
        });
    }
    fake::run_until(rig.io, [&] { return bound == 50; });
    CHECK(rig.server.connections() <= 3);
    CHECK(rig.server.requests().size() == 50);
}

TEST_CASE("writer: idle connections are closed") {
    WriterOptions options;
    options.idle_close_ms = 20;
    Rig rig([](fake::Peer& peer, const fake::Request&) { peer.reply(201, created); }, options);
    CHECK(rig.bind(Rig::request()).outcome == BindOutcome::bound);
    CHECK(rig.writer->stats().connections == 1);
    fake::run_until(rig.io, [&] { return rig.writer->stats().connections == 0; });
    CHECK(rig.bind(Rig::request()).outcome == BindOutcome::bound);
    CHECK(rig.server.connections() == 2);
}

TEST_CASE("writer: at the bound of binds the newcomer is told at once") {
    WriterOptions options;
    options.binds_max = 1;
    options.connections_max = 1;
    Rig rig([](fake::Peer& peer, const fake::Request&) { peer.hold(); }, options);
    std::vector<BindResult> results;
    for (int i = 0; i < 3; ++i) {
        BindRequest request = Rig::request();
        request.pod.uid = "u" + std::to_string(i);
        rig.writer->bind(request, [&](BindResult result) { results.push_back(std::move(result)); });
    }
    fake::run_until(rig.io, [&] { return !results.empty(); });
    CHECK(results.front().outcome == BindOutcome::not_sent);
    CHECK(results.front().request.pod.uid == "u1");
}

// The engine tells whose answer it is by its order alone.
TEST_CASE("writer: a refusal at a bound does not overtake an earlier answer for the same pod") {
    WriterOptions options;
    options.patches_max = 1;
    options.binds_max = 0;
    options.connections_max = 1;
    std::mutex gate;
    gate.lock();
    Rig rig(
        [&](fake::Peer& peer, const fake::Request&) {
            const std::lock_guard wait(gate);
            peer.reply(200, pod("105"));
        },
        options);
    std::vector<std::string> answers;
    const auto patch = [&](const std::string& name, const std::string& uid) {
        StatusPatch wanted = Rig::condition(name);
        wanted.pod.uid = uid;
        rig.writer->patch_status(wanted, [&answers, name](StatusResult result) {
            answers.push_back(name + (result.written ? " written" : " refused"));
        });
    };
    patch("first", "u1");
    fake::run_until(rig.io, [&] { return rig.server.requests().size() == 1; });
    patch("second", "u1");
    patch("third", "u1");
    rig.writer->bind(Rig::request(), [&](BindResult) { answers.push_back("bind refused"); });
    patch("other pod", "u2");
    fake::run_until(rig.io, [&] { return !answers.empty(); });
    CHECK(answers == std::vector<std::string>{"other pod refused"});
    gate.unlock();
    fake::run_until(rig.io, [&] { return answers.size() == 5; });
    CHECK(
        answers == std::vector<std::string>{
                       "other pod refused",
                       "first written",
                       "second written",
                       "third refused",
                       "bind refused"});
}

TEST_CASE("writer: what is asked behind a refusal that waits is refused after it") {
    WriterOptions options;
    options.binds_max = 0;
    Rig rig([](fake::Peer& peer, const fake::Request&) { peer.reply(200, pod("105")); }, options);
    std::vector<std::string> answers;
    rig.writer->bind(Rig::request(), [&](BindResult) { answers.push_back("bind"); });
    rig.writer->patch_status(Rig::condition("x"), [&](StatusResult result) {
        answers.push_back(result.written ? "patch written" : "patch refused");
    });
    fake::run_until(rig.io, [&] { return answers.size() == 2; });
    CHECK(answers == std::vector<std::string>{"bind", "patch refused"});
    CHECK(rig.patch(Rig::condition("y")).written);
}

TEST_CASE("writer: stop lets a bind in flight finish, takes nothing new, drops the droppable") {
    std::mutex gate;
    gate.lock();
    Rig rig([&](fake::Peer& peer, const fake::Request&) {
        const std::lock_guard wait(gate);
        peer.reply(201, created);
    });
    std::optional<BindResult> bound;
    bool stopped = false;
    bool drained = false;
    rig.writer->bind(Rig::request(), [&](BindResult result) {
        CHECK_FALSE(stopped);
        bound = std::move(result);
    });
    fake::run_until(rig.io, [&] { return rig.server.requests().size() == 1; });
    rig.writer->patch_status(Rig::condition("droppable"), nullptr);
    rig.writer->stop(5'000, [&](bool all) { stopped = true, drained = all; });
    std::optional<BindResult> late;
    BindRequest another = Rig::request();
    another.pod.uid = "u2";
    rig.writer->bind(another, [&](BindResult result) { late = std::move(result); });
    fake::run_until(rig.io, [&] { return late.has_value(); });
    CHECK(late->outcome == BindOutcome::not_sent);
    CHECK_FALSE(stopped);
    gate.unlock();
    fake::run_until(rig.io, [&] { return stopped; });
    CHECK(drained);
    REQUIRE(bound);
    CHECK(bound->outcome == BindOutcome::bound);
    CHECK(rig.server.requests().size() == 1);
}

TEST_CASE("writer: stop gives up after its time, without a callback") {
    WriterOptions options;
    options.call_timeout_ms = 60'000;
    Rig rig([](fake::Peer& peer, const fake::Request&) { peer.hold(); }, options);
    bool called = false;
    bool stopped = false;
    bool drained = true;
    rig.writer->bind(Rig::request(), [&](BindResult) { called = true; });
    fake::run_until(rig.io, [&] { return rig.server.requests().size() == 1; });
    rig.writer->stop(50, [&](bool all) { stopped = true, drained = all; });
    fake::run_until(rig.io, [&] { return stopped; });
    CHECK_FALSE(called);
    CHECK_FALSE(drained);  // the bind may still land
}

TEST_CASE("writer: stop waits for a bind that is to be repeated, and gives up after its time") {
    for (const bool recovers : {true, false}) {
        CAPTURE(recovers);
        std::atomic<bool> is_busy = true;
        Rig rig([&](fake::Peer& peer, const fake::Request&) {
            if (is_busy) return peer.reply(429, "{}", "Retry-After: 1\r\n");
            peer.reply(201, created);
        });
        bool is_bound = false;
        std::optional<bool> drained;
        rig.writer->bind(Rig::request(), [&](BindResult) { is_bound = true; });
        fake::run_until(rig.io, [&] { return rig.writer->stats().throttled == 1; });
        is_busy = !recovers;
        rig.writer->stop(recovers ? 8'000 : 50, [&](bool all) {
            CHECK(is_bound == all);
            drained = all;
        });
        fake::run_until(rig.io, [&] { return drained.has_value(); });
        CHECK(drained == recovers);
    }
}

TEST_CASE("writer: stop with nothing to do is done at once") {
    Rig rig([](fake::Peer&, const fake::Request&) {});
    bool stopped = false;
    bool drained = false;
    rig.writer->stop(5'000, [&](bool all) { stopped = true, drained = all; });
    CHECK_FALSE(stopped);
    fake::run_until(rig.io, [&] { return stopped; });
    CHECK(drained);
}
