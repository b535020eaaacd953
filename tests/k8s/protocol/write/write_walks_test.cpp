// Small classes of the writer through a walk of some hundred calls: everything that they tell, against what they told.

#include "k8s/protocol/write/answer_order.hpp"
#include "k8s/protocol/write/bind_turns.hpp"
#include "k8s/protocol/write/condition_queue.hpp"
#include "k8s/protocol/write/pod_versions.hpp"
#include "k8s/protocol/write/write_job.hpp"
#include "k8s/protocol/write/write_queue.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {
namespace write_walks {

using tests::Walk;

k8s::PodName named(const std::string& uid, const std::string& space = "etl") {
    return {space, "pod-" + uid, uid};
}

std::string said_of(const k8s::WriteJob& job) {
    if (const auto* bind = std::get_if<k8s::BindJob>(&job)) {
        return "bind " + bind->request.pod.uid + (bind->request.starts_gang ? " first" : "");
    }
    if (const auto* patch = std::get_if<k8s::PatchJob>(&job)) {
        return (patch->done ? "patch " : "condition ") + patch->patch.pod.uid + " " +
               (patch->patch.condition ? patch->patch.condition->message : "");
    }
    if (const auto* evict = std::get_if<k8s::EvictJob>(&job)) return "evict " + evict->pod.uid;
    if (const auto* fetch = std::get_if<k8s::FetchJob>(&job)) return "fetch " + fetch->name;
    if (const auto* event = std::get_if<k8s::EventJob>(&job)) return "event " + event->event.reason;
    return "status " + std::get<k8s::ObjectStatusJob>(job).write.path;
}

/// A queue with low bounds, and what it was told and has given.
struct Queued {
    explicit Queued(const k8s::WriteBounds& bounds) : queue(bounds) {}

    k8s::WriteQueue queue;
    std::vector<std::string> out;  ///< keys of what was taken and is not through
    std::int64_t now_ms = 10'000;
    int made = 0;

    std::string add(Walk& walk, const std::string& uid) {
        const std::string number = std::to_string(++made);
        const char* const gangs[] = {"", "g1", "g2", "g3"};
        switch (walk.pick(7)) {
            case 0: {
                k8s::BindJob job;
                job.request.pod = named(uid, walk.pick(2) == 0 ? "etl" : "ml");
                job.request.gang = walk.of(gangs);
                job.request.starts_gang = walk.pick(4) == 0;
                const std::string what = "bind " + uid + " of '" + job.request.gang + "' in " +
                                         job.request.pod.namespace_name +
                                         (job.request.starts_gang ? " first" : "");
                return what + (queue.add(std::move(job)) ? "" : ": refused");
            }
            case 1: {
                k8s::PatchJob job;
                job.patch.pod = named(uid);
                job.done = [](const k8s::StatusResult&) {};
                job.since_ms = now_ms;
                return "patch " + uid + (queue.add(std::move(job)) ? "" : ": refused");
            }
            case 2: {
                k8s::PatchJob job;
                job.patch.pod = named(uid);
                job.patch.condition = k8s::PodCondition{"Unschedulable", "m" + number};
                job.since_ms = now_ms;
                return "condition " + uid + " m" + number +
                       (queue.add(std::move(job)) ? "" : ": refused");
            }
            case 3:
                return "evict " + uid +
                       (queue.add(k8s::EvictJob{named(uid), {}}) ? "" : ": refused");
            case 4:
                return "fetch " + number +
                       (queue.add(k8s::FetchJob{"etl", number, {}}) ? "" : ": refused");
            case 5: {
                k8s::EventJob job;
                job.event.reason = number;
                job.since_ms = now_ms;
                return "event " + number + (queue.add(std::move(job)) ? "" : ": refused");
            }
            default: {
                k8s::ObjectStatusJob job;
                job.write.path = number;
                job.since_ms = now_ms;
                return "status " + number + (queue.add(std::move(job)) ? "" : ": refused");
            }
        }
    }

