#include "core/base/shared.hpp"

#include <doctest/doctest.h>

#include <string>

using Text = core::Shared<std::string>;

TEST_CASE("shared: a copy is the same value in the same place, until it is changed") {
    Text one(std::string("a"));
    Text two = one;
    CHECK(&*one == &*two);
    two.edit() += "b";
    CHECK(*one == "a");
    CHECK(*two == "ab");
    std::string* const own = &two.edit();
    CHECK(own == &two.edit());
}

TEST_CASE("shared: nothing and an empty value are equal") {
    Text nothing;
    CHECK(nothing->empty());
    CHECK(nothing == Text(std::string()));
    Text emptied(std::string("a"));
    emptied.edit().clear();
    CHECK(nothing == emptied);
    CHECK_FALSE(nothing == Text(std::string("a")));
    nothing.edit() = "a";
    CHECK(nothing == Text(std::string("a")));
}

TEST_CASE("shared: equal values are kept once, others stay") {
    const Text one(std::string("a"));
    Text equal(std::string("a"));
    CHECK(&*equal != &*one);
    CHECK(equal.share(one));
    CHECK(&*equal == &*one);
    Text other(std::string("b"));
    CHECK_FALSE(other.share(one));
    CHECK(*other == "b");
}
