#include "k8s/protocol/version.hpp"

#include <doctest/doctest.h>

#include <string>

using k8s::protocol::compare_versions;

TEST_CASE("version: decimals of any length are ordered as numbers") {
    CHECK(compare_versions("9", "10") == std::partial_ordering::less);
    CHECK(compare_versions("10", "9") == std::partial_ordering::greater);
    CHECK(compare_versions("123", "123") == std::partial_ordering::equivalent);
    CHECK(
        compare_versions("99999999999999999999998", "99999999999999999999999") ==
        std::partial_ordering::less);
    CHECK(
        compare_versions(std::string(40, '9'), "1" + std::string(40, '0')) ==
        std::partial_ordering::less);
}

TEST_CASE("version: what is no real version is never ordered") {
    for (const char* bad : {"", "0", "01", "1a", "-1", " 1", "latest"}) {
        CAPTURE(bad);
        CHECK(compare_versions(bad, "5") == std::partial_ordering::unordered);
        CHECK(compare_versions("5", bad) == std::partial_ordering::unordered);
    }
}
