// A day of gangs with run times, drawn by a seed: what was promised is kept, as long as nobody runs
// longer than he said; and how busy the nodes are, and how long gangs wait, in each mode. The table
// in docs/manage/backfill.md is of BACKFILL_DAYS=10.
#include "tests/gang/random.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

using tests::minute_ms;
using tests::World;

namespace {

constexpr std::int64_t second_ms = 1'000;
constexpr std::int64_t nodes = 10;
constexpr std::int64_t cores_per_node = 16;

struct Job {
    std::int64_t arrives_ms = 0;
    std::int64_t cores = 0;
    std::int64_t said_minutes = 0;
    std::int64_t run_ms = 0;
    std::string uid = {};
    std::int64_t started_ms = 0;
    std::int64_t promised_ms = 0;  ///< the first instant that it was promised
};

/// Many small ones, some of the size of a node, a few that need most of the cluster.
std::vector<Job> draw_jobs(std::uint64_t seed, std::int64_t count, std::int64_t day_ms) {
    tests::Random random(seed);
    std::vector<Job> jobs;
    for (std::int64_t i = 0; i < count; ++i) {
        Job job;
        job.arrives_ms = random.between(0, day_ms);
        const std::int64_t kind = random.between(1, 100);
        job.cores = kind <= 70   ? random.between(2, 8)
                    : kind <= 94 ? random.between(12, 48)
                                 : random.between(100, 150);
        job.said_minutes = kind <= 70 ? random.between(2, 20) : random.between(10, 60);
        job.run_ms = job.said_minutes * minute_ms * random.between(50, 100) / 100;
        jobs.push_back(job);
    }
    std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) {
        return a.arrives_ms < b.arrives_ms;
    });
    return jobs;
}

struct Result {
    double utilisation = 0;
    double wait_minutes = 0;
    double wait_large_minutes = 0;
    std::uint64_t backfilled = 0;
};

class Day {
public:
    Day(config::BackfillMode mode, std::vector<Job> jobs)
        : world_(schema_of(mode)), jobs_(std::move(jobs)) {
        for (std::int64_t i = 0; i < nodes; ++i) {
            world_.add_node(tests::node("n" + std::to_string(10 + i), cores_per_node, 1 << 20));
        }
        world_.advance(second_ms);
        begin_ms_ = world_.now_ms;
        world_.on_decision = [this](const gang::Decision& decision) {
            if (const auto* bind = std::get_if<gang::BindPod>(&decision)) {
                bound_ms_.emplace(bind->pod.uid, world_.now_ms);
            }
        };
    }

    Result run() {
        std::size_t next = 0;
        while (next < jobs_.size() || !waiting_.empty() || !ends_.empty()) {
            std::int64_t at_ms = INT64_MAX;
            if (next < jobs_.size()) {
                at_ms = begin_ms_ + jobs_[next].arrives_ms;
            }
            if (!ends_.empty()) {
                at_ms = std::min(at_ms, ends_.begin()->first);
            }
            REQUIRE(at_ms != INT64_MAX);
            world_.advance(std::max<std::int64_t>(at_ms - world_.now_ms, 0));
            look();
            while (!ends_.empty() && ends_.begin()->first <= world_.now_ms) {
                world_.remove_application(jobs_[ends_.begin()->second].uid);
                ends_.erase(ends_.begin());
            }
            for (; next < jobs_.size() && begin_ms_ + jobs_[next].arrives_ms <= world_.now_ms;
                 ++next) {
                submit(next);
            }
            world_.advance(150);  // a pass is due then at the latest
            look();
        }
        return result();
    }

private:
    static config::Schema schema_of(config::BackfillMode mode) {
        config::Schema schema = World::sealed_schema();
        schema.backfill.mode = mode;
        return schema;
    }

    void submit(std::size_t index) {
        Job& job = jobs_[index];
        core::Pod driver = tests::driver("job-" + std::to_string(index));
        driver.created = world_.now_ms / second_ms;
        driver.annotations = {
            {"gang-scheduler/expected-duration", std::to_string(job.said_minutes) + "m"}};
        job.uid = world_.submit(std::move(driver), tests::conf(job.cores - 1));
        waiting_.insert(index);
    }

