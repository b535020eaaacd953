#include "k8s/protocol/election/election.hpp"

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
bool is_follow(const LeaseAction& action) {
    return std::holds_alternative<FollowLease>(action);
}

// A candidate that has read this at time 0 and follows it.
Election following(const Lease& held) {
    Election election(options());
    REQUIRE(is_read(election.next(0, 0)));
    election.on_read(0, held);
    const LeaseAction action = election.next(0, 0);
    REQUIRE(is_follow(action));
    CHECK(std::get<FollowLease>(action).resource_version == held.resource_version);
    return election;
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

TEST_CASE("LEASE-1: an absent Lease is created with transitions 0, and its writer leads") {
    Election creator(options());
    REQUIRE(is_read(creator.next(0, 0)));
    creator.on_read(0, std::nullopt);
    const LeaseAction create = creator.next(0, 0);
    REQUIRE(std::holds_alternative<CreateLease>(create));
    CHECK(std::get<CreateLease>(create).transitions == 0);
    CHECK(creator.why_free() == "there was none");
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

TEST_CASE(
    "C11: LEASE-4: may_write ends at the deadline counted from the sending of the last renewal") {
    Election election = leading(1'000);
    CHECK(election.may_write(10'999));
    CHECK_FALSE(election.may_write(11'000));
    CHECK(election.is_leader());  // nobody was told yet
    election.check_deadline(11'000);
    CHECK_FALSE(election.is_leader());
}

TEST_CASE(
    "LEASE-2: a Lease that its holder renews is never taken, and nothing is asked meanwhile") {
    Election election = following(lease("other", "10"));
    std::int64_t now = 0;
    for (int version = 11; version < 200; ++version) {
        now += 14'999;  // each renewal just before the end
        CHECK(election.is_following(now));
        election.on_followed(now, lease("other", std::to_string(version)));
        CHECK(election.is_following(now));
        CHECK_FALSE(election.may_write(now));
    }
    CHECK(election.follow_until_ms() == now + 15'000);
}

TEST_CASE(
    "C11: LEASE-3: a Lease that was not renewed for its duration, as seen by us, is taken by one "
    "write") {
    Election election = following(lease("other", "10"));
    election.on_followed(7'000, lease("other", "11"));
    CHECK(election.is_following(21'999));
    CHECK_FALSE(election.is_following(22'000));
    const LeaseAction action = election.next(22'000, 0);
    REQUIRE(is_update(action));
    const auto& update = std::get<UpdateLease>(action);
    CHECK(update.acquired);
    CHECK(update.transitions == 4);
    CHECK(update.resource_version == "11");
    CHECK(election.why_free() == "nobody has renewed it for 15000ms, held by other");
    election.on_written(22'000, lease("me", "99", 4));
    CHECK(election.epoch() == 5);
}

TEST_CASE("LEASE-3: read from time to time, it is taken at the same moment") {
    Election election(options());
    std::int64_t now = 50'000;
    REQUIRE(is_read(election.next(now, 0)));
    election.on_read(now, lease("other", "10"));
    REQUIRE(is_follow(election.next(now, 0)));
    election.on_follow_ended(now, FollowEnd::refused);
    int reads = 0;
    for (;;) {
        const LeaseAction action = election.next(now, static_cast<std::uint32_t>(reads * 97));
        if (const auto* wait = std::get_if<WaitLease>(&action)) {
            now += wait->ms;
            continue;
        }
        if (is_read(action)) {
            ++reads;
            election.on_read(now, lease("other", "10"));
            continue;
        }
        REQUIRE(is_update(action));
        break;
    }
    CHECK(now == 65'000);
    CHECK(reads >= 6);
    CHECK(reads <= 9);
}

TEST_CASE("lease: labels that somebody edits are no sign of the holder's life") {
    Election election = following(lease("other", "10"));
    Lease edited = lease("other", "10");
    edited.resource_version = "11";
    election.on_followed(14'000, edited);
    const LeaseAction action = election.next(15'000, 0);
    REQUIRE(is_update(action));
    CHECK(std::get<UpdateLease>(action).resource_version == "11");
}

TEST_CASE("lease: the longer of the holder's duration and ours counts, an hour at most") {
    Lease held = lease("other", "1");
    held.duration_ms = 60'000;
    CHECK(following(held).follow_until_ms() == 60'000);
    held.duration_ms = 0;
    CHECK(following(held).follow_until_ms() == 15'000);
    held.duration_ms = 86'400'000;
    CHECK(following(held).follow_until_ms() == lease_duration_ms_max);
}

TEST_CASE("LEASE-5: a Lease that its holder gives up is taken at once") {
    Lease released = lease("", "11");
    released.duration_ms = lease_released_ms;
    Election election = following(lease("other", "10"));
    election.on_followed(400, released);
    CHECK_FALSE(election.is_following(400));
    const LeaseAction action = election.next(400, 0);
    REQUIRE(is_update(action));
    CHECK(std::get<UpdateLease>(action).resource_version == "11");
    CHECK(std::get<UpdateLease>(action).transitions == 4);
}

TEST_CASE("lease: handed over by a holder that gave it up and said that nothing is under way") {
    Lease released = lease("", "11");
    released.duration_ms = lease_released_ms;
    released.settled = true;
    Election election = following(lease("other", "10"));
    bool expected = true;
    SUBCASE("by that very state") {
        election.on_followed(400, released);
    }
    SUBCASE("not if it only gave it up") {
        released.settled = false;
        election.on_followed(400, released);
        expected = false;
    }
    SUBCASE("not if somebody has led since") {
        election.on_followed(400, released);
        REQUIRE(is_update(election.next(400, 0)));
        election.on_conflict(400);
        REQUIRE(is_read(election.next(400, 0)));
        Lease again = lease("", "13", 5);
        again.duration_ms = lease_released_ms;
        election.on_read(400, again);
        expected = false;
    }
    SUBCASE("not if it was deleted since") {
        election.on_followed(400, released);
        election.on_followed(401, std::nullopt);
        REQUIRE(std::holds_alternative<CreateLease>(election.next(401, 0)));
        election.on_written(401, lease("me", "1", 0));
        CHECK_FALSE(election.was_handed_over());
        return;
    }
    const LeaseAction action = election.next(400, 0);
    REQUIRE(is_update(action));
    CHECK_FALSE(election.was_handed_over());
    for (const bool is_answer_lost : {false, true}) {
        CAPTURE(is_answer_lost);
        Election leader = election;
        if (is_answer_lost) {
            leader.on_failed(500);
            REQUIRE(is_wait(leader.next(500, 0)));
            REQUIRE(is_read(leader.next(2'500, 0)));
            leader.on_read(2'500, lease("me", "14", 6));
            REQUIRE(is_update(leader.next(2'500, 0)));
        }
        leader.on_written(2'500, lease("me", "15", 6));
        CHECK(leader.was_handed_over() == expected);
        // What comes after this leadership term, without that word, is another one.
        REQUIRE(is_wait(leader.next(60'000, 0)));
        CHECK_FALSE(leader.was_handed_over());
        REQUIRE(is_read(leader.next(60'000, 0)));
        leader.on_read(60'000, lease("me", "15", 6));
        REQUIRE(is_update(leader.next(60'000, 0)));
        leader.on_written(60'000, lease("me", "16", 6));
        CHECK(leader.is_leader());
        CHECK_FALSE(leader.was_handed_over());
    }
}

TEST_CASE("lease: edited or deleted under its holder, it is taken when its time is over") {
    Election election = following(lease("other", "10"));
    SUBCASE("without a holder") {
        election.on_followed(5'000, lease("", "11"));
        CHECK(election.follow_until_ms() == 20'000);
    }
    SUBCASE("with another holder") {
        election.on_followed(5'000, lease("thief", "11"));
        CHECK(election.follow_until_ms() == 20'000);
    }
    SUBCASE("with us as its holder, which we know nothing of") {
        election.on_followed(5'000, lease("me", "11"));
        CHECK(election.follow_until_ms() == 20'000);
    }
    SUBCASE("deleted") {
        election.on_followed(5'000, std::nullopt);
        CHECK(election.follow_until_ms() == 15'000);
        const LeaseAction action = election.next(15'000, 0);
        REQUIRE(std::holds_alternative<CreateLease>(action));
        CHECK(std::get<CreateLease>(action).transitions == 4);
        return;
    }
    CHECK(election.is_following(19'999));
    CHECK(is_update(election.next(20'000, 0)));
}

TEST_CASE("lease: transitions that cannot grow begin anew, or nobody could take it any more") {
    Election election = following(lease("other", "10", 2'147'483'647));
    const LeaseAction action = election.next(15'000, 0);
    REQUIRE(is_update(action));
    CHECK(std::get<UpdateLease>(action).transitions == 0);
}

TEST_CASE(
    "lease: a watch that ends is opened again after a read, one that fails at once is paced") {
    Election election = following(lease("other", "10"));
    SUBCASE("it lived: at once") {
        election.on_followed(2'000, lease("other", "11"));
        election.on_follow_ended(3'000, FollowEnd::closed);
        REQUIRE(is_read(election.next(3'000, 0)));
        election.on_read(3'000, lease("other", "11"));
        CHECK(is_follow(election.next(3'000, 0)));
        CHECK(election.follow_until_ms() == 17'000);  // a read of the same is no news
    }
    SUBCASE("it did not: after a pause") {
        election.on_follow_ended(10, FollowEnd::closed);
        REQUIRE(is_wait(election.next(10, 0)));
        REQUIRE(is_read(election.next(2'010, 0)));
        election.on_read(2'010, lease("other", "10"));
        CHECK(is_follow(election.next(2'010, 0)));
    }
    SUBCASE("the server is busy: the same") {
        election.on_follow_ended(5'000, FollowEnd::busy);
        CHECK(is_wait(election.next(5'000, 0)));
    }
    SUBCASE("it is not for us: read, and ask again much later") {
        Lease alive = lease("other", "10");
        std::int64_t now = 10;
        election.on_follow_ended(now, FollowEnd::refused);
        int follows = 0;
        for (int i = 0; now < 130'000; ++i) {
            const LeaseAction action = election.next(now, 0);
            if (const auto* wait = std::get_if<WaitLease>(&action)) {
                now += wait->ms;
            } else if (is_read(action)) {
                alive.renewed = std::to_string(i);
                election.on_read(now, alive);
            } else {
                REQUIRE(is_follow(action));
                ++follows;
                election.on_follow_ended(now, FollowEnd::refused);
            }
        }
        CHECK(follows == 2);
    }
}

TEST_CASE("lease: a lost race for it looks who has won, and follows") {
    Election election(options());
    Lease released = lease("", "8");
    released.duration_ms = lease_released_ms;
    REQUIRE(is_read(election.next(0, 0)));
    election.on_read(0, released);
    REQUIRE(is_update(election.next(0, 0)));
    election.on_conflict(5);
    CHECK_FALSE(election.is_leader());
    REQUIRE(is_read(election.next(5, 0)));
    election.on_read(6, lease("other", "9"));
    CHECK(is_follow(election.next(6, 0)));
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
    Lease released = lease("", "8");
    released.duration_ms = lease_released_ms;
    election.on_read(0, released);
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

namespace {

// One Lease at a server that refuses now and then, and loses an answer now and then.
struct Server {
    Lease lease;
    bool exists = false;
    int version = 0;
    std::uint32_t chance = 1;

    std::uint32_t roll() { return chance = chance * 1'664'525U + 1'013'904'223U, chance >> 16U; }

    // True: written, and the writer was told so.
    bool write(const std::string& holder, std::int64_t transitions, bool fits, bool& conflict) {
        conflict = !fits || roll() % 7 == 0;
        if (conflict) return false;
        exists = true;
        lease.holder = holder;
        lease.transitions = transitions;
        lease.duration_ms = 15'000;
        lease.resource_version = std::to_string(++version);
        lease.renewed = "t" + lease.resource_version;
        return roll() % 9 != 0;
    }
};

struct Actor {
    explicit Actor(std::string with) : name(std::move(with)), election(options(name)) {}
    std::string name;
    Election election;
    std::int64_t wakes = 0;
    bool follows = false;
    int told = 0;

    void act(Server& server, std::int64_t now) {
        if (follows) {
            if (told != server.version) election.on_followed(now, server.lease);
            told = server.version;
            if (election.is_following(now)) return;
            follows = false;
        }
        if (now < wakes) return;
        const LeaseAction action = election.next(now, server.roll());
        bool conflict = false;
        if (const auto* wait = std::get_if<WaitLease>(&action)) {
            wakes = now + wait->ms;
        } else if (is_read(action)) {
            election.on_read(now, server.exists ? std::optional(server.lease) : std::nullopt);
        } else if (is_follow(action)) {
            follows = true;
            told = std::stoi(std::get<FollowLease>(action).resource_version);
        } else {
            const auto* update = std::get_if<UpdateLease>(&action);
            const bool fits = update != nullptr
                                  ? update->resource_version == server.lease.resource_version
                                  : !server.exists;
            const std::int64_t transitions =
                update != nullptr ? update->transitions : std::get<CreateLease>(action).transitions;
            if (server.write(name, transitions, fits, conflict)) {
                election.on_written(now, server.lease);
            } else if (conflict) {
                election.on_conflict(now);
            } else {
                election.on_failed(now);
            }
        }
    }
};

}  // namespace

TEST_CASE(
    "LEASE-6: two that start together, 100 rounds with refused writes: one leader at any time") {
    int led = 0;
    for (std::uint32_t round = 0; round < 100; ++round) {
        CAPTURE(round);
        Server server;
        server.chance = round * 7'919 + 1;
        Actor a("a");
        Actor b("b");
        std::int64_t stopped_until = 0;
        for (std::int64_t now = 0; now < 90'000; now += 50) {
            if (now % 20'000 == 10'000) stopped_until = now + 100 * (server.roll() % 300);
            const bool asleep = now < stopped_until;  // "a" is a stopped process
            if (!asleep) a.act(server, now);
            b.act(server, now);
            const bool a_writes = !asleep && a.election.may_write(now);
            REQUIRE_FALSE((a_writes && b.election.may_write(now)));
            led += a_writes || b.election.may_write(now) ? 1 : 0;
        }
    }
    CHECK(led > 100 * 900);  // half of the time at least, whatever was refused
}

TEST_CASE("lease: a conflict with another leader is forgotten once that one is known") {
    Election election = leading(0);
    election.on_conflict(1'000);
    REQUIRE(is_read(election.next(1'000, 0)));  // at once
    election.on_read(1'000, lease("other", "2"));
    CHECK_FALSE(election.is_leader());
    // It expires and is taken; the write meets a conflict: that is the first one again.
    election.on_read(1'000, lease("", "3"));
    election.on_conflict(1'100);
    CHECK(is_read(election.next(1'100, 0)));
}
