#include "k8s/embedded/kubelet/pod_records.hpp"

#include <doctest/doctest.h>

using namespace k8s::embedded;

TEST_CASE("pod records: a full book has no page for a pod, and notes about it change nothing") {
    PodRecords records(1);
    PodRecord first;
    first.uid = "a";
    const PodRecords::Page page = records.add(first);
    REQUIRE(page.has_value());
    const PodRecords::Page none = records.add(PodRecord());
    CHECK_FALSE(none.has_value());
    records.note_started(page, 5);
    records.note_started(none, 6);
    records.note_ended(none, 7);
    records.note_refusal(none, "OutOfcpu");
    REQUIRE(records.all().size() == 1);
    CHECK(records.all().front().uid == "a");
    CHECK(records.all().front().started_ms == 5);
    CHECK(records.all().front().ended_ms == 0);
    CHECK(records.all().front().refusal.empty());
}