    void look() {
        std::map<std::string, gang::GangView> views;
        for (gang::GangView& view : world_.scheduler->gangs()) {
            views.emplace(view.driver_uid, std::move(view));
        }
        for (auto index = waiting_.begin(); index != waiting_.end();) {
            Job& job = jobs_[*index];
            if (!world_.is_bound(job.uid)) {
                const gang::GangView& view = views.at(job.uid);
                job.promised_ms = job.promised_ms > 0 ? job.promised_ms : view.planned_ms;
                CHECK(view.bypasses <= 100);
                ++index;
                continue;
            }
            job.started_ms = bound_ms_.at(job.uid);
            world_.set_phase(job.uid, core::PodPhase::running);
            if (job.promised_ms > 0) {
                CAPTURE(job.uid);
                CHECK(job.started_ms <= job.promised_ms + 2 * second_ms);
            }
            // Starts are known to the second.
            ends_.emplace(job.started_ms + job.run_ms - second_ms, *index);
            index = waiting_.erase(index);
        }
    }

    Result result() const {
        Result out;
        std::int64_t core_ms = 0;
        std::int64_t last_ms = begin_ms_;
        std::int64_t wait_ms = 0;
        std::int64_t wait_large_ms = 0;
        std::int64_t large = 0;
        for (const Job& job : jobs_) {
            core_ms += job.cores * job.run_ms;
            last_ms = std::max(last_ms, job.started_ms + job.run_ms);
            const std::int64_t waited_ms = job.started_ms - begin_ms_ - job.arrives_ms;
            wait_ms += waited_ms;
            if (job.cores >= 100) {
                wait_large_ms += waited_ms;
                ++large;
            }
        }
        const auto ratio = [](std::int64_t a, std::int64_t b) {
            return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
        };
        out.utilisation = ratio(core_ms, (last_ms - begin_ms_) * nodes * cores_per_node);
        out.wait_minutes = ratio(wait_ms, static_cast<std::int64_t>(jobs_.size()) * minute_ms);
        out.wait_large_minutes = ratio(wait_large_ms, large * minute_ms);
        out.backfilled = world_.scheduler->counters().backfilled;
        CHECK(world_.scheduler->counters().broken_promises == 0);
        CHECK(world_.violations.empty());
        return out;
    }

    World world_;
    std::vector<Job> jobs_;
    std::int64_t begin_ms_ = 0;
    std::map<std::string, std::int64_t> bound_ms_;
    std::set<std::size_t> waiting_;
    std::multimap<std::int64_t, std::size_t> ends_;
};

}  // namespace

TEST_CASE("backfill: promises are kept all day, and nodes are busier than first come first served") {
    const char* const asked = std::getenv("BACKFILL_DAYS");
    const int days = asked == nullptr ? 2 : std::max(1, std::atoi(asked));
    std::map<config::BackfillMode, Result> sums;
    for (int seed = 1; seed <= days; ++seed) {
        const auto jobs = draw_jobs(static_cast<std::uint64_t>(seed), 220, 8 * 60 * minute_ms);
        for (const auto mode :
             {config::BackfillMode::off,
              config::BackfillMode::easy,
              config::BackfillMode::conservative}) {
            const Result one = Day(mode, jobs).run();
            Result& sum = sums[mode];
            sum.utilisation += one.utilisation / days;
            sum.wait_minutes += one.wait_minutes / days;
            sum.wait_large_minutes += one.wait_large_minutes / days;
            sum.backfilled += one.backfilled;
        }
    }
    for (const auto& [mode, sum] : sums) {
        MESSAGE(
            "mode " << static_cast<int>(mode) << ": " << 100 * sum.utilisation << " % busy, "
                    << sum.wait_minutes << " min wait, large ones " << sum.wait_large_minutes
                    << " min, " << sum.backfilled << " backfilled");
    }
    const Result& strict = sums[config::BackfillMode::off];
    CHECK(strict.backfilled == 0);
    for (const auto mode : {config::BackfillMode::easy, config::BackfillMode::conservative}) {
        CHECK(sums[mode].backfilled > 0);
        CHECK(sums[mode].wait_minutes < strict.wait_minutes);
        CHECK(sums[mode].utilisation >= strict.utilisation);
    }
}
