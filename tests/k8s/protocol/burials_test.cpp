#include "k8s/protocol/burials.hpp"

#include "k8s/protocol/known_objects.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

TEST_CASE("burials: so many uids are remembered, the oldest is forgotten for each one more") {
    using k8s::protocol::Burials;
    Burials burials;
    const auto uid = [](std::size_t number) { return "u" + std::to_string(number); };
    CHECK_FALSE(burials.is_buried("u0"));
    for (std::size_t i = 0; i < Burials::buried_max; ++i) burials.bury(uid(i));
    for (std::size_t i = 0; i < Burials::buried_max; ++i) CHECK(burials.is_buried(uid(i)));
    // Twice round the ring: the last ones are there, nothing else.
    for (std::size_t i = Burials::buried_max; i < 3 * Burials::buried_max + 3; ++i) {
        burials.bury(uid(i));
        burials.bury(uid(i));  // once is enough
        CHECK(burials.is_buried(uid(i)));
        CHECK(burials.is_buried(uid(i - Burials::buried_max + 1)));
        CHECK_FALSE(burials.is_buried(uid(i - Burials::buried_max)));
    }
}

TEST_CASE("known objects: the longest search is that of those that are there") {
    k8s::protocol::KnownObjects objects({12345, 67890}, false);
    CHECK(objects.longest_search() == 0);
    const auto only = objects.insert("etl/p", "u", "1");
    CHECK(objects.longest_search() == 0);
    objects.erase(only);
    CHECK(objects.longest_search() == 0);
    // At three quarters full some are pushed on by others.
    for (int i = 0; i < 48; ++i) objects.insert("etl/p-" + std::to_string(i), "u", "1");
    const std::size_t longest = objects.longest_search();
    CHECK(longest > 0);
    CHECK(longest < 48);
    for (int i = 0; i < 48; ++i) objects.erase(*objects.find("etl/p-" + std::to_string(i)));
    CHECK(objects.longest_search() == 0);
    CHECK(objects.size() == 0);
}

TEST_CASE("known objects: one that takes the place of another has nothing of it") {
    k8s::protocol::KnownObjects objects({1, 2}, true);
    const auto first = objects.insert("etl/a", "a text", "opaque");
    objects.set_note(first, {77, 3, true});
    objects.erase(first);
    const auto second = objects.insert("etl/b", "another", "0012");
    CHECK(second == first);
    CHECK(objects.note(second).fingerprint == 0);
    CHECK(objects.note(second).list == 0);
    CHECK_FALSE(objects.note(second).for_good);
    CHECK(objects.uid(second) == "another");
    CHECK(objects.version(second) == "0012");
    CHECK(objects.name(second) == "etl/b");
}
