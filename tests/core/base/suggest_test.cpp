#include "core/base/suggest.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

TEST_CASE("suggest: of words that are equally near the first one") {
    const std::vector<std::string> known = {"leaseName", "queueName", "queueNames", "cueueName"};
    const std::string* found = core::find_similar("queuName", known);
    REQUIRE(found != nullptr);
    CHECK(*found == "queueName");
    const std::vector<std::string> alike = {"name1", "name2"};
    found = core::find_similar("name3", alike);
    REQUIRE(found != nullptr);
    CHECK(*found == "name1");
    CHECK(core::find_similar("", known) == nullptr);
    CHECK(core::find_similar("entirely different", known) == nullptr);
}
