#pragma once
// A scheduler with a crowd of pods, for benches: nodes, applications as real Spark writes their
// pods, and an edge that says yes to everything. It keeps nothing of a pod itself, so that what is
// in use is the scheduler's.

#include "gang/scheduler.hpp"
#include "tests/gang/builders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <malloc.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace crowd {

inline constexpr std::int64_t start_ms = 1'800'000'000'000;

/// Of the heap, with what the allocator needs for itself.
inline std::size_t bytes_in_use() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/// As the API server makes them: random, version 4.
inline std::string uuid(std::uint64_t number) {
    std::uint64_t x = number * 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    const std::uint64_t y = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return fmt::format(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        x >> 32,
        x >> 16 & 0xffff,
        x & 0xfff,
        y >> 52,
        y & 0xffffffffffff);
}

inline std::string node_name(std::int64_t number) {
    return fmt::format("ip-10-{}-{}-7.eu-west-1.compute.internal", number / 250, number % 250);
}

inline core::Node node(std::int64_t number) {
    core::Node node = tests::node(node_name(number), 64, std::int64_t{256} * 1024);
    node.pods = 250;
    node.labels = {
        {"beta.kubernetes.io/arch", "amd64"},
        {"kubernetes.io/arch", "amd64"},
        {"kubernetes.io/hostname", node.name},
        {"kubernetes.io/os", "linux"},
        {"node.kubernetes.io/instance-type", "m7i.16xlarge"},
        {"topology.kubernetes.io/region", "eu-west-1"},
        {"topology.kubernetes.io/zone", number % 2 == 0 ? "eu-west-1a" : "eu-west-1b"}};
    return node;
}

inline void tolerate_as_all_do(core::Pod& pod) {
    for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
        core::Toleration toleration;
        toleration.key = key;
        toleration.exists = true;
        toleration.any_effect = false;
        toleration.effect = core::TaintEffect::no_execute;
        toleration.seconds = 300;
        pod.constraints.edit().tolerations.push_back(std::move(toleration));
    }
}

/// A pod of Spark 4.1.4, driver or executor, not bound; the number tells all pods apart.
inline core::Pod spark_pod(std::uint64_t number, const std::string& name, const std::string& app) {
    core::Pod pod = tests::pod(name, 500, 1408);
    pod.namespace_name = "team-analytics";
    pod.uid = uuid(number);
    pod.resource_version = std::to_string(100'000'000 + number);
    pod.created = start_ms / 1000;
    pod.labels = {
        {"spark-app-name", "nightly-report"},
        {"spark-app-selector", app},
        {"spark-version", "4.1.4"}};
    tolerate_as_all_do(pod);
    return pod;
}

inline void set_label(core::Pod& pod, std::string key, std::string value) {
    pod.labels.emplace_back(std::move(key), std::move(value));
    std::sort(pod.labels.begin(), pod.labels.end());
}

struct Application {
    core::Pod driver;
    std::uint64_t first_executor = 0;  ///< their numbers follow each other
    std::int64_t executor_cpu_milli = 500;

    core::Pod executor(std::int64_t index) const {
        const std::string stem = driver.name.substr(0, driver.name.size() - 6);
        core::Pod pod = spark_pod(
            first_executor + static_cast<std::uint64_t>(index),
            stem + "exec-" + std::to_string(index + 1),
            *core::find_value(driver.labels, "spark-app-selector"));
        pod.requests.cpu_milli = executor_cpu_milli;
        pod.created = driver.created;
        set_label(pod, "spark-exec-id", std::to_string(index + 1));
        set_label(pod, "spark-exec-resourceprofile-id", "0");
        set_label(pod, "spark-role", "executor");
        pod.owners = {{"Pod", driver.name, driver.uid, true}};
        return pod;
    }
};

class Crowd {
public:
    explicit Crowd(std::int64_t nodes, bool leads = true, config::Schema schema = {})
        : scheduler(std::move(schema)) {
        step(gang::RelistBegun{gang::Kind::nodes});
        for (std::int64_t i = 0; i < nodes; ++i) {
            step(gang::NodeUpserted{node(i)});
        }
        step(gang::RelistEnded{gang::Kind::nodes});
        step(gang::RelistBegun{gang::Kind::pods});
        step(gang::RelistEnded{gang::Kind::pods});
        if (leads) {
            step(gang::LeadershipGained{1});
            pass_fence();
        }
    }

    gang::Decisions step(gang::Event event) {
        event_.event = std::move(event);
        ++event_.sequence;
        return scheduler.step(event_);
    }

    std::int64_t now_ms() const { return event_.time_ms; }
    void pass_to(std::int64_t time_ms) { event_.time_ms = std::max(event_.time_ms, time_ms); }

