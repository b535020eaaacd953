// Questions for confs, wanted, answered, lost and given up in any order: whom to ask, and when
// next.

#include "gang/declare/conf_asker.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace {

namespace asker_walk {

using gang::ConfAsker;
using tests::Walk;

std::string told(const ConfAsker& asker, std::int64_t now_ms) {
    const auto next = asker.next_due_ms(now_ms);
    return " next " + (next ? std::to_string(*next - now_ms) : "none") + " of " +
           std::to_string(asker.remembered()) + (asker.all_answered_once() ? " all answered" : "") +
           "\n";
}

}  // namespace asker_walk

}  // namespace

TEST_CASE("conf asker: a walk of questions and answers") {
    using namespace asker_walk;
    std::string text;
    for (const std::size_t drivers : {3U, 60U}) {
        Walk walk(drivers);
        ConfAsker asker;
        std::int64_t now_ms = 1'000'000;
        std::vector<std::string> asked;
        for (int i = 0; i < 700; ++i) {
            const std::string uid = "d" + std::to_string(walk.pick(drivers));
            const std::size_t what = walk.pick(12);
            if (what < 3) {
                asker.want(uid, now_ms);
                text += "want " + uid;
            } else if (what == 3 && walk.pick(drivers > 3 ? 1 : 2) == 0) {
                asker.forget(uid);
                text += "forget " + uid;
            } else if (what < 7 && !asked.empty()) {
                const std::size_t at = walk.pick(asked.size());
                asker.missing(asked[at], now_ms);
                text += "missing " + asked[at];
                asked.erase(asked.begin() + static_cast<std::ptrdiff_t>(at));
            } else if (what == 7) {
                asker.missing(uid, now_ms);
                text += "missing " + uid + " maybe";
            } else if (what == 8) {
                const std::int64_t steps[] = {
                    1, 50, 100, 999, 1'000, 2'000, 30'000, 59'999, 60'000, 1, 3, 5};
                now_ms += walk.of(steps);
                text += "at " + std::to_string(now_ms);
            } else {
                text += "due";
                for (const std::string& one : asker.due(now_ms)) {
                    text += " " + one;
                    asked.push_back(one);
                }
            }
            text += (asker.is_asking(uid) ? " asks" : "") + told(asker, now_ms);
        }
    }
    tests::check_transcript("gang/declare/transcripts/questions", text);
}

TEST_CASE("conf asker: many broken drivers, of which all are asked for within the limits") {
    using namespace asker_walk;
    std::string text;
    ConfAsker asker;
    for (int i = 0; i < 70; ++i) {
        asker.want("d" + std::to_string(i), i % 3);
    }
    std::size_t outstanding_max = 0;
    Walk walk(5);
    std::vector<std::string> asked;
    for (std::int64_t now_ms = 0; now_ms < 40'000; now_ms += 250) {
        const auto due = asker.due(now_ms);
        asked.insert(asked.end(), due.begin(), due.end());
        outstanding_max = std::max(outstanding_max, asked.size());
        text += std::to_string(now_ms) + ": " + std::to_string(due.size()) + told(asker, now_ms);
        // Some answers never come.
        while (!asked.empty() && walk.pick(12) > 0) {
            asker.missing(asked.back(), now_ms);
            asked.pop_back();
        }
    }
    CHECK(outstanding_max == gang::conf_outstanding_max);
    tests::check_transcript("gang/declare/transcripts/questions_of_many", text);
}
