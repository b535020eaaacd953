#include "k8s/protocol/write/write_queue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace k8s;

namespace {

PodName pod(const std::string& uid) {
    return PodName{"ns", "pod-" + uid, uid};
}

BindJob bind_of(const std::string& uid) {
    BindJob job;
    job.request.pod = pod(uid);
    return job;
}

BindJob bind_of(const std::string& uid, const std::string& gang) {
    BindJob job = bind_of(uid);
    job.request.gang = gang;
    return job;
}

BindJob starter_of(const std::string& uid, const std::string& gang) {
    BindJob job = bind_of(uid, gang);
    job.request.starts_gang = true;
    return job;
}

PatchJob awaited(const std::string& uid) {
    PatchJob job;
    job.patch.pod = pod(uid);
    job.done = [](StatusResult) {};
    return job;
}

PatchJob condition(const std::string& uid, const std::string& message = "") {
    PatchJob job;
    job.patch.pod = pod(uid);
    job.patch.condition = PodCondition{"Unschedulable", message};
    return job;
}

EventJob event_of(const std::string& uid) {
    EventJob job;
    job.event.pod = pod(uid);
    return job;
}

// "bind 1", "patch 2", ... or "nothing".
std::string taken(WriteQueue& queue, std::int64_t now = 0) {
    const auto job = queue.take(now);
    if (!job) return "nothing";
    if (std::holds_alternative<BindJob>(*job)) return "bind " + order_key_of(*job);
    if (const auto* patch = std::get_if<PatchJob>(&*job)) {
        return (patch->done ? "patch " : "condition ") + order_key_of(*job);
    }
    return std::holds_alternative<FetchJob>(*job) ? "fetch" : "event";
}

}  // namespace

TEST_CASE("write queue: binds, awaited patches, fetches, conditions, events, in this order") {
    WriteQueue queue{WriteBounds{}};
    REQUIRE(queue.add(event_of("1")));
    REQUIRE(queue.add(condition("2")));
    REQUIRE(queue.add(FetchJob{"ns", "cm", nullptr}));
    REQUIRE(queue.add(awaited("3")));
    REQUIRE(queue.add(bind_of("4")));
    CHECK(queue.size() == 5);
    CHECK(taken(queue) == "bind 4");
    CHECK(taken(queue) == "patch 3");
    CHECK(taken(queue) == "fetch");
    CHECK(taken(queue) == "condition 2");
    CHECK(taken(queue) == "event");
    CHECK(taken(queue) == "nothing");
}

TEST_CASE("write queue: one write per pod at a time, others pass") {
    WriteQueue queue{WriteBounds{}};
    REQUIRE(queue.add(bind_of("1")));
    REQUIRE(queue.add(bind_of("1")));
    REQUIRE(queue.add(awaited("1")));
    REQUIRE(queue.add(condition("1")));
    REQUIRE(queue.add(bind_of("2")));
    CHECK(taken(queue) == "bind 1");
    CHECK(taken(queue) == "bind 2");
    CHECK(taken(queue) == "nothing");
    queue.finished("1");
    CHECK(taken(queue) == "bind 1");
    queue.finished("1");
    CHECK(taken(queue) == "patch 1");
    queue.finished("1");
    CHECK(taken(queue) == "condition 1");
}

TEST_CASE("write queue: a fence that was there before a bind of its pod goes first") {
    WriteQueue queue{WriteBounds{}};
    REQUIRE(queue.add(awaited("1")));
    REQUIRE(queue.add(bind_of("1")));
    REQUIRE(queue.add(awaited("1")));
    REQUIRE(queue.add(bind_of("2")));
    CHECK(taken(queue) == "bind 2");
    CHECK(taken(queue) == "patch 1");
    queue.finished("1");
    CHECK(taken(queue) == "bind 1");
    queue.finished("1");
    CHECK(taken(queue) == "patch 1");
}

TEST_CASE("write queue: of droppable conditions only the newest per pod waits, in its old place") {
    WriteQueue queue{WriteBounds{}};
    REQUIRE(queue.add(condition("1", "old")));
    REQUIRE(queue.add(condition("2", "other")));
    REQUIRE(queue.add(condition("1", "new")));
    CHECK(queue.size() == 2);
    const auto job = queue.take(0);
    REQUIRE(job);
    CHECK(std::get<PatchJob>(*job).patch.condition->message == "new");
    CHECK(taken(queue) == "condition 2");
    CHECK(taken(queue) == "nothing");
}

TEST_CASE("write queue: a bind of the pod makes its waiting condition void") {
    WriteQueue queue{WriteBounds{}};
    REQUIRE(queue.add(condition("1")));
    REQUIRE(queue.add(condition("2")));
    REQUIRE(queue.add(bind_of("1")));
    CHECK(queue.size() == 2);
    CHECK(taken(queue) == "bind 1");
    CHECK(taken(queue) == "condition 2");
    CHECK(taken(queue) == "nothing");
}

