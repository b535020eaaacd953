// The quotas of namespaces, by many random stories: gangs wait, are admitted, run and rest while questions are under
// way. Everything that can be asked of the board is told after each step.
#include "gang/model/quota/quota_board.hpp"

#include "tests/gang/builders.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace {
namespace quota_walk {

using Words = std::vector<std::string>;
using tests::Walk;

struct Gang {
    gang::Application app;
    core::Pod driver;
};

std::string joined(const Words& words) {
    std::string text;
    for (const std::string& one : words) text += (text.empty() ? "" : ",") + one;
    return "{" + text + "}";
}

struct Board {
    explicit Board(std::uint64_t seed, bool is_on = true) : walk(seed), board(config(is_on), cluster) {
        for (int i = 0; i < 5; ++i) add_gang(i);
    }

    static config::Quota config(bool is_on) {
        config::Quota said;
        said.preflight = is_on;
        return said;
    }

    void add_gang(int i) {
        Gang& gang = gangs.emplace_back();
        gang.app.uid = "u" + std::to_string(i);
        gang.app.namespace_name = texts.keep(i == 4 ? "ml" : "etl");
        gang.app.created = walk.of(std::vector<std::int64_t>{5, 5, 6, 7});
        gang.app.is_driver = walk.pick(12) != 0;
        gang.app.group = texts.keep(walk.pick(16) == 0 ? "group" : "");
        gang.driver = tests::driver("d" + std::to_string(i));
        gang.driver.priority = static_cast<std::int32_t>(walk.pick(2));
        for (std::size_t left = walk.pick(12) == 0 ? 0 : 1 + walk.pick(2); left > 0; --left) {
            gang::GangShape& shape = gang.app.declared.shapes.emplace_back();
            const auto cpu = static_cast<std::int64_t>(1'000 * (1 + walk.pick(3)));
            shape.id = cluster.intern_shape({cpu, tests::mebibyte, 0, {}}, {});
            shape.count = static_cast<std::int64_t>(1 + walk.pick(3));
            if (walk.pick(3) == 0) {
                core::ExecutorLimits limits;
                limits.priority_class = "high";
                shape.limits = limits;
            }
        }
        for (std::size_t left = walk.pick(6); left > 0; --left) {
            gang::Slot& slot = gang.app.slots.emplace_back();
            slot.shape = static_cast<std::uint16_t>(walk.pick(2));
            slot.state = walk.of(std::vector<gang::SlotState>{
                gang::SlotState::open, gang::SlotState::unplaced, gang::SlotState::bound, gang::SlotState::open});
            if (slot.state == gang::SlotState::bound || walk.pick(4) == 0) slot.pod = gang::PodId{1};
        }
    }

    core::NamespaceQuotas quotas() {
        core::NamespaceQuotas said;
        if (walk.pick(6) == 0) return said;
        if (walk.pick(8) == 0) {
            core::LimitBounds& bounds = said.bounds.emplace_back();
            bounds.range = "range";
            bounds.resource = "cpu";
            bounds.max = 2'000;
            if (walk.pick(2) == 0) return said;
        }
        const auto used = static_cast<std::int64_t>(walk.pick(5));
        said.quotas.push_back({"team", {{"pods", walk.of(std::vector<std::int64_t>{2, 6, 8, 20}), used}}, {}});
        if (walk.pick(4) == 0) {
            said.quotas.push_back({"urgent", {{"requests.cpu", 6'000, 1'000}}, {{core::ScopeOperator::in, {"high"}}}});
        }
        return said;
    }

    static std::string text_of(const core::NamespaceQuotas& said) {
        std::string text;
        for (const auto& quota : said.quotas) {
            for (const auto& amount : quota.amounts) {
                text += " " + quota.name + " " + std::to_string(amount.used) + "/" + std::to_string(amount.hard);
            }
        }
        return text + (said.bounds.empty() ? "" : " bounds");
    }

    std::string move() {
        Gang& gang = gangs[walk.pick(gangs.size())];
        const std::string name = walk.pick(5) == 0 ? "ml" : "etl";
        const bool is_there = is_known(name);
        switch (walk.pick(22)) {
            case 0:
            case 1:
            case 2:
            case 3:
                board.want(gang.app, gang.driver, now_ms);
                return gang.app.uid + " wants";
            case 4:
                if (walk.pick(2) == 0) board.rest(gang.app);
                return gang.app.uid + " perhaps rests";
            case 5:
                board.admitted(gang.app);
                return gang.app.uid + " is admitted";
            case 6:
                board.note_freed(name, now_ms);
                return name + " freed";
            case 7:
                if (walk.pick(6) == 0) board.forget(name);
                return name + " perhaps forgotten";
            case 8: {
                if (!is_there) return "nothing";
                const Words uids = board.waiting_in(name);
                if (uids.empty() || walk.pick(3) != 0) return name + " waiting " + joined(uids);
                board.stop_waiting(name, uids.front());
                return uids.front() + " stops";
            }
            case 9:
            case 10:
            case 15:
            case 16:
            case 17: {
                if (!is_there) return "nothing";
                std::vector<const gang::Application*> running;
                std::string text = name + " asked, running";
                for (const Gang& one : gangs) {
                    if (one.app.namespace_name.str() != name || walk.pick(3) != 0) continue;
                    running.push_back(&one.app);
                    text += " " + one.app.uid;
                }
                board.asked(name, running, now_ms);
                return text;
            }
            case 11:
            case 12:
            case 13:
            case 18:
            case 19: {
                if (walk.pick(3) != 0) last = quotas();
                const Words uids = board.found({name, last}, now_ms);
                return name + " found" + text_of(last) + " for " + joined(uids);
            }
            case 14: {
                const std::size_t which = walk.pick(4);
                const auto problem = which == 0   ? gang::QuotaProblem::forbidden
                                     : which == 1 ? gang::QuotaProblem::unreadable
                                                  : gang::QuotaProblem::failed;
                const Words uids = board.missing({name, problem, ""}, now_ms);
                return name + (which < 2 ? " missing" : " failed") + " for " + joined(uids);
            }
            default:
                if (walk.pick(4) != 0) return "overtaken " + joined(board.take_overtaken());
                if (walk.pick(3) == 0) board.forget_questions(now_ms);
                return "questions perhaps forgotten";
        }
    }

    /// Whether anything is known of the namespace: its time of the next question stands in the list of those due.
    bool is_known(const std::string& name) const {
        for (const std::string& one : board.due(std::int64_t{1} << 60)) {
            if (one == name) return true;
        }
        return false;
    }

    std::string state() const {
        const auto next = board.next_due_ms();
        std::string text = " " + std::to_string(board.remembered()) + " due" + joined(board.due(now_ms)) + " next " +
                           (next ? std::to_string(*next) : "-") + "\n";
        for (const Gang& one : gangs) {
            const auto obstacle = board.find_obstacle(one.app, one.driver);
            if (!obstacle) continue;
            const std::string said = std::string(to_string(obstacle->code)) + " " + obstacle->text;
            text += "  " + one.app.uid + ": " + (obstacle->text.empty() ? "not yet" : said) + "\n";
        }
        return text;
    }

    std::string gangs_text() const {
        std::string text;
        for (const Gang& one : gangs) {
            text += "  " + one.app.uid + " of " + one.app.namespace_name.str() + " created " +
                    std::to_string(one.app.created) + " priority " + std::to_string(one.driver.priority) +
                    (one.app.is_driver ? "" : " lone") + (one.app.group.empty() ? "" : " group") + " executors";
            for (const gang::GangShape& shape : one.app.declared.shapes) {
                text += " " + std::to_string(shape.count) + "x";
                text += std::to_string(cluster.resources(shape.id).cpu_milli) +
                        (shape.limits ? "h" : "");
            }
            text += " slots";
            for (const gang::Slot& slot : one.app.slots) {
                text += slot.state == gang::SlotState::open ? " o" : slot.state == gang::SlotState::bound ? " b" : " u";
                text += std::to_string(slot.shape) + (slot.pod.is_none() ? "" : "+");
            }
            text += "\n";
        }
        return text;
    }

    Walk walk;
    core::Texts texts;
    core::Cluster cluster;
    gang::QuotaBoard board;
    std::vector<Gang> gangs;
    core::NamespaceQuotas last;
    std::int64_t now_ms = 1'000'000;
};

}  // namespace quota_walk
}  // namespace

