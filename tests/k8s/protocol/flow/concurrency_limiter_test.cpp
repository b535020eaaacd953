#include "k8s/protocol/flow/concurrency_limiter.hpp"

#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace k8s::protocol;

namespace {

constexpr std::int64_t ms = 1'000;
constexpr std::int64_t second = 1'000'000;

/// A server with `places` places, each busy for `service_us` with one write; more queue up. The
/// network takes `network_us` in all. Without an end of work: as many are in flight as may be.
struct Server {
    std::int64_t service_us = 10 * ms;
    std::size_t places = 1;
    std::int64_t network_us = 500;
};

enum class Answer { created, too_many, none };

class Simulation {
public:
    explicit Simulation(Server with) : server(with) {}

    /// What becomes of a write that is sent at this time, beside so many others.
    std::function<Answer(std::int64_t now_us, int in_flight)> judge = [](std::int64_t, int) {
        return Answer::created;
    };
    Server server;
    ConcurrencyLimiter limiter{ConcurrencyLimiterOptions{}};
    std::int64_t now = 0;
    std::int64_t done = 0;
    std::int64_t refused = 0;
    std::int64_t retry_after_ms = 1'000;
    std::int32_t smallest = 1'000;
    std::int32_t largest = 0;

    void run_for(std::int64_t us) {
        const std::int64_t end = now + us;
        smallest = largest = limiter.size();
        while (now < end) {
            const std::int64_t hold_ms = limiter.hold_ms(now);
            if (hold_ms == 0) {
                while (static_cast<std::int32_t>(flights_.size()) < limiter.size()) send();
            }
            const std::int64_t wake = now + hold_ms * ms;
            if (hold_ms > 0 && (flights_.empty() || std::get<0>(*flights_.begin()) > wake)) {
                now = wake;
                continue;
            }
            answer();
            smallest = std::min(smallest, limiter.size());
            largest = std::max(largest, limiter.size());
        }
    }
    /// Writes per second over the next `us`.
    std::int64_t rate_over(std::int64_t us) {
        const std::int64_t before = done;
        const std::int64_t from = now;
        run_for(us);
        return (done - before) * second / (now - from);
    }

private:
    using Flight = std::tuple<std::int64_t, std::int64_t, std::int64_t, Answer>;

    void send() {
        const Answer what = judge(now, static_cast<int>(flights_.size()) + 1);
        std::int64_t at = now + server.network_us;
        if (what == Answer::created) {
            busy_until_.resize(server.places, 0);
            auto place = std::min_element(busy_until_.begin(), busy_until_.end());
            *place = std::max(*place, at) + server.service_us;
            at = *place;
        } else if (what == Answer::none) {
            at += 4 * second;
        }
        flights_.emplace(at, ++serial_, now, what);
    }
    void answer() {
        const auto [at, serial, sent, what] = *flights_.begin();
        const bool is_full = static_cast<std::int32_t>(flights_.size()) >= limiter.size();
        flights_.erase(flights_.begin());
        now = std::max(now, at);
        if (what == Answer::created) {
            ++done;
            limiter.answered(sent, now, is_full);
        } else if (what == Answer::none) {
            limiter.unanswered(sent, now);
        } else {
            ++refused;
            limiter.throttled(sent, now, retry_after_ms);
        }
    }

    std::multiset<Flight> flights_;
    std::vector<std::int64_t> busy_until_;
    std::int64_t serial_ = 0;
};

}  // namespace

TEST_CASE("concurrency limiter: begins at its start, within its bounds") {
    CHECK(ConcurrencyLimiter(ConcurrencyLimiterOptions{}).size() == 16);
    CHECK(ConcurrencyLimiter(ConcurrencyLimiterOptions{1, 16, 2}).size() == 2);
    CHECK(ConcurrencyLimiter(ConcurrencyLimiterOptions{0, 0, 0}).size() == 1);
    CHECK(ConcurrencyLimiter(ConcurrencyLimiterOptions{4, 1, 8}).size() == 4);
}