    std::string take(bool with_droppable) {
        const auto job = queue.take(now_ms, with_droppable);
        if (!job) return "nothing";
        const std::string key = k8s::order_key_of(*job);
        if (!key.empty()) {
            for (const std::string& other : out) CHECK(other != key);
            out.push_back(key);
        }
        return said_of(*job);
    }

    std::string finish(Walk& walk) {
        if (out.empty()) return "none is out";
        const std::size_t at = walk.pick(out.size());
        const std::string key = out[at];
        out.erase(out.begin() + static_cast<std::ptrdiff_t>(at));
        queue.finished(key);
        return "finished " + key;
    }

    std::string state() {
        return "  | " + std::to_string(queue.size()) + " wait, events " +
               std::to_string(queue.event_wait_ms(now_ms)) +
               (queue.has_work(now_ms) ? ", work\n" : "\n");
    }
};

}  // namespace write_walks
}  // namespace

TEST_CASE("transcripts: what waits to be written, and in which order it is given") {
    using namespace write_walks;
    std::string told;
    k8s::WriteBounds bounds;
    bounds.binds_max = 9;
    bounds.patches_max = 4;
    bounds.fetches_max = 3;
    bounds.conditions_max = 3;
    bounds.object_statuses_max = 2;
    bounds.events_max = 4;
    bounds.events_per_second = 1;
    for (const std::uint64_t seed : {1U, 2U}) {
        Walk walk(seed);
        Queued queued(bounds);
        const char* const uids[] = {"a", "b", "c", "d", "e"};
        for (int i = 0; i < 500; ++i) {
            // It fills for a while, and empties for a while.
            const bool fills = i % 60 < 30;
            const std::size_t chance = walk.pick(20);
            if (chance < (fills ? 11U : 4U)) {
                told += "add " + queued.add(walk, walk.of(uids));
            } else if (chance < 14) {
                const bool with_droppable = walk.pick(4) != 0;
                told += (with_droppable ? "take " : "take without droppable ") +
                        queued.take(with_droppable);
            } else if (chance < 18) {
                told += queued.finish(walk);
            } else if (chance == 18) {
                const std::int64_t passes[] = {1, 400, 999, 1'000, 3'000};
                queued.now_ms += walk.of(passes);
                told += "at " + std::to_string(queued.now_ms);
            } else if (walk.pick(12) == 0) {
                queued.queue.keep_only_awaited_writes();
                told += "keep only awaited";
            } else {
                const std::string uid = walk.of(uids);
                queued.queue.discard_condition(uid);
                told += "discard the condition of " + uid;
            }
            told += queued.state();
        }
    }
    tests::check_transcript("k8s/protocol/write/transcripts/write_queue", told);
}

TEST_CASE("transcripts: what is given in a storm of binds") {
    using namespace write_walks;
    std::string told;
    Walk walk(3);
    Queued queued({});
    const char* const gangs[] = {"g1", "g2", ""};
    for (int i = 0; i < 400; ++i) {
        for (int binds = 0; binds < 2; ++binds) {
            k8s::BindJob job;
            const std::string uid = std::to_string(2 * i + binds);
            job.request.pod = named(uid);
            job.request.gang = walk.of(gangs);
            REQUIRE(queued.queue.add(std::move(job)));
        }
        if (walk.pick(3) == 0) told += "add " + queued.add(walk, "x" + std::to_string(i)) + "\n";
        const std::int64_t passes[] = {0, 1, 20, 60};
        queued.now_ms += walk.of(passes);
        told += queued.take(walk.pick(8) != 0);
        if (walk.pick(4) != 0) told += ", " + queued.finish(walk);
        told += "\n";
    }
    tests::check_transcript("k8s/protocol/write/transcripts/storm", told);
}

