#include "gang/model/cluster/rule_labels.hpp"

#include <doctest/doctest.h>

#include <string>

using gang::LabelNames;
using gang::RuleLabels;

TEST_CASE("rule labels: a label is known by a list that began after it was wanted") {
    RuleLabels labels;
    CHECK(labels.are_known());  // nobody wants any
    REQUIRE(labels.want({"app"}));
    CHECK_FALSE(labels.are_known());
    labels.list_began();
    CHECK(labels.is_listing());
    REQUIRE(labels.want({"tier"}));
    labels.list_ended(true);
    CHECK_FALSE(labels.are_known());  // the list says nothing of "tier"
    labels.list_began();
    labels.list_ended(false);
    CHECK_FALSE(labels.are_known());
    labels.list_began();
    CHECK(labels.list() == 3);
    labels.list_ended(true);
    CHECK(labels.are_known());
    CHECK(labels.pick({{"app", "a"}, {"zone", "z"}}) == core::StringMap{{"app", "a"}});
}

TEST_CASE("rule labels: there is an end to what may be wanted, and what is not used makes way") {
    RuleLabels labels;
    LabelNames many;
    for (std::size_t i = 0; i < RuleLabels::labels_max; ++i) {
        many.push_back("label-" + std::to_string(1'000 + i));
    }
    REQUIRE(labels.want(many));
    labels.list_began();
    labels.list_ended(true);
    CHECK_FALSE(labels.want({"one-more"}));
    CHECK(labels.are_known());
    CHECK(labels.want_only({"label-1000", "one-more"}));
    CHECK_FALSE(labels.are_known());
    CHECK(labels.pick({{"label-1001", "x"}}).empty());
    many.push_back("too-many");
    CHECK_FALSE(labels.want_only(many));
}
