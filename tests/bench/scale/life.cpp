#include "tests/bench/scale/life.hpp"

#include "tests/bench/crowd.hpp"
#include "tests/bench/scale/spark_mix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace scale {
namespace {

constexpr std::int64_t batch = 1'000;          // events that are made before the clock runs
constexpr std::int64_t busy_nodes = 64;        // full of one gang: what the waiting ones wait for
constexpr std::int64_t joining_nodes = 8;      // each brings room for one waiting gang
constexpr std::int64_t noise_nodes = 100;      // that say something which changes nothing
constexpr int plans_max = 1'000;               // for the executors of one gang
constexpr std::uint64_t pods_to_end = 20'000;  // a sample; ending all would only take longer
constexpr std::uint64_t others = 1'000'000'000'000;  // numbers of pods that are not of our own
const char* const pool_label = "pool";

struct Gang {
    crowd::Application application;
    SparkSize size;
};

class Cluster {
public:
    Cluster(const Size& size, std::uint64_t seed) : size_(size), mix_(seed), world_(0) {}

    Life live() {
        add_nodes();
        add_foreign_pods();
        run_gangs();
        fill_pool();
        add_waiting();
        out_.heap_mb = static_cast<double>(crowd::bytes_in_use()) / 1e6;
        make_noise();
        join_nodes();
        end_gangs();
        out_.time = watch_.spent();
        return std::move(out_);
    }

private:
    double per(std::size_t before, std::int64_t count) const {
        return (static_cast<double>(crowd::bytes_in_use()) - static_cast<double>(before)) /
               static_cast<double>(count);
    }

    /// Makes events batch by batch, outside of the measured time, and steps through them.
    template <typename Make>
    void feed(const char* kind, std::int64_t count, Make make) {
        std::vector<gang::Event> events;
        for (std::int64_t from = 0; from < count; from += batch) {
            events.clear();
            for (std::int64_t i = from; i < std::min(from + batch, count); ++i) {
                events.push_back(make(i));
            }
            watch_.run(kind, events.size(), [&] {
                for (gang::Event& event : events) world_.step(std::move(event));
            });
        }
    }

    void add_nodes() {
        const std::size_t before = crowd::bytes_in_use();
        feed("node added", size_.nodes, [](std::int64_t i) {
            return gang::NodeUpserted{crowd::node(i)};
        });
        out_.bytes["node"] = per(before, size_.nodes);
        feed("node status", size_.nodes, [](std::int64_t i) {
            core::Node node = crowd::node(i);
            node.resource_version = "2";
            return gang::NodeUpserted{std::move(node)};
        });
    }

    core::Pod foreign_pod(std::int64_t number) const {
        core::Pod pod = tests::pod("web-" + std::to_string(number), 250, 512);
        pod.uid = crowd::uuid(others + static_cast<std::uint64_t>(number));
        pod.resource_version = "1";
        pod.scheduler_name = "default-scheduler";
        pod.node_name = crowd::node_name(number % size_.nodes);
        pod.phase = core::PodPhase::running;
        return pod;
    }

    void add_foreign_pods() {
        const std::size_t before = crowd::bytes_in_use();
        feed("foreign pod added", size_.foreign_pods, [this](std::int64_t i) {
            return gang::PodUpserted{foreign_pod(i)};
        });
        out_.bytes["foreign pod"] = per(before, size_.foreign_pods);
        feed(
            "foreign pod status",
            std::min<std::int64_t>(size_.foreign_pods, 100 * batch),
            [this](std::int64_t i) {
                core::Pod pod = foreign_pod(i);
                pod.resource_version = "2";
                return gang::PodUpserted{std::move(pod)};
            });
    }

    core::Node pool_node(std::int64_t number) const {
        core::Node node = crowd::node(size_.nodes + number);
        node.labels.emplace_back(pool_label, "busy");
        std::sort(node.labels.begin(), node.labels.end());
        return node;
    }

