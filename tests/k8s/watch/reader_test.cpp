#include "k8s/watch/reader.hpp"

#include "tests/k8s/fake_server.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

TEST_CASE("reader: D21: what is no answer of an API server is told with its address") {
    const std::string page = "<html>\nSign in</html>";
    fake::Server server([&page](fake::Peer& peer, const fake::Request&) {
        peer.reply(200, page);
    });
    const k8s::Access access = server.access();
    auto endpoint = k8s::Endpoint::make(access, "test");
    REQUIRE(endpoint);
    const auto pods = k8s::Reader(*endpoint).list_pods("etl");
    REQUIRE_FALSE(pods);
    CHECK(
        pods.error().message ==
        fmt::format(
            "{}:{} is no API server: it answers with 200 and \"<html> Sign in</html>\"",
            access.host,
            access.port));
}
