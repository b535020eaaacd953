#include "gang/app/demo/demo.hpp"

#include "gang/app/daemon/daemon.hpp"
#include "gang/app/demo/demo_report.hpp"
#include "gang/app/demo/demo_spark.hpp"
#include "k8s/embedded/cluster.hpp"
#include "k8s/embedded/kubelet/kubelet.hpp"
#include "k8s/embedded/store/json_value.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <utility>

namespace gang::app {

namespace {

std::vector<DemoJob> burst(const DemoOptions& options) {
    std::vector<DemoJob> jobs;
    for (int index = 0; index < options.applications; ++index) {
        DemoJob job;
        job.name = fmt::format("app-{:02}", index + 1);
        job.language = index % 3 == 2 ? DemoLanguage::python : DemoLanguage::jvm;
        job.executors = options.executors;
        job.submit_after_ms = index * 20;
        jobs.push_back(std::move(job));
    }
    return jobs;
}

// One phase: a fresh cluster, a fresh scheduler, the same burst.
class Phase {
public:
    Phase(const DemoOptions& options, config::Discovery discovery)
        : options_(options),
          cluster_(io_, {}),
          kubelets_(io_, cluster_.api(), kubelet_options(options)),
          spark_(io_, cluster_.api(), [this](const std::string& uid) { kubelets_.finish(uid); }),
          log_(quiet_log()) {
        config_.gang.discovery = discovery;
        config_.leader_election.enabled = false;
        config_.server_listen.clear();  // nobody asks there
        config_.control_listen.clear();
        config_.api.enabled = options.has_page;
        config_.api.listen = fmt::format("127.0.0.1:{}", options.page_port);
    }

    core::Result<DemoResult> run() {
        const core::Result<std::uint16_t> port = cluster_.start();
        if (!port) return port.error();
        const core::Result<core::Done> daemon = start_daemon(*port);
        if (!daemon) return daemon.error();
        kubelets_.start(
            {[this](const k8s::embedded::Json& pod) { spark_.on_running(pod); },
             [this](const k8s::embedded::Json& pod) { spark_.on_gone(pod); }});
        if (options_.has_page) io_.run_for(std::chrono::milliseconds(options_.look_ms));
        const std::int64_t began_ms = cluster_.api().now_ms();
        spark_.submit(burst(options_));
        turn_until_settled(began_ms);
        const std::int64_t ended_ms = cluster_.api().now_ms();
        return sum_up(spark_.jobs(), kubelets_.records(), began_ms, ended_ms);
    }

    /// Until somebody ends the program.
    void stay() {
        bool is_ended = false;
        boost::asio::signal_set signals(io_, SIGINT, SIGTERM);
        signals.async_wait([&is_ended](const boost::system::error_code&, int) { is_ended = true; });
        while (!is_ended) io_.run_for(std::chrono::milliseconds(100));
    }

    void stop() {
        bool stopped = false;
        daemon_->stop([&stopped] { stopped = true; });
        while (!stopped) io_.run_for(std::chrono::milliseconds(20));
        cluster_.stop();
        io_.run_for(std::chrono::milliseconds(20));
    }

private:
    static k8s::embedded::KubeletOptions kubelet_options(const DemoOptions& options) {
        k8s::embedded::KubeletOptions kubelets;
        kubelets.nodes = options.nodes;
        kubelets.node_cpu = options.node_cpu;
        kubelets.node_memory = options.node_memory;
        kubelets.run_ms = 3'600'000;  // DemoSpark says when a pod has finished
        return kubelets;
    }

    static Log quiet_log() { return Log(config::LogFormat::console, config::LogLevel::error); }

    core::Result<core::Done> start_daemon(std::uint16_t port) {
        k8s::Access access;
        access.tls = false;
        access.host = "127.0.0.1";
        access.port = port;
        auto endpoint = k8s::Endpoint::make(std::move(access), "gang-scheduler-demo");
        if (!endpoint) return endpoint.error();
        DaemonOptions options;
        options.endpoint = *std::move(endpoint);
        options.config = config_;
        options.identity = options.instance = "demo";
        options.log = &log_;
        daemon_ = std::make_unique<Daemon>(io_, std::move(options));
        daemon_->start();
        return core::Done{};
    }

