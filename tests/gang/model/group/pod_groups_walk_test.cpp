// What is known of pod groups after pods, drivers, objects and questions drawn by chance.
#include "gang/model/group/pod_groups.hpp"
#include "tests/gang/builders.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr core::GroupDialect dialects_walked[] = {
    core::GroupDialect::kubernetes, core::GroupDialect::volcano, core::GroupDialect::labels};
const char* const groups_walked[] = {"g", "h"};

struct GroupWalk {
    explicit GroupWalk(std::uint64_t seed) : walk(seed) {
        for (std::uint32_t i = 0; i < 5; ++i) {
            gang::PodEntry& entry = pods.emplace_back();
            entry.id = gang::PodId{i};
            entry.pod = tests::pod("p" + std::to_string(i), 1000, 256);
            entry.pod.uid = entry.pod.name;
        }
    }

    gang::GroupMembership membership() {
        gang::GroupMembership made;
        made.dialect = walk.of(dialects_walked);
        made.name = walk.of(groups_walked);
        made.minimum = static_cast<std::int64_t>(walk.pick(4));
        made.is_silent = walk.pick(3) == 0;
        made.soft_after_ms = walk.pick(2) == 0 ? 0 : 5'000;
        if (made.dialect == core::GroupDialect::labels && walk.pick(3) == 0) made.family = "yunikorn";
        return made;
    }

    std::string told(const gang::GroupMembership& of, const core::Pod& pod) const {
        return gang::PodGroups::key_of(pod, of) + " min " + std::to_string(of.minimum) +
               (of.is_silent ? " silent" : "") + (of.soft_after_ms != 0 ? " soft" : "");
    }

    std::string move() {
        const auto dialect = walk.of(dialects_walked);
        const std::string name = walk.of(groups_walked);
        const std::string key = gang::PodGroups::key_of(dialect, "etl", name);
        gang::PodEntry& entry = pods[walk.pick(pods.size())];
        switch (walk.pick(11)) {
            case 0:
            case 1: {
                if (!entry.group.empty()) return leave(entry);
                const gang::GroupMembership named = membership();
                entry.group = texts.keep(gang::PodGroups::key_of(entry.pod, named));
                groups.join(entry, named);
                return entry.pod.name + " joins " + told(named, entry.pod);
            }
            case 2:
                return leave(entry);
            case 3: {
                std::optional<gang::GroupMembership> named;
                if (walk.pick(3) != 0) named = membership();
                if (named) named->family = {};
                groups.set_driver_group(entry.pod, named);
                return "driver " + entry.pod.name + " names " + (named ? told(*named, entry.pod) : "none");
            }
            case 4:
                if (groups.find(key) != nullptr) groups.want(key, now_ms);
                return "want " + key;
            case 5:
                groups.rest(key);
                return "rest " + key;
            case 6:
            case 7: {
                gang::PodGroupFound event{dialect, "etl", name, {}, "", "v1", {}};
                event.group.min_members = static_cast<std::int64_t>(walk.pick(3));
                event.uid = "uid-" + std::to_string(walk.pick(2));
                event.status.running = static_cast<std::int64_t>(walk.pick(3));
                return "found " + key + " min " + std::to_string(event.group.min_members) + " " + event.uid +
                       " changes '" + groups.found(event, now_ms) + "'";
            }
            case 8: {
                gang::PodGroupMissing event{dialect, "etl", name, gang::PodGroupProblem::failed, "so"};
                if (walk.pick(3) != 0) event.problem = gang::PodGroupProblem::not_found;
                if (walk.pick(4) == 0) event.message = "other";
                return "missing " + key + (event.problem == gang::PodGroupProblem::failed ? " failed " : " 404 ") +
                       event.message + " changes '" + groups.missing(event, now_ms) + "'";
            }
            case 9:
                if (groups.find(key) != nullptr) {
                    groups.look_again(key, now_ms + static_cast<std::int64_t>(walk.pick(3)) * 1'000);
                    gang::GroupStatusRecord& status = groups.find(key)->status;
                    status.is_left = walk.pick(2) == 0;
                    status.writing.reset();
                    if (walk.pick(2) == 0) status.writing.emplace();
                    return "look again " + key + (status.is_left ? " left" : "") + (status.writing ? " writing" : "");
                }
                break;
            default:
                if (walk.pick(8) == 0) {
                    groups.forget_statuses();
                    return "forget statuses";
                }
                break;
        }
        return "nothing";
    }

    std::string leave(gang::PodEntry& entry) {
        groups.leave(entry);
        entry.group = {};
        return entry.pod.name + " leaves";
    }

    std::string state() {
        std::string text;
        for (const auto& question : groups.due(now_ms)) {
            text += "  asks " +
                    gang::PodGroups::key_of(question.dialect, question.namespace_name, question.name) + "\n";
        }
        while (const auto key = groups.take_deadline(now_ms)) text += "  deadline " + *key + "\n";
        for (const auto& [key, group] : groups.all()) {
            text += "  " + key + ":" + group.namespace_name + "/" + group.name + " members";
            for (const gang::PodId member : group.members) text += " " + std::to_string(member.value);
            text += " drivers";
            for (const std::string& driver : group.drivers) text += " " + driver;
            text += group.object ? " min " + std::to_string(group.object->min_members) : " unknown";
            text += group.missing ? " missing " + group.missing->message : "";
            text += group.is_silent ? " silent" : "";
            text += group.soft_after_ms != 0 ? " soft" : "";
            text += groups.is_asking(key) ? " asked" : "";
            text += group.status.is_read ? " read " + group.status.uid + " " + group.status.api_version + " " +
                                               std::to_string(group.status.stored.running)
                                         : "";
            text += group.status.is_left ? " left\n" : "\n";
        }
        for (const gang::PodEntry& entry : pods) {
            const std::string* const of = groups.find_driver_group(entry.pod.uid);
            if (of != nullptr) CHECK(groups.group_of_driver(entry.pod.uid) == groups.find(*of));
            else CHECK(groups.group_of_driver(entry.pod.uid) == nullptr);
        }
        const auto next = groups.next_due_ms(now_ms);
        text += "  " + std::to_string(groups.remembered()) + " remembered, next " +
                (next ? std::to_string(*next - now_ms) : "never") +
                (groups.all_answered_once() ? ", all answered" : "") +
                (groups.has_driver_groups() ? ", has drivers\n" : "\n");
        return text;
    }

    tests::Walk walk;
    core::Texts texts;
    std::deque<gang::PodEntry> pods;
    gang::PodGroups groups;
    std::int64_t now_ms = 1'800'000'000'000;
};

}  // namespace

TEST_CASE("pod groups known: pods, drivers, objects and questions drawn by chance, as recorded") {
    std::string told;
    for (const std::uint64_t seed : {5U, 6U}) {
        GroupWalk walk(seed);
        std::string before;
        for (int i = 0; i < 200; ++i) {
            constexpr std::int64_t passes[] = {0, 0, 100, 999, 1'000, 2'000, 10'000};
            walk.now_ms += walk.walk.of(passes);
            const std::string moved = walk.move();
            const std::string now = walk.state();
            told += moved + "\n" + (now == before ? "  same\n" : now);
            before = now;
        }
        for (gang::PodEntry& entry : walk.pods) {
            walk.leave(entry);
            walk.groups.set_driver_group(entry.pod, std::nullopt);
        }
        CHECK(walk.groups.remembered() == 0);
    }
    tests::check_transcript("gang/model/group/transcripts/pod_groups", told);
}
