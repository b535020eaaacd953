// The index of gangs against an ordered map of the same.
#include "gang/model/app_index.hpp"

#include "tests/gang/random.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <string>

using namespace gang;

namespace {

std::string usual_uid(std::int64_t number) {
    return fmt::format(
        "{:08x}-abcd-4222-8333-{:012x}", static_cast<std::uint32_t>(number) * 2654435761U, number);
}

/// Usual ones, ones in upper case, which are others, and ones of no usual form.
std::string some_uid(tests::Random& random) {
    const std::int64_t number = random.between(1, 300);
    switch (random.between(0, 5)) {
        case 0:
            return fmt::format("odd-{}", number);
        case 1:
            return fmt::format("{:08x}-ABCD-4222-8333-000000000000", number);
        default:
            return usual_uid(number);
    }
}

}  // namespace

TEST_CASE("app index: finds what is there, through inserts and erases") {
    tests::Random random("app index");
    REQUIRE(core::parse_uuid(usual_uid(1)).has_value());
    std::map<std::string, Application> apps;
    AppIndex index;
    for (int round = 0; round < 3'000; ++round) {
        const std::string uid = some_uid(random);
        const auto [it, inserted] = apps.try_emplace(uid);
        if (inserted) {
            it->second.uid = uid;
            index.insert(it->second);
        } else if (random.chance(50)) {
            index.erase(it->second);
            apps.erase(it);
        }
        for (int asked = 0; asked < 5; ++asked) {
            const std::string wanted = some_uid(random);
            const auto known = apps.find(wanted);
            REQUIRE(index.find(wanted) == (known == apps.end() ? nullptr : &known->second));
        }
    }
    while (!apps.empty()) {
        index.erase(apps.begin()->second);
        const std::string uid = apps.begin()->first;
        apps.erase(apps.begin());
        REQUIRE(index.find(uid) == nullptr);
        for (auto& [other, app] : apps) REQUIRE(index.find(other) == &app);
    }
}
