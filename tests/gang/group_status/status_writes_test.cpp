// When the status of which group is asked for and written: the part alone, with events and answers
// drawn by chance.
#include "gang/group_status/group_statuses.hpp"
#include "gang/model/group/pod_groups.hpp"
#include "tests/gang/parts.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {

/// A few groups, and one that drivers name.
struct StatusDesk {
    explicit StatusDesk() : statuses(known.model, known.step) {
        known.step.now_ms = 1'800'000'000'000;
        known.add_node("n1");
    }

    std::string join(
        const std::string& pod, const std::string& group, core::GroupDialect dialect,
        std::vector<core::OwnerReference> owners = {}) {
        core::Pod made = tests::pod(pod, 1000, 256);
        made.created = 1'000 + static_cast<std::int64_t>(uids.size());
        made.owners = std::move(owners);
        gang::PodEntry& entry = known.add(made);
        gang::GroupMembership membership;
        membership.dialect = dialect;
        membership.name = group;
        membership.minimum = 2;
        const std::string key = gang::PodGroups::key_of(entry.pod, membership);
        entry.group = known.model.texts.keep(key);
        known.model.groups.join(entry, membership);
        uids.push_back(pod);
        note(dialect, group);
        return key;
    }

    void note(core::GroupDialect dialect, const std::string& group) {
        const std::string key = gang::PodGroups::key_of(dialect, "etl", group);
        for (const auto& [there, name] : names) {
            if (there == dialect && name == group) return;
        }
        names.emplace_back(dialect, group);
        keys.push_back(key);
    }

    void find(core::GroupDialect dialect, const std::string& name, core::PodGroup object, bool has_uid = true,
              core::PodGroupStatus status = {}) {
        const gang::PodGroupFound event{
            dialect,
            "etl",
            name,
            std::move(object),
            has_uid ? "uid-" + name : "",
            dialect == core::GroupDialect::volcano ? "scheduling.volcano.sh/v1beta1" : "v1",
            std::move(status)};
        known.model.groups.found(event, known.step.now_ms);
        statuses.on(event);
    }

    void miss(core::GroupDialect dialect, const std::string& name, gang::PodGroupProblem problem) {
        const gang::PodGroupMissing event{dialect, "etl", name, problem, "404"};
        known.model.groups.missing(event, known.step.now_ms);
        statuses.on(event);
    }

    void answer(core::GroupDialect dialect, const std::string& name, gang::GroupStatusOutcome outcome) {
        statuses.on(gang::GroupStatusWritten{dialect, "etl", name, outcome, "so"});
    }

    /// A tick, and what it decided.
    std::vector<gang::Decision> tick() {
        known.step.timers = {};
        known.step.decisions.clear();
        statuses.run();
        return known.step.decisions;
    }

    std::string told_tick() {
        std::string text;
        for (const gang::Decision& decision : tick()) {
            if (const auto* const write = std::get_if<gang::WriteGroupStatus>(&decision)) {
                const core::PodGroupStatus& status = write->status;
                text += "\n    writes " + write->name + " " + write->uid + " " + write->api_version + ": " +
                        word(status.phase) + " " + std::to_string(status.running) + "/" +
                        std::to_string(status.succeeded) + "/" + std::to_string(status.failed) + " '" +
                        status.occupied_by + "' " + word(status.condition) + " '" + status.reason + "' '" +
                        status.message + "'";
                if (status.since_ms != 0) text += " since " + since_begin(status.since_ms);
            } else if (const auto* const fetch = std::get_if<gang::FetchPodGroup>(&decision)) {
                text += "\n    asks for " + fetch->name;
            } else if (const auto* const event = std::get_if<gang::RecordEvent>(&decision)) {
                text += "\n    event on " + event->pod.name + " " + event->pod.uid + " " + event->reason +
                        ": " + event->message;
            }
        }
        const auto wake = known.step.timers.next_ms();
        text += "\n    wakes " + (wake ? since_begin(*wake) : "never") + ", " +
                std::to_string(statuses.remembered()) + " due, answers";
        for (const auto count : known.step.counters.group_statuses) text += " " + std::to_string(count);
        return text + "\n";
    }

