#include "gang/report/status_reporter.hpp"

#include "gang/lead/fence.hpp"
#include "gang/report/fencing_token.hpp"
#include "gang/report/messages.hpp"

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

TEST_CASE("status reporter: of a text that is too long the sentence is cut, never the code") {
    StatusReporter status_reporter;
    const std::string sentence = "0/3 nodes " + std::string(100'000, 'x');
    status_reporter.report(driver(), StatusMessage{ReasonCode::exceeds_cluster, sentence}, 0);
    std::vector<Decision> decisions;
    status_reporter.flush(decisions, 0, driver_of);
    REQUIRE(decisions.size() == 2);
    for (const Decision& decision : decisions) {
        const auto* condition = std::get_if<SetCondition>(&decision);
        const std::string& text =
            condition != nullptr ? condition->message : std::get<RecordEvent>(decision).message;
        CHECK(text.size() == status_message_bytes_max);
        CHECK(text.ends_with("x... [ExceedsCluster]"));
    }
}

TEST_CASE("status reporter: a text is cut before a character of several bytes, not within it") {
    StatusReporter status_reporter;
    for (std::size_t shift = 0; shift < 3; ++shift) {
        std::string sentence(shift, 'x');
        while (sentence.size() < 2 * status_message_bytes_max) {
            sentence += "\u20ac";
        }
        status_reporter.forget_all();
        status_reporter.report(driver(), StatusMessage{ReasonCode::misconfigured, sentence}, 0);
        std::vector<Decision> decisions;
        status_reporter.flush(decisions, 0, driver_of);
        const std::string& text = std::get<SetCondition>(decisions.at(0)).message;
        const std::size_t dots = text.find("... [Misconfigured]");
        REQUIRE(dots != std::string::npos);
        CHECK((dots - shift) % 3 == 0);
    }
}

TEST_CASE("status reporter: a pod that says PodScheduled=False already makes no transition") {
    core::Pod pod = driver();
    const auto is_transition = [](const core::Pod& seen) {
        StatusReporter status_reporter;
        status_reporter.report(seen, StatusMessage{ReasonCode::exceeds_cluster, "0/3 nodes"}, 0);
        status_reporter.report_fence(seen, "0/3 nodes [WaitingInQueue]");
        std::vector<Decision> decisions;
        status_reporter.flush(decisions, 0, driver_of);
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

struct Reported {
    std::vector<std::string> conditions;
    int events = 0;
};

Reported flushed(StatusReporter& status_reporter, std::int64_t now_ms) {
    std::vector<Decision> decisions;
    status_reporter.flush(decisions, now_ms, driver_of);
    Reported reported;
    for (const Decision& decision : decisions) {
        if (const auto* condition = std::get_if<SetCondition>(&decision)) {
            reported.conditions.push_back(condition->message);
        } else {
            ++reported.events;
        }
    }
    return reported;
}

}  // namespace

TEST_CASE("status reporter: an executor that waits for its turn is told when it lasts") {
    StatusReporter status_reporter;
    status_reporter.report_quietly(
        driver(), StatusMessage{ReasonCode::waiting_in_queue, "0/3 nodes"}, 0);
    REQUIRE(status_reporter.next_due_ms());
    CHECK(*status_reporter.next_due_ms() == 2'000);
    CHECK(flushed(status_reporter, 1'999).conditions.empty());
    const Reported reported = flushed(status_reporter, 2'000);
    CHECK(reported.conditions == std::vector<std::string>{"0/3 nodes [WaitingInQueue]"});
    CHECK(reported.events == 0);
}

TEST_CASE("status reporter: a driver that waits for its turn is told at once") {
    StatusReporter status_reporter;
    status_reporter.report(driver(), StatusMessage{ReasonCode::waiting_in_queue, "0/3 nodes"}, 0);
    CHECK(flushed(status_reporter, 0).conditions.size() == 1);
}

TEST_CASE("status reporter: an executor that is bound before that costs no write") {
    StatusReporter status_reporter;
    status_reporter.report_quietly(
        driver(), StatusMessage{ReasonCode::waiting_in_queue, "0/3 nodes"}, 0);
    status_reporter.forget(driver().uid);
    CHECK_FALSE(status_reporter.next_due_ms());
    CHECK(flushed(status_reporter, 10'000).conditions.empty());
}

TEST_CASE("status reporter: another reason than want of a turn is told at once") {
    StatusReporter status_reporter;
    status_reporter.report_quietly(
        driver(), StatusMessage{ReasonCode::waiting_in_queue, "0/3 nodes"}, 0);
    status_reporter.report_quietly(
        driver(), StatusMessage{ReasonCode::misconfigured, "0/3 nodes, ended"}, 100);
    CHECK(flushed(status_reporter, 100).conditions.size() == 1);
    CHECK(flushed(status_reporter, 10'000).conditions.empty());
}

namespace {

const std::string fence_text =
    "0/3 nodes looked at yet: " + fencing_token(1'800'000'000'000) + " [WaitingInQueue]";

const StatusMessage no_room{ReasonCode::waiting_for_capacity, "0/3 nodes"};

}  // namespace

TEST_CASE("status reporter: what follows a fence's text is told at once and has its event") {
    StatusReporter status_reporter;
    status_reporter.report_fence(driver(), fence_text);
    CHECK(flushed(status_reporter, 10'000).events == 0);
    status_reporter.report(driver(), no_room, 10'001);
    const Reported reported = flushed(status_reporter, 10'001);
    CHECK(reported.conditions == std::vector<std::string>{"0/3 nodes [WaitingForCapacity]"});
    CHECK(reported.events == 1);
    // From there on it is a text like any other.
    status_reporter.report(
        driver(), StatusMessage{ReasonCode::waiting_in_queue, "0/3 nodes"}, 10'002);
    CHECK(flushed(status_reporter, 20'000).events == 0);
}

TEST_CASE(
    "status reporter: what stood before this leader's fence, and stands again, has no event "
    "twice") {
    StatusReporter status_reporter;
    const StatusMessage problem{ReasonCode::misconfigured, "0/3 nodes"};
    const auto fence_and = [&](const StatusMessage& next) {
        status_reporter.report_fence(driver(), fence_text);
        status_reporter.report_fence(driver(), fence_text);  // it had no answer
        status_reporter.report(driver(), next, 10'000);
        return flushed(status_reporter, 10'000).events;
    };
    CHECK(fence_and(problem) == 1);
    CHECK(fence_and(problem) == 0);
    CHECK(fence_and(StatusMessage{ReasonCode::exceeds_cluster, "0/3 nodes"}) == 1);
    CHECK(fence_and(problem) == 1);
    // What was said without an event has one when it is said again aloud.
    status_reporter.forget_all();
    status_reporter.report_quietly(driver(), problem, 10'000);
    CHECK(fence_and(problem) == 1);
}

TEST_CASE("status reporter: a predecessor's fence is no reason either") {
    core::Pod pod = driver();
    pod.scheduled = core::ScheduledCondition{false, "SchedulingSkipped", fence_text, 0};
    StatusReporter status_reporter;
    status_reporter.report(pod, no_room, 10'000);
    CHECK(flushed(status_reporter, 10'000).events == 1);
    pod.scheduled->message = "0/2 nodes [WaitingInQueue]";
    status_reporter.forget_all();
    status_reporter.report(pod, no_room, 20'000);
    const Reported reported = flushed(status_reporter, 20'000);
    CHECK(reported.conditions.size() == 1);
    CHECK(reported.events == 0);
}

TEST_CASE("status reporter: an executor has no event, behind a fence either") {
    StatusReporter status_reporter;
    status_reporter.report_fence(driver(), fence_text);
    flushed(status_reporter, 10'000);
    status_reporter.report_quietly(driver(), no_room, 10'000);
    const Reported reported = flushed(status_reporter, 10'000);
    CHECK(reported.conditions.size() == 1);
    CHECK(reported.events == 0);
}

TEST_CASE("status reporter: behind a fence no more is written in a second than ever") {
    StatusReporter status_reporter;
    const int pods = 3 * static_cast<int>(soft_per_second);
    for (int i = 0; i < pods; ++i) {
        core::Pod pod = driver();
        pod.uid = std::to_string(i);
        status_reporter.report_fence(pod, fence_text);
        status_reporter.report(pod, no_room, 10'000);
    }
    int events = 0;
    for (std::int64_t now_ms = 10'000; now_ms < 13'000; now_ms += 1'000) {
        const int more = flushed(status_reporter, now_ms).events;
        CHECK(more == soft_per_second);
        events += more;
    }
    CHECK(events == pods);
    CHECK_FALSE(status_reporter.next_due_ms());
}

TEST_CASE("messages: a pod group that is not there, or not readable, is named with the reason") {
    using gang::PodGroupProblem;
    const auto text_of = [](PodGroupProblem problem) {
        return gang::group_missing_message(
                   3, {core::GroupDialect::coscheduling, "etl", "g", problem, "so they say"})
            .sentence;
    };
    CHECK(text_of(PodGroupProblem::not_found).ends_with("PodGroup not found: etl/g (so they say)"));
    CHECK(
        text_of(PodGroupProblem::forbidden)
            .find("PodGroup etl/g is not readable; grant the scheduler get on ") !=
        std::string::npos);
    for (const PodGroupProblem problem : {PodGroupProblem::unreadable, PodGroupProblem::failed}) {
        CHECK(text_of(problem).ends_with("PodGroup etl/g is not readable (so they say)"));
    }
}

TEST_CASE("messages: the event of a bind says for how many room is held, where, and who declared them") {
    core::Texts texts;
    PodEntry entry;
    entry.pod = driver();
    entry.pod.node_name = "n1";
    CHECK(bound_text(entry, nullptr) == "Successfully assigned etl/pi-driver to n1");
    Application app;
    CHECK(bound_text(entry, &app) == "Successfully assigned etl/pi-driver to n1");
    app.slots.resize(1);
    app.slots[0].node = texts.keep("n2");
    const auto ending = [&](const std::string& source) {
        app.declared.source = texts.keep(source);
        const std::string text = bound_text(entry, &app);
        const std::string start = "Successfully assigned etl/pi-driver to n1, with room reserved for ";
        REQUIRE(text.starts_with(start));
        return text.substr(start.size());
    };
    CHECK(ending("") == "1 executor on 1 node");
    CHECK(ending("the Spark conf") == "1 executor on 1 node, as said by the Spark conf");
    CHECK(ending("annotation a/one") == "1 executor on 1 node, as said by annotation a/one");
    CHECK(
        ending("annotation a/one, annotation a/two") ==
        "1 executor on 1 node, as said by annotations a/one, a/two");
    CHECK(
        ending("annotation a/one, annotation a/two, annotation a/three") ==
        "1 executor on 1 node, as said by annotations a/one, a/two, a/three");
    CHECK(
        ending("annotation a/one, the Spark conf") ==
        "1 executor on 1 node, as said by annotation a/one, the Spark conf");
    CHECK(
        ending("the Spark conf, annotation a/one") ==
        "1 executor on 1 node, as said by the Spark conf, annotation a/one");
    app.slots.resize(3);
    app.slots[1].node = app.slots[2].node = texts.keep("n3");
    CHECK(ending("") == "3 executors on 2 nodes");
    app.group = texts.keep("etl/g");
    CHECK(ending("") == "3 more pods on 2 nodes");
}