TEST_CASE("concurrency limiter: a server that has room for all is given all that is allowed") {
    Simulation run(Server{20 * ms, 1'000, 500});
    run.run_for(5 * second);
    CHECK(run.limiter.size() == 64);
    CHECK(run.rate_over(second) >= 3'000);
}

TEST_CASE(
    "concurrency limiter: a server of fixed rate is not asked for more than it does at once") {
    Simulation run(Server{10 * ms, 1, 500});  // 100 a second, however many ask
    CHECK(run.rate_over(10 * second) >= 99);
    run.run_for(60 * second);
    CHECK(run.largest <= 24);
    run.run_for(60 * second);
    CHECK(run.largest <= 4);
    CHECK(run.rate_over(10 * second) >= 94);
}

TEST_CASE("concurrency limiter: as many as the server works on at once, and hardly more") {
    Simulation run(Server{8 * ms, 40, 500});  // 5000 a second with 42 in flight
    run.run_for(10 * second);
    CHECK(run.rate_over(10 * second) >= 4'400);
    CHECK(run.smallest >= 24);
    Simulation small(Server{8 * ms, 6, 500});
    small.run_for(20 * second);
    CHECK(small.rate_over(10 * second) >= 650);  // of 750
    CHECK(small.largest <= 16);
}

TEST_CASE("concurrency limiter: more is kept while throughput rises, though latency rises too") {
    // Writes are stored in groups: the more are in flight, the more go at once, the longer it
    // lasts.
    for (const auto& [gain, least] : {std::tuple{4, 48}, std::tuple{0, 0}}) {
        CAPTURE(gain);
        Simulation run(Server{4 * ms, 1'000, 500});
        run.judge = [&run, gain = gain](std::int64_t, int in_flight) {
            // Latency grows like the flight to the power of 3/4, or (gain 0) like the flight.
            const double flight = in_flight;
            const double share = gain == 4 ? 1.0 / 4 : 0;
            double power = 1;
            while (share > 0 && power * power * power * power < flight) power += 0.01;
            run.server.service_us = static_cast<std::int64_t>(1'000 * flight / power);
            return Answer::created;
        };
        run.run_for(20 * second);
        if (gain == 4) {
            CHECK(run.limiter.size() >= least);
        } else {
            CHECK(run.limiter.size() <= 6);
        }
    }
}

TEST_CASE("concurrency limiter: where little is to do, nothing is learned but the floor") {
    ConcurrencyLimiter limiter{ConcurrencyLimiterOptions{}};
    for (std::int64_t i = 0; i < 10'000; ++i) limiter.answered(i * ms, i * ms + 900, false);
    CHECK(limiter.size() == 16);
}

TEST_CASE(
    "concurrency limiter: a storm of 429 stops all but one try at a time, as far apart as asked") {
    Simulation run(Server{4 * ms, 100, 500});
    run.judge = [](std::int64_t, int) { return Answer::too_many; };
    run.run_for(60 * second);
    CHECK(run.limiter.size() == 1);
    // 16 + 8 + 4 + 2 + 1 until the limit is down, then one a second.
    CHECK(run.refused <= 31 + 61);
    CHECK(run.refused >= 31 + 55);
}

TEST_CASE(
    "concurrency limiter: one flight of 429s halves once; at the minimum Retry-After holds all, "
    "bounded") {
    ConcurrencyLimiter limiter{ConcurrencyLimiterOptions{}};
    for (int i = 0; i < 16; ++i) limiter.throttled(0, 1 * ms + i, 1'000);
    CHECK(limiter.size() == 8);
    CHECK(limiter.hold_ms(2 * ms) == 0);
    std::int64_t now = 2 * ms;
    for (const int size : {4, 2, 1}) {
        limiter.throttled(now, now + ms, 1'000);
        now += 2 * ms;
        CHECK(limiter.size() == size);
        CHECK(limiter.hold_ms(now) == 0);
    }
    limiter.throttled(now, now + ms, 3'000);
    CHECK(limiter.hold_ms(now + ms) == 3'000);
    CHECK(limiter.hold_ms(now + ms + 1) == 3'000);  // rounded up
    CHECK(limiter.hold_ms(now + 3'001 * ms) == 0);
    now += 4 * second;
    limiter.throttled(now, now, 3'600'000);
    CHECK(limiter.hold_ms(now) == limiter_hold_ms_max);
    now += 11 * second;
    limiter.throttled(now, now, -1);
    CHECK(limiter.hold_ms(now) == 1'000);
    now += 2 * second;
    limiter.throttled(now, now, 0);
    CHECK(limiter.hold_ms(now) == 0);
}

TEST_CASE(
    "concurrency limiter: a server that allows so many at once is held below that, with few "
    "refusals") {
    Simulation run(Server{4 * ms, 100, 500});
    run.judge = [](std::int64_t, int in_flight) {
        return in_flight > 20 ? Answer::too_many : Answer::created;
    };
    run.run_for(60 * second);
    CHECK(run.refused * 50 < run.done);
    CHECK(run.rate_over(20 * second) >= 2'000);  // of 4400
}

TEST_CASE("concurrency limiter: after a storm it grows back to what it was") {
    Simulation run(Server{4 * ms, 100, 500});
    run.judge = [](std::int64_t now, int) {
        return now < 10 * second ? Answer::too_many : Answer::created;
    };
    run.run_for(11 * second);
    CHECK(run.smallest == 1);
    run.run_for(10 * second);
    CHECK(run.limiter.size() >= 32);
}

TEST_CASE(
    "concurrency limiter: a spike of latency that more in flight does not help shrinks it, for a "
    "while") {
    Simulation run(Server{4 * ms, 24, 500});
    run.run_for(10 * second);
    CHECK(run.limiter.size() >= 16);
    run.server.places = 1;  // as when a disk stalls: one write after the other
    run.run_for(20 * second);
    CHECK(run.limiter.size() <= 6);
    run.server.places = 24;
    run.run_for(20 * second);
    CHECK(run.limiter.size() >= 16);
}

TEST_CASE("concurrency limiter: writes without an answer halve it, and hold nothing") {
    Simulation run(Server{4 * ms, 100, 500});
    run.judge = [](std::int64_t, int) { return Answer::none; };
    run.run_for(30 * second);
    CHECK(run.limiter.size() == 1);
    CHECK(run.limiter.hold_ms(run.now) == 0);
}

TEST_CASE("concurrency limiter: the same answers make the same window") {
    const auto sizes = [] {
        Simulation run(Server{6 * ms, 12, 700});
        std::vector<std::int32_t> seen;
        for (int i = 0; i < 100; ++i) {
            run.run_for(100 * ms);
            seen.push_back(run.limiter.size());
        }
        return seen;
    };
    CHECK(sizes() == sizes());
}

TEST_CASE("concurrency limiter: transcripts: how it finds its size for six servers") {
    const auto sizes = [](const char* name, Server server, const auto& judge) {
        Simulation run(server);
        run.judge = judge;
        std::string told = name;
        for (int i = 0; i < 120; ++i) {
            run.run_for(250 * ms);
            told += " " + std::to_string(run.limiter.size());
        }
        return told + ", " + std::to_string(run.done) + " done, " + std::to_string(run.refused) + " refused\n";
    };
    const auto fine = [](std::int64_t, int) { return Answer::created; };
    std::string told = sizes("room for all:", Server{20 * ms, 1'000, 500}, fine);
    told += sizes("one at a time:", Server{10 * ms, 1, 500}, fine);
    told += sizes("six at a time:", Server{8 * ms, 6, 500}, fine);
    told += sizes("forty at a time, far away:", Server{8 * ms, 40, 20 * ms}, fine);
    told += sizes("twenty and no more:", Server{4 * ms, 100, 500}, [](std::int64_t, int in_flight) {
        return in_flight > 20 ? Answer::too_many : Answer::created;
    });
    told += sizes("a storm, and silence:", Server{4 * ms, 30, 500}, [](std::int64_t now, int in_flight) {
        const bool is_storm = now > 5 * second && now < 8 * second;
        const bool is_silent = now > 20 * second && now < 22 * second && in_flight % 3 == 0;
        return is_storm ? Answer::too_many : is_silent ? Answer::none : Answer::created;
    });
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        tests::Walk walk(seed);
        Simulation run(Server{4 * ms, 24, 500});
        std::int64_t refuses_above = 0;
        std::int64_t loses_until = 0;
        run.judge = [&](std::int64_t now, int in_flight) {
            if (now < loses_until) return Answer::none;
            return in_flight > refuses_above ? Answer::too_many : Answer::created;
        };
        told += "changing " + std::to_string(seed) + ":";
        for (int i = 0; i < 60; ++i) {
            constexpr std::int64_t services[] = {1 * ms, 4 * ms, 5 * ms, 9 * ms, 40 * ms};
            constexpr std::size_t places[] = {1, 2, 6, 24, 100};
            constexpr std::int64_t bounds[] = {1'000, 1'000, 1'000, 1'000, 30, 8};
            if (walk.pick(3) == 0) run.server.service_us = walk.of(services);
            if (walk.pick(3) == 0) run.server.places = walk.of(places);
            if (walk.pick(4) == 0) run.retry_after_ms = static_cast<std::int64_t>(walk.pick(4)) * 500 - 1;
            refuses_above = walk.of(bounds);
            loses_until = walk.pick(12) == 0 ? run.now + 300 * ms : 0;
            run.run_for(1 * second);
            told += " " + std::to_string(run.limiter.size());
        }
        told += ", " + std::to_string(run.done) + " done, " + std::to_string(run.refused) + " refused\n";
    }
    tests::check_transcript("k8s/protocol/transcripts/limiter", told);
}
