// The claim client against a server that plays the API server and a provisioner.
#include "k8s/volume/claim_client.hpp"

#include "tests/k8s/fake_server.hpp"

#include <doctest/doctest.h>

#include <map>
#include <mutex>
#include <optional>
#include <string>

using namespace k8s;

namespace {

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Claims by name; a provisioner binds those with a node after some looks at them.
struct Claims {
    struct State {
        std::string node;
        std::string volume;
        int looks = 0;
        int version = 1;
    };
    std::mutex mutex;
    std::map<std::string, State> claims = {{"one", {}}, {"two", {}}};
    int bound_after = 2;
    bool refuses = false;  ///< the provisioner takes the annotation away
    bool denies_volumes = false;
    bool local_is_bound = false;
    std::string volume_claim;
    std::string comes_late;  ///< a volume that the watch tells of; set before it begins
    int driver_status = 404;  ///< of the CSIDriver that makes volumes of the class "fast"

    /// A volume for the claim "local".
    std::string there() const {
        return R"({"metadata":{"name":"there","resourceVersion":"3"},"spec":{)" + volume_claim +
               R"("storageClassName":"local","capacity":{"storage":"1Gi"}},)"
               R"("status":{"phase":"Available"}})";
    }

    static std::string another(const std::string& name) {
        return R"({"metadata":{"name":")" + name + R"("},"spec":{"storageClassName":"local",)"
               R"("capacity":{"storage":"9Gi"}},"status":{"phase":"Available"}})";
    }

    static std::string name_of(const std::string& target) {
        return target.substr(target.rfind('/') + 1);
    }
    static std::string json(const State& state) {
        std::string annotations;
        if (!state.node.empty()) {
            annotations = R"("volume.kubernetes.io/selected-node":")" + state.node + "\"";
        }
        if (!state.volume.empty()) annotations += R"(,"pv.kubernetes.io/bind-completed":"yes")";
        return R"({"metadata":{"resourceVersion":")" + std::to_string(state.version) +
               R"(","annotations":{)" + annotations +
               R"(}},"spec":{"storageClassName":"fast",)"
               R"("volumeName":")" +
               state.volume + R"("}})";
    }

    void handle(fake::Peer& peer, const fake::Request& request) {
        if (has(request.target, "watch=true")) {
            peer.begin_chunks();
            if (!comes_late.empty()) {
                peer.chunk(R"({"type":"ADDED","object":)" + another(comes_late) + "}\n");
            }
            return peer.hold();
        }
        const std::lock_guard lock(mutex);
        if (has(request.target, "/storageclasses/fast")) {
            return peer.reply(
                200, R"({"provisioner":"p","volumeBindingMode":"WaitForFirstConsumer"})");
        }
        if (has(request.target, "/csidrivers/p")) {
            if (driver_status == 200) {
                return peer.reply(200, R"({"spec":{"storageCapacity":true}})");
            }
            return peer.reply(driver_status, fake::status_body(driver_status, "No", "not yours"));
        }
        if (has(request.target, "/storageclasses/local")) {
            return peer.reply(
                200,
                R"({"provisioner":"kubernetes.io/no-provisioner",)"
                R"("volumeBindingMode":"WaitForFirstConsumer"})");
        }
        if (has(request.target, "/persistentvolumes?")) {
            if (denies_volumes) {
                return peer.reply(403, fake::status_body(403, "Forbidden", "not yours"));
            }
            return peer.reply(
                200, R"({"metadata":{"resourceVersion":"1"},"items":[)" + there() + "]}");
        }
        if (has(request.target, "/persistentvolumes/there")) {
            if (request.method == "PATCH") {
                REQUIRE(has(request.body, R"("resourceVersion":"3")"));
                volume_claim = R"("claimRef":{"namespace":"ns","name":"local","uid":"u"},)";
                local_is_bound = true;
            }
            return peer.reply(200, there());
        }
        if (has(request.target, "/persistentvolumeclaims/local")) {
            const std::string bound =
                local_is_bound ? R"(,"annotations":{"pv.kubernetes.io/bind-completed":"yes"})" : "";
            return peer.reply(
                200,
                R"({"metadata":{"name":"local","namespace":"ns","uid":"u")" + bound +
                    R"(},"spec":{"storageClassName":"local","volumeName":")" +
                    (local_is_bound ? "there" : "") + R"("}})");
        }
        if (has(request.target, "/persistentvolumes/v-one")) {
            return peer.reply(
                200, R"({"metadata":{"labels":{"topology.kubernetes.io/zone":"a"}},"spec":{}})");
        }
        const auto found = claims.find(name_of(request.target));
        if (found == claims.end() || !has(request.target, "/persistentvolumeclaims/")) {
            return peer.reply(404, fake::status_body(404, "NotFound", "no such thing"));
        }
        State& state = found->second;
        if (request.method == "PATCH") {
            if (!has(request.body, R"("resourceVersion":")" + std::to_string(state.version))) {
                return peer.reply(409, fake::status_body(409, "Conflict", "changed"));
            }
            const auto at = request.body.find("selected-node\":\"") + 16;
            state.node = request.body.substr(at, request.body.find('"', at) - at);
            ++state.version;
            return peer.reply(200, json(state));
        }
        if (!state.node.empty() && state.volume.empty() && ++state.looks >= bound_after) {
            ++state.version;
            if (refuses) {
                state.node.clear();
            } else {
                state.volume = "v-" + found->first;
            }
        }
        peer.reply(200, json(state));
    }
};

