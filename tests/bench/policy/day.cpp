#include "tests/bench/policy/day.hpp"

#include "tests/bench/crowd.hpp"
#include "tests/bench/policy/fair_share.hpp"

#include <algorithm>
#include <ctime>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>

namespace policy {
namespace {

constexpr std::int64_t ms = 1'000;
constexpr double node_cpu = 64'000;
constexpr double node_memory = 256.0 * 1024 * 1024 * 1024;

/// Both as parts of the cluster.
struct Parts {
    double cpu = 0;
    double memory = 0;
    void add(const Parts& other, double sign) {
        cpu += sign * other.cpu;
        memory += sign * other.memory;
    }
    double most() const { return std::max(cpu, memory); }
};

class Day {
public:
    Day(const TraceOptions& options, const std::vector<Job>& day, config::Schema schema)
        : options_(options),
          day_(day),
          crowd_(options.nodes, true, std::move(schema)),
          held_(options.queues),
          waiting_(options.queues),
          waiting_jobs_(options.queues),
          meter_(options.queues) {}

    DayReport play() {
        const std::int64_t end_ms = crowd::start_ms + options_.seconds * ms;
        while (const auto next = next_ms()) {
            pass_to(*next, end_ms);
            take_ends();
            take_arrivals();
            plan();
        }
        return report();
    }

private:
    struct Running {
        std::size_t job = 0;
        std::int64_t since_ms = 0;
    };
    using End = std::pair<std::int64_t, std::size_t>;  ///< when, which job

    /// Nothing: all have come, and nobody runs whose end could make room.
    std::optional<std::int64_t> next_ms() const {
        std::optional<std::int64_t> next = wake_ms_;
        const auto sooner = [&next](std::int64_t time) { next = std::min(next.value_or(time), time); };
        if (next_job_ < day_.size()) sooner(crowd::start_ms + day_[next_job_].at_s * ms);
        if (!ends_.empty()) sooner(ends_.top().first);
        if (next_job_ == day_.size() && ends_.empty()) return std::nullopt;
        return next;
    }

    void pass_to(std::int64_t time_ms, std::int64_t end_ms) {
        const std::int64_t from = std::min(crowd_.now_ms(), end_ms);
        const std::int64_t until = std::min(time_ms, end_ms);
        const double seconds = static_cast<double>(std::max<std::int64_t>(until - from, 0)) / ms;
        if (seconds > 0) {
            std::vector<Claim> claims(options_.queues);
            for (std::size_t i = 0; i < claims.size(); ++i) {
                Parts wanted = held_[i];
                wanted.add(waiting_[i], 1);
                claims[i] = {
                    held_[i].most(),
                    waiting_jobs_[i] == 0 ? held_[i].most() : wanted.most(),
                    static_cast<double>(weight_of(i)),
                    waiting_jobs_[i] > 0};
                used_ += held_[i].memory * seconds;
            }
            meter_.add(claims, seconds);
            seconds_ += seconds;
        }
        crowd_.pass_to(time_ms);
        wake_ms_.reset();
    }

    Parts parts_of(const Job& job) const {
        const core::Resources executor = job.size.executor();
        const auto count = static_cast<double>(job.size.executors);
        const auto nodes = static_cast<double>(options_.nodes);
        return {
            (static_cast<double>(job.size.driver.cpu_milli) +
             count * static_cast<double>(executor.cpu_milli)) /
                nodes / node_cpu,
            (static_cast<double>(job.size.driver.memory_bytes) +
             count * static_cast<double>(executor.memory_bytes)) /
                nodes / node_memory};
    }

    void step(gang::Event event) {
        const std::clock_t began = std::clock();
        take(crowd_.step(std::move(event)));
        took_ += std::clock() - began;
    }

    void take(const gang::Decisions& decisions) {
        for (const gang::Decision& decision : decisions) {
            if (const auto* bind = std::get_if<gang::BindPod>(&decision)) binds_.push_back(*bind);
            if (const auto* wake = std::get_if<gang::WakeAt>(&decision)) {
                wake_ms_ = std::min(wake_ms_.value_or(wake->time_ms), wake->time_ms);
            }
            if (std::holds_alternative<gang::UpdateReservation>(decision)) {
                throw std::logic_error("no node changes, and a slot is moved");
            }
        }
    }

    void take_arrivals() {
        while (next_job_ < day_.size() &&
               crowd::start_ms + day_[next_job_].at_s * ms <= crowd_.now_ms()) {
            submit(next_job_++);
        }
    }

