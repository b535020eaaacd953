#include "gang/model/pod/pod_records.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

const std::string first_uuid = "0a0a0a0a-0000-4000-8000-000000000001";
const std::string second_uuid = "0a0a0a0a-0000-4000-8000-000000000002";

}  // namespace

TEST_CASE("pod records: a uid of any form leads to its pod and back, in the order of texts") {
    gang::PodRecords records;
    for (const std::string& uid : {second_uuid, std::string("odd"), first_uuid}) {
        CHECK(records.add(uid).active->pod.uid == uid);
        CHECK(records.uid(*records.find(uid)) == uid);
    }
    CHECK(records.size() == 3);
    CHECK(records.odd_count() == 1);
    CHECK(records.is_before(*records.find(first_uuid), *records.find(second_uuid)));
    CHECK(records.is_before(*records.find(second_uuid), *records.find("odd")));
    CHECK_FALSE(records.is_before(*records.find("odd"), *records.find(first_uuid)));
}

TEST_CASE("pod records: the number of a pod that has gone is the next one's") {
    gang::PodRecords records;
    records.add(first_uuid);
    const gang::PodId odd = records.add("odd").active->id;
    records.erase(odd);
    CHECK_FALSE(records.find("odd").has_value());
    CHECK(records.odd_count() == 0);
    CHECK(records.add(second_uuid).active->id == odd);
    std::vector<std::string> uids;
    records.for_each(
        [&](gang::PodId id, const gang::PodRecord&) { uids.push_back(records.uid(id)); });
    CHECK(uids == std::vector<std::string>{first_uuid, second_uuid});
}
