#include "core/base/rare.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("rare: reads as by default until it is made, and again after a reset") {
    struct Words {
        std::string text = "none";
        int count = 0;
    };
    core::Rare<Words> words;
    CHECK_FALSE(words.is_made());
    CHECK(words->text == "none");
    CHECK_FALSE(words.is_made());
    words.make().count = 3;
    CHECK(words.is_made());
    CHECK(words->count == 3);
    CHECK(words.make().count == 3);
    CHECK((*words).text == "none");
    words.reset();
    CHECK_FALSE(words.is_made());
    CHECK(words->count == 0);
}

TEST_CASE("rare: copies are their own") {
    core::Rare<std::string> one;
    core::Rare<std::string> copy = one;
    CHECK_FALSE(copy.is_made());
    one.make() = "one";
    copy = one;
    copy.make() += " more";
    CHECK(*one == "one");
    CHECK(*copy == "one more");
    copy = core::Rare<std::string>();
    CHECK_FALSE(copy.is_made());
}
