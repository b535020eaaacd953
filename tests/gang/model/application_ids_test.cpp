#include "gang/model/pod/application_ids.hpp"

#include <doctest/doctest.h>

#include <vector>

using gang::ApplicationIds;
using gang::PodId;

TEST_CASE("application ids: who has ended is meant only where nobody lives") {
    ApplicationIds ids;
    const PodId first{1};
    const PodId second{2};
    ids.add_driver("ns/a", first);
    CHECK(ids.of("ns/a").candidates().contains(first));
    ids.driver_ended("ns/a", first);
    CHECK(ids.of("ns/a").candidates().contains(first));
    CHECK(ids.of("ns/a").has_driver(first));
    ids.add_driver("ns/a", second);
    CHECK_FALSE(ids.of("ns/a").candidates().contains(first));
    CHECK(ids.of("ns/a").candidates().contains(second));
    ids.driver_ended("ns/unknown", first);
    CHECK(ids.of("ns/unknown").candidates().empty());
}

TEST_CASE("application ids: an executor is ownerless until it has an owner") {
    ApplicationIds ids;
    const PodId executor{7};
    ids.add_ownerless("ns/a", executor);
    CHECK(ids.is_ownerless("ns/a", executor));
    CHECK_FALSE(ids.is_ownerless("other/a", executor));
    std::vector<PodId> seen;
    ids.for_each_ownerless([&seen](PodId id) { seen.push_back(id); });
    CHECK(seen == std::vector<PodId>{executor});
    ids.got_owner("ns/a", executor);
    CHECK_FALSE(ids.is_ownerless("ns/a", executor));
}

TEST_CASE("application ids: nothing is kept of an id that nobody bears") {
    ApplicationIds ids;
    const PodId driver{1};
    const PodId executor{2};
    ids.add_driver("ns/a", driver);
    ids.add_ownerless("ns/a", executor);
    ids.remove("ns/a", driver);
    CHECK(ids.size() == 1);
    ids.remove("ns/a", executor);
    ids.remove("ns/a", executor);
    CHECK(ids.size() == 0);
}