    /// A pool of its own that one gang fills: then there is something to wait for.
    void fill_pool() {
        for (std::int64_t i = 0; i < busy_nodes; ++i) {
            world_.step(gang::NodeUpserted{pool_node(i)});
        }
        SparkSize whole_nodes;
        whole_nodes.executors = busy_nodes - 1;
        whole_nodes.executor_cores = 60;
        whole_nodes.executor_memory_gib = 100;
        whole_nodes.driver = whole_nodes.executor();
        run(make(whole_nodes, true), false);
    }

    Gang make(const SparkSize& size, bool in_pool) {
        Gang out{world_.make(size.executors), size};
        out.application.driver.requests = size.driver;
        if (in_pool) {
            out.application.driver.constraints.edit().node_selector = {{pool_label, "busy"}};
        }
        return out;
    }

    core::Pod executor(const Gang& gang, std::int64_t index) const {
        core::Pod pod = gang.application.executor(index);
        pod.requests = gang.size.executor();
        pod.constraints.edit().node_selector = gang.application.driver.constraints->node_selector;
        return pod;
    }

    gang::spark::Conf conf(const Gang& gang) const {
        auto conf = tests::conf(gang.size.executors);
        conf = tests::with(
            std::move(conf), "spark.executor.cores", std::to_string(gang.size.executor_cores));
        conf = tests::with(
            std::move(conf),
            "spark.executor.memory",
            std::to_string(gang.size.executor_memory_gib) + "g");
        if (!gang.application.driver.constraints->node_selector.empty()) {
            conf = tests::with(
                std::move(conf),
                std::string("spark.kubernetes.node.selector.") + pool_label,
                "busy");
        }
        return conf;
    }

    /// Driver and conf are told, and a plan is made. The binds that it asks for.
    std::vector<gang::BindPod> submit(const Gang& gang, const char* kind) {
        gang::Event driver = gang::PodUpserted{gang.application.driver};
        gang::Event found = gang::SparkConfFound{gang.application.driver.uid, conf(gang)};
        std::vector<gang::BindPod> binds;
        watch_.run(kind, 1, [&] {
            world_.step(std::move(driver));
            world_.step(std::move(found));
            binds = world_.tick();
        });
        return binds;
    }

    void add_waiting() {
        std::vector<Gang> gangs;
        for (std::int64_t i = 0; i < size_.waiting; ++i) {
            SparkSize size;
            size.executors = 5 + i % 50;  // most of them differ from their neighbours
            size.executor_cores = 8;
            size.executor_memory_gib = 16;
            size.driver = size.executor();
            gangs.push_back(make(size, true));
        }
        const std::size_t before = crowd::bytes_in_use();
        for (const Gang& gang : gangs) {
            if (!submit(gang, "gang refused").empty())
                throw std::runtime_error("the pool has room");
        }
        out_.bytes["waiting gang"] = per(before, size_.waiting);
    }

    void run_gangs() {
        const std::size_t before = crowd::bytes_in_use();
        while (out_.own_pods < size_.own_pods) {
            Gang gang = make(mix_.next(), false);
            run(gang, true);
            out_.own_pods += gang.size.executors + 1;
            ++out_.gangs;
            // What stays of it here is small and the same for all sizes: uids can be made again.
            gangs_.push_back(std::move(gang));
        }
        out_.bytes["own pod, its share of the gang included"] = per(before, out_.own_pods);
    }

    core::Pod bound(core::Pod pod, const gang::BindPod& bind) {
        pod.node_name = bind.node;
        pod.annotations = bind.annotations;
        pod.phase = core::PodPhase::running;
        pod.resource_version = std::to_string(300'000'000 + ++versions_);
        core::ScheduledCondition scheduled;
        scheduled.status = true;
        pod.scheduled = scheduled;
        return pod;
    }

