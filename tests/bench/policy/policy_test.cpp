// What the figures of docs/evaluation/policies.md are made with: the fair share, the day, and the
// player.
#include "config/queues/queue_name.hpp"
#include "tests/bench/policy/day.hpp"
#include "tests/bench/policy/fair_share.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using policy::Claim;
using policy::FairnessMeter;

namespace {

policy::TraceOptions small_day() {
    policy::TraceOptions options;
    options.queues = 4;
    options.nodes = 40;
    options.seconds = 7'200;
    options.executors_max = 60;
    return options;
}

config::Schema queues_of(const policy::TraceOptions& options, config::BackfillMode mode) {
    config::Schema schema;
    schema.backfill.mode = mode;
    schema.placement = config::default_placement();
    for (std::size_t i = 0; i < options.queues; ++i) {
        config::Queue queue;
        queue.name = "root.q0" + std::to_string(i);
        queue.weight = policy::weight_of(i);
        schema.queues.push_back(queue);
    }
    return schema;
}

}  // namespace

TEST_CASE("policies: the fluid share pours what is left to those who want more") {
    CHECK(policy::fluid_shares({}).empty());
    const auto shares = policy::fluid_shares({{0, 0.1, 1}, {0, 5, 1}, {0, 5, 2}, {0, 0, 9}});
    CHECK(shares[0] == doctest::Approx(0.1));
    CHECK(shares[1] == doctest::Approx(0.3));
    CHECK(shares[2] == doctest::Approx(0.6));
    CHECK(shares[3] == 0);
    // There is enough for all.
    CHECK(policy::fluid_shares({{0, 0.5, 1}, {0, 0.25, 9}})[0] == doctest::Approx(0.5));
}

TEST_CASE("policies: how far a queue is from it counts while it wants its part of what all hold") {
    FairnessMeter meter(2);
    CHECK(meter.error() == 0);
    meter.add({{0.5, 0.5, 1, false}, {0.1, 0.1, 1, false}}, 100);  // nobody waits
    CHECK(meter.error() == 0);
    meter.add({{0.4, 5, 1}, {0.5, 5, 1}}, 10);
    CHECK(meter.error() == doctest::Approx(0.05 / 0.45));
    CHECK(meter.worst() == doctest::Approx(0.05 / 0.45));
    // What it has too much later makes good for what it had too little.
    meter.add({{0.6, 5, 1}, {0.4, 0.4, 1, false}}, 10);
    CHECK(meter.worst() == doctest::Approx(0.05 / 1.05));
    // Who holds more than his part counts, although he waits for nothing.
    FairnessMeter other(2);
    other.add({{0.3, 5, 1}, {0.6, 0.6, 1, false}}, 10);
    CHECK(other.error() == doctest::Approx(0.15 / 0.45));
    // Who holds all that he wants, and less than his part, does not.
    FairnessMeter third(2);
    third.add({{0.8, 5, 1}, {0.1, 0.1, 1, false}}, 10);
    CHECK(third.error() == 0);
}

TEST_CASE("policies: a day is as busy as it is meant to be, and the same again") {
    const policy::TraceOptions options = small_day();
    const auto day = policy::draw_day(options);
    REQUIRE(day.size() > 50);
    double gib_seconds = 0;
    for (const policy::Job& job : day) {
        CHECK(job.queue < options.queues);
        CHECK(job.size.executors <= options.executors_max);
        CHECK(job.at_s < options.seconds);
        const double bytes = static_cast<double>(
            job.size.executor().memory_bytes * job.size.executors + job.size.driver.memory_bytes);
        gib_seconds += bytes / 1024 / 1024 / 1024 * static_cast<double>(job.run_s);
    }
    const double could = 40.0 * 256 * 7'200;
    CHECK(gib_seconds / could == doctest::Approx(1).epsilon(0.2));
    const auto again = policy::draw_day(options);
    REQUIRE(again.size() == day.size());
    CHECK(again.back().run_s == day.back().run_s);
}

TEST_CASE("policies: everybody has run in the end, whatever the policy") {
    const policy::TraceOptions options = small_day();
    const auto day = policy::draw_day(options);
    const auto plain = policy::play(options, day, {});
    const auto queues = policy::play(options, day, queues_of(options, config::BackfillMode::off));
    const auto easy = policy::play(options, day, queues_of(options, config::BackfillMode::easy));
    for (const policy::DayReport* report : {&plain, &queues, &easy}) {
        CHECK(report->done == day.size());
        CHECK(report->left == 0);
        CHECK(report->used > 0.3);
        CHECK(report->used <= 1);
    }
    CHECK(plain.backfilled == 0);
    CHECK(easy.backfilled > 0);
    CHECK(queues.fairness_error < plain.fairness_error);
}
