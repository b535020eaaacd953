// The fence of a new leader under writes, answers, what the watch shows and time, in any order.
#include "gang/lead/fence.hpp"

#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t walk_begins_ms = 1'000'000;

std::string state_of(const gang::Fence& fence, const std::vector<std::string>& uids) {
    std::string told = "    " + std::to_string(fence.size()) + (fence.passed() ? " passed" : "") +
                       (fence.view_is_current() ? " current" : "") + " next ";
    const auto next = fence.next_due_ms();
    told += next ? std::to_string(*next - walk_begins_ms) : "-";
    for (const std::string& uid : uids) told += fence.is_waiting_for(uid) ? " " + uid : "";
    return told + "\n";
}

}  // namespace

TEST_CASE("fence: any order of writes, answers and what the watch shows") {
    tests::Walk walk(3);
    const std::vector<std::string> uids = {"a", "b", "c"};
    std::string told;
    gang::Fence fence;
    std::int64_t now_ms = walk_begins_ms;
    for (int i = 0; i < 700; ++i) {
        const std::string& uid = walk.of(uids);
        switch (walk.pick(walk.pick(8) == 0 ? 12 : 10)) {
            case 0:
                fence.add(uid, now_ms);
                told += "add " + uid;
                break;
            case 1:
            case 2: {
                told += "due";
                for (const std::string& one : fence.due(now_ms)) told += " " + one;
                break;
            }
            case 3:
            case 4: {
                const bool is_written = walk.pick(3) == 0;
                fence.answered(uid, is_written, now_ms);
                told += (is_written ? "written " : "refused ") + uid;
                break;
            }
            case 5:
                fence.conflicted(uid, now_ms);
                told += "conflicted " + uid;
                break;
            case 6:
                fence.changed(uid, now_ms);
                told += "changed " + uid;
                break;
            case 7: {
                constexpr std::int64_t waits[] = {499, 500, 1, 1'000, 2'999, 3'000, 8'000, 30'000};
                now_ms += walk.of(waits);
                told += "at " + std::to_string(now_ms - walk_begins_ms);
                break;
            }
            case 8:
                if (const auto next = fence.next_due_ms()) {
                    now_ms = std::max(now_ms, *next - static_cast<std::int64_t>(walk.pick(2)));
                    told += "at " + std::to_string(now_ms - walk_begins_ms);
                } else {
                    told += "nothing is due";
                }
                break;
            case 9:
                if (walk.pick(4) == 0) {
                    fence.seen(uid);
                    told += "seen " + uid;
                }
                break;
            case 10:
                fence.drop(uid);
                told += "gone " + uid;
                break;
            default:
                fence.raise();
                told += "raise";
                for (const std::string& one : uids) fence.add(one, now_ms);
                break;
        }
        told += "\n" + state_of(fence, uids);
    }
    tests::check_transcript("gang/lead/transcripts/fence", told);
}

TEST_CASE("fence: so many are written to at once, and not one more") {
    gang::Fence fence;
    fence.raise();
    for (std::size_t i = 0; i <= gang::fence_outstanding_max; ++i) {
        fence.add("p" + std::to_string(1'000 + i), walk_begins_ms);
    }
    CHECK(fence.due(walk_begins_ms).size() == gang::fence_outstanding_max);
    CHECK(fence.due(walk_begins_ms).empty());
    CHECK_FALSE(fence.next_due_ms());
    fence.answered("p1000", true, walk_begins_ms);
    CHECK(fence.next_due_ms() == walk_begins_ms);
    CHECK(fence.due(walk_begins_ms) == std::vector<std::string>{"p1256"});
    CHECK_FALSE(fence.next_due_ms());
    fence.seen("p1001");
    CHECK(fence.next_due_ms() == walk_begins_ms + gang::fence_unseen_ms);
}

TEST_CASE("fence: what nobody waits for makes no view current") {
    gang::Fence fence;
    fence.raise();
    fence.seen("other");
    CHECK_FALSE(fence.view_is_current());
    fence.set_view_is_current();
    CHECK(fence.view_is_current());
}