    void submit(std::size_t number) {
        const Job& job = day_[number];
        crowd::Application application = crowd_.make(job.size.executors);
        core::Pod driver = std::move(application.driver);
        driver.created = crowd_.now_ms() / ms;
        driver.requests = job.size.driver;
        for (auto& [key, value] : driver.labels) {
            if (key == "spark-app-name") value = fmt::format("app-{}", job.application);
        }
        driver.annotations = {{"gang-scheduler/queue", fmt::format("q{:02}", job.queue)}};
        auto conf = tests::conf(job.size.executors);
        conf = tests::with(
            std::move(conf), "spark.executor.cores", std::to_string(job.size.executor_cores));
        conf = tests::with(
            std::move(conf),
            "spark.executor.memory",
            fmt::format("{}g", job.size.executor_memory_gib));
        by_uid_.emplace(driver.uid, number);
        drivers_.emplace(number, driver);
        waiting_[job.queue].add(parts_of(job), 1);
        ++waiting_jobs_[job.queue];
        step(gang::PodUpserted{driver});
        step(gang::SparkConfFound{driver.uid, std::move(conf)});
    }

    void take_ends() {
        while (!ends_.empty() && ends_.top().first <= crowd_.now_ms()) {
            const std::size_t number = ends_.top().second;
            ends_.pop();
            const Job& job = day_[number];
            held_[job.queue].add(parts_of(job), -1);
            core::Pod pod = drivers_.at(number);
            pod.phase = core::PodPhase::succeeded;
            pod.ended = crowd_.now_ms() / ms;
            pod.resource_version += "1";
            step(gang::PodUpserted{pod});
            step(gang::PodDeleted{pod.uid});
            by_uid_.erase(pod.uid);
            drivers_.erase(number);
        }
    }

    void plan() {
        do {
            wake_ms_.reset();
            step(gang::Tick{});
            for (const gang::BindPod& bind : std::exchange(binds_, {})) start(bind);
        } while (wake_ms_ && *wake_ms_ <= crowd_.now_ms());
    }

    void start(const gang::BindPod& bind) {
        const std::size_t number = by_uid_.at(bind.pod.uid);
        const Job& job = day_[number];
        waiting_[job.queue].add(parts_of(job), -1);
        --waiting_jobs_[job.queue];
        held_[job.queue].add(parts_of(job), 1);
        const std::int64_t waited_ms = crowd_.now_ms() - (crowd::start_ms + job.at_s * ms);
        waits_s_.push_back(static_cast<double>(waited_ms) / ms);
        const double run = static_cast<double>(job.run_s);
        slowdowns_ += (waits_s_.back() + run) / std::max(run, 60.0);
        ends_.emplace(crowd_.now_ms() + job.run_s * ms, number);

        core::Pod& pod = drivers_.at(number);
        pod.node_name = bind.node;
        pod.annotations = bind.annotations;
        pod.phase = core::PodPhase::running;
        pod.resource_version += "0";
        pod.scheduled = core::ScheduledCondition{};
        pod.scheduled->status = true;
        pod.scheduled->since = crowd_.now_ms() / ms;
        step(gang::PodUpserted{pod});
        step(gang::BindFinished{pod.uid, gang::BindOutcome::bound, {}});
        wake_ms_ = crowd_.now_ms();
    }

    DayReport report() {
        DayReport out;
        out.done = waits_s_.size();
        out.left = day_.size() - out.done;
        out.used = seconds_ == 0 ? 0 : used_ / seconds_;
        std::sort(waits_s_.begin(), waits_s_.end());
        if (!waits_s_.empty()) {
            const auto count = static_cast<double>(waits_s_.size());
            out.mean_wait_s = std::accumulate(waits_s_.begin(), waits_s_.end(), 0.0) / count;
            out.p95_wait_s = waits_s_[static_cast<std::size_t>(count * 0.95)];
            out.longest_wait_s = waits_s_.back();
            out.slowdown = slowdowns_ / count;
        }
        out.fairness_error = meter_.error();
        out.worst_queue = meter_.worst();
        const gang::Counters counters = crowd_.scheduler.counters();
        out.backfilled = counters.backfilled;
        out.broken_promises = counters.broken_promises;
        out.cpu_s = static_cast<double>(took_) / CLOCKS_PER_SEC;
        return out;
    }

    const TraceOptions& options_;
    const std::vector<Job>& day_;
    crowd::Crowd crowd_;
    std::size_t next_job_ = 0;
    std::vector<Parts> held_;
    std::vector<Parts> waiting_;
    std::vector<std::size_t> waiting_jobs_;  ///< by queue
    FairnessMeter meter_;
    std::map<std::string, std::size_t> by_uid_;
    std::map<std::size_t, core::Pod> drivers_;  ///< that wait or run
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
    std::vector<gang::BindPod> binds_;
    std::optional<std::int64_t> wake_ms_;
    std::vector<double> waits_s_;
    double slowdowns_ = 0;
    double used_ = 0;
    double seconds_ = 0;
    std::clock_t took_ = 0;
};

}  // namespace

DayReport play(const TraceOptions& options, const std::vector<Job>& day, config::Schema schema) {
    return Day(options, day, std::move(schema)).play();
}

}  // namespace policy
