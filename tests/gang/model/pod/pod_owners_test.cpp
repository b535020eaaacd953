#include "gang/model/pod/pod_owners.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

std::vector<std::string> uids_of(
    const gang::PodRecords& records, std::span<const gang::PodId> pods) {
    std::vector<std::string> uids;
    for (const gang::PodId id : pods) {
        uids.push_back(records.uid(id));
    }
    return uids;
}

using OwnedUids = std::vector<std::string>;

}  // namespace

TEST_CASE("pod owners: an owner is known as long as it has pods") {
    core::Texts texts;
    gang::PodRecords records;
    gang::PodOwners owners(records, texts);
    for (const char* uid : {"c", "a", "b"}) {
        owners.join(*records.add(uid).active, "driver");
    }
    CHECK(owners.size() == 1);
    CHECK(owners.member_count() == 3);
    CHECK(uids_of(records, owners.sorted_members_of("driver")) == OwnedUids{"a", "b", "c"});
    CHECK_FALSE(owners.leave(*records[*records.find("c")].active));
    CHECK_FALSE(owners.leave(*records[*records.find("b")].active));
    CHECK(uids_of(records, owners.members_of("driver")) == OwnedUids{"a"});
    CHECK(owners.leave(*records[*records.find("a")].active));
    CHECK(owners.size() == 0);
    CHECK(owners.members_of("driver").empty());
}

TEST_CASE("pod owners: neighbours are the pod and those beside it, at either end fewer") {
    core::Texts texts;
    gang::PodRecords records;
    gang::PodOwners owners(records, texts);
    const auto beside = [&](const char* uid) {
        return uids_of(records, owners.neighbours_of(*records[*records.find(uid)].active));
    };
    for (const char* uid : {"a", "b", "c", "d"}) {
        owners.join(*records.add(uid).active, "driver");
    }
    CHECK(beside("a") == OwnedUids{"a", "b"});
    CHECK(beside("b") == OwnedUids{"a", "b", "c"});
    CHECK(beside("d") == OwnedUids{"c", "d"});
    records.add("alone");
    CHECK(beside("alone").empty());
}
