#include "gang/report/announcer.hpp"

#include "gang/lead/fence.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

using namespace gang;

namespace {

core::Pod driver() {
    core::Pod pod;
    pod.namespace_name = "etl";
    pod.name = "pi-driver";
    pod.uid = "1";
    return pod;
}

PodRef driver_of(const std::string& uid) {
    PodRef ref = ref_of(driver());
    ref.uid = uid;
    return ref;
}

}  // namespace

TEST_CASE("announcer: of a text that is too long the sentence is cut, never the code") {
    Announcer announcer;
    const std::string sentence = "0/3 nodes " + std::string(100'000, 'x');
    announcer.say(driver(), Saying{ReasonCode::exceeds_cluster, sentence}, 0);
    std::vector<Decision> decisions;
    announcer.flush(decisions, 0, driver_of);
    REQUIRE(decisions.size() == 2);
    for (const Decision& decision : decisions) {
        const auto* condition = std::get_if<SetCondition>(&decision);
        const std::string& text =
            condition != nullptr ? condition->message : std::get<RecordEvent>(decision).message;
        CHECK(text.size() == saying_bytes_max);
        CHECK(text.ends_with("x... [ExceedsCluster]"));
    }
}

TEST_CASE("announcer: a text is cut before a character of several bytes, not within it") {
    Announcer announcer;
    for (std::size_t shift = 0; shift < 3; ++shift) {
        std::string sentence(shift, 'x');
        while (sentence.size() < 2 * saying_bytes_max) {
            sentence += "\u20ac";
        }
        announcer.forget_all();
        announcer.say(driver(), Saying{ReasonCode::misconfigured, sentence}, 0);
        std::vector<Decision> decisions;
        announcer.flush(decisions, 0, driver_of);
        const std::string& text = std::get<SetCondition>(decisions.at(0)).message;
        const std::size_t dots = text.find("... [Misconfigured]");
        REQUIRE(dots != std::string::npos);
        CHECK((dots - shift) % 3 == 0);
    }
}

TEST_CASE("announcer: a pod that says PodScheduled=False already makes no transition") {
    core::Pod pod = driver();
    const auto is_transition = [](const core::Pod& seen) {
        Announcer announcer;
        announcer.say(seen, Saying{ReasonCode::exceeds_cluster, "0/3 nodes"}, 0);
        announcer.say_fence(seen, "0/3 nodes [WaitingInQueue]");
        std::vector<Decision> decisions;
        announcer.flush(decisions, 0, driver_of);
        std::vector<bool> found;
        for (const Decision& decision : decisions) {
            if (const auto* condition = std::get_if<SetCondition>(&decision)) {
                found.push_back(condition->is_transition);
            }
        }
        return found;
    };
    CHECK(is_transition(pod) == std::vector<bool>{true, true});
    pod.scheduled = core::ScheduledCondition{false, "Unschedulable", "of before", 0};
    CHECK(is_transition(pod) == std::vector<bool>{false, false});
    pod.scheduled->status = true;
    CHECK(is_transition(pod) == std::vector<bool>{true, true});
}

namespace {

struct Told {
    std::vector<std::string> conditions;
    int events = 0;
};

Told flushed(Announcer& announcer, std::int64_t now_ms) {
    std::vector<Decision> decisions;
    announcer.flush(decisions, now_ms, driver_of);
    Told told;
    for (const Decision& decision : decisions) {
        if (const auto* condition = std::get_if<SetCondition>(&decision)) {
            told.conditions.push_back(condition->message);
        } else {
            ++told.events;
        }
    }
    return told;
}

}  // namespace

TEST_CASE("announcer: an executor that waits for its turn is told when it lasts") {
    Announcer announcer;
    announcer.say_quietly(driver(), Saying{ReasonCode::waiting_in_queue, "0/3 nodes"}, 0);
    REQUIRE(announcer.next_due_ms());
    CHECK(*announcer.next_due_ms() == 2'000);
    CHECK(flushed(announcer, 1'999).conditions.empty());
    const Told told = flushed(announcer, 2'000);
    CHECK(told.conditions == std::vector<std::string>{"0/3 nodes [WaitingInQueue]"});
    CHECK(told.events == 0);
}

TEST_CASE("announcer: a driver that waits for its turn is told at once") {
    Announcer announcer;
    announcer.say(driver(), Saying{ReasonCode::waiting_in_queue, "0/3 nodes"}, 0);
    CHECK(flushed(announcer, 0).conditions.size() == 1);
}

TEST_CASE("announcer: an executor that is bound before that costs no write") {
    Announcer announcer;
    announcer.say_quietly(driver(), Saying{ReasonCode::waiting_in_queue, "0/3 nodes"}, 0);
    announcer.forget(driver().uid);
    CHECK_FALSE(announcer.next_due_ms());
    CHECK(flushed(announcer, 10'000).conditions.empty());
}

TEST_CASE("announcer: another reason than want of a turn is told at once") {
    Announcer announcer;
    announcer.say_quietly(driver(), Saying{ReasonCode::waiting_in_queue, "0/3 nodes"}, 0);
    announcer.say_quietly(driver(), Saying{ReasonCode::misconfigured, "0/3 nodes, ended"}, 100);
    CHECK(flushed(announcer, 100).conditions.size() == 1);
    CHECK(flushed(announcer, 10'000).conditions.empty());
}

namespace {

const std::string fence_text =
    "0/3 nodes looked at yet: " + fence_mark(1'800'000'000'000) + " [WaitingInQueue]";

const Saying no_room{ReasonCode::waiting_for_capacity, "0/3 nodes"};

}  // namespace

TEST_CASE("announcer: what follows a fence's text is told at once and has its event") {
    Announcer announcer;
    announcer.say_fence(driver(), fence_text);
    CHECK(flushed(announcer, 10'000).events == 0);
    announcer.say(driver(), no_room, 10'001);
    const Told told = flushed(announcer, 10'001);
    CHECK(told.conditions == std::vector<std::string>{"0/3 nodes [WaitingForCapacity]"});
    CHECK(told.events == 1);
    // From there on it is a text like any other.
    announcer.say(driver(), Saying{ReasonCode::waiting_in_queue, "0/3 nodes"}, 10'002);
    CHECK(flushed(announcer, 20'000).events == 0);
}

TEST_CASE("announcer: a predecessor's fence is no reason either") {
    core::Pod pod = driver();
    pod.scheduled = core::ScheduledCondition{false, "SchedulingSkipped", fence_text, 0};
    Announcer announcer;
    announcer.say(pod, no_room, 10'000);
    CHECK(flushed(announcer, 10'000).events == 1);
    pod.scheduled->message = "0/2 nodes [WaitingInQueue]";
    announcer.forget_all();
    announcer.say(pod, no_room, 20'000);
    const Told told = flushed(announcer, 20'000);
    CHECK(told.conditions.size() == 1);
    CHECK(told.events == 0);
}

TEST_CASE("announcer: an executor has no event, behind a fence either") {
    Announcer announcer;
    announcer.say_fence(driver(), fence_text);
    flushed(announcer, 10'000);
    announcer.say_quietly(driver(), no_room, 10'000);
    const Told told = flushed(announcer, 10'000);
    CHECK(told.conditions.size() == 1);
    CHECK(told.events == 0);
}

TEST_CASE("announcer: behind a fence no more is written in a second than ever") {
    Announcer announcer;
    const int pods = 3 * static_cast<int>(soft_per_second);
    for (int i = 0; i < pods; ++i) {
        core::Pod pod = driver();
        pod.uid = std::to_string(i);
        announcer.say_fence(pod, fence_text);
        announcer.say(pod, no_room, 10'000);
    }
    int events = 0;
    for (std::int64_t now_ms = 10'000; now_ms < 13'000; now_ms += 1'000) {
        const int more = flushed(announcer, now_ms).events;
        CHECK(more == soft_per_second);
        events += more;
    }
    CHECK(events == pods);
    CHECK_FALSE(announcer.next_due_ms());
}
