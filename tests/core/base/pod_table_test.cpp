#include "core/base/pod_table.hpp"

#include "core/base/uuid.hpp"
#include "tests/core/random.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

using core::AllocationId;
using core::PodTable;

namespace {

std::string uuid(std::uint64_t number) {
    return fmt::format("{:08x}-0000-4000-8000-{:012x}", number % 7, number);
}

}  // namespace

TEST_CASE("pod table: a uid is found again, whatever its form") {
    PodTable table;
    const std::string canonical = "3f0a9c1e-5b7d-4e2f-8a6b-0123456789ab";
    CHECK_FALSE(table.find(canonical).has_value());
    CHECK_FALSE(table.erase(canonical));
    table.insert(canonical, {1});
    table.insert("mirror-pod", {2});
    table.insert("3F0A9C1E-5B7D-4E2F-8A6B-0123456789AB", {3});
    table.insert("", {4});
    CHECK(table.size() == 4);
    CHECK(table.find(canonical) == AllocationId{1});
    CHECK(table.find("mirror-pod") == AllocationId{2});
    CHECK(table.find("3F0A9C1E-5B7D-4E2F-8A6B-0123456789AB") == AllocationId{3});
    CHECK(table.find("") == AllocationId{4});
    CHECK(table.erase(canonical));
    CHECK_FALSE(table.find(canonical).has_value());
    CHECK(table.erase("mirror-pod"));
    CHECK_FALSE(table.erase("mirror-pod"));
    CHECK(table.size() == 2);
}

TEST_CASE("pod table: agrees with a map through any sequence of inserts and erases") {
    tests::Random random;
    PodTable table;
    std::map<std::string, AllocationId> expected;
    for (std::uint32_t i = 0; i < 20'000; ++i) {
        const std::string uid = uuid(static_cast<std::uint64_t>(random.between(0, 700)));
        if (expected.contains(uid)) {
            CHECK(table.erase(uid));
            expected.erase(uid);
        } else {
            table.insert(uid, {i});
            expected.emplace(uid, AllocationId{i});
        }
    }
    REQUIRE(table.size() == expected.size());
    for (std::uint64_t number = 0; number <= 700; ++number) {
        const auto known = expected.find(uuid(number));
        const auto found = table.find(uuid(number));
        CHECK(found.has_value() == (known != expected.end()));
        if (found && known != expected.end()) CHECK(*found == known->second);
    }
}

TEST_CASE("pod table: each uid is visited once, in its own words") {
    PodTable table;
    const std::map<std::string, std::uint32_t> uids = {
        {"0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9", 1},
        {"ffffffff-ffff-ffff-ffff-ffffffffffff", 2},
        {"00000000-0000-0000-0000-000000000000", 3},
        {"0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9", 4},
        {"no-uuid", 5}};
    for (const auto& [uid, allocation] : uids) {
        table.insert(uid, core::AllocationId{allocation});
    }
    std::map<std::string, std::uint32_t> visited;
    table.for_each([&visited](std::string_view uid, core::AllocationId allocation) {
        CHECK(visited.emplace(uid, allocation.value).second);
    });
    CHECK(visited == uids);
}
