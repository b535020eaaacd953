// The fence alone: whom a new leader still has to write to, and when. What it is good for is told
// in recovery_test.cpp.
#include "gang/lead/fence.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using gang::Fence;

namespace {

using Uids = std::vector<std::string>;

constexpr std::int64_t begin_ms = 1'000'000;

}  // namespace

TEST_CASE("fence: a pod is written to once in a leadership term") {
    Fence fence;
    fence.raise();
    fence.add("a", begin_ms);
    CHECK_FALSE(fence.passed());
    CHECK(fence.due(begin_ms) == Uids{"a"});
    CHECK(fence.due(begin_ms) == Uids{});  // outstanding
    fence.answered("a", true, begin_ms);
    CHECK_FALSE(fence.passed());  // the answer is not what counts
    fence.seen("a");
    CHECK(fence.passed());
    CHECK(fence.view_is_current());
    fence.add("a", begin_ms);
    CHECK(fence.passed());
}

TEST_CASE("fence: a new leadership term begins with nothing, and writes to the same pods again") {
    Fence fence;
    fence.raise();
    fence.add("passed", begin_ms);
    fence.seen("passed");
    fence.add("waiting", begin_ms);
    fence.raise();
    CHECK(fence.passed());
    CHECK(fence.size() == 0);
    CHECK_FALSE(fence.is_waiting_for("waiting"));
    CHECK_FALSE(fence.view_is_current());
    CHECK_FALSE(fence.next_due_ms());
    fence.add("passed", begin_ms);
    CHECK(fence.is_waiting_for("passed"));
}

TEST_CASE("fence: what is refused is repeated after a pause, or when the pod has changed") {
    Fence fence;
    fence.raise();
    fence.add("a", begin_ms);
    fence.due(begin_ms);
    fence.answered("a", false, begin_ms);
    REQUIRE(fence.next_due_ms());
    CHECK(*fence.next_due_ms() > begin_ms);
    CHECK(fence.due(begin_ms) == Uids{});
    SUBCASE("after the pause") {
        CHECK(fence.due(*fence.next_due_ms()) == Uids{"a"});
    }
    SUBCASE("when it has changed") {
        fence.changed("a", begin_ms + 1);
        CHECK(fence.due(begin_ms + 1) == Uids{"a"});
    }
    SUBCASE("but an answer to nothing says nothing") {
        const auto due_ms = *fence.next_due_ms();
        fence.answered("a", true, begin_ms + 1);
        fence.answered("b", true, begin_ms + 1);
        CHECK(*fence.next_due_ms() == due_ms);
    }
}

TEST_CASE("fence: a write that the watch does not show is repeated") {
    Fence fence;
    fence.raise();
    fence.add("a", begin_ms);
    fence.due(begin_ms);
    fence.answered("a", true, begin_ms);
    fence.changed("a", begin_ms + 1);  // says nothing of a write that is awaited
    CHECK(fence.due(begin_ms + gang::fence_unseen_ms - 1) == Uids{});
    CHECK(fence.due(begin_ms + gang::fence_unseen_ms) == Uids{"a"});
}

TEST_CASE(
    "fence: a write that comes too late is no reason to give up while the watch shows nothing") {
    Fence fence;
    fence.raise();
    fence.add("a", begin_ms);
    std::int64_t now_ms = begin_ms;
    for (int i = 0; i < 100; ++i) {  // an old view: each write names the same state
        now_ms = std::max(now_ms, *fence.next_due_ms());
        REQUIRE(fence.due(now_ms) == Uids{"a"});
        fence.conflicted("a", now_ms);
    }
    CHECK(now_ms > begin_ms + gang::fence_give_up_ms);
    CHECK_FALSE(fence.passed());
    CHECK_FALSE(fence.view_is_current());
}

TEST_CASE("fence: a pod that refuses often enough for long enough is given up") {
    Fence fence;
    fence.raise();
    fence.add("a", begin_ms);
    std::int64_t now_ms = begin_ms;
    int refusals = 0;
    const auto write_until_passed = [&](auto answer) {
        while (!fence.passed()) {
            REQUIRE(refusals < 100);
            now_ms = std::max(now_ms + 1'000, *fence.next_due_ms());
            REQUIRE(fence.due(now_ms) == Uids{"a"});
            answer();
            ++refusals;
        }
    };
    SUBCASE("nobody may write to it") {
        write_until_passed([&] { fence.answered("a", false, now_ms); });
    }
    SUBCASE("somebody else writes to it all the time") {
        write_until_passed([&] {
            fence.conflicted("a", now_ms);
            fence.changed("a", now_ms);
        });
    }
    CHECK(refusals >= gang::fence_refusals_max);
    CHECK(now_ms >= begin_ms + gang::fence_give_up_ms);
    CHECK(fence.view_is_current());
}

TEST_CASE("fence: so many writes are under way at once, and no more") {
    Fence fence;
    fence.raise();
    for (std::size_t i = 0; i < gang::fence_outstanding_max + 1; ++i) {
        fence.add("pod-" + std::to_string(i), begin_ms);
    }
    const Uids first = fence.due(begin_ms);
    CHECK(first.size() == gang::fence_outstanding_max);
    CHECK_FALSE(fence.next_due_ms());  // an answer comes first
    CHECK(fence.due(begin_ms) == Uids{});
    fence.drop(first[0]);
    CHECK(fence.next_due_ms() == begin_ms);
    CHECK(fence.due(begin_ms).size() == 1);
}