struct Rig {
    explicit Rig(ClaimClientOptions options = ClaimClientOptions())
        : server([this](fake::Peer& peer, const fake::Request& request) {
              claims.handle(peer, request);
          }) {
        options.pause_ms_min = 1;
        options.pause_ms_max = 5;
        client = std::make_unique<ClaimClient>(io, server.endpoint(), options);
    }
    ~Rig() {
        client.reset();
        io.restart();
        io.run_for(std::chrono::seconds(1));
        CHECK(io.stopped());
    }
    ClaimResult read(const std::string& name) {
        std::optional<ClaimResult>& result = results[name];
        result.reset();
        client->read("ns", name, [&result](ClaimResult r) { result = std::move(r); });
        CHECK_FALSE(result);  // never from inside the call
        fake::run_until(io, [&] { return result.has_value(); });
        return *result;
    }
    std::string claim_volume(const std::string& volume) {
        std::optional<std::string> result;
        client->provision({"ns", {}, "n1", {{"local", volume}}}, [&](std::string why) {
            result = std::move(why);
        });
        fake::run_until(io, [&] { return result.has_value(); });
        return *result;
    }
    std::string provision(std::vector<std::string> names) {
        std::optional<std::string> result;
        client->provision(
            {"ns", std::move(names), "n1"}, [&](std::string why) { result = std::move(why); });
        fake::run_until(io, [&] { return result.has_value(); });
        return *result;
    }

    Claims claims;
    std::map<std::string, std::optional<ClaimResult>> results;  ///< the last, by claim
    boost::asio::io_context io;
    fake::Server server;
    std::unique_ptr<ClaimClient> client;
};

}  // namespace

TEST_CASE("claim client: a claim is read with its class, or with its volume") {
    Rig rig;
    const ClaimResult waiting = rig.read("one");
    CHECK(waiting.outcome == FetchOutcome::found);
    CHECK(waiting.claim.state == core::ClaimState::consumer);
    CHECK(rig.provision({"one"}).empty());
    const ClaimResult bound = rig.read("one");
    CHECK(bound.claim.state == core::ClaimState::bound);
    REQUIRE(bound.claim.nodes.size() == 1);
    CHECK(bound.claim.nodes[0].rule == core::VolumeRule::zone);
    CHECK(rig.read("three").outcome == FetchOutcome::not_found);
    CHECK(rig.provision({"two"}).empty());
    // Its volume is not there any more.
    const ClaimResult lost = rig.read("two");
    CHECK(lost.outcome == FetchOutcome::found);
    CHECK(lost.claim.problem == "no such thing");
}

TEST_CASE("claim client: volumes of one pod are made side by side") {
    Rig rig;
    rig.claims.bound_after = 4;
    CHECK(rig.provision({"one", "two"}).empty());
    const auto requests = rig.server.requests();
    std::vector<std::string> first;
    for (const auto& request : requests) {
        if (request.method == "PATCH") first.push_back(request.target);
    }
    REQUIRE(first.size() == 2);
    CHECK(has(first[0], "/one"));
    CHECK(has(first[1], "/two"));
    CHECK(requests[0].method == "GET");
    CHECK(requests[1].method == "PATCH");
    CHECK(requests[3].method == "PATCH");
}