TEST_CASE("transcripts: turns of gangs whose binds may not all start") {
    using namespace write_walks;
    std::string told;
    Walk walk(4);
    k8s::BindTurns turns;
    const char* const gangs[] = {"g1", "g2", "g3", ""};
    const char* const spaces[] = {"etl", "ml"};
    std::set<std::string> barred;
    int made = 0;
    for (int i = 0; i < 900; ++i) {
        const std::size_t chance = walk.pick(10);
        if (chance < (i < 450 ? 6U : 3U)) {
            k8s::BindJob job;
            const std::string uid = std::to_string(++made);
            job.request.pod = named(uid, walk.of(spaces));
            job.request.gang = walk.of(gangs);
            job.request.starts_gang = walk.pick(6) == 0;
            told += uid + " of " + job.request.gang + "/" + job.request.pod.namespace_name +
                    (job.request.starts_gang ? " first" : "");
            turns.add(std::move(job));
        } else if (chance < 9) {
            const auto job = turns.take([&barred](const k8s::BindJob& one) {
                return barred.count(one.request.pod.uid) == 0;
            });
            told += job ? "= " + job->request.pod.uid + job->request.gang : "nothing";
        } else if (walk.pick(3) != 0) {
            const std::string uid = std::to_string(1 + walk.pick(static_cast<std::size_t>(made) + 1));
            barred.insert(uid);
            told += uid + " may not";
        } else {
            barred.clear();
            told += "all may";
        }
        told += "; " + std::to_string(turns.size()) + "\n";
    }
    tests::check_transcript("k8s/protocol/write/transcripts/bind_turns", told);
}

TEST_CASE("transcripts: of each pod the newest condition waits") {
    using namespace write_walks;
    std::string told;
    Walk walk(5);
    k8s::ConditionQueue queue(3);
    const char* const uids[] = {"a", "b", "c", "d", "e"};
    std::set<std::string> busy;
    for (int i = 0; i < 600; ++i) {
        const std::string uid = walk.of(uids);
        const std::size_t chance = walk.pick(24);
        if (chance < 10) {
            k8s::PatchJob job;
            job.patch.pod = named(uid);
            job.patch.resource_version = std::to_string(i);
            job.since_ms = i;
            told += uid + " " + std::to_string(i) + (queue.put(std::move(job)) ? "" : " refused");
        } else if (chance < 17) {
            const auto job = queue.take([&busy](const std::string& of) { return busy.count(of) == 0; });
            told += !job ? "nothing"
                         : "= " + job->patch.pod.uid + " " + job->patch.resource_version + " since " +
                               std::to_string(job->since_ms);
        } else if (chance < 20) {
            queue.discard(uid);
            told += uid + " is bound";
        } else if (chance < 23) {
            told += uid + (busy.insert(uid).second ? " busy" : " free");
            if (busy.size() > 2) busy.erase(busy.begin());
        } else {
            queue.clear();
            told += "clear";
        }
        told += "; " + std::to_string(queue.size());
        for (const int ago : {0, 3, 9}) told += queue.waits_since(i - ago) ? " waits" : " -";
        told += "\n";
    }
    tests::check_transcript("k8s/protocol/write/transcripts/conditions", told);
}

