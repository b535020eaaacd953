#include "gang/host/inbox.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using gang::Inbox;
using gang::InboxLimits;

gang::Event deleted(const std::string& uid) {
    return gang::PodDeleted{uid};
}

/// "tick", or the uid of a PodDeleted.
std::string word(const gang::StampedEvent& stamped) {
    const auto* pod = std::get_if<gang::PodDeleted>(&stamped.event);
    return pod == nullptr ? "tick" : pod->uid;
}

std::vector<std::string> drain(Inbox& inbox, std::int64_t now) {
    std::vector<std::string> out;
    while (inbox.has_work(now)) {
        out.push_back(word(inbox.next(now)));
    }
    return out;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("inbox: events come out in order, one Tick when it has run dry") {
    Inbox inbox;
    CHECK_FALSE(inbox.has_work(0));
    inbox.push(deleted("a"));
    inbox.push(deleted("b"));
    CHECK(drain(inbox, 100) == Words{"a", "b", "tick"});
    CHECK_FALSE(inbox.has_work(200));
}

TEST_CASE("inbox: a burst is planned after so many events") {
    Inbox inbox(InboxLimits{100, 2, 1000});
    for (const char* uid : {"a", "b", "c", "d", "e"}) {
        inbox.push(deleted(uid));
    }
    CHECK(drain(inbox, 0) == Words{"a", "b", "tick", "c", "d", "tick", "e", "tick"});
}

TEST_CASE("inbox: a burst is planned after so much time") {
    Inbox inbox(InboxLimits{100, 1000, 5});
    for (const char* uid : {"a", "b", "c"}) {
        inbox.push(deleted(uid));
    }
    CHECK(word(inbox.next(10)) == "a");
    CHECK(word(inbox.next(14)) == "b");
    CHECK(word(inbox.next(15)) == "tick");
    CHECK(word(inbox.next(15)) == "c");
}

TEST_CASE("inbox: a wake time gives one Tick when it is due, the earliest one counts") {
    Inbox inbox;
    inbox.wake_at(500);
    inbox.wake_at(300);
    inbox.wake_at(400);
    CHECK(inbox.wake_time() == 300);
    CHECK_FALSE(inbox.has_work(299));
    CHECK(drain(inbox, 300) == Words{"tick"});
    CHECK_FALSE(inbox.wake_time().has_value());
}

TEST_CASE("inbox: a Tick before the wake time leaves it in force") {
    Inbox inbox;
    inbox.wake_at(500);
    inbox.push(deleted("a"));
    CHECK(drain(inbox, 100) == Words{"a", "tick"});
    CHECK(inbox.wake_time() == 500);
}

TEST_CASE("inbox: sequence and time only grow, also when the clock goes back") {
    Inbox inbox;
    inbox.push(deleted("a"));
    const auto first = inbox.next(1000);
    inbox.push(deleted("b"));
    const auto second = inbox.next(900);
    CHECK(first.sequence == 1);
    CHECK(second.sequence == 2);
    CHECK(first.time_ms == 1000);
    CHECK(second.time_ms == 1000);
}

TEST_CASE("inbox: full at its bound, and only below half of it no more") {
    Inbox inbox(InboxLimits{4, 1000, 1000});
    for (const char* uid : {"a", "b", "c"}) {
        inbox.push(deleted(uid));
    }
    CHECK_FALSE(inbox.is_full());
    inbox.push(deleted("d"));
    CHECK(inbox.is_full());
    inbox.next(0);
    inbox.next(0);
    CHECK(inbox.is_full());
    inbox.next(0);
    CHECK_FALSE(inbox.is_full());
}
