#include "core/value/resources.hpp"

#include "tests/core/printing.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <limits>

using core::Resources;
using core::set_resource;

TEST_CASE("resources: names go to their fields, cpu in thousandths") {
    Resources made;
    build::set(made, "cpu", "1500m");
    build::set(made, "memory", "2Gi");
    build::set(made, "ephemeral-storage", "1Ki");
    build::set(made, "nvidia.com/gpu", "2");
    build::set(made, "hugepages-2Mi", "4Mi");
    CHECK(made.cpu_milli == 1500);
    CHECK(made.memory_bytes == 2LL << 30);
    CHECK(made.ephemeral_bytes == 1024);
    CHECK(made.extended_amount("nvidia.com/gpu") == 2);
    CHECK(made.extended_amount("nvidia.com/gp") == 0);
    REQUIRE(made.extended.size() == 2);
    CHECK(made.extended[0].name == "hugepages-2Mi");
}

TEST_CASE("resources: pods is not a resource of a pod, zero leaves nothing behind") {
    Resources made;
    build::set(made, "pods", "110");
    build::set(made, "example.com/x", "0");
    CHECK(made == Resources{});
    build::set(made, "example.com/x", "3");
    build::set(made, "example.com/x", "5");
    CHECK(made.extended_amount("example.com/x") == 5);
    build::set(made, "example.com/x", "0");
    CHECK(made == Resources{});
}

TEST_CASE("resources: errors name the resource") {
    Resources made;
    CHECK(set_resource(made, "cpu", "-1").error().message == "cpu: \"-1\" is negative");
    CHECK(set_resource(made, "memory", "8Ei").error().message.starts_with("memory: "));
    CHECK_FALSE(set_resource(made, "nvidia.com/gpu", "many").has_value());
    CHECK(made == Resources{});
}

TEST_CASE("resources: sum and larger merge extended resources by name") {
    Resources a = build::resources("1", "1Gi");
    build::set(a, "a", "1");
    build::set(a, "c", "3");
    Resources b = build::resources("2", "512Mi");
    build::set(b, "b", "2");
    build::set(b, "c", "4");
    const auto total = core::sum(a, b);
    REQUIRE(total.has_value());
    CHECK(total->cpu_milli == 3000);
    CHECK(total->memory_bytes == build::bytes("1536Mi"));
    CHECK(core::describe(*total) == "3 cpu, 1536Mi memory, 1 a, 2 b, 7 c");
    CHECK(core::describe(core::larger(a, b)) == "2 cpu, 1Gi memory, 1 a, 2 b, 4 c");
    CHECK(core::larger(a, b) == core::larger(b, a));
}

TEST_CASE("resources: a sum past 64 bits is an error") {
    Resources half;
    half.memory_bytes = std::numeric_limits<std::int64_t>::max() / 2 + 1;
    CHECK_FALSE(core::sum(half, half).has_value());
    Resources gpus;
    gpus.extended = {{"x", std::numeric_limits<std::int64_t>::max()}};
    CHECK_FALSE(core::sum(gpus, gpus).has_value());
    CHECK(core::sum(gpus, half).has_value());
}

TEST_CASE("resources: described in the units of the request") {
    Resources made = build::resources("500m", "1408Mi");
    build::set(made, "ephemeral-storage", "10Gi");
    build::set(made, "hugepages-2Mi", "4Mi");
    CHECK(
        core::describe(made) ==
        "500m cpu, 1408Mi memory, 10Gi ephemeral-storage, 4Mi hugepages-2Mi");
    CHECK(core::describe(Resources{}) == "nothing");
}