    static std::string since_begin(std::int64_t ms) { return std::to_string(ms - 1'800'000'000'000); }

    tests::Known known;
    gang::GroupStatuses statuses;
    std::vector<std::string> uids;
    std::vector<std::pair<core::GroupDialect, std::string>> names;
    std::vector<std::string> keys;
};

std::string drawn_event(tests::Walk& walk, StatusDesk& desk) {
    gang::Model& model = desk.known.model;
    const std::size_t which = walk.pick(desk.names.size());
    const auto& [dialect, name] = desk.names[which];
    const std::string& key = desk.keys[which];
    const std::string& uid = walk.of(desk.uids);
    switch (walk.pick(12)) {
        case 0:
        case 1: {
            gang::PodEntry& entry = model.pods.at(uid);
            const auto phase = static_cast<core::PodPhase>(walk.pick(5));
            entry.pod.phase = phase;
            entry.pod.node_name = walk.pick(4) == 0 ? "" : "n1";
            model.worklist.group_statuses.insert(
                entry.group.empty() ? *walk.of(std::vector<const std::string*>{&key}) : entry.group.str());
            return uid + " is " + std::to_string(static_cast<int>(phase)) + " on '" + entry.pod.node_name + "'";
        }
        case 2:
        case 3: {
            core::PodGroup object;
            object.min_members = static_cast<std::int64_t>(walk.pick(4));
            if (walk.pick(6) == 0) object.problem = "it is odd";
            core::PodGroupStatus status;
            if (walk.pick(3) == 0) status.phase = core::GroupPhase::scheduling;
            const bool has_uid = walk.pick(6) != 0;
            const std::string text = "found " + name + " min " + std::to_string(object.min_members) +
                                     object.problem + (has_uid ? "" : " without uid") + " " + word(status.phase);
            desk.find(dialect, name, std::move(object), has_uid, std::move(status));
            return text;
        }
        case 4:
            desk.miss(dialect, name, walk.pick(2) == 0 ? gang::PodGroupProblem::not_found
                                                        : gang::PodGroupProblem::failed);
            return "missing " + name;
        case 5:
        case 6:
        case 7: {
            const auto outcome = walk.pick(2) == 0 ? gang::GroupStatusOutcome::written
                                                   : static_cast<gang::GroupStatusOutcome>(walk.pick(6));
            desk.answer(dialect, name, outcome);
            return "answer for " + name + ": " + std::to_string(static_cast<int>(outcome));
        }
        case 8:
            if (gang::PodGroup* const group = model.groups.find(key)) {
                group->told = walk.pick(3) == 0 ? "" : "no room for " + std::to_string(walk.pick(3));
                group->told_code = walk.pick(2) == 0 ? gang::ReasonCode::waiting_for_pod_group
                                                     : gang::ReasonCode::waiting_for_capacity;
                model.worklist.group_statuses.insert(key);
            }
            return name + " is told";
        case 9:
            if (walk.pick(3) == 0) model.groups.want(key, desk.known.step.now_ms);
            else model.groups.rest(key);
            return name + (model.groups.is_asking(key) ? " is asked for" : " rests");
        case 10: {
            if (walk.pick(4) != 0) break;
            const bool gains = walk.pick(3) != 0;
            model.term.leads = gains;
            if (gains) desk.statuses.on(gang::LeadershipGained{2});
            else desk.statuses.on(gang::LeadershipLost{});
            return gains ? "leads" : "follows";
        }
        default:
            break;
    }
    model.worklist.group_statuses.insert(key);
    return name + " changes";
}

}  // namespace

