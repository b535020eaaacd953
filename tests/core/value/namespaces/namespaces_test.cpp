// Which namespaces there are, and what their labels say.
#include "core/value/namespaces/namespaces.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using core::Namespaces;
using Names = std::vector<std::string>;

namespace {

core::LabelSelector team_is(const std::string& value) {
    core::LabelSelector selector;
    selector.is_set = true;
    selector.require({"team", core::LabelOperator::in, {value}});
    return selector;
}

core::LabelSelector without_team() {
    core::LabelSelector selector;
    selector.is_set = true;
    selector.require({"team", core::LabelOperator::does_not_exist, {}});
    return selector;
}

}  // namespace

TEST_CASE("namespaces: what a label says, and whom a selector means") {
    Namespaces all;
    CHECK_FALSE(all.is_known());
    CHECK_FALSE(all.is_answered());
    CHECK(all.listed({{"b", {{"team", "x"}}}, {"a", {{"team", "x"}}}, {"c", {}}}));
    CHECK(all.is_known());
    REQUIRE(all.find("a", "team") != nullptr);
    CHECK(*all.find("a", "team") == "x");
    CHECK(all.find("a", "tier") == nullptr);
    CHECK(all.find("d", "team") == nullptr);
    CHECK(all.matching(team_is("x")) == Names{"a", "b"});
    CHECK(all.matching(without_team()) == Names{"c"});
    CHECK(all.matching({}).empty());
}

TEST_CASE("namespaces: each says whether anything is other than before") {
    Namespaces all;
    CHECK(all.listed({}));
    CHECK_FALSE(all.listed({}));
    CHECK(all.changed({"a", {}}));
    CHECK_FALSE(all.changed({"a", {}}));
    CHECK(all.changed({"a", {{"team", "x"}}}));
    CHECK_FALSE(all.listed({{"a", {{"team", "x"}}}}));
    CHECK(all.listed({{"a", {{"team", "y"}}}}));
    CHECK(all.deleted("a"));
    CHECK_FALSE(all.deleted("a"));
    CHECK(all.matching(team_is("y")).empty());
}

TEST_CASE("namespaces: what was known once stays known; what never was is told") {
    Namespaces all;
    CHECK(all.missing("forbidden"));
    CHECK_FALSE(all.missing("forbidden"));
    CHECK(all.missing("not you"));
    CHECK(all.is_answered());
    CHECK_FALSE(all.is_known());
    CHECK(all.why_missing() == "not you");
    CHECK(all.listed({{"a", {}}}));
    CHECK(all.why_missing().empty());
    CHECK_FALSE(all.missing("forbidden"));
    CHECK(all.is_known());
    CHECK(all.matching(without_team()) == Names{"a"});
}