TEST_CASE("answer order: a refusal waits until every write of its pod is answered") {
    k8s::AnswerOrder order;
    std::string told;
    const auto say = [&told](const char* word) { return [&told, word] { told += word; }; };
    const auto tell_due = [&order](const std::string& uid) {
        const auto due = order.due_refusals(uid);
        for (const auto& answer : due) answer();
        return due.size();
    };
    CHECK(tell_due("u") == 0);  // nothing was refused
    order.taken("u");
    order.taken("u");
    CHECK(order.is_awaited("u"));
    CHECK_FALSE(order.is_awaited("v"));
    CHECK_FALSE(order.has_refusals("u"));
    order.refuse("u", say("a"));
    order.refuse("u", say("b"));
    order.refuse("v", say("c"));
    CHECK(order.has_refusals("u"));
    CHECK(tell_due("u") == 0);
    order.answered("u");
    CHECK(order.is_awaited("u"));
    CHECK(tell_due("u") == 0);
    CHECK(tell_due("v") == 1);  // nothing of it is awaited
    CHECK_FALSE(order.has_refusals("v"));
    order.answered("u");
    CHECK_FALSE(order.is_awaited("u"));
    CHECK(order.has_refusals("u"));
    CHECK(tell_due("u") == 2);
    CHECK(told == "cab");
    CHECK_FALSE(order.has_refusals("u"));
    CHECK(tell_due("u") == 0);
    // It begins anew, and an answer to nothing leaves nothing.
    order.answered("u");
    CHECK_FALSE(order.is_awaited("u"));
    for (int i = 0; i < 3; ++i) order.taken("u");
    for (int i = 0; i < 2; ++i) order.answered("u");
    CHECK(order.is_awaited("u"));
    order.answered("u");
    CHECK_FALSE(order.is_awaited("u"));
}

TEST_CASE("pod versions: whether we have set the condition is known of pods that we wrote") {
    k8s::PodVersions versions;
    CHECK_FALSE(versions.has_condition("u"));
    versions.wrote_condition("u");
    CHECK_FALSE(versions.has_condition("u"));  // of a pod that we never wrote
    versions.wrote("u", "12");
    CHECK_FALSE(versions.has_condition("u"));
    versions.wrote("v", "12");
    versions.wrote_condition("u");
    CHECK(versions.has_condition("u"));
    CHECK_FALSE(versions.has_condition("v"));
    versions.wrote("u", "13");
    CHECK(versions.has_condition("u"));
    CHECK(versions.newest("u", "12") == "13");
}

TEST_CASE("pod versions: an answer without a version says nothing") {
    k8s::PodVersions versions;
    versions.wrote("u", "");
    versions.wrote_condition("u");
    CHECK_FALSE(versions.has_condition("u"));
    CHECK(versions.newest("u", "10") == "10");
    versions.wrote("u", "12");
    versions.wrote("u", "");
    CHECK(versions.newest("u", "10") == "12");
    CHECK(versions.newest("u", "12") == "12");
    CHECK(versions.newest("u", "") == "");
}

TEST_CASE("pod versions: so many pods are kept, and one that is written again is one pod") {
    k8s::PodVersions versions;
    for (std::size_t i = 0; i < k8s::PodVersions::kept_max; ++i) {
        versions.wrote(std::to_string(i), "100");
        versions.wrote(std::to_string(i), "101");
    }
    CHECK(versions.newest("0", "10") == "101");
    versions.wrote("one more", "100");
    CHECK(versions.newest("0", "10") == "10");
    CHECK(versions.newest("1", "10") == "101");
    CHECK(versions.newest("one more", "10") == "100");
    versions.wrote("another", "100");
    CHECK(versions.newest("1", "10") == "10");
    CHECK(versions.newest("2", "10") == "101");
}

TEST_CASE("write job: which pod's order it keeps, who waits for it, and what may be dropped") {
    k8s::BindJob bind;
    bind.request.pod = {"etl", "p", "b"};
    k8s::PatchJob condition;
    condition.patch.pod = {"etl", "p", "c"};
    k8s::PatchJob patch;
    patch.patch.pod = {"etl", "p", "p"};
    patch.done = [](const k8s::StatusResult&) {};
    k8s::EvictJob evict;
    evict.pod = {"etl", "p", "e"};
    k8s::EventJob event;
    event.event.pod = {"etl", "p", "v"};
    const std::vector<k8s::WriteJob> jobs = {
        bind, condition, patch, evict, k8s::FetchJob{"etl", "c", {}}, event, k8s::ObjectStatusJob{}};
    const std::vector<std::string> keys = {"b", "c", "p", "e", "", "", ""};
    const std::vector<bool> are_awaited = {true, false, true, true, false, false, false};
    const std::vector<bool> are_droppable = {false, true, false, false, false, true, true};
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        CAPTURE(i);
        CHECK(k8s::order_key_of(jobs[i]) == keys[i]);
        CHECK(k8s::is_awaited_write(jobs[i]) == are_awaited[i]);
        CHECK(k8s::is_droppable(jobs[i]) == are_droppable[i]);
    }
}

