// Who has waited for longer than he is to is passed by nobody, where his queue says so.
#include "core/value/exclusive.hpp"
#include "tests/gang/preempt/evicting.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

using tests::queue;
using tests::says;
using tests::with_queues;
using tests::World;

namespace {

constexpr std::int64_t strict_minute_s = 60;
constexpr std::int64_t strict_minute_ms = strict_minute_s * 1'000;

/// Who waits in it for an hour is overdue.
config::Queue hourly(const std::string& name, bool is_strict = true) {
    config::Queue made = queue(name);
    made.max_wait_ms = 60 * strict_minute_ms;
    made.is_max_wait_strict = is_strict;
    return made;
}

struct Turnstile {
    explicit Turnstile(config::Schema schema, std::int64_t cpu = 8) : world(std::move(schema)) {
        world.add_node(tests::node("n1", cpu, 64 * 1024));
    }

    core::Pod driver(
        const std::string& name, const std::string& in, std::int64_t minutes_ago, std::int32_t priority = 0) {
        core::Pod pod = tests::driver(name);
        pod.created = world.now_ms / 1'000 - minutes_ago * strict_minute_s;
        pod.priority = priority;
        pod.annotations = {{"gang-scheduler/queue", in}};
        return pod;
    }
    /// Of so many cores, created so many minutes ago.
    std::string add(
        const std::string& name, const std::string& in, std::int64_t cores, std::int64_t minutes_ago) {
        return submit(driver(name, in, minutes_ago), cores);
    }
    std::string submit(core::Pod pod, std::int64_t cores) {
        const std::string uid = world.submit(std::move(pod), tests::conf(cores - 1));
        world.advance(1'000);
        return uid;
    }
    void end(const std::string& uid) {
        world.change_pod(uid, [&](core::Pod& pod) {
            pod.phase = core::PodPhase::succeeded;
            pod.ended = world.now_ms / 1'000;
        });
        world.advance(2'000);
    }
    bool runs(const std::string& uid) const { return world.is_bound(uid); }

    World world;
};

}  // namespace

TEST_CASE("strict wait: its queue has the next turn, whatever its share") {
    for (const bool is_strict : {false, true}) {
        CAPTURE(is_strict);
        Turnstile at(with_queues({hourly("etl", is_strict), queue("ml")}, World::sealed_schema()));
        const auto large = at.add("large", "etl", 4, 200);
        const auto other = at.add("other", "ml", 4, 200);
        const auto overdue = at.add("overdue", "etl", 4, 90);
        const auto waits = at.add("waits", "ml", 4, 100);
        REQUIRE(at.runs(large));
        REQUIRE(at.runs(other));
        at.end(other);  // ml holds nothing, and its first is older
        CHECK(at.runs(overdue) == is_strict);
        CHECK(at.runs(waits) != is_strict);
        CHECK(at.world.violations.empty());
    }
}

TEST_CASE("strict wait: of two queues the one whose first is overdue for longer, from a queue above") {
    config::Queue root = hourly("root");
    config::Queue patient = queue("patient");
    patient.max_wait_ms = 120 * strict_minute_ms;
    Turnstile at(with_queues({root, queue("teams.a"), patient, queue("z")}, World::sealed_schema()));
    const auto running = at.add("running", "z", 8, 300);
    const auto of_patient = at.add("of-patient", "patient", 8, 150);  // for 30 minutes
    const auto of_team = at.add("of-team", "teams.a", 8, 140);        // for 80
    const auto of_z = at.add("of-z", "z", 8, 102);                    // for 42
    std::string last = running;
    for (const std::string& next : {of_team, of_z, of_patient}) {
        at.end(last);
        CHECK(at.runs(next));
        last = next;
    }
}

TEST_CASE("strict wait: nobody passes it by backfill, as the first of another queue neither") {
    for (const bool is_strict : {false, true}) {
        CAPTURE(is_strict);
        config::Schema schema = with_queues({hourly("etl", is_strict), queue("ml")}, World::sealed_schema());
        schema.backfill.mode = config::BackfillMode::easy;
        Turnstile at(schema);
        core::Pod first = at.driver("first", "etl", 200);
        first.annotations.insert(first.annotations.begin(), {"gang-scheduler/expected-duration", "30m"});
        const auto running = at.submit(std::move(first), 4);
        const auto overdue = at.add("overdue", "etl", 8, 90);
        for (const char* const in : {"etl", "ml"}) {
            core::Pod quick = at.driver(std::string("quick-") + in, in, 1);
            quick.annotations.insert(quick.annotations.begin(), {"gang-scheduler/expected-duration", "1m"});
            CHECK(at.runs(at.submit(std::move(quick), 2)) != is_strict);
        }
        CHECK(at.runs(running));
        CHECK_FALSE(at.runs(overdue));
        if (is_strict) {
            says(at.world, overdue,
                 "; it has waited for longer than it is to and is passed by nobody: it starts at the latest "
                 "when those overdue for longer have started and what runs now has ended");
            at.end(running);
            CHECK(at.runs(overdue));
        }
    }
}

TEST_CASE("strict wait: behind the first who is overdue in one queue nobody passes one of another") {
    config::Schema schema = with_queues({hourly("etl"), hourly("ml")}, World::sealed_schema());
    schema.backfill.mode = config::BackfillMode::easy;
    Turnstile at(schema, 4);
    core::Node pool = tests::node("n2", 4, 64 * 1024);
    pool.labels = {{"pool", "b"}};
    at.world.add_node(pool);
    const auto in_pool = [&](const std::string& name, const std::string& in, std::int64_t ago, std::int64_t cores) {
        core::Pod pod = tests::pod(name, cores * 1'000, 64);
        pod.created = at.world.now_ms / 1'000 - ago * strict_minute_s;
        pod.constraints.edit().node_selector = {{"pool", "b"}};
        pod.annotations = {{"gang-scheduler/expected-duration", "1m"}, {"gang-scheduler/queue", in}};
        const std::string uid = at.world.create(std::move(pod));
        at.world.advance(1'000);
        return uid;
    };
    in_pool("runs-b", "etl", 300, 2);
    at.add("runs", "etl", 4, 300);
    at.add("first", "etl", 5, 200);                                  // overdue, anywhere
    const auto of_ml = in_pool("of-ml", "ml", 100, 4);               // overdue, of the pool
    const auto quick = in_pool("quick", "etl", 1, 2);
    CHECK_FALSE(at.runs(of_ml));
    CHECK_FALSE(at.runs(quick));
}

TEST_CASE("strict wait: a limit holds for it, and who of another queue uses that limit waits as well") {
    for (const bool is_strict : {false, true}) {
        CAPTURE(is_strict);
        config::Queue teams = tests::limited("teams", 8);
        Turnstile at(
            with_queues({teams, hourly("teams.a", is_strict), queue("teams.b"), queue("c")}, World::sealed_schema()),
            64);
        const auto running = at.add("running", "teams.b", 4, 200);
        const auto overdue = at.add("overdue", "teams.a", 6, 90);
        const auto small = at.add("small", "teams.b", 2, 1);
        const auto apart = at.add("apart", "c", 8, 1);
        CHECK_FALSE(at.runs(overdue));
        CHECK(at.runs(small) != is_strict);
        CHECK(at.runs(apart));
        says(at.world, overdue, "its limit is 8");
        if (!is_strict) continue;
        at.end(running);
        CHECK(at.runs(overdue));
        CHECK(at.runs(small));
    }
}

TEST_CASE("strict wait: nobody is evicted for another, and what was begun serves it") {
    config::Queue etl = hourly("etl");
    Turnstile at(with_queues({etl, tests::by_priority("nightly")}, World::sealed_schema()));
    tests::running(at.world, "low", "nightly", 7, 1, 1);
    SUBCASE("it is overdue: for nobody else") {
        const auto overdue = at.add("overdue", "etl", 8, 90);
        const auto high = at.submit(at.driver("high", "nightly", 1, 9), 4);
        at.world.advance(5 * strict_minute_ms);
        CHECK(at.world.evictions.empty());
        CHECK_FALSE(at.runs(high));
        CHECK_FALSE(at.runs(overdue));
    }
    SUBCASE("it becomes so while room is made") {
        const auto waits = at.add("waits", "etl", 8, 59);
        const auto high = at.submit(at.driver("high", "nightly", 1, 9), 4);
        at.world.advance(5'000);
        CHECK_FALSE(at.world.evictions.empty());
        at.world.advance(2 * strict_minute_ms);
        at.world.end_deleted();
        at.world.advance(2'000);
        CHECK(at.runs(waits));
        CHECK_FALSE(at.runs(high));
    }
    CHECK(at.world.violations.empty());
}

TEST_CASE("strict wait: nobody is evicted for one that is overdue past one that is so for longer (seed 1)") {
    config::Queue nightly = hourly("nightly");
    nightly.order = config::QueueOrder::priority;
    nightly.preemption.within_queue = config::PreemptionWithin::lower_priority;
    Turnstile at(with_queues({nightly}, World::sealed_schema()));
    const auto low = at.submit(at.driver("low", "nightly", 300, 1), 8);
    at.world.set_phase(low, core::PodPhase::running);
    at.world.advance(1'000);
    const auto longer = at.submit(at.driver("longer", "nightly", 120, 0), 4);
    const auto high = at.submit(at.driver("high", "nightly", 90, 9), 4);
    at.world.advance(5 * strict_minute_ms);
    CHECK(at.world.evictions.empty());
    at.end(low);
    CHECK(at.runs(longer));
    CHECK(at.runs(high));
}

TEST_CASE("strict wait: nor does held room pass one whose bind has just failed (seed 700274)") {
    Turnstile at(with_queues({hourly("etl"), tests::by_priority("nightly")}, World::sealed_schema()));
    tests::running(at.world, "low", "nightly", 7, 1, 1);
    at.world.add_node(tests::node("n2", 4, 64 * 1024));
    const auto high = at.submit(at.driver("high", "nightly", 1, 9), 6);
    at.world.advance(2'000);
    REQUIRE_FALSE(at.world.evictions.empty());
    at.world.on_bind = [](const gang::BindPod&) { return std::optional(gang::BindOutcome::not_sent); };
    const auto overdue = at.add("overdue", "etl", 4, 90);
    at.world.on_bind = nullptr;
    REQUIRE_FALSE(at.runs(overdue));
    at.world.change_node("n2", [](core::Node& node) { node.unschedulable = true; });
    at.world.end_deleted();
    at.world.advance(60'000);
    CHECK(at.runs(overdue));
    CHECK_FALSE(at.runs(high));
    CHECK(at.world.violations.empty());
}

TEST_CASE("strict wait: held room passes nobody who can start since nodes are open again (seed 2938)") {
    Turnstile at(with_queues({hourly("etl"), tests::by_priority("nightly")}, World::sealed_schema()));
    tests::running(at.world, "low", "nightly", 7, 1, 1);
    at.world.add_node(tests::node("n2", 4, 64 * 1024));
    at.world.change_node("n2", [](core::Node& node) { node.unschedulable = true; });
    const auto overdue = at.add("overdue", "etl", 12, 90);
    const auto high = at.submit(at.driver("high", "nightly", 1, 9), 4);
    REQUIRE_FALSE(at.world.evictions.empty());
    at.world.change_node("n2", [](core::Node& node) { node.unschedulable = false; });
    at.world.advance(2'000);
    CHECK_FALSE(at.runs(high));
    at.world.end_deleted();
    at.world.advance(60'000);
    CHECK(at.runs(overdue));
    CHECK_FALSE(at.runs(high));
    CHECK(at.world.violations.empty());
}

TEST_CASE("strict wait: nodes that come are for it, whoever asked for them first") {
    for (const bool is_strict : {false, true}) {
        CAPTURE(is_strict);
        config::Schema schema = with_queues({hourly("etl", is_strict), queue("ml")}, World::sealed_schema());
        schema.autoscaling.mode = config::AutoscalingMode::capacity_buffer;
        Turnstile at(schema, 4);
        at.add("running", "ml", 4, 300);
        const auto asks = at.add("asks", "ml", 8, 59);
        at.world.advance(3'000);
        REQUIRE(at.world.capacity.contains(asks));
        const auto overdue = at.add("overdue", "etl", 4, 90);
        at.world.advance(3'000);
        at.world.add_node(tests::node("new", 4, 64 * 1024));
        at.world.advance(2'000);
        CHECK(at.runs(overdue) == is_strict);
        CHECK_FALSE(at.runs(asks));
    }
}

TEST_CASE("strict wait: a gang cannot say itself how soon it is passed by nobody, only how late") {
    Turnstile at(with_queues({hourly("etl"), queue("ml")}, World::sealed_schema()));
    const auto running = at.add("running", "ml", 8, 300);
    const auto says_max_wait = [&](const std::string& name, const char* wait, std::int64_t ago) {
        core::Pod pod = at.driver(name, "etl", ago);
        pod.annotations.insert(pod.annotations.begin(), {"gang-scheduler/max-wait", wait});
        return at.submit(std::move(pod), 8);
    };
    const auto later = says_max_wait("later", "3h", 120);
    const auto sooner = says_max_wait("sooner", "1s", 50);
    CHECK(at.world.condition(later).find("than it is to") == std::string::npos);
    CHECK(at.world.condition(sooner).find("than it is to") == std::string::npos);
    at.world.advance(11 * strict_minute_ms);
    says(at.world, sooner, "is passed by nobody");
    at.end(running);
    CHECK(at.runs(sooner));
}

TEST_CASE("strict wait: who waits for a port is not passed by those who want none") {
    for (const bool is_strict : {false, true}) {
        CAPTURE(is_strict);
        Turnstile at(with_queues({hourly("etl", is_strict), queue("ml")}, World::sealed_schema()), 4);
        const auto with_port = [&](const std::string& name, std::int64_t ago) {
            core::Pod pod = tests::pod(name, 2'000, 64);
            pod.created = at.world.now_ms / 1'000 - ago * strict_minute_s;
            pod.annotations = {{"gang-scheduler/queue", "etl"}};
            core::add_host_ports(pod.requests, {{"", "TCP", 80}});
            const std::string uid = at.world.create(std::move(pod));
            at.world.advance(1'000);
            return uid;
        };
        const auto has = with_port("has", 300);
        const auto overdue = with_port("overdue", 90);
        REQUIRE(at.runs(has));
        CHECK_FALSE(at.runs(overdue));
        CHECK(at.runs(at.add("wants-none", "ml", 2, 1)) != is_strict);
    }
}

TEST_CASE("strict wait: what could never start, or is held, keeps nobody waiting") {
    Turnstile at(with_queues({hourly("etl"), queue("ml")}, World::sealed_schema()));
    at.add("too-large", "etl", 9, 90);
    core::Pod pod = at.driver("held", "etl", 100);
    pod.annotations.insert(pod.annotations.begin(), {"gang-scheduler/hold", "true"});
    at.submit(std::move(pod), 8);
    CHECK(at.runs(at.add("small", "ml", 2, 1)));
}

TEST_CASE("strict wait: a stream of small gangs starves a large one, and does not where it is strict") {
    for (const bool is_strict : {false, true}) {
        CAPTURE(is_strict);
        config::Queue ml = queue("ml");
        ml.weight = 10;  // it has always less of its share
        Turnstile at(with_queues({hourly("etl", is_strict), ml}, World::sealed_schema()));
        const auto of_etl = at.add("of-etl", "etl", 2, 10);
        std::map<std::int64_t, std::string> ends;  // by minute
        std::string large;
        std::optional<std::int64_t> started;
        // Six cores of ml's, each for 30 minutes, one every five.
        constexpr std::int64_t begin = 30;
        for (std::int64_t minute = 0; minute < 600 && !started; ++minute) {
            if (minute % 5 == 0) {
                ends[minute + 30] = at.add("small-" + std::to_string(minute), "ml", 1, 0);
            }
            if (minute == begin) large = at.add("large", "etl", 6, 0);
            if (const auto ended = ends.find(minute); ended != ends.end() && at.runs(ended->second)) {
                at.end(ended->second);
            }
            at.world.advance(strict_minute_ms);
            started = !large.empty() && at.runs(large) ? std::optional(minute) : std::nullopt;
        }
        CHECK(at.runs(of_etl));
        CHECK(started.has_value() == is_strict);
        if (started) {
            CHECK(*started > begin + 60);
            CHECK(*started <= begin + 60 + 30 + 1);
        }
    }
}

/// Days of gangs, drawn by a seed, that all run for half an hour at most: while somebody waits who is
/// overdue, nobody else starts, and one of those who are starts within that time. So who has n before
/// him that are overdue for longer waits for (n + 1) half hours at most from then on.
TEST_CASE("strict wait: by seed, nobody passes, and the wait is bounded") {
    constexpr std::int64_t run_minutes_max = 30;
    for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
        CAPTURE(seed);
        tests::Random random(seed);
        config::Queue root = hourly("root");
        config::Queue limited = tests::limited("b", 10);
        config::Queue fair = queue("c");
        fair.order = config::QueueOrder::fair;
        config::Schema schema = with_queues({root, queue("a"), limited, fair}, World::sealed_schema());
        schema.backfill.mode = random.chance(50) ? config::BackfillMode::easy : config::BackfillMode::off;
        Turnstile at(schema);
        at.world.add_node(tests::node("n2", 8, 64 * 1024));
        struct Gang {
            std::int64_t created;
            std::int64_t minutes;
            std::optional<std::int64_t> started = {};
            bool has_ended = false;
        };
        std::map<std::string, Gang> gangs;
        std::int64_t overdue_since = -1;  // the last that was overdue started, or the first became so
        int overdue_seen = 0;
        bool is_over = false;
        for (std::int64_t minute = 0; minute < 1'500 && !is_over; ++minute) {
            std::vector<std::string> overdue;
            for (auto& [uid, gang] : gangs) {
                if (gang.started && !gang.has_ended && *gang.started + gang.minutes <= minute) {
                    gang.has_ended = true;
                    at.end(uid);
                }
                if (!gang.started && gang.created + 60 < minute) overdue.push_back(uid);
            }
            if (minute < 500 && random.chance(35)) {
                const char* const in[] = {"a", "b", "c"};
                core::Pod pod = at.driver("g" + std::to_string(minute), in[random.between(0, 2)], 0);
                pod.service_account = "u" + std::to_string(random.between(0, 2));
                const std::int64_t minutes = random.between(5, run_minutes_max);
                pod.annotations.insert(
                    pod.annotations.begin(),
                    {"gang-scheduler/expected-duration", std::to_string(minutes) + "m"});
                const std::string uid =
                    at.submit(std::move(pod), random.chance(30) ? random.between(8, 10) : random.between(1, 3));
                gangs[uid] = {minute, minutes};
            }
            at.world.advance(strict_minute_ms);
            bool has_overdue_started = false;
            bool has_other_started = false;
            for (auto& [uid, gang] : gangs) {
                if (gang.started || !at.runs(uid)) continue;
                gang.started = minute;
                const bool was_overdue = std::find(overdue.begin(), overdue.end(), uid) != overdue.end();
                has_overdue_started = has_overdue_started || was_overdue;
                has_other_started = has_other_started || !was_overdue;
            }
            const bool waits_one = std::any_of(overdue.begin(), overdue.end(), [&](const std::string& uid) {
                return !gangs.at(uid).started && at.world.view(uid).code != gang::ReasonCode::waiting_for_quota;
            });
            CHECK_FALSE((waits_one && has_other_started));
            overdue_since = has_overdue_started || !waits_one || overdue_since < 0 ? minute : overdue_since;
            CHECK(minute - overdue_since <= run_minutes_max + 1);
            overdue_seen += waits_one ? 1 : 0;
            is_over = minute > 500 && std::all_of(gangs.begin(), gangs.end(), [](const auto& one) {
                          return one.second.started.has_value();
                      });
        }
        CHECK(overdue_seen > 10);
        CHECK(is_over);
        CHECK(at.world.violations.empty());
    }
}
