#include "core/base/boxed.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace {

struct Pair {
    std::string a;
    std::string b;
    friend bool operator==(const Pair&, const Pair&) = default;
};

using core::Boxed;

}  // namespace

TEST_CASE("boxed: it takes the room of a pointer") {
    CHECK(sizeof(Boxed<Pair>) == sizeof(void*));
}

TEST_CASE("boxed: nothing, or a value") {
    Boxed<Pair> box;
    CHECK_FALSE(box);
    CHECK_FALSE(box.has_value());
    box = {"a", "b"};
    REQUIRE(box);
    CHECK(box->a == "a");
    CHECK((*box).b == "b");
    box = {};
    CHECK_FALSE(box);
    box.emplace().b = "c";
    CHECK(box == Pair{"", "c"});
    box.reset();
    CHECK_FALSE(box);
}

TEST_CASE("boxed: copies are their own") {
    Boxed<Pair> box = Pair{"a", "b"};
    Boxed<Pair> copy = box;
    CHECK(copy == box);
    copy->a = "other";
    CHECK(box->a == "a");
    CHECK(copy != box);
    copy = box;
    CHECK(copy == box);
    copy = Boxed<Pair>{};
    CHECK_FALSE(copy);
    CHECK(copy != box);
    CHECK(copy == Boxed<Pair>{});
    const Boxed<Pair>& same = box;
    box = same;
    CHECK(box->b == "b");
    const Boxed<Pair> moved = std::move(box);
    CHECK(moved->a == "a");
    CHECK_FALSE(box);  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("boxed: from an optional") {
    const std::optional<Pair> none;
    CHECK_FALSE(Boxed<Pair>(none));
    Boxed<Pair> box;
    box = std::optional<Pair>{Pair{"a", "b"}};
    CHECK(box == Pair{"a", "b"});
}