    void turn_until_settled(std::int64_t began_ms) {
        std::int64_t reported_ms = began_ms;
        while (!spark_.all_finished()) {
            io_.run_for(std::chrono::milliseconds(100));
            const std::int64_t now_ms = cluster_.api().now_ms();
            if (now_ms - reported_ms >= 2'000) {
                report(now_ms - began_ms);
                reported_ms = now_ms;
            }
            const std::int64_t progress_ms = std::max(began_ms, spark_.last_progress_ms());
            if (now_ms - progress_ms >= options_.deadlock_after_ms) break;
            if (now_ms - began_ms >= options_.phase_limit_ms) break;
        }
        report(cluster_.api().now_ms() - began_ms);
    }

    void report(std::int64_t passed_ms) const {
        int drivers = 0;
        int executors = 0;
        int finished = 0;
        for (const DemoJobRecord& job : spark_.jobs()) {
            if (job.finished_ms != 0) {
                ++finished;
            } else if (job.driver_ran_ms != 0) {
                ++drivers;
                executors += job.executors_running;
            }
        }
        fmt::print(
            "  {:>5.1f} s  {:>2} drivers running, {:>2} of their {:>2} executors running, {:>2} of "
            "{} "
            "applications finished\n",
            static_cast<double>(passed_ms) / 1000,
            drivers,
            executors,
            drivers * options_.executors,
            finished,
            options_.applications);
        std::fflush(stdout);
    }

    DemoOptions options_;
    config::Schema config_;
    boost::asio::io_context io_{1};
    k8s::embedded::Cluster cluster_;
    k8s::embedded::Kubelets kubelets_;
    DemoSpark spark_;
    Log log_;
    std::unique_ptr<Daemon> daemon_;
};

core::Result<DemoResult> run_pod_by_pod(const DemoOptions& options) {
    Phase phase(options, config::Discovery::none);
    auto result = phase.run();
    if (result) phase.stop();
    return result;
}

/// Both phases have the same one, so that the page finds the second when the first has ended.
core::Result<std::uint16_t> find_page_port(std::uint16_t wanted) {
    using boost::asio::ip::tcp;
    boost::asio::io_context io(1);
    boost::system::error_code ec;
    tcp::acceptor probe(io);
    probe.open(tcp::v4(), ec);
    probe.set_option(tcp::acceptor::reuse_address(true), ec);
    probe.bind({boost::asio::ip::address_v4::loopback(), wanted}, ec);
    if (!ec) probe.listen(1, ec);
    if (ec) return core::Error{fmt::format("port {} of the page: {}", wanted, ec.message())};
    return probe.local_endpoint(ec).port();
}

int tell_end(const DemoResult& single, const DemoResult& gangs) {
    fmt::print("\n{}", comparison_table(single, gangs));
    return gangs.finished == gangs.jobs && gangs.refused == 0 ? 0 : 1;
}

int fail(const core::Error& error) {
    fmt::print(stderr, "demo: {}\n", error.message);
    return 1;
}

}  // namespace

int run_demo(const DemoOptions& wanted) {
    DemoOptions options = wanted;
    fmt::print(
        "{} Spark applications of 1 driver + {} executors, each pod 1 cpu and about 1.4Gi,\n"
        "on {} nodes of {} cpu and {}: an API server and referee kubelets inside this process.\n"
        "Both halves take about 20 s.\n\n",
        options.applications,
        options.executors,
        options.nodes,
        options.node_cpu,
        options.node_memory);
    if (options.has_page) {
        const auto port = find_page_port(options.page_port);
        if (!port) return fail(port.error());
        options.page_port = *port;
        fmt::print(
            "Watch it in a browser: http://127.0.0.1:{}/ (it begins in {} s)\n\n",
            *port,
            options.look_ms / 1'000);
    }
    fmt::print("Pod by pod, as the default scheduler does it (gang.discovery: none)\n");
    std::fflush(stdout);
    const core::Result<DemoResult> single = run_pod_by_pod(options);
    if (!single) return fail(single.error());
    if (single->finished == 0) {
        fmt::print("  deadlock: the drivers hold the room that their own executors need\n");
    }
    fmt::print("\nAs gangs (gang.discovery: auto)\n");
    Phase phase(options, config::Discovery::automatic);
    const core::Result<DemoResult> gangs = phase.run();
    if (!gangs) return fail(gangs.error());
    const int exit_code = tell_end(*single, *gangs);
    if (options.has_page) {
        fmt::print("\nThe page stays until Ctrl-C.\n");
        std::fflush(stdout);
        phase.stay();
    }
    phase.stop();
    return exit_code;
}

}  // namespace gang::app
