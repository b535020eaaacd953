#include "gang/app/cli/service/leader_service.hpp"

#include <doctest/doctest.h>

using namespace gang::app;

TEST_CASE("leader service: a Service is a namespace and a name, and perhaps a port") {
    const auto plain = parse_service("etl/scheduler");
    REQUIRE(plain);
    CHECK(plain->namespace_name == "etl");
    CHECK(plain->name == "scheduler");
    CHECK(plain->port == "api");
    const auto with_port = parse_service("etl/scheduler:10353");
    REQUIRE(with_port);
    CHECK(with_port->name == "scheduler");
    CHECK(with_port->port == "10353");
    for (const char* wrong : {"", "scheduler", "/scheduler", "etl/", "etl/a/b", "etl/a:", ":api", "etl:80/a"}) {
        CHECK_FALSE_MESSAGE(parse_service(wrong), wrong);
    }
}
