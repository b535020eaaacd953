#include "k8s/demand/demand_client.hpp"

#include "tests/k8s/fake_server.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using k8s::DemandKind;
using k8s::DemandOutcome;
using k8s::DemandResult;

namespace {

/// Answers with 503 whatever has this in its target, and all else with 200.
fake::Handler refusing(const std::string& part) {
    return [part](fake::Peer& peer, const fake::Request& request) {
        const bool is_refused = !part.empty() && request.target.find(part) != std::string::npos;
        peer.reply(is_refused ? 503 : 200, "{}");
    };
}

/// A driver with objects of two shapes is dropped: what came of it, and what was asked for, in
/// order.
std::pair<DemandResult, std::vector<std::string>> drop(
    DemandKind kind, const std::string& refused) {
    boost::asio::io_context io;
    fake::Server server(refusing(refused));
    k8s::DemandClientOptions options;
    options.kind = kind;
    options.may_write = [] { return true; };
    k8s::DemandClient client(io, server.endpoint(), options);
    std::optional<DemandResult> result;
    k8s::DemandRequest request;
    request.driver = {"etl", "d", "uid-1"};
    request.shapes_max = 2;
    client.drop(request, [&](const DemandResult& said) {
        result = said;
        client.stop();
    });
    io.run_for(std::chrono::seconds(20));
    REQUIRE(result);
    std::vector<std::string> deleted;
    for (const fake::Request& one : server.requests()) {
        CHECK(one.method == "DELETE");
        const std::size_t name = one.target.rfind('/');
        const std::size_t kind_at = one.target.rfind('/', name - 1);
        deleted.push_back(one.target.substr(kind_at + 1));
    }
    return {*result, deleted};
}

}  // namespace

TEST_CASE("a driver's buffers are deleted before their templates, by which they are found") {
    const auto [result, deleted] = drop(DemandKind::capacity_buffer, "");
    CHECK(result.outcome == DemandOutcome::done);
    CHECK_FALSE(result.may_exist);
    CHECK(
        deleted == std::vector<std::string>{
                       "capacitybuffers/gang-demand-uid-1-0",
                       "podtemplates/gang-demand-uid-1-0",
                       "capacitybuffers/gang-demand-uid-1-1",
                       "podtemplates/gang-demand-uid-1-1"});
}

TEST_CASE("a template whose buffer could not be deleted stays, and others go") {
    const auto [result, deleted] =
        drop(DemandKind::capacity_buffer, "capacitybuffers/gang-demand-uid-1-0");
    CHECK(result.outcome == DemandOutcome::failed);
    CHECK(result.may_exist);
    CHECK(
        deleted == std::vector<std::string>{
                       "capacitybuffers/gang-demand-uid-1-0",
                       "capacitybuffers/gang-demand-uid-1-1",
                       "podtemplates/gang-demand-uid-1-1"});
}

TEST_CASE("the templates of a request that could not be deleted stay") {
    const auto [result, deleted] = drop(DemandKind::provisioning_request, "provisioningrequests");
    CHECK(result.outcome == DemandOutcome::failed);
    CHECK(result.may_exist);
    CHECK(deleted == std::vector<std::string>{"provisioningrequests/gang-demand-uid-1"});
    CHECK(drop(DemandKind::provisioning_request, "").second.size() == 3);
}