TEST_CASE("write queue: a gang of two thousand does not delay another one's ten by two thousand") {
    WriteQueue queue{WriteBounds{}};
    for (int i = 0; i < 2'000; ++i) REQUIRE(queue.add(bind_of("big" + std::to_string(i), "big")));
    CHECK(taken(queue) == "bind big0");
    for (int i = 0; i < 10; ++i) REQUIRE(queue.add(bind_of("small" + std::to_string(i), "small")));
    int before = 0;
    std::vector<std::string> small;
    while (small.size() < 10) {
        const std::string one = taken(queue);
        REQUIRE(one != "nothing");
        if (one.rfind("bind small", 0) == 0) {
            small.push_back(one);
        } else {
            ++before;
        }
    }
    CHECK(before == binds_per_turn - 1);
    CHECK(small.front() == "bind small0");  // first come, first served within a gang
    CHECK(small.back() == "bind small9");
}

TEST_CASE("write queue: among many gangs each waits for one turn of the others at most") {
    WriteQueue queue{WriteBounds{}};
    constexpr int gangs = 5;
    constexpr int binds = 100;
    for (int gang = 0; gang < gangs; ++gang) {
        for (int i = 0; i < binds; ++i) {
            const std::string name = "g" + std::to_string(gang);
            REQUIRE(queue.add(bind_of(name + "-" + std::to_string(i), name)));
        }
    }
    std::map<std::string, int> bound;
    for (int i = 0; i < gangs * binds; ++i) {
        const std::string one = taken(queue);
        ++bound[one.substr(5, 2)];
        int most = 0;
        int least = binds;
        for (int gang = 0; gang < gangs; ++gang) {
            const int count = bound["g" + std::to_string(gang)];
            most = std::max(most, count);
            least = std::min(least, count);
        }
        CHECK(most - least <= binds_per_turn);
    }
    CHECK(taken(queue) == "nothing");
}

TEST_CASE("write queue: what starts a gang goes before its executors") {
    WriteQueue queue{WriteBounds{}};
    REQUIRE(queue.add(bind_of("e1", "g")));
    REQUIRE(queue.add(bind_of("e2", "g")));
    REQUIRE(queue.add(starter_of("d", "g")));
    CHECK(taken(queue) == "bind d");
    CHECK(taken(queue) == "bind e1");
    CHECK(taken(queue) == "bind e2");
}

TEST_CASE("write queue: pods without a gang share one turn per namespace") {
    WriteQueue queue{WriteBounds{}};
    for (int i = 0; i < 100; ++i) REQUIRE(queue.add(bind_of("lone" + std::to_string(i))));
    BindJob elsewhere = bind_of("elsewhere");
    elsewhere.request.pod.namespace_name = "other";
    REQUIRE(queue.add(std::move(elsewhere)));
    int before = 0;
    while (taken(queue) != "bind elsewhere") ++before;
    CHECK(before == binds_per_turn);
}

TEST_CASE("write queue: a storm of binds starves no awaited patch and no fetch") {
    WriteQueue queue{WriteBounds{}};
    for (int i = 0; i < 100; ++i) REQUIRE(queue.add(bind_of(std::to_string(i), "g")));
    for (int i = 0; i < 3; ++i) {
        REQUIRE(queue.add(awaited("p" + std::to_string(i))));
        REQUIRE(queue.add(FetchJob{"ns", "cm", nullptr}));
    }
    std::vector<std::string> others;
    for (int i = 0; i < 6 * (binds_per_other + 1); ++i) {
        const std::string one = taken(queue);
        if (one.rfind("bind", 0) != 0) others.push_back(one);
    }
    CHECK(
        others ==
        std::vector<std::string>{"patch p0", "fetch", "patch p1", "fetch", "patch p2", "fetch"});
}

TEST_CASE("write queue: in a storm of binds a condition is written in time, and few are") {
    WriteQueue queue{WriteBounds{}};
    for (int i = 0; i < 1'000; ++i) REQUIRE(queue.add(bind_of(std::to_string(i), "g")));
    for (int i = 0; i < 20; ++i) {
        PatchJob job = condition("c" + std::to_string(i));
        job.since_ms = 5'000;
        REQUIRE(queue.add(std::move(job)));
    }
    const auto conditions_of = [&](int takes, std::int64_t now) {
        int found = 0;
        for (int i = 0; i < takes; ++i) found += taken(queue, now).rfind("bind", 0) == 0 ? 0 : 1;
        return found;
    };
    CHECK(conditions_of(100, 5'000 + patience_ms - 1) == 0);
    CHECK(conditions_of(1, 5'000 + patience_ms) == 1);
    CHECK(conditions_of(2 * (binds_per_droppable + 1), 5'000 + patience_ms) == 2);
}

TEST_CASE("write queue: the first condition of a storm comes after as many binds as each later one") {
    WriteQueue queue{WriteBounds{}};
    for (int i = 0; i < 1'000; ++i) REQUIRE(queue.add(bind_of(std::to_string(i), "g")));
    for (int i = 0; i < 3; ++i) REQUIRE(queue.add(condition("c" + std::to_string(i))));
    std::vector<int> at;
    for (int i = 0; i < 3 * (binds_per_droppable + 1); ++i) {
        if (taken(queue, patience_ms).rfind("bind", 0) != 0) at.push_back(i);
    }
    CHECK(at == std::vector<int>{
                    binds_per_droppable, 2 * binds_per_droppable + 1, 3 * binds_per_droppable + 2});
}

TEST_CASE("write queue: in a storm of binds a group's status and an event are written in time, too") {
    WriteQueue queue{WriteBounds{}};
    for (int i = 0; i < 1'000; ++i) REQUIRE(queue.add(bind_of(std::to_string(i), "g")));
    SUBCASE("a status") {
        ObjectStatusJob job;
        job.since_ms = 5'000;
        REQUIRE(queue.add(std::move(job)));
    }
    SUBCASE("an event") {
        EventJob job = event_of("e");
        job.since_ms = 5'000;
        REQUIRE(queue.add(std::move(job)));
    }
    for (int i = 0; i < 100; ++i) {
        REQUIRE(taken(queue, 5'000 + patience_ms - 1).rfind("bind", 0) == 0);
    }
    CHECK(taken(queue, 5'000 + patience_ms) == "event");
    CHECK(taken(queue, 5'000 + patience_ms).rfind("bind", 0) == 0);
}

TEST_CASE("write queue: a newer text of a condition waits as long as the older one did") {
    WriteQueue queue{WriteBounds{}};
    for (int i = 0; i < 100; ++i) REQUIRE(queue.add(bind_of(std::to_string(i), "g")));
    for (int i = 0; i < 50; ++i) taken(queue, 0);
    for (const std::int64_t since : {0, 900, 1'800}) {
        PatchJob job = condition("c");
        job.since_ms = since;
        REQUIRE(queue.add(std::move(job)));
    }
    CHECK(taken(queue, 1'800) == "condition c");
}

TEST_CASE("write queue: when enough of it is out, what nobody waits for stays") {
    WriteQueue queue{WriteBounds{}};
    REQUIRE(queue.add(condition("1")));
    REQUIRE(queue.add(event_of("2")));
    CHECK_FALSE(queue.take(0, false));
    REQUIRE(queue.add(awaited("3")));
    const auto job = queue.take(0, false);
    REQUIRE(job);
    CHECK(order_key_of(*job) == "3");
}

TEST_CASE("write queue: a bound pod's waiting condition is discarded") {
    WriteQueue queue{WriteBounds{}};
    REQUIRE(queue.add(condition("1")));
    queue.discard_condition("1");
    queue.discard_condition("unknown");
    CHECK(taken(queue) == "nothing");
}

TEST_CASE("write queue: at each bound the newcomer is refused, what waits stays") {
    WriteBounds options;
    options.binds_max = options.patches_max = options.fetches_max = 1;
    options.conditions_max = options.events_max = 1;
    WriteQueue queue(options);
    CHECK(queue.add(bind_of("1")));
    CHECK_FALSE(queue.add(bind_of("2")));
    CHECK(queue.add(awaited("1")));
    CHECK_FALSE(queue.add(awaited("2")));
    CHECK(queue.add(FetchJob{"ns", "a", nullptr}));
    CHECK_FALSE(queue.add(FetchJob{"ns", "b", nullptr}));
    CHECK(queue.add(condition("1")));
    CHECK_FALSE(queue.add(condition("2")));
    CHECK(queue.add(condition("1", "newer of a pod that waits already")));
    CHECK(queue.add(event_of("1")));
    CHECK_FALSE(queue.add(event_of("2")));
    CHECK(queue.size() == 5);
}

TEST_CASE("write queue: events keep to their rate") {
    WriteBounds options;
    options.events_per_second = 1;
    WriteQueue queue(options);
    for (int i = 0; i < 20; ++i) REQUIRE(queue.add(event_of("1")));
    CHECK(queue.event_wait_ms(0) == 0);
    int sent = 0;
    while (taken(queue, 0) == "event") ++sent;
    CHECK(sent == 10);
    CHECK(queue.event_wait_ms(0) == 1'000);
    CHECK(taken(queue, 999) == "nothing");
    CHECK(taken(queue, 1'000) == "event");
}

TEST_CASE("write queue: for a graceful end only awaited writes stay") {
    WriteQueue queue{WriteBounds{}};
    REQUIRE(queue.add(bind_of("1")));
    REQUIRE(queue.add(awaited("2")));
    REQUIRE(queue.add(FetchJob{"ns", "cm", nullptr}));
    REQUIRE(queue.add(condition("3")));
    REQUIRE(queue.add(event_of("4")));
    queue.keep_only_awaited_writes();
    CHECK(queue.size() == 2);
    CHECK(queue.event_wait_ms(0) == -1);
}
