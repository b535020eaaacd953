#include "core/value/pod.hpp"

#include "tests/core/printing.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>

using build::resources;
using core::effective_requests;
using core::PodRequests;
using core::Resources;

namespace {

Resources effective(const PodRequests& requests) {
    const auto made = effective_requests(requests);
    REQUIRE(made.has_value());
    return *made;
}

}  // namespace

TEST_CASE("effective requests: containers add up") {
    PodRequests pod;
    pod.containers = {{"a", resources("1", "1Gi")}, {"b", resources("500m", "2Gi")}};
    CHECK(effective(pod) == resources("1500m", "3Gi"));
    CHECK(effective({}) == Resources{});
}

TEST_CASE("effective requests: an init container counts alone, resource by resource") {
    PodRequests pod;
    pod.containers = {{"main", resources("2", "1Gi")}};
    pod.init_containers = {{"a", resources("1", "4Gi")}, {"b", resources("1", "3Gi")}};
    CHECK(effective(pod) == resources("2", "4Gi"));
}

TEST_CASE("effective requests: a sidecar adds to containers and to later init containers only") {
    PodRequests pod;
    pod.containers = {{"main", resources("1")}};
    SUBCASE("init before the sidecar stands alone") {
        pod.init_containers = {{"init", resources("3")}, {"proxy", resources("1"), true}};
        CHECK(effective(pod) == resources("3"));
    }
    SUBCASE("init after the sidecar runs beside it") {
        pod.init_containers = {{"proxy", resources("1"), true}, {"init", resources("3")}};
        CHECK(effective(pod) == resources("4"));
    }
    SUBCASE("sidecars run beside the containers") {
        pod.init_containers = {{"a", resources("1"), true}, {"b", resources("2"), true}};
        CHECK(effective(pod) == resources("4"));
    }
}

TEST_CASE("effective requests: pod-level requests replace the sum for what they name") {
    PodRequests pod;
    pod.containers = {{"main", resources("1", "1Gi")}};
    build::set(pod.containers[0].requests, "nvidia.com/gpu", "1");
    build::set(pod.containers[0].requests, "hugepages-2Mi", "2Mi");
    pod.pod_level = resources("4");
    build::set(*pod.pod_level, "hugepages-2Mi", "8Mi");
    build::set(*pod.pod_level, "nvidia.com/gpu", "7");  // not a pod-level resource
    Resources expected = resources("4", "1Gi");
    build::set(expected, "nvidia.com/gpu", "1");
    build::set(expected, "hugepages-2Mi", "8Mi");
    CHECK(effective(pod) == expected);
}

TEST_CASE("effective requests: overhead comes on top of everything") {
    PodRequests pod;
    pod.containers = {{"main", resources("1", "1Gi")}};
    pod.overhead = resources("250m", "120Mi");
    CHECK(effective(pod) == resources("1250m", "1144Mi"));
    pod.pod_level = resources("2", "2Gi");
    CHECK(effective(pod) == resources("2250m", "2168Mi"));
}

TEST_CASE("effective requests: overflow is an error wherever it happens") {
    Resources huge;
    huge.memory_bytes = std::numeric_limits<std::int64_t>::max();
    const Resources one = resources("0", "1");
    PodRequests pod;
    SUBCASE("containers") {
        pod.containers = {{"a", huge}, {"b", one}};
    }
    SUBCASE("sidecar beside containers") {
        pod.containers = {{"a", huge}};
        pod.init_containers = {{"b", one, true}};
    }
    SUBCASE("init beside sidecar") {
        pod.init_containers = {{"a", huge, true}, {"b", one}};
    }
    SUBCASE("overhead") {
        pod.containers = {{"a", huge}};
        pod.overhead = one;
    }
    CHECK_FALSE(effective_requests(pod).has_value());
}

namespace {

/// The rule as it is written down, with whole sums again and again.
core::Result<Resources> plain_effective(const PodRequests& requests) {
    Resources running;
    for (const auto& container : requests.containers) {
        const auto added = core::sum(running, container.requests);
        if (!added) return added.error();
        running = *added;
    }
    Resources sidecars;
    Resources starting;
    for (const auto& init : requests.init_containers) {
        const auto during = core::sum(sidecars, init.requests);
        if (!during) return during.error();
        starting = core::larger(starting, *during);
        if (!init.restartable) continue;
        sidecars = *during;
        const auto with = core::sum(running, init.requests);
        if (!with) return with.error();
        running = *with;
    }
    return core::sum(core::larger(running, starting), requests.overhead);
}

}  // namespace

TEST_CASE("effective requests: the same as the plain rule, for any pod") {
    std::mt19937 random(20261121);
    const auto some = [&random] {
        Resources made;
        made.cpu_milli = random() % 5;
        made.memory_bytes =
            random() % 60 == 0 ? std::numeric_limits<std::int64_t>::max() : random() % 5;
        made.ephemeral_bytes = random() % 5;
        for (const char* name : {"a.b/x", "a.b/y", "hugepages-2Mi", "nvidia.com/gpu"}) {
            const std::int64_t amount = random() % 4;
            if (amount > 0) made.extended.push_back({name, amount});
        }
        return made;
    };
    int refused = 0;
    for (int round = 0; round < 5'000; ++round) {
        PodRequests pod;
        for (std::uint32_t n = random() % 4; n > 0; --n) pod.containers.push_back({"c", some()});
        for (std::uint32_t n = random() % 4; n > 0; --n) {
            pod.init_containers.push_back({"i", some(), random() % 2 == 0});
        }
        if (random() % 2 == 0) pod.overhead = some();
        const auto made = effective_requests(pod);
        CHECK(made == plain_effective(pod));
        refused += made ? 0 : 1;
    }
    CHECK(refused > 50);
}

TEST_CASE("pod: the controlling owner is found among several") {
    core::Pod pod = build::pod("p");
    CHECK(core::find_controller(pod) == nullptr);
    pod.owners = {{"ConfigMap", "c", "1", false}, {"Pod", "driver", "2", true}};
    REQUIRE(core::find_controller(pod) != nullptr);
    CHECK(core::find_controller(pod)->name == "driver");
}

TEST_CASE("pod: succeeded and failed are terminal, nothing else") {
    core::Pod pod = build::pod("p");
    for (const core::PodPhase phase :
         {core::PodPhase::pending, core::PodPhase::running, core::PodPhase::unknown}) {
        pod.phase = phase;
        CHECK_FALSE(core::is_terminal(pod));
    }
    pod.phase = core::PodPhase::succeeded;
    CHECK(core::is_terminal(pod));
    pod.phase = core::PodPhase::failed;
    CHECK(core::is_terminal(pod));
}
