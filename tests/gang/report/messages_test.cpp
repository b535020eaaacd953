// Every sentence of gang/report, and what the reporter writes of a pod, against what they said.

#include "gang/report/messages.hpp"

#include "gang/report/fencing_token.hpp"
#include "gang/report/status_reporter.hpp"
#include "tests/gang/parts.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {
namespace sentences {

using tests::Walk;

std::string told_of(const gang::StatusMessage& message) {
    return "[" + std::string(to_string(message.code)) + "] " + message.sentence +
           (message.is_bare ? " (bare)\n" : "\n");
}

std::vector<core::Rejection> rejections() {
    core::Rejection driver;
    driver.nodes = 3;
    driver.wants_driver = true;
    driver.executors_wanted = 4;
    driver.wanted = {5'000, 5 * tests::mebibyte, 0, {}};
    driver.missing = {2'000, 0, 0, {}};
    driver.binding = "cpu";
    driver.eligible_nodes = 3;
    driver.reasons = {{"Insufficient cpu", 3}};
    core::Rejection executors = driver;
    executors.driver_fits = true;
    executors.executors_fit = 2;
    executors.reasons = {{"Insufficient cpu", 2}, {"untolerated taint dedicated=gpu", 1}};
    core::Rejection of_nodes = executors;
    of_nodes.reasons = {{"untolerated taint node.kubernetes.io/not-ready", 1}};
    core::Rejection whole = executors;
    whole.executors_fit = 4;
    core::Rejection pods = executors;
    pods.is_of_pods = true;
    core::Rejection no_driver = executors;
    no_driver.wants_driver = false;
    core::Rejection closed;
    closed.nodes = 1;
    closed.reasons = {{"cordoned", 1}};
    return {driver, executors, of_nodes, whole, pods, no_driver, closed};
}

}  // namespace sentences
}  // namespace

TEST_CASE("transcripts: sentences about gangs") {
    using namespace sentences;
    std::string told;
    for (const std::int64_t ms : {0, 1, 999, 1'000, 1'001, 59'000, 59'001, 60'000, 60'001, 61'000, 120'000, 3'600'000}) {
        told += std::to_string(ms) + " ms: " + gang::duration_text(ms) + "\n";
    }
    for (const std::int64_t s : {0, 9, 10, 59, 60, 599, 600, 3'599, 3'600, 35'999, 36'000, 86'399, 86'400, 1'800'000'000}) {
        told += std::to_string(s) + " s: " + gang::utc_time_text(s * 1'000 + 999) + "\n";
    }
    for (const bool names_others : {true, false}) {
        for (const char* reader : {"etl", "ml"}) {
            tests::Known known;
            known.add_node("n1");
            told += gang::name_for(reader, "etl", "a", names_others) + "; " +
                    gang::gang_name_for(reader, known.add_gang("a", "n1", 1), names_others) + "\n";
        }
    }
    for (const auto& rejection : rejections()) {
        told += told_of(gang::capacity_message("gang g", rejection, ""));
        told += told_of(gang::capacity_message("gang g", rejection, "etl/b"));
        told += told_of(gang::rules_message("gang g", rejection));
        told += told_of(gang::other_schedulers_message("gang g", rejection));
        for (const auto code :
             {gang::ReasonCode::waiting_for_capacity,
              gang::ReasonCode::exceeds_cluster,
              gang::ReasonCode::constraints_unsatisfiable,
              gang::ReasonCode::gpu_metrics_stale}) {
            told += told_of(gang::infeasible_message(code, "gang g", rejection));
            told += told_of(gang::gpu_message(code, "gang g", rejection, ""));
            told += told_of(gang::gpu_message(code, "gang g", rejection, "needs 2 GPUs, 1 on n1"));
        }
    }
    for (const std::int32_t ahead : {0, 1, 2}) {
        told += told_of(gang::queue_message(3, "gang g", ahead, ""));
        told += told_of(gang::queue_message(3, "gang g", ahead, "etl/b"));
        told += gang::size_text(ahead, {1'000, 0, 0, {}}) + "\n";
    }
    told += told_of(gang::held_message(3)) + told_of(gang::problem_message(3, "it is wrong")) +
            told_of(gang::labels_message(3)) +
            told_of(gang::volume_message(3, gang::ReasonCode::waiting_for_volumes, "no claim")) +
            told_of(gang::sum_message(gang::ReasonCode::waiting_for_capacity, 3, "gang g", {5'000, 0, 0, {}}, {2'000, 0, 0, {}}));
    gang::Nomination nomination;
    for (const std::int64_t replan_ms : {0, 5}) {
        nomination = {};
        nomination.whom = "gang etl/b";
        nomination.replan_ms = replan_ms;
        told += told_of(gang::preemption_message(3, "gang g", nomination));
        nomination.victims.emplace_back();
        told += told_of(gang::preemption_message(3, "gang g", nomination));
        nomination.pods = 4;
        nomination.pods_gone = 1;
        told += told_of(gang::preemption_message(3, "gang g", nomination));
    }
    for (const char* message : {"", "409: changed"}) {
        told += told_of(gang::retry_message(3, {gang::ReasonCode::bind_failed, 0, {}, message, 1}));
        told += told_of(gang::retry_message(3, {gang::ReasonCode::waiting_for_extender, 0, {}, message, 1}));
    }
    core::Pod executor = tests::executor("x", tests::driver("a"));
    told += told_of(gang::ownerless_message(3, executor));
    executor.labels = {{"spark-role", "executor"}};
    told += told_of(gang::ownerless_message(3, executor));
    tests::check_transcript("gang/report/transcripts/sentences", told);
}

TEST_CASE("transcripts: sentences about a gang's own members, its conf, and who it is") {
    using namespace sentences;
    std::string told;
    tests::Known known;
    known.add_node("n1");
    known.add_node("n2");
    gang::Application& app = known.add_gang("a", "n1", 2);
    const core::Pod pod = known.model.pods.at("a").pod;
    for (const bool is_group : {false, true}) {
        app.group = known.model.texts.keep(is_group ? "coscheduling etl/g" : "");
        for (const bool is_unplaced : {false, true}) {
            app.health.reported_unplaced = is_unplaced;
            told += told_of(gang::member_message(3, app, {1'000, 0, 0, {}}));
        }
        const core::Resources each{1'000, 0, 0, {}};
        const core::Resources large{2'000, 0, 0, {}};
        const gang::StatusMessage begun{gang::ReasonCode::waiting_for_capacity, "No room"};
        for (const std::int64_t count : {0, 1, 2}) {
            told += told_of(gang::nodes_message(begun, app, {{1, &each}, {count, &large}}, "", 61'000));
            told += told_of(gang::nodes_message(begun, app, {{count, &each}}, "08:31:05 UTC", 0));
        }
        core::Pod asked = pod;
        for (const bool is_member : {false, true}) {
            if (is_member) asked.labels.emplace(asked.labels.begin(), "scheduling.x-k8s.io/pod-group", "g");
            for (const bool is_driver : {true, false}) {
                for (const bool is_surplus : {false, true}) {
                    app.is_driver = is_driver;
                    app.is_surplus = is_surplus;
                    told += gang::subject_of(app, asked) + "\n";
                }
            }
        }
        app.is_driver = true;
        app.is_surplus = false;
    }
    app.group = {};
    core::Pod unnamed = tests::driver("a");
    unnamed.labels = {};
    told += gang::subject_of(app, unnamed) + "\n";
    for (const bool is_required : {true, false}) {
        gang::GangTopology topology;
        topology.name = known.model.texts.keep("rack");
        topology.is_required = is_required;
        app.declared.topology = topology;
        told += gang::subject_of(app, pod) + "\n";
    }
    told += told_of(gang::ended_driver_message(3, app)) + told_of(gang::limit_message(3, app, 7)) +
            told_of(gang::failing_message(3, app, 90'000)) +
            told_of(gang::oversized_message(3, app, {2'000, 0, 0, {}}, {1'000, 0, 0, {}}));
    for (const auto problem :
         {gang::ConfProblem::not_found,
          gang::ConfProblem::forbidden,
          gang::ConfProblem::unreadable,
          gang::ConfProblem::failed}) {
        for (const char* message : {"", "403: no"}) {
            app.declared.conf.make() = {1, 0, problem, message};
            told += told_of(gang::conf_message(3, app, pod));
        }
    }
    for (const auto problem :
         {gang::PodGroupProblem::not_found,
          gang::PodGroupProblem::forbidden,
          gang::PodGroupProblem::unreadable,
          gang::PodGroupProblem::failed}) {
        for (const auto dialect : {core::GroupDialect::kubernetes, core::GroupDialect::volcano}) {
            told += told_of(gang::group_missing_message(3, {dialect, "etl", "g", problem, "why"}));
        }
    }
    gang::PodEntry entry = known.model.pods.at("a");
    told += gang::bound_text(entry, nullptr) + "\n";
    for (const char* source :
         {"",
          "annotation x",
          "annotation ",
          "annotation",
          "conf map c",
          "annotation x, annotation y",
          "annotation x, annotation y, annotation z",
          "annotation x, conf map c",
          "annotation x, annotation",
          "conf map c, annotation x"}) {
        app.declared.source = known.model.texts.keep(source);
        told += gang::bound_text(entry, &app) + "\n";
    }
    app.declared.source = {};
    known.model.ledger.add_open(app, 0, *known.model.cluster.nodes().find("n2"), 1);
    told += gang::bound_text(entry, &app) + "\n";
    app.group = known.model.texts.keep("coscheduling etl/g");
    told += gang::bound_text(entry, &app) + "\n";
    told += gang::bound_text(entry, &known.add_gang("b", "n1", 1)) + "\n";
    told += gang::bound_text(entry, &known.add_gang("c", "n1", 0)) + "\n";
    tests::check_transcript("gang/report/transcripts/members", told);
}

TEST_CASE("fencing token: an epoch is read back from its sentence, and from nothing else") {
    for (const std::int64_t epoch : {std::int64_t{1}, std::int64_t{17}, INT64_MAX}) {
        const std::string token = gang::fencing_token(epoch);
        CHECK(gang::find_fence_epoch(token) == epoch);
        CHECK(gang::find_fence_epoch("0/3 nodes looked at: " + token + " [WaitingInQueue]") == epoch);
    }
    CHECK(gang::fencing_token(17) == "scheduler epoch 17 has taken over");
    for (const char* other :
         {"",
          "scheduler epoch 17",
          " has taken over",
          "17 has taken over",
          "scheduler epoch 0 has taken over",
          "scheduler epoch -1 has taken over",
          "scheduler epoch  has taken over",
          "scheduler epoch 17x has taken over",
          "scheduler epoch x17 has taken over",
          "scheduler epoch 1 7 has taken over",
          "scheduler epoch 9223372036854775808 has taken over",
          " has taken over: scheduler epoch 17"}) {
        CAPTURE(other);
        CHECK(gang::find_fence_epoch(other) == 0);
    }
}

TEST_CASE("reasons: each code has its word, which is found again at the end of a condition") {
    std::string told;
    for (int number = 0; number <= static_cast<int>(gang::last_reason_code); ++number) {
        const auto code = static_cast<gang::ReasonCode>(number);
        const std::string word(to_string(code));
        CHECK(gang::find_code("text [" + word + "]") == code);
        CHECK(gang::find_code("[other] text [" + word + "]") == code);
        CHECK(gang::find_code("text [" + word + "] ") == gang::ReasonCode::none);
        CHECK(gang::find_code("text " + word + "]") == gang::ReasonCode::none);
        CHECK(gang::find_code("text [" + word + "x]") == gang::ReasonCode::none);
        told += word + ": " + std::string(condition_reason(code)) +
                (can_never_run(code) ? ", never" : "") + "\n";
    }
    CHECK(gang::find_code("") == gang::ReasonCode::none);
    CHECK(gang::find_code("]") == gang::ReasonCode::none);
    CHECK(gang::find_code("[]") == gang::ReasonCode::none);
    CHECK(to_string(static_cast<gang::ReasonCode>(200)) == "None");
    for (int number = 0; number <= static_cast<int>(gang::GangState::ended); ++number) {
        told += std::string(to_string(static_cast<gang::GangState>(number))) + "\n";
    }
    tests::check_transcript("gang/report/transcripts/reasons", told);
}

TEST_CASE("transcripts: what is written of pods that wait, and when") {
    using namespace sentences;
    std::string told;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        Walk walk(seed);
        gang::StatusReporter reporter;
        std::map<std::string, core::Pod> pods;
        for (const char* uid : {"a", "b", "c"}) {
            core::Pod& pod = pods[uid];
            pod.namespace_name = "etl";
            pod.name = std::string("pod-") + uid;
            pod.uid = uid;
        }
        const char* const uids[] = {"a", "b", "c"};
        const gang::ReasonCode codes[] = {
            gang::ReasonCode::waiting_for_capacity,
            gang::ReasonCode::waiting_in_queue,
            gang::ReasonCode::misconfigured};
        const char* const texts[] = {"one", "two", "tab\there"};
        std::int64_t now_ms = 100'000;
        for (int i = 0; i < 260; ++i) {
            core::Pod& pod = pods[walk.of(uids)];
            const std::size_t chance = walk.pick(20);
            if (chance < 9) {
                const gang::StatusMessage message{walk.of(codes), walk.of(texts), walk.pick(8) == 0};
                const bool is_quiet = chance < 3;
                const bool is_new = is_quiet ? reporter.report_quietly(pod, message, now_ms)
                                             : reporter.report(pod, message, now_ms);
                told += pod.uid + (is_quiet ? " quietly " : " ") + told_of(message);
                told.pop_back();
                told += is_new ? "" : ": known";
            } else if (chance < 11) {
                const std::int64_t epoch = 1 + static_cast<std::int64_t>(walk.pick(2));
                reporter.report_fence(pod, "fence: " + gang::fencing_token(epoch) + " [WaitingInQueue]");
                told += pod.uid + " fence " + std::to_string(epoch);
            } else if (chance < 12) {
                reporter.forget(pod.uid);
                told += pod.uid + " forgotten";
            } else if (chance < 13) {
                pod.scheduled = core::ScheduledCondition{walk.pick(3) == 0, "Unschedulable", "one [WaitingForCapacity]", 0};
                told += pod.uid + (pod.scheduled->status ? " scheduled" : " said");
            } else if (chance == 13 && walk.pick(6) == 0) {
                reporter.forget_all();
                told += "all forgotten";
            } else if (chance == 14 && walk.pick(3) == 0) {
                reporter.event(pod, walk.pick(2) == 0, "Odd", "line\nbreak");
                told += pod.uid + " event";
            } else {
                const std::int64_t passes[] = {0, 1, 700, 1'999, 2'000, 3'000, 5'000};
                now_ms += walk.of(passes);
                told += "at " + std::to_string(now_ms);
                std::vector<gang::Decision> decisions;
                reporter.flush(decisions, now_ms, [&pods](const std::string& uid) { return gang::ref_of(pods.at(uid)); });
                for (const gang::Decision& decision : decisions) {
                    if (const auto* said = std::get_if<gang::SetCondition>(&decision)) {
                        told += "\n    " + said->pod.name + " " + said->reason + ": " + said->message +
                                (said->fence ? " (fence)" : "") + (said->is_transition ? " (anew)" : "");
                    } else {
                        const auto& event = std::get<gang::RecordEvent>(decision);
                        told += "\n    event of " + event.pod.name + (event.warning ? " warning " : " ") + event.reason +
                                ": " + event.message;
                    }
                }
            }
            const auto due = reporter.next_due_ms();
            told += "; " + std::to_string(reporter.remembered()) + (due ? ", due " + std::to_string(*due) : "") + "\n";
        }
    }
    tests::check_transcript("gang/report/transcripts/reporter", told);
}
