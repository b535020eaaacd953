#include "core/value/device/model_pattern.hpp"

#include <doctest/doctest.h>

#include <string>

using core::ModelPattern;

namespace {

bool model_matches(const std::string& expression, const std::string& text) {
    const auto pattern = ModelPattern::make(expression);
    REQUIRE_MESSAGE(pattern, expression);
    return pattern->matches(text);
}

std::string pattern_error(const std::string& expression) {
    const auto pattern = ModelPattern::make(expression);
    return pattern ? "" : pattern.error().message;
}

}  // namespace

TEST_CASE("GEN-4: expressions for models match anywhere, whatever the case") {
    const std::string gtx = "GeForce GTX 1070 Ti";
    const std::string a100 = "NVIDIA A100-SXM4-40GB";
    CHECK(model_matches("1070.Ti", gtx));
    CHECK(model_matches("1070.ti", gtx));
    CHECK_FALSE(model_matches("1080.Ti", gtx));
    CHECK(model_matches("a100", a100));
    CHECK(model_matches("GTX 1070 Ti", gtx));
    CHECK(model_matches("^nvidia.*40gb$", a100));
    CHECK_FALSE(model_matches("^a100", a100));
    CHECK_FALSE(model_matches("a100$", a100));
    CHECK(model_matches("h100|a100", a100));
    CHECK(model_matches("(h|a)1(0{2})", a100));
    CHECK_FALSE(model_matches("a10{3}", a100));
    CHECK(model_matches("a10{1,3}-", a100));
    CHECK(model_matches("a10{2,}-", a100));
    CHECK_FALSE(model_matches("a10{3,}-", a100));
    CHECK(model_matches("sxm[0-9]-\\d+gb", a100));
    CHECK_FALSE(model_matches("sxm[^0-9]", a100));
    CHECK(model_matches("[]x]m4", a100));
    CHECK(model_matches("a100\\-sxm4", a100));
    CHECK_FALSE(model_matches("a1\\.0", a100));
    CHECK(model_matches("x?m(4-)?(?:40)+", a100));
    CHECK(model_matches("", a100));
    CHECK_FALSE(model_matches("^$", a100));
    CHECK(model_matches("a1000?-", a100));
    CHECK_FALSE(model_matches("a0?-", a100));
    CHECK_FALSE(model_matches("$n", a100));
    CHECK(model_matches("gb$|^$", a100));
    CHECK(model_matches("^na{0}v", a100));
    CHECK_FALSE(model_matches("^n{0}v", a100));
    CHECK(model_matches("\\w\\s\\w", gtx));
    CHECK_FALSE(model_matches("\\W\\W", gtx));
}

TEST_CASE("what is no expression is said, and where it is wrong") {
    CHECK(pattern_error("[") == "the expression has a [ without ]");
    CHECK(pattern_error("(a") == "the expression has a ( without )");
    CHECK(pattern_error("a)") == "the expression has a ) without (");
    CHECK(pattern_error("*a") == "the expression repeats nothing: * has nothing before it");
    CHECK(pattern_error("a{2,1}") == "the expression has a repeat that is none, such as {2,1}");
    CHECK(pattern_error("a{x}") == "the expression has a { without a number");
    CHECK(pattern_error("a\\") == "the expression ends with a backslash");
    CHECK(pattern_error("\\b") == "the expression has \\b, which is not understood");
    CHECK(pattern_error("[z-a]") == "the expression has a range that is none, such as [z-a]");
    CHECK(pattern_error("[[:alpha:]]") == "the expression has a [: class, which is not understood");
    CHECK(
        pattern_error("(?=a)") ==
        "the expression has a group that begins with (?, of which only (?: is understood");
    CHECK(pattern_error(std::string(257, 'a')) == "the expression is longer than 256 bytes");
    CHECK(pattern_error(std::string(100, '(')) == "the expression is nested too deeply");
    CHECK(pattern_error("((a{1000}){1000}){1000}") == "the expression is too large");
}

TEST_CASE("an expression that would take a backtracking matcher for ever is matched as any other") {
    CHECK_FALSE(model_matches("(a+)+$", std::string(4096, 'a') + "b"));
    CHECK(model_matches("(a+)+$", std::string(4096, 'a')));
    CHECK_FALSE(model_matches("(a*)*b", std::string(4096, 'a')));
    CHECK_FALSE(model_matches("(a|aa)+$", std::string(4096, 'a') + "b"));
}

TEST_CASE("a quoted text matches itself alone") {
    const std::string text = "RTX (3090) [x] a+b.c";
    CHECK(model_matches(core::quote_for_pattern(text), "NVIDIA rtx (3090) [x] A+B.C"));
    CHECK_FALSE(model_matches(core::quote_for_pattern(text), "RTX 3090 x aab.c"));
}

TEST_CASE("model patterns: groups beside each other are not nested") {
    std::string expression;
    for (int i = 0; i < 40; ++i) expression += "(a)";
    CHECK(model_matches(expression, std::string(40, 'a')));
    std::string nested = "a";
    for (int i = 0; i < 40; ++i) nested = "(" + nested + ")";
    CHECK_FALSE(pattern_error(nested).empty());
}
