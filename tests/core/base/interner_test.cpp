#include "core/base/interner.hpp"

#include "core/base/ids.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using Names = core::Interner<std::string, core::ExtendedId>;

TEST_CASE("interner: equal values have one number until the last of their holders goes") {
    Names names;
    const auto first = names.intern("a");
    CHECK(first.is_new);
    CHECK_FALSE(names.intern("a").is_new);
    const auto other = names.intern("b");
    CHECK(other.id != first.id);
    CHECK(names[first.id] == "a");
    CHECK(names.references(first.id) == 2);
    CHECK_FALSE(names.release(first.id));
    CHECK(names.release(first.id));
    CHECK_FALSE(names.find("a"));
    CHECK(names.size() == 1);
    const auto next = names.intern("c");
    CHECK(next.id == first.id);
    CHECK(names[next.id] == "c");
}

TEST_CASE("interner: a copy has values of its own, and goes on by itself") {
    Names names;
    const auto a = names.intern("a").id;
    const auto b = names.intern("b").id;
    names.release(b);
    Names copy = names;
    CHECK(copy == names);
    names.release(a);
    CHECK(copy[a] == "a");
    CHECK_FALSE(copy == names);
    CHECK(copy.intern("d").id == b);
    copy = copy;  // NOLINT: to itself
    CHECK(copy[b] == "d");
    const Names moved = std::move(copy);
    CHECK(moved[a] == "a");
    CHECK(moved.references() == 2);
    Names assigned;
    assigned.intern("x");
    assigned = moved;
    CHECK(assigned == moved);
    CHECK(assigned.release(b));
    CHECK(moved[b] == "d");
}
