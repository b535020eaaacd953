#include "core/base/text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using core::Text;
using core::Texts;

TEST_CASE("text: equal texts are kept once") {
    Texts texts;
    const Text a = texts.keep("node-1");
    const Text b = texts.keep(std::string("node-1"));
    CHECK(a == b);
    CHECK(&a.str() == &b.str());
    CHECK(a == "node-1");
    CHECK_FALSE(a == texts.keep("node-2"));
    CHECK(texts.size() == 1);
}

TEST_CASE("text: the last holder frees it") {
    Texts texts;
    Text kept;
    {
        const Text a = texts.keep("node-1");
        kept = a;
        Text moved = std::move(kept);
        CHECK(kept.empty());  // NOLINT(bugprone-use-after-move)
        kept = moved;
    }
    CHECK(texts.size() == 1);
    CHECK(kept == "node-1");
    kept = {};
    CHECK(texts.size() == 0);
    CHECK(texts.keep("node-1") == "node-1");
}

TEST_CASE("text: the empty one is nobody's") {
    Texts texts;
    CHECK(texts.keep("") == Text{});
    CHECK(Text{}.empty());
    CHECK(Text{}.str() == "");
    CHECK(texts.size() == 0);
}