TEST_CASE("group statuses: what is asked and written after events drawn by chance, as recorded") {
    constexpr std::int64_t passes[] = {0, 0, 1, 500, 999, 1'000, 1'000, 1'001, 2'000, 4'000, 4'999, 5'000, 60'000};
    std::string told;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        tests::Walk walk(seed);
        StatusDesk desk;
        desk.join("c1", "co", core::GroupDialect::coscheduling, {{"Job", "z", "u1", false}, {"Job", "a", "u2", true}});
        desk.join("c0", "co", core::GroupDialect::coscheduling, {{"Job", "later", "u3", true}});
        desk.join("v1", "vo", core::GroupDialect::volcano);
        desk.join("v2", "vo", core::GroupDialect::volcano);
        desk.join("k1", "ku", core::GroupDialect::kubernetes);
        desk.join("l1", "la", core::GroupDialect::labels);
        gang::Application& app = desk.known.add_gang("d1", "n1", 2);
        gang::GroupMembership named;
        named.dialect = core::GroupDialect::volcano;
        named.name = "dr";
        desk.known.model.pods.at("d1").pod.owners = {{"SparkApplication", "sa", "u5", true}};
        desk.known.model.groups.set_driver_group(desk.known.model.pods.at("d1").pod, named);
        desk.note(core::GroupDialect::volcano, "dr");
        desk.uids.emplace_back("d1");
        desk.known.add_executor("e1", app, "n1");
        desk.uids.emplace_back("e1");
        if (seed == 2) app.phase = gang::Phase::waiting;
        for (int i = 0; i < 170; ++i) {
            desk.known.step.now_ms += walk.of(passes);
            told += StatusDesk::since_begin(desk.known.step.now_ms) + " " + drawn_event(walk, desk) +
                    desk.told_tick();
        }
    }
    tests::check_transcript("gang/group_status/transcripts/status_writes", told);
}

