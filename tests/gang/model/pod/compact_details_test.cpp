#include "gang/model/pod/compact_details.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

/// A member of the group, of this size, on its node.
gang::PodRecord& group_member(
    gang::PodRecords& records, core::Texts& texts, const std::string& uid) {
    gang::PodRecord& record = records.add(uid);
    record.active->pod.namespace_name = "etl";
    record.active->pod.name = "trainer-" + uid;
    record.active->pod.resource_version = "7";
    record.active->pod.requests.cpu_milli = 1'000;
    record.active->group = texts.keep("etl/trainer");
    return record;
}

}  // namespace

TEST_CASE("compact details: neighbours that are alike share, and the last takes it along") {
    core::Texts texts;
    gang::PodRecords records;
    gang::CompactDetails details(records, texts);
    gang::PodRecord& first = group_member(records, texts, "1");
    gang::PodRecord& second = group_member(records, texts, "2");
    gang::PodRecord& larger = group_member(records, texts, "3");
    larger.active->pod.requests.cpu_milli = 2'000;
    const gang::PodId beside[] = {first.active->id};
    for (gang::PodRecord* record : {&first, &second, &larger}) {
        details.remember(*record, beside);
        record->active.reset();
    }
    CHECK(first.kin == second.kin);
    CHECK(first.kin != larger.kin);
    CHECK(details.count().kin == 2);
    CHECK(details.count().kin_references == 3);
    CHECK(details.amounts(larger).cpu_milli == 2'000);
    CHECK(second.suffix == "2");
    CHECK(details.kin(second).stem == "trainer-");
    for (const char* uid : {"1", "2", "3"}) {
        const gang::PodId id = *records.find(uid);
        records[id].active = std::make_unique<gang::PodEntry>();
        records[id].active->id = id;
        details.forget(records[id]);
    }
    CHECK(details.count().kin == 0);
    CHECK(details.count().member_versions == 0);
}

TEST_CASE("compact details: of a group's member the version is remembered") {
    core::Texts texts;
    gang::PodRecords records;
    gang::CompactDetails details(records, texts);
    gang::PodRecord& member = group_member(records, texts, "1");
    gang::PodRecord& single = group_member(records, texts, "2");
    single.active->group = {};
    details.remember(member, {});
    details.remember(single, {});
    details.set_version(member.active->id, "8");
    details.set_version(single.active->id, "8");
    CHECK(details.version(member.active->id) == "8");
    CHECK(details.version(single.active->id).empty());
}
