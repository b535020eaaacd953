// The queue of waiting gangs: what an event costs when thousands wait, and the first plan of a
// scheduler that has just started.

#include "tests/bench/crowd.hpp"

#include <benchmark/benchmark.h>
#include <chrono>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A lone pod of ours that leaves no core of a node.
core::Pod filler(std::int64_t number) {
    core::Pod pod = tests::pod("filler-" + std::to_string(number), 64'000, 200 * 1024);
    pod.uid = crowd::uuid(std::uint64_t{1} << 40 | static_cast<std::uint64_t>(number));
    pod.resource_version = "1";
    pod.created = 1;
    return pod;
}

/// What an event costs, in seconds.
struct Reaction {
    double first = 0;  ///< the tick after it: all that is decided
    double all = 0;    ///< every tick until nothing more comes of it
    double worst = 0;  ///< the longest tick
};

/// A cluster that is full of our own pods, and drivers that wait: shapes of executors, and sizes of
/// gangs none of which a single node takes.
class Queue {
public:
    Queue(std::int64_t nodes, std::int64_t gangs, std::int64_t shapes) : crowd_(nodes) {
        for (std::int64_t i = 0; i < nodes; ++i) {
            crowd_.step(gang::PodUpserted{filler(i)});
        }
        for (auto binds = crowd_.tick(); !binds.empty(); binds = crowd_.tick()) {
            for (const gang::BindPod& bind : binds) {
                crowd_.confirm(filler(std::stoll(bind.pod.name.substr(7))), bind);
            }
        }
        for (std::int64_t i = 0; i < gangs; ++i) {
            const std::int64_t executors = 70 + i * 7919 % 50;
            crowd::Application application = crowd_.make(executors);
            application.driver.created = crowd::start_ms / 1000 + i;
            crowd_.step(gang::PodUpserted{application.driver});
            gang::spark::Conf conf = tests::conf(executors);
            crowd_.step(gang::SparkConfFound{
                application.driver.uid,
                tests::with(
                    std::move(conf),
                    "spark.kubernetes.executor.request.cores",
                    std::to_string(1'000 + i % shapes * 100) + "m")});
            if (i % 100 == 0) {
                crowd_.tick();
            }
        }
        for (int i = 0; i < 5'000; ++i) {
            crowd_.tick();  // five seconds: everybody has been told why
        }
        next_node_ = nodes;
    }

    /// All ticks after a node came, until everybody has been looked at for what is said; then it
    /// goes again.
    Reaction join(core::Node node) {
        node.name += "-" + std::to_string(next_node_++);
        crowd_.step(gang::NodeUpserted{node});
        const Reaction joined = rest();
        crowd_.step(gang::NodeDeleted{node.name});
        const Reaction left = rest();
        return {joined.first, joined.all, std::max(joined.worst, left.worst)};
    }

    crowd::Crowd& crowd() { return crowd_; }

private:
    /// A second and a half: nothing that anybody waits for is left after it.
    Reaction rest() {
        Reaction reaction;
        for (int i = 0; i < 1'500; ++i) {
            const auto start = Clock::now();
            crowd_.tick();
            const double took = seconds_since(start);
            reaction.first = i == 0 ? took : reaction.first;
            reaction.all += took;
            reaction.worst = std::max(reaction.worst, took);
        }
        return reaction;
    }

    crowd::Crowd crowd_;
    std::int64_t next_node_ = 0;
};

/// The ranges: gangs that wait, shapes of their executors; is the node one that they may use?
void queue_node_joins(benchmark::State& state) {
    Queue queue(1'000, state.range(0), state.range(1));
    core::Node node = crowd::node(1'000);
    node.ready = state.range(2) != 0;
    const gang::Counters before = queue.crowd().scheduler.counters();
    double first = 0;
    double worst = 0;
    for (auto _ : state) {
        const Reaction reaction = queue.join(node);
        state.SetIterationTime(reaction.all);
        first += reaction.first;
        worst = std::max(worst, reaction.worst);
    }
    const gang::Counters after = queue.crowd().scheduler.counters();
    const auto each = [&](std::uint64_t count) {
        return benchmark::Counter(static_cast<double>(count), benchmark::Counter::kAvgIterations);
    };
    state.counters["placements"] = each(after.placements - before.placements);
    state.counters["turns"] = each(after.attempts - before.attempts);
    state.counters["looks"] = each(after.refreshes - before.refreshes);
    state.counters["sentences"] = each(after.sentences - before.sentences);
    state.counters["first_us"] = benchmark::Counter(first * 1e6, benchmark::Counter::kAvgIterations);
    state.counters["worst_tick_us"] = worst * 1e6;
}
BENCHMARK(queue_node_joins)
    ->ArgNames({"gangs", "shapes", "usable"})
    ->ArgsProduct({{1'000, 10'000}, {1, 20}, {0, 1}})
    ->UseManualTime()
    ->Iterations(10)
    ->Unit(benchmark::kMicrosecond);

/// A scheduler starts where `gangs` run with ten executors each: all is listed, it leads, and the
/// ticks until an executor without a slot could be placed are what is measured.
void queue_first_plan(benchmark::State& state) {
    const std::int64_t nodes = state.range(0);
    std::vector<core::Pod> pods;
    {
        crowd::Crowd before(nodes);
        for (std::int64_t i = 0; i < state.range(1); ++i) {
            const crowd::Application application = before.make(10);
            before.submit(application, 10);
            before.confirm(application.driver, before.tick().at(0));
            pods.push_back(before.last_bound);
            for (std::int64_t j = 0; j < 10; ++j) {
                before.step(gang::PodUpserted{application.executor(j)});
            }
            for (const gang::BindPod& bind : before.tick()) {
                const std::size_t digits = bind.pod.name.rfind('-') + 1;
                before.confirm(
                    application.executor(std::stoll(bind.pod.name.substr(digits)) - 1), bind);
                pods.push_back(before.last_bound);
            }
        }
    }
    double worst = 0;
    for (auto _ : state) {
        gang::Scheduler scheduler{config::Schema{}};
        gang::StampedEvent event{0, crowd::start_ms, gang::RelistBegun{gang::Kind::nodes}};
        const auto step = [&](gang::Event next) {
            event.event = std::move(next);
            ++event.sequence;
            return scheduler.step(event);
        };
        step(gang::RelistBegun{gang::Kind::nodes});
        for (std::int64_t i = 0; i < nodes; ++i) {
            step(gang::NodeUpserted{crowd::node(i)});
        }
        step(gang::RelistEnded{gang::Kind::nodes});
        step(gang::RelistBegun{gang::Kind::pods});
        for (const core::Pod& pod : pods) {
            step(gang::PodUpserted{pod});
        }
        step(gang::RelistEnded{gang::Kind::pods});
        step(gang::LeadershipGained{7});
        double all = 0;
        bool wants_more = true;
        for (int ticks = 0; wants_more && ticks < 1'000; ++ticks) {
            const auto start = Clock::now();
            const gang::Decisions decisions = step(gang::Tick{});
            const double took = seconds_since(start);
            all += took;
            worst = std::max(worst, took);
            wants_more = std::any_of(decisions.begin(), decisions.end(), [&](const auto& decision) {
                const auto* wake = std::get_if<gang::WakeAt>(&decision);
                return wake != nullptr && wake->time_ms <= event.time_ms;
            });
        }
        state.SetIterationTime(all);
    }
    state.counters["worst_tick_us"] = worst * 1e6;
}
BENCHMARK(queue_first_plan)
    ->ArgNames({"nodes", "gangs"})
    ->Args({5'000, 2'000})
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

}  // namespace
