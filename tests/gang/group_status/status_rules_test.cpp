// What a group's status says of groups drawn by chance, in every dialect and around every limit.
#include "gang/group_status/status_rules.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace {

const char* const versions_drawn[] = {
    "scheduling.volcano.sh/v1beta1", "scheduling.incubator.k8s.io/v1alpha1", "scheduling.volcano.sh"};

gang::GroupFacts draw_facts(tests::Walk& walk) {
    gang::GroupFacts facts;
    facts.dialect = static_cast<core::GroupDialect>(walk.pick(4));
    facts.api_version = walk.of(versions_drawn);
    facts.minimum = static_cast<std::int64_t>(walk.pick(4));
    facts.is_sound = walk.pick(6) != 0;
    facts.pods = static_cast<std::int64_t>(walk.pick(5));
    facts.scheduled = static_cast<std::int64_t>(walk.pick(5));
    facts.running = static_cast<std::int64_t>(walk.pick(4));
    facts.succeeded = walk.pick(2) == 0 ? 0 : static_cast<std::int64_t>(walk.pick(4));
    facts.failed = walk.pick(2) == 0 ? 0 : static_cast<std::int64_t>(walk.pick(3));
    facts.is_application = walk.pick(4) == 0;
    if (facts.is_application) {
        facts.minimum = 1;
        facts.end = static_cast<gang::ApplicationEnd>(walk.pick(3));
    }
    facts.is_waiting = walk.pick(2) == 0;
    facts.code = walk.pick(2) == 0 ? gang::ReasonCode::waiting_for_pod_group
                                   : gang::ReasonCode::waiting_for_capacity;
    facts.text = walk.pick(3) == 0 ? "" : "no room";
    facts.occupied_by = walk.pick(3) == 0 ? "" : "etl/job";
    return facts;
}

core::PodGroupStatus draw_stored(tests::Walk& walk) {
    core::PodGroupStatus stored;
    if (walk.pick(3) == 0) return stored;
    stored.phase = static_cast<core::GroupPhase>(walk.pick(8));
    stored.running = 7;
    stored.occupied_by = walk.pick(2) == 0 ? "" : "etl/before";
    stored.condition = static_cast<core::GroupCondition>(walk.pick(3));
    if (stored.condition != core::GroupCondition::none) {
        stored.reason = "Before";
        stored.message = "as before";
        stored.since_ms = 1'000;
    }
    return stored;
}

std::string told_status(const core::PodGroupStatus& status) {
    return std::string(word(status.phase)) + " " + std::to_string(status.running) + "/" +
           std::to_string(status.succeeded) + "/" + std::to_string(status.failed) + " by '" +
           status.occupied_by + "' " + word(status.condition) + " '" + status.reason + "' '" +
           status.message + "'";
}

std::string told_facts(const gang::GroupFacts& facts) {
    static const char* const dialects[] = {"k8s", "cosched", "volcano", "labels"};
    std::string text = dialects[static_cast<std::size_t>(facts.dialect)];
    text += facts.dialect == core::GroupDialect::volcano
                ? facts.api_version.starts_with("scheduling.v") ? "" : "-batch"
                : "";
    text += facts.api_version.ends_with("sh") ? "?" : "";
    text += " min " + std::to_string(facts.minimum) + (facts.is_sound ? "" : " unsound") + " pods " +
            std::to_string(facts.pods) + " on nodes " + std::to_string(facts.scheduled) + " " +
            std::to_string(facts.running) + "/" + std::to_string(facts.succeeded) + "/" +
            std::to_string(facts.failed);
    if (facts.is_application) text += " app end " + std::to_string(static_cast<int>(facts.end));
    if (facts.is_waiting) text += " waits";
    if (facts.code == gang::ReasonCode::waiting_for_pod_group) text += " for-pods";
    if (facts.text.empty()) text += " untold";
    return text + " by '" + facts.occupied_by + "'";
}

}  // namespace

TEST_CASE("group status rules: groups of every dialect around every limit, as recorded") {
    tests::Walk walk(11);
    std::string told;
    for (int i = 0; i < 620; ++i) {
        const gang::GroupFacts facts = draw_facts(walk);
        const core::PodGroupStatus stored = draw_stored(walk);
        const core::PodGroupStatus now = gang::status_of(facts, stored);
        told += told_facts(facts);
        if (!(stored == core::PodGroupStatus{})) told += " | had " + told_status(stored);
        told += now == stored ? "\n   stays\n" : "\n   " + told_status(now) + "\n";
    }
    tests::check_transcript("gang/group_status/transcripts/status_rules", told);
}

TEST_CASE("group status rules: what Volcano's group was told stands while nothing newer is known") {
    gang::GroupFacts facts;
    facts.dialect = core::GroupDialect::volcano;
    facts.api_version = "scheduling.volcano.sh/v1beta1";
    facts.minimum = 3;
    facts.pods = 3;
    facts.is_waiting = true;
    core::PodGroupStatus stored;
    stored.condition = core::GroupCondition::unschedulable;
    stored.reason = "NotEnoughResources";
    stored.message = "3/3 tasks in gang unschedulable: no room";
    core::PodGroupStatus now = gang::status_of(facts, stored);
    CHECK(now.phase == core::GroupPhase::inqueue);
    CHECK(now.condition == stored.condition);
    CHECK(now.reason == stored.reason);
    CHECK(now.message == stored.message);
    SUBCASE("not when nobody waits any more") {
        facts.is_waiting = false;
        now = gang::status_of(facts, stored);
        CHECK(now.condition == core::GroupCondition::none);
        CHECK(now.message.empty());
    }
    SUBCASE("not what was said of a gang that was scheduled") {
        stored.condition = core::GroupCondition::scheduled;
        now = gang::status_of(facts, stored);
        CHECK(now.condition == core::GroupCondition::none);
        CHECK(now.reason.empty());
    }
}

TEST_CASE("group status rules: as many pods as the minimum that wait for their group lack those of a role") {
    gang::GroupFacts facts;
    facts.dialect = core::GroupDialect::volcano;
    facts.api_version = "scheduling.volcano.sh/v1beta1";
    facts.minimum = 3;
    facts.is_waiting = true;
    facts.code = gang::ReasonCode::waiting_for_pod_group;
    facts.text = "of role worker 1 of 2";
    facts.pods = 2;
    CHECK(gang::status_of(facts, {}).reason == "NotEnoughTasks");
    facts.pods = 3;
    CHECK(gang::status_of(facts, {}).reason == "NotEnoughPodsOfTask");
    facts.code = gang::ReasonCode::waiting_for_capacity;
    CHECK(gang::status_of(facts, {}).reason == "NotEnoughResources");
}
