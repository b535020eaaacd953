#include "k8s/protocol/lease.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace k8s::protocol;

namespace {

ElectionOptions options(std::string identity = "me") {
    ElectionOptions made;
    made.identity = std::move(identity);
    return made;
}

Lease lease(std::string holder, std::string version, std::int64_t transitions = 3) {
    Lease made;
    made.holder = std::move(holder);
    made.resource_version = std::move(version);
    made.transitions = transitions;
    made.duration_ms = 15'000;
    made.renewed = "t" + made.resource_version;
    return made;
}

bool is_read(const LeaseAction& action) {
    return std::holds_alternative<ReadLease>(action);
}
bool is_wait(const LeaseAction& action) {
    return std::holds_alternative<WaitLease>(action);
}
bool is_update(const LeaseAction& action) {
    return std::holds_alternative<UpdateLease>(action);
}

// An election that leads, renewed at `now`.
Election leading(std::int64_t now) {
    Election election(options());
    REQUIRE(is_read(election.next(now, 0)));
    election.on_read(now, std::nullopt);
    REQUIRE(std::holds_alternative<CreateLease>(election.next(now, 0)));
    election.on_written(now, lease("me", "1", 0));
    return election;
}

}  // namespace

TEST_CASE("lease: an absent Lease is created, and its writer leads with epoch 1") {
    Election election = leading(1'000);
    CHECK(election.is_leader());
    CHECK(election.may_write(1'000));
    CHECK(election.epoch() == 1);
}

TEST_CASE("lease: a leader renews each retry period, without reading first") {
    Election election = leading(1'000);
    const LeaseAction wait = election.next(1'000, 7);
    REQUIRE(is_wait(wait));
    CHECK(std::get<WaitLease>(wait).ms == 2'000);
    const LeaseAction renew = election.next(3'000, 7);
    REQUIRE(is_update(renew));
    CHECK(std::get<UpdateLease>(renew).resource_version == "1");
    CHECK_FALSE(std::get<UpdateLease>(renew).acquired);
    election.on_written(3'000, lease("me", "2", 0));
    CHECK(election.may_write(12'999));
}

TEST_CASE("C11: lease: may_write ends at the deadline counted from the sending of the renewal") {
    Election election = leading(1'000);
    CHECK(election.may_write(10'999));
    CHECK_FALSE(election.may_write(11'000));
    CHECK(election.is_leader());  // nobody was told yet
    election.check_deadline(11'000);
    CHECK_FALSE(election.is_leader());
}

TEST_CASE("C11: lease: a held Lease is taken only after its duration without a change seen by us") {
    Election election(options());
    std::int64_t now = 50'000;
    int version = 10;
    REQUIRE(is_read(election.next(now, 0)));
    election.on_read(now, lease("other", std::to_string(version)));
    for (int i = 0; i < 20; ++i) {  // the holder is alive: it renews before every read
        const LeaseAction wait = election.next(now, static_cast<std::uint32_t>(i * 97));
        REQUIRE(is_wait(wait));
        now += std::get<WaitLease>(wait).ms;
        REQUIRE(is_read(election.next(now, 0)));
        election.on_read(now, lease("other", std::to_string(++version)));
    }
    const std::int64_t last_change = now;
    for (;;) {  // now it is dead
        const LeaseAction action = election.next(now, 0);
        if (is_wait(action)) {
            now += std::get<WaitLease>(action).ms;
            continue;
        }
        if (is_read(action)) {
            election.on_read(now, lease("other", std::to_string(version)));
            continue;
        }
        REQUIRE(is_update(action));
        CHECK(std::get<UpdateLease>(action).acquired);
        CHECK(std::get<UpdateLease>(action).transitions == 4);
        break;
    }
    CHECK(now - last_change == 15'000);
    election.on_written(now, lease("me", "99", 4));
    CHECK(election.epoch() == 5);
}

TEST_CASE("lease: the longer of the holder's duration and ours counts") {
    Election election(options());
    Lease held = lease("other", "1");
    held.duration_ms = 60'000;
    REQUIRE(is_read(election.next(0, 0)));
    election.on_read(0, held);
    REQUIRE(is_wait(election.next(0, 0)));
    REQUIRE(is_read(election.next(59'999, 0)));
    election.on_read(59'999, held);
    CHECK(is_wait(election.next(59'999, 0)));
    REQUIRE(is_read(election.next(60'000, 0)));
    election.on_read(60'000, held);
    CHECK(is_update(election.next(60'000, 0)));
}

TEST_CASE("lease: a released Lease is taken at once") {
    Election election(options());
    REQUIRE(is_read(election.next(0, 0)));
    election.on_read(0, lease("", "8"));
    const LeaseAction action = election.next(0, 0);
    REQUIRE(is_update(action));
    CHECK(std::get<UpdateLease>(action).resource_version == "8");
    CHECK(std::get<UpdateLease>(action).transitions == 4);
}

TEST_CASE("lease: a lost race for it stays a candidate") {
    Election election(options());
    REQUIRE(is_read(election.next(0, 0)));
    election.on_read(0, lease("", "8"));
    REQUIRE(is_update(election.next(0, 0)));
    election.on_conflict(5);
    CHECK_FALSE(election.is_leader());
    REQUIRE(is_wait(election.next(5, 0)));
    REQUIRE(is_read(election.next(2'005, 0)));
    election.on_read(2'005, lease("other", "9"));
    CHECK(is_wait(election.next(2'005, 0)));
}

TEST_CASE("lease: a leader that meets a conflict looks at once, and yields to another holder") {
    Election election = leading(0);
    REQUIRE(is_wait(election.next(0, 0)));
    REQUIRE(is_update(election.next(2'000, 0)));
    election.on_conflict(2'001);
    REQUIRE(is_read(election.next(2'001, 0)));
    election.on_read(2'002, lease("other", "5"));
    CHECK_FALSE(election.is_leader());
    CHECK_FALSE(election.may_write(2'002));
}

TEST_CASE("lease: two with one identity do not race each other without a pause") {
    Election election = leading(0);
    REQUIRE(is_wait(election.next(0, 0)));
    REQUIRE(is_update(election.next(2'000, 0)));
    election.on_conflict(2'000);
    REQUIRE(is_read(election.next(2'000, 0)));
    election.on_read(2'000, lease("me", "7"));
    REQUIRE(is_update(election.next(2'000, 0)));
    election.on_conflict(2'000);
    CHECK(is_wait(election.next(2'000, 0)));
}

TEST_CASE("lease: a failed renewal is repeated after reading, until the deadline") {
    Election election = leading(0);
    std::int64_t now = 0;
    for (;;) {
        const LeaseAction action = election.next(now, 0);
        if (!election.is_leader()) break;
        if (is_wait(action)) {
            now += std::get<WaitLease>(action).ms;
        } else {
            election.on_failed(now);
        }
        REQUIRE(now < 60'000);
    }
    CHECK(now == 10'000);
}

TEST_CASE("lease: an acquisition whose answer was lost becomes leadership by a renewal") {
    Election election(options());
    REQUIRE(is_read(election.next(0, 0)));
    election.on_read(0, lease("", "8"));
    REQUIRE(is_update(election.next(0, 0)));
    election.on_failed(100);
    CHECK_FALSE(election.is_leader());
    REQUIRE(is_wait(election.next(100, 0)));
    REQUIRE(is_read(election.next(2'100, 0)));
    election.on_read(2'100, lease("me", "9", 4));
    CHECK_FALSE(election.is_leader());
    const LeaseAction action = election.next(2'100, 0);
    REQUIRE(is_update(action));
    CHECK(std::get<UpdateLease>(action).transitions == 4);
    election.on_written(2'100, lease("me", "10", 4));
    CHECK(election.is_leader());
    CHECK(election.epoch() == 5);
}

TEST_CASE("lease: a deleted Lease is made anew with a higher epoch") {
    Election election = leading(0);
    const std::int64_t before = election.epoch();
    REQUIRE(is_wait(election.next(0, 0)));
    REQUIRE(is_update(election.next(2'000, 0)));
    election.on_failed(2'000);  // the PUT was answered 404
    REQUIRE(is_wait(election.next(2'000, 0)));
    REQUIRE(is_read(election.next(4'000, 0)));
    election.on_read(4'000, std::nullopt);
    CHECK_FALSE(election.is_leader());
    const LeaseAction action = election.next(4'000, 0);
    REQUIRE(std::holds_alternative<CreateLease>(action));
    CHECK(std::get<CreateLease>(action).transitions + 1 > before);
}

TEST_CASE("lease: only a holder has something to release") {
    Election candidate(options());
    CHECK_FALSE(candidate.release());
    candidate.on_read(0, lease("other", "1"));
    CHECK_FALSE(candidate.release());
    const Election leader = leading(0);
    const auto release = leader.release();
    REQUIRE(release);
    CHECK(release->resource_version == "1");
}

TEST_CASE("lease: two candidates never both may write, with unequal pauses and a dead holder") {
    // Both see the same server; one write at a time wins by its version.
    Lease server = lease("dead", "1", 0);
    int version = 1;
    Election a(options("a"));
    Election b(options("b"));
    struct Actor {
        Election* election;
        std::string name;
        std::int64_t wakes = 0;
    };
    Actor actors[] = {{&a, "a"}, {&b, "b"}};
    int leaders_seen = 0;
    for (std::int64_t now = 0; now < 120'000; now += 50) {
        for (Actor& actor : actors) {
            const bool asleep =
                actor.name == "a" && now > 40'000 && now < 70'000;  // stopped process
            if (asleep || now < actor.wakes) continue;
            const LeaseAction action = actor.election->next(now, static_cast<std::uint32_t>(now));
            if (const auto* wait = std::get_if<WaitLease>(&action)) {
                actor.wakes = now + wait->ms;
            } else if (is_read(action)) {
                actor.election->on_read(now, server);
            } else if (const auto* update = std::get_if<UpdateLease>(&action)) {
                if (update->resource_version != server.resource_version) {
                    actor.election->on_conflict(now);
                    continue;
                }
                server = lease(actor.name, std::to_string(++version), update->transitions);
                actor.election->on_written(now, server);
            }
        }
        const int leaders = (a.may_write(now) ? 1 : 0) + (b.may_write(now) ? 1 : 0);
        CHECK(leaders <= 1);
        leaders_seen += leaders;
    }
    CHECK(leaders_seen > 1'000);
    CHECK(server.transitions == 2);
}