TEST_CASE("claim client: a provisioner that cannot make one for that node") {
    Rig rig;
    rig.claims.refuses = true;
    CHECK(
        rig.provision({"one"}) ==
        "persistentvolumeclaim \"one\": no volume could be made for node n1");
    CHECK(rig.provision({"gone"}) == "persistentvolumeclaim \"gone\": no such thing");
}

TEST_CASE("claim client: nothing is written without leadership, and no wait is endless") {
    ClaimClientOptions options;
    options.may_write = [] { return false; };
    options.provision_ms_max = 50;
    Rig rig(options);
    CHECK(rig.provision({"one"}) == "persistentvolumeclaim \"one\": no volume was made in time");
    CHECK(rig.server.count("PATCH", "") == 0);
}

TEST_CASE("claim client: PRED-12: a volume that is there is found, and becomes the claim's") {
    Rig rig;
    const ClaimResult waiting = rig.read("local");
    CHECK(waiting.claim.state == core::ClaimState::consumer);
    REQUIRE(waiting.claim.available.size() == 1);
    CHECK(waiting.claim.available[0].name == "there");
    CHECK(waiting.claim.nodes.empty());  // it can be used everywhere
    CHECK(rig.claim_volume("there").empty());
    CHECK(rig.server.count("PATCH", "/persistentvolumes/there") == 1);
    CHECK(
        rig.claim_volume("") ==
        "persistentvolumeclaim \"local\": no volume is left for it on node n1");
}

TEST_CASE("claim client: PRED-12: a volume that somebody else has by now is not taken") {
    Rig rig;
    {
        const std::lock_guard lock(rig.claims.mutex);
        rig.claims.volume_claim = R"("claimRef":{"namespace":"ns","name":"other","uid":"w"},)";
    }
    CHECK(
        rig.claim_volume("there") ==
        "persistentvolumeclaim \"local\": volume there is not to be had any more");
    CHECK(rig.server.count("PATCH", "") == 0);
}

TEST_CASE("claim client: who waits for a volume that is there is told when another one comes") {
    Rig rig;
    rig.claims.comes_late = "late";
    rig.read("local");
    fake::run_until(
        rig.io, [&] { return rig.results.at("local")->claim.available.size() == 2; });
    CHECK(rig.results.at("local")->claim.available[1].name == "late");
    CHECK(rig.server.count("GET", "/persistentvolumes?limit") == 1);
}

TEST_CASE("claim client: without the right to list volumes a class that makes none says so") {
    Rig rig;
    rig.claims.denies_volumes = true;
    CHECK(has(rig.read("local").claim.problem, "cannot be listed: not yours"));
    CHECK(rig.read("one").claim.problem.empty());
}

TEST_CASE("claim client: whether storage counts, its driver says") {
    std::vector<std::string> notices;
    ClaimClientOptions options;
    options.notice = [&notices](NoticeLevel, const std::string& text) { notices.push_back(text); };
    Rig rig(options);
    CHECK_FALSE(rig.read("one").claim.is_storage_counted);
    rig.claims.driver_status = 200;
    CHECK(rig.read("one").claim.is_storage_counted);
    rig.claims.driver_status = 500;
    CHECK(rig.read("one").outcome == FetchOutcome::failed);
    CHECK(notices.empty());
    rig.claims.driver_status = 403;
    for (const char* name : {"one", "two"}) {
        const ClaimResult unseen = rig.read(name);
        CHECK(unseen.outcome == FetchOutcome::found);
        CHECK_FALSE(unseen.claim.is_storage_counted);
    }
    REQUIRE(notices.size() == 1);
    CHECK(has(notices[0], "not yours; free storage is not looked at"));
    // A class that makes none has no driver.
    CHECK(rig.read("local").outcome == FetchOutcome::found);
    CHECK(rig.server.count("GET", "/csidrivers/") == 5);
}

TEST_CASE("claim client: after stop() nothing is answered") {
    Rig rig;
    bool is_answered = false;
    rig.client->read("ns", "one", [&](ClaimResult) { is_answered = true; });
    rig.client->stop();
    rig.io.run_for(std::chrono::milliseconds(200));
    CHECK_FALSE(is_answered);
}