TEST_CASE("group statuses: in one second twenty are asked for or written, and the next at its end") {
    StatusDesk desk;
    for (int i = 0; i < 45; ++i) {
        const std::string number = std::to_string(100 + i);
        desk.known.model.worklist.group_statuses.insert(
            desk.join("p" + number, "g" + number, core::GroupDialect::coscheduling));
    }
    CHECK(desk.tick().empty());
    CHECK(desk.known.step.timers.next_ms() == desk.known.step.now_ms + 1'000);
    desk.known.step.now_ms += 1'300;
    CHECK(desk.tick().size() == 20);
    CHECK(desk.known.step.timers.next_ms() == 1'800'000'002'000);
    desk.known.step.now_ms += 699;
    CHECK(desk.tick().empty());
    desk.known.step.now_ms += 1;
    CHECK(desk.tick().size() == 20);
    CHECK(desk.known.step.timers.next_ms() == 1'800'000'003'000);
    desk.known.step.now_ms += 1'000;
    CHECK(desk.tick().size() == 5);
    CHECK(desk.statuses.remembered() == 45);  // each question has its time
}

TEST_CASE("group statuses: the owners of the first pod, in the order of their names") {
    StatusDesk desk;
    const auto dialect = core::GroupDialect::coscheduling;
    desk.join("first", "g", dialect, {{"Job", "z", "u1", false}, {"Job", "m", "u2", true}, {"Job", "a", "u3", false}});
    desk.join("second", "g", dialect, {{"Job", "b", "u4", true}});
    desk.find(dialect, "g", core::PodGroup{2, {}, {}});
    desk.known.step.now_ms += 1'000;
    const auto decisions = desk.tick();
    REQUIRE(decisions.size() == 1);
    const auto* const write = std::get_if<gang::WriteGroupStatus>(decisions.data());
    REQUIRE(write != nullptr);
    CHECK(write->status.occupied_by == "etl/a,etl/m,etl/z");
    CHECK(write->status.phase == core::GroupPhase::scheduling);
}

TEST_CASE("group statuses: writes that fail are tried again after 2, 4, 8 seconds") {
    StatusDesk desk;
    const auto dialect = core::GroupDialect::coscheduling;
    desk.join("p", "g", dialect);
    desk.find(dialect, "g", core::PodGroup{2, {}, {}});
    desk.known.step.now_ms += 1'000;
    REQUIRE(desk.tick().size() == 1);
    for (const std::int64_t pause_ms :
         {2'000, 4'000, 8'000, 16'000, 32'000, 64'000, 128'000, 256'000, 300'000, 300'000}) {
        CAPTURE(pause_ms);
        desk.answer(dialect, "g", gang::GroupStatusOutcome::failed);
        desk.tick();
        desk.known.step.now_ms += pause_ms - 1;
        CHECK(desk.tick().empty());
        desk.known.step.now_ms += 1;
        CHECK(desk.tick().size() == 1);
    }
}

TEST_CASE("group statuses: who may not write waits a minute, with all of its dialect") {
    StatusDesk desk;
    const auto dialect = core::GroupDialect::coscheduling;
    for (const char* const name : {"g", "h"}) {
        desk.join(std::string("p") + name, name, dialect);
        desk.find(dialect, name, core::PodGroup{2, {}, {}});
    }
    desk.join("pv", "v", core::GroupDialect::volcano);
    desk.find(core::GroupDialect::volcano, "v", core::PodGroup{2, {}, {}});
    desk.known.step.now_ms += 1'000;
    REQUIRE(desk.tick().size() == 3);
    for (const char* const name : {"g", "h"}) desk.answer(dialect, name, gang::GroupStatusOutcome::forbidden);
    desk.tick();
    desk.known.step.now_ms += 59'999;
    CHECK(desk.tick().empty());
    desk.known.step.now_ms += 1;
    CHECK(desk.tick().size() == 1);  // one finds out for all
    desk.answer(dialect, "g", gang::GroupStatusOutcome::written);
    desk.tick();
    desk.known.step.now_ms += 60'000;
    CHECK(desk.tick().size() == 1);
}

TEST_CASE("group statuses: of an object that is gone nothing more is asked until something changes") {
    StatusDesk desk;
    const auto dialect = core::GroupDialect::coscheduling;
    const std::string key = desk.join("p", "g", dialect);
    desk.find(dialect, "g", core::PodGroup{2, {}, {}});
    desk.known.step.now_ms += 1'000;
    REQUIRE(desk.tick().size() == 1);
    desk.answer(dialect, "g", gang::GroupStatusOutcome::gone);
    CHECK(desk.tick().empty());
    CHECK(desk.statuses.remembered() == 0);
    CHECK_FALSE(desk.known.step.timers.next_ms().has_value());
    desk.known.model.worklist.group_statuses.insert(key);
    desk.tick();
    desk.known.step.now_ms += 1'000;
    const auto decisions = desk.tick();
    REQUIRE(decisions.size() == 1);
    CHECK(std::holds_alternative<gang::FetchPodGroup>(decisions[0]));
}

TEST_CASE("group statuses: of an object that a driver names and that is missing nobody asks for a minute") {
    StatusDesk desk;
    desk.known.add_gang("d1", "n1", 1);
    gang::GroupMembership named;
    named.dialect = core::GroupDialect::volcano;
    named.name = "g";
    desk.known.model.groups.set_driver_group(desk.known.model.pods.at("d1").pod, named);
    const std::string key = gang::PodGroups::key_of(named.dialect, "etl", "g");
    desk.known.model.worklist.group_statuses.insert(key);
    desk.tick();
    desk.known.step.now_ms += 1'000;
    REQUIRE(desk.tick().size() == 1);
    desk.miss(named.dialect, "g", gang::PodGroupProblem::not_found);
    CHECK(desk.statuses.remembered() == 0);
    desk.known.model.worklist.group_statuses.insert(key);
    desk.tick();
    CHECK(desk.known.step.timers.next_ms() == desk.known.step.now_ms + 60'000);
    desk.known.step.now_ms += 59'999;
    CHECK(desk.tick().empty());
    desk.known.step.now_ms += 1;
    CHECK(desk.tick().size() == 1);
}

TEST_CASE("group statuses: what was to be looked at in one term is not in the next that follows") {
    StatusDesk desk;
    desk.known.model.worklist.group_statuses.insert(desk.join("p", "g", core::GroupDialect::coscheduling));
    desk.statuses.on(gang::LeadershipLost{});
    CHECK(desk.tick().empty());
    CHECK(desk.statuses.remembered() == 0);
}