    void confirm(std::vector<core::Pod> pods, const char* kind) {
        std::vector<gang::Event> events;
        for (core::Pod& pod : pods) {
            std::string uid = pod.uid;
            events.emplace_back(gang::PodUpserted{std::move(pod)});
            events.emplace_back(gang::BindFinished{std::move(uid), gang::BindOutcome::bound, {}});
        }
        watch_.run(kind, pods.size(), [&] {
            for (gang::Event& event : events) world_.step(std::move(event));
            world_.tick();
        });
    }

    void run(const Gang& gang, bool is_measured) {
        const auto admitted = submit(gang, is_measured ? "gang admitted" : "(prepared)");
        if (admitted.size() != 1) throw std::runtime_error("a gang did not fit");
        confirm({bound(gang.application.driver, admitted.front())}, "driver confirmed");
        std::vector<gang::Event> created;
        for (std::int64_t i = 0; i < gang.size.executors; ++i) {
            created.emplace_back(gang::PodUpserted{executor(gang, i)});
        }
        std::vector<gang::BindPod> binds;
        watch_.run("executor bound", created.size(), [&] {
            for (gang::Event& event : created) world_.step(std::move(event));
            // One plan does so much work at most; it may be all for other things.
            for (int plans = 0; binds.size() < created.size() && plans < plans_max; ++plans) {
                const auto more = world_.tick();
                binds.insert(binds.end(), more.begin(), more.end());
            }
        });
        if (binds.size() != created.size()) {
            throw std::runtime_error(fmt::format(
                "{} of {} executors were not bound within {} plans",
                created.size() - binds.size(),
                created.size(),
                plans_max));
        }
        std::vector<core::Pod> pods;
        for (const gang::BindPod& bind : binds) {
            const auto digits = bind.pod.name.rfind('-') + 1;
            pods.push_back(
                bound(executor(gang, std::stoll(bind.pod.name.substr(digits)) - 1), bind));
        }
        confirm(std::move(pods), "executor confirmed");
    }

    /// Nothing that matters changes: a plan after it is one for nothing.
    void make_noise() {
        world_.rest();  // those that wait are looked at once a second, as long as there is news
        for (std::int64_t i = 0; i < noise_nodes; ++i) {
            gang::Event event = gang::NodeUpserted{crowd::node(i)};
            watch_.run("plan without news", 1, [&] {
                world_.step(std::move(event));
                world_.tick();
            });
        }
    }

    /// Each brings room for one of those that wait.
    void join_nodes() {
        std::size_t admitted = 0;
        for (std::int64_t i = 0; i < joining_nodes; ++i) {
            gang::Event event = gang::NodeUpserted{pool_node(busy_nodes + i)};
            watch_.run("node joined, gangs waiting", 1, [&] {
                world_.step(std::move(event));
                admitted += world_.tick().size();
            });
        }
        if (admitted == 0) throw std::runtime_error("nobody waited for a node");
    }

    void end_gangs() {
        std::uint64_t ended = 0;
        for (const Gang& gang : gangs_) {
            if (ended >= pods_to_end) return;
            std::vector<gang::Event> events;
            events.emplace_back(gang::PodDeleted{gang.application.driver.uid});
            for (std::int64_t i = 0; i < gang.size.executors; ++i) {
                events.emplace_back(gang::PodDeleted{
                    crowd::uuid(gang.application.first_executor + static_cast<std::uint64_t>(i))});
            }
            ended += events.size();
            watch_.run("pod of an ended gang deleted", events.size(), [&] {
                for (gang::Event& event : events) world_.step(std::move(event));
                world_.tick();
            });
        }
    }

    Size size_;
    SparkMix mix_;
    crowd::Crowd world_;
    Stopwatch watch_;
    std::vector<Gang> gangs_;
    std::uint64_t versions_ = 0;
    Life out_;
};

}  // namespace

Life live(const Size& size, std::uint64_t seed) {
    return Cluster(size, seed).live();
}

}  // namespace scale