TEST_CASE("write queue: an eviction goes before patches, keeps to its pod's order and has the patches' bound") {
    k8s::WriteBounds bounds;
    bounds.patches_max = 2;
    k8s::WriteQueue queue(bounds);
    const auto taken_now = [&queue] {
        const auto job = queue.take(0);
        return job ? write_walks::said_of(*job) : "nothing";
    };
    CHECK_FALSE(queue.has_work(0));
    REQUIRE(queue.add(k8s::EvictJob{write_walks::named("a"), {}}));
    CHECK(queue.has_work(0));
    REQUIRE(queue.add(k8s::EvictJob{write_walks::named("a"), {}}));
    CHECK_FALSE(queue.add(k8s::EvictJob{write_walks::named("b"), {}}));
    k8s::PatchJob patch;
    patch.patch.pod = write_walks::named("b");
    patch.done = [](const k8s::StatusResult&) {};
    REQUIRE(queue.add(std::move(patch)));
    CHECK(queue.size() == 3);
    CHECK(taken_now() == "evict a");
    CHECK(taken_now() == "patch b ");  // a is busy
    CHECK(taken_now() == "nothing");
    CHECK(queue.has_work(0));
    queue.finished("a");
    CHECK(taken_now() == "evict a");
    CHECK_FALSE(queue.has_work(0));
    CHECK(queue.size() == 0);
}

TEST_CASE("write queue: each kind alone is work, an event only when it may be sent") {
    k8s::WriteBounds bounds;
    bounds.events_per_second = 0;  // no burst either
    k8s::WriteQueue queue(bounds);
    REQUIRE(queue.add(k8s::FetchJob{"etl", "c", {}}));
    CHECK(queue.has_work(0));
    REQUIRE(queue.take(0));
    CHECK_FALSE(queue.has_work(0));
    k8s::PatchJob condition;
    condition.patch.pod = write_walks::named("a");
    REQUIRE(queue.add(std::move(condition)));
    CHECK(queue.has_work(0));
    REQUIRE(queue.take(0));
    REQUIRE(queue.add(k8s::ObjectStatusJob{}));
    CHECK(queue.has_work(0));
    REQUIRE(queue.take(0));
    k8s::BindJob bind;
    bind.request.pod = write_walks::named("b");
    REQUIRE(queue.add(std::move(bind)));
    CHECK(queue.has_work(0));
    REQUIRE(queue.take(0));
    k8s::PatchJob patch;
    patch.patch.pod = write_walks::named("c");
    patch.done = [](const k8s::StatusResult&) {};
    REQUIRE(queue.add(std::move(patch)));
    CHECK(queue.has_work(0));
    REQUIRE(queue.take(0));
    CHECK_FALSE(queue.has_work(0));
    REQUIRE(queue.add(k8s::EventJob{}));
    CHECK_FALSE(queue.has_work(0));
    CHECK(queue.size() == 1);
    k8s::WriteQueue other({});
    REQUIRE(other.add(k8s::EventJob{}));
    CHECK(other.has_work(0));
}

TEST_CASE("write queue: events have a burst of ten seconds' worth") {
    k8s::WriteBounds bounds;
    bounds.events_per_second = 2;
    k8s::WriteQueue queue(bounds);
    for (int i = 0; i < 22; ++i) REQUIRE(queue.add(k8s::EventJob{}));
    for (int i = 0; i < 20; ++i) CHECK(queue.take(0));
    CHECK_FALSE(queue.take(0));
    CHECK(queue.event_wait_ms(0) == 500);
    CHECK_FALSE(queue.take(499));
    CHECK(queue.take(500));
    CHECK_FALSE(queue.take(500));
}