TEST_CASE("transcripts: what quotas keep gangs waiting for, and when they are asked for") {
    std::string told;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        quota_walk::Board story(seed);
        told += "story " + std::to_string(seed) + "\n" + story.gangs_text();
        for (int i = 0; i < 44; ++i) {
            told += story.move() + ":";
            told += story.state();
            story.now_ms += story.walk.of(std::vector<std::int64_t>{0, 1, 100, 250, 1'000, 40'000});
        }
    }
    tests::check_transcript("gang/model/quota/transcripts/quota_board", told);
}

TEST_CASE("quota board: off, it remembers nothing and stands in nobody's way") {
    quota_walk::Board off(3, false);
    CHECK_FALSE(off.board.is_on());
    for (quota_walk::Gang& one : off.gangs) {
        off.board.want(one.app, one.driver, 1);
        off.board.rest(one.app);
        off.board.admitted(one.app);
        CHECK_FALSE(off.board.find_obstacle(one.app, one.driver));
    }
    CHECK(off.board.remembered() == 0);
    CHECK_FALSE(off.board.next_due_ms());
}

TEST_CASE("quota board: an answer that nobody waits for is nobody's") {
    quota_walk::Board board(3);
    CHECK(board.board.found({"etl", {}}, 1).empty());
    CHECK(board.board.missing({"etl", gang::QuotaProblem::forbidden, ""}, 1).empty());
    CHECK(board.board.remembered() == 0);
}
