#include "core/value/label_selector.hpp"

#include "core/value/pod.hpp"

#include <doctest/doctest.h>

using namespace core;

TEST_CASE("label selector: none matches nothing, an empty one everything") {
    CHECK_FALSE(LabelSelector{}.matches({{"a", "1"}}));
    CHECK(LabelSelector{true, {}}.matches({}));
}

TEST_CASE(
    "label selector: all requirements must hold; a missing label satisfies the negative ones") {
    const StringMap labels{{"a", "1"}, {"b", "2"}};
    CHECK(holds({"a", LabelOperator::in, {"0", "1"}}, labels));
    CHECK_FALSE(holds({"c", LabelOperator::in, {"1"}}, labels));
    CHECK_FALSE(holds({"a", LabelOperator::not_in, {"1"}}, labels));
    CHECK(holds({"c", LabelOperator::not_in, {"1"}}, labels));
    CHECK(holds({"a", LabelOperator::exists, {}}, labels));
    CHECK(holds({"c", LabelOperator::does_not_exist, {}}, labels));
    LabelSelector selector{true, {}};
    selector.require({"a", LabelOperator::exists, {}});
    CHECK(selector.matches(labels));
    selector.require({"b", LabelOperator::in, {"1"}});
    CHECK_FALSE(selector.matches(labels));
}

TEST_CASE("label selector: written in another order it is the same value") {
    LabelSelector one{true, {}};
    one.require({"b", LabelOperator::in, {"2", "1", "2"}});
    one.require({"a", LabelOperator::exists, {}});
    LabelSelector other{true, {}};
    other.require({"a", LabelOperator::exists, {}});
    other.require({"b", LabelOperator::in, {"1", "2"}});
    other.require({"a", LabelOperator::exists, {}});
    CHECK(one == other);
}

TEST_CASE("pod: other rules make another pod, and none take a pointer's room") {
    Pod one;
    Pod other;
    CHECK(is_same_but_version(one, other));
    other.rules = PodRules{{}, {}, {SpreadConstraint{}}};
    CHECK_FALSE(is_same_but_version(one, other));
    one.rules = PodRules{{}, {}, {SpreadConstraint{}}};
    CHECK(is_same_but_version(one, other));
    static_assert(sizeof(Pod::rules) == sizeof(void*));
}