    /// The binds that a tick asks for.
    std::vector<gang::BindPod> tick() {
        event_.time_ms += 1;
        std::vector<gang::BindPod> binds;
        for (const gang::Decision& decision : step(gang::Tick{})) {
            if (const auto* bind = std::get_if<gang::BindPod>(&decision)) {
                binds.push_back(*bind);
            }
        }
        return binds;
    }

    /// Time passes, and everything that was put off is done: until nothing is wanted for minutes.
    void rest() {
        constexpr std::int64_t quiet_ms = 60'000;
        for (bool is_quiet = false; !is_quiet;) {
            event_.time_ms += 500;
            is_quiet = true;
            for (const gang::Decision& decision : step(gang::Tick{})) {
                const auto* wake = std::get_if<gang::WakeAt>(&decision);
                is_quiet = is_quiet && wake != nullptr && wake->time_ms > event_.time_ms + quiet_ms;
            }
        }
    }

    Application make(std::int64_t executors) {
        Application made;
        const std::uint64_t number = ++numbers_;
        made.driver = spark_pod(
            number,
            fmt::format("nightly-report-{:016x}-driver", number * 0x9e3779b97f4a7c15U),
            fmt::format("spark-{:032x}", number));
        set_label(made.driver, "spark-role", "driver");
        made.driver.spark_properties = {
            fmt::format("spark-drv-{:016x}-conf-map", number), "spark.properties"};
        made.first_executor = numbers_ + 1;
        numbers_ += static_cast<std::uint64_t>(executors);
        return made;
    }

    /// Executors of half a core.
    static gang::spark::Conf small_executors(std::int64_t executors) {
        return tests::with(
            tests::conf(executors), "spark.kubernetes.executor.request.cores", "500m");
    }
    /// Its driver and its conf are told; nothing is planned.
    void submit(const Application& application, std::int64_t executors) {
        submit(application, small_executors(executors));
    }
    void submit(const Application& application, gang::spark::Conf conf) {
        step(gang::PodUpserted{application.driver});
        step(gang::SparkConfFound{application.driver.uid, std::move(conf)});
    }

    /// The watch shows what was bound, running at once.
    void confirm(core::Pod pod, const gang::BindPod& bind) {
        pod.node_name = bind.node;
        pod.annotations = bind.annotations;
        pod.phase = core::PodPhase::running;
        pod.resource_version = std::to_string(200'000'000 + ++numbers_);
        core::ScheduledCondition scheduled;
        scheduled.status = true;
        scheduled.since = start_ms / 1000;
        pod.scheduled = scheduled;
        const std::string uid = pod.uid;
        last_bound = pod;
        step(gang::PodUpserted{std::move(pod)});
        step(gang::BindFinished{uid, gang::BindOutcome::bound, {}});
    }

    /// From submission to the last executor that runs. False: it does not fit.
    bool run(const Application& application, std::int64_t executors) {
        return run(application, executors, small_executors(executors));
    }
    bool run(const Application& application, std::int64_t executors, gang::spark::Conf conf) {
        submit(application, std::move(conf));
        const auto admitted = tick();
        if (admitted.size() != 1) {
            return false;
        }
        confirm(application.driver, admitted.front());
        for (std::int64_t i = 0; i < executors; ++i) {
            step(gang::PodUpserted{application.executor(i)});
        }
        for (auto binds = tick(); !binds.empty(); binds = tick()) {
            for (const gang::BindPod& bind : binds) {
                const std::size_t digits = bind.pod.name.rfind('-') + 1;
                confirm(application.executor(std::stoll(bind.pod.name.substr(digits)) - 1), bind);
            }
        }
        tick();
        return true;
    }

    /// Everything of it ends and is deleted.
    void end(const Application& application, std::int64_t executors) {
        step(gang::PodDeleted{application.driver.uid});
        for (std::int64_t i = 0; i < executors; ++i) {
            step(
                gang::PodDeleted{uuid(application.first_executor + static_cast<std::uint64_t>(i))});
        }
        tick();
    }

    gang::Scheduler scheduler;
    core::Pod last_bound;  ///< as the watch showed it

private:
    /// One pod shows that the view is of this leadership term; it goes again.
    void pass_fence() {
        core::Pod pod = spark_pod(++numbers_, "first", "spark-first");
        step(gang::PodUpserted{pod});
        std::optional<gang::SetCondition> fence;
        for (const gang::Decision& decision : step(gang::Tick{})) {
            if (const auto* condition = std::get_if<gang::SetCondition>(&decision)) {
                fence = *condition;
            }
        }
        pod.scheduled = core::ScheduledCondition{false, fence->reason, fence->message, 0};
        step(gang::PodUpserted{pod});
        step(gang::StatusWritten{pod.uid, gang::WriteOutcome::written, {}});
        step(gang::PodDeleted{pod.uid});
        tick();
    }

    gang::StampedEvent event_{0, start_ms, gang::Tick{}};
    std::uint64_t numbers_ = 0;
};

}  // namespace crowd
