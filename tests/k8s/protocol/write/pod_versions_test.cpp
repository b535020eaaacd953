#include "k8s/protocol/write/pod_versions.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace k8s;

TEST_CASE("pod versions: our own later answer replaces what the watch has shown so far") {
    PodVersions versions;
    CHECK(versions.newest("u", "10") == "10");
    versions.wrote("u", "12");
    CHECK(versions.newest("u", "10") == "12");
    CHECK(versions.newest("u", "15") == "15");
    CHECK(versions.newest("other", "10") == "10");
    CHECK(versions.newest("u", "") == "");  // no precondition was asked for
    CHECK(versions.newest("u", "opaque") == "opaque");
}

TEST_CASE("pod versions: the oldest pods are forgotten at the bound") {
    PodVersions versions;
    for (std::size_t i = 0; i <= PodVersions::kept_max; ++i) {
        versions.wrote(std::to_string(i), "100");
    }
    CHECK(versions.newest("0", "10") == "10");
    CHECK(versions.newest("1", "10") == "100");
}
