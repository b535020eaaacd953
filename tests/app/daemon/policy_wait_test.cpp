// A policy in a config map of the embedded API server: real HTTP, one loop.
#include "gang/app/daemon/policy_wait.hpp"

#include "k8s/embedded/cluster.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

using namespace gang::app;
namespace embedded = k8s::embedded;

namespace {

const std::string maps = "/api/v1/namespaces/kube-system/configmaps";

std::string map_with(const std::string& key, const std::string& text) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"policy"},"data":{")" + key +
           "\":\"" + text + "\"}}";
}

constexpr const char* right =
    R"({\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"priorities\":[{\"name\":\"EqualPriority\"}]})";

class World {
public:
    World()
        : cluster_(io_, {}),
          log_(
              config::LogFormat::console, config::LogLevel::debug, [this](const std::string& line) {
                  logged += line;
              }) {
        const auto port = cluster_.start();
        REQUIRE(port.has_value());
        k8s::Access access;
        access.tls = false;
        access.host = "127.0.0.1";
        access.port = *port;
        auto endpoint = k8s::Endpoint::make(access, "gang-scheduler/test");
        REQUIRE(endpoint.has_value());
        PolicyWaitOptions options;
        options.endpoint = *endpoint;
        options.loaded.schema.server_listen.clear();
        options.loaded.policy_map = config::PolicyMap{"kube-system", "policy"};
        options.log = &log_;
        options.ask_every_ms = 10;
        options.say_every_ms = 50;
        options.found = [this](config::Loaded loaded) { found = std::move(loaded); };
        wait = std::make_unique<PolicyWait>(io_, std::move(options));
        wait->start();
    }
    ~World() {
        wait.reset();
        cluster_.stop();
        io_.poll();
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    /// Runs the loop until it holds, for at most ten seconds.
    bool until(const std::function<bool()>& holds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!holds() && std::chrono::steady_clock::now() < end) {
            io_.run_one_for(std::chrono::milliseconds(100));
            io_.restart();
        }
        return holds();
    }
    bool says(const std::string& text) {
        return until([&] { return logged.find(text) != std::string::npos; });
    }
    void ask(const std::string& method, const std::string& path, const std::string& body) {
        const auto response = cluster_.api().handle(embedded::Request{method, path, body});
        REQUIRE_MESSAGE(response.status < 300, response.body);
    }

    std::string logged;
    std::optional<config::Loaded> found;
    std::unique_ptr<PolicyWait> wait;

private:
    boost::asio::io_context io_{1};
    embedded::Cluster cluster_;
    Log log_;
};

}  // namespace

TEST_CASE("SEC-6: a policy's map is waited for, and its absence is said again and again") {
    World world;
    REQUIRE(
        world.says("waiting for the policy, nothing is scheduled configMap=kube-system/policy"));
    const std::size_t said = world.logged.size();
    CHECK(world.until([&] { return world.logged.size() > said; }));
    CHECK_FALSE(world.found);
    world.ask("POST", maps, map_with("policy.cfg", right));
    REQUIRE(world.until([&] { return world.found.has_value(); }));
    CHECK_FALSE(world.found->policy_map);
    CHECK(world.found->schema.profiles.front().scores.size() == 1);
}

TEST_CASE("SEC-6: a map that is wrong is waited for like one that is not there") {
    World world;
    world.ask("POST", maps, map_with("policy", right));
    REQUIRE(world.says("the map has no key policy.cfg"));
    world.ask("PUT", maps + "/policy", map_with("policy.cfg", R"({\"kind\":\"Polcy\"})"));
    REQUIRE(world.says("policy.cfg:1:1: expected kind Policy and apiVersion v1"));
    CHECK_FALSE(world.found);
    world.ask("PUT", maps + "/policy", map_with("policy.cfg", right));
    CHECK(world.until([&] { return world.found.has_value(); }));
}

TEST_CASE("SEC-6: a wait that is stopped finds nothing") {
    World world;
    REQUIRE(world.says("waiting for the policy"));
    world.wait->stop();
    world.ask("POST", maps, map_with("policy.cfg", right));
    world.logged.clear();
    int turns = 0;
    world.until([&turns] { return ++turns > 5; });
    CHECK_FALSE(world.found);
    CHECK(world.logged.empty());
}
