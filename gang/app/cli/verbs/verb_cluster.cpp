// `cluster`: the embedded API server with simulated kubelets, as a process of its own.
#include "config/address.hpp"
#include "config/duration.hpp"
#include "config/printable.hpp"
#include "core/value/quantity.hpp"
#include "gang/app/cli/cli.hpp"
#include "gang/app/demo/spark_player.hpp"
#include "k8s/base/time.hpp"
#include "k8s/embedded/cluster.hpp"
#include "k8s/embedded/kubelet/kubelet.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <memory>
#include <ostream>

namespace gang::app {
namespace {

namespace asio = boost::asio;
namespace embedded = k8s::embedded;

constexpr int nodes_max = 5000;
constexpr std::chrono::milliseconds last_turns(100);
constexpr std::size_t said_max = 2'000;

struct ClusterPlan {
    embedded::ClusterOptions server;
    embedded::KubeletOptions kubelets;
    bool has_kubelets = true;
    bool plays_spark = false;
    std::string kubeconfig_out;
};

core::Result<int> node_count(const std::string& text) {
    int count = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (ec != std::errc{} || end != text.data() + text.size() || count < 0 || count > nodes_max) {
        return core::Error{fmt::format("--nodes: expected a whole number from 0 to {}", nodes_max)};
    }
    return count;
}

core::Result<ClusterPlan> plan(const CommandLine& line) {
    ClusterPlan out;
    const auto address = config::parse_loopback(line.text("listen", "127.0.0.1:0"));
    if (!address) {
        return core::Error{"--listen: " + address.error().message};
    }
    out.server.address = address->host;
    out.server.port = address->port;
    // Nothing outlives this process, but clients of the one before it may still be there.
    out.server.limits.first_revision = static_cast<embedded::Revision>(k8s::unix_ms());
    const auto count = node_count(line.text("nodes", "3"));
    if (!count) {
        return count.error();
    }
    out.kubelets.nodes = *count;
    out.kubelets.node_cpu = line.text("node-cpu", "4");
    out.kubelets.node_memory = line.text("node-memory", "8Gi");
    for (const auto& [flag, quantity] :
         {std::pair("--node-cpu", out.kubelets.node_cpu),
          std::pair("--node-memory", out.kubelets.node_memory)}) {
        const auto amount = core::parse_milli(quantity);
        if (!amount || *amount <= 0) {
            return core::Error{fmt::format("{}: expected a quantity such as 4 or 8Gi", flag)};
        }
    }
    const auto run_for = config::parse_duration(line.text("run-for", "10s"));
    if (!run_for || *run_for <= 0) {
        return core::Error{"--run-for: expected a duration such as 60s or 5m"};
    }
    out.kubelets.run_ms = *run_for;
    out.has_kubelets = line.text("kubelet", "simulated") == "simulated";
    out.plays_spark = line.has("play-spark");
    if (out.plays_spark && !out.has_kubelets) {
        return core::Error{"--play-spark: without simulated kubelets no driver ever runs"};
    }
    out.kubeconfig_out = line.text("kubeconfig-out");
    return out;
}

int serve(const ClusterPlan& plan, std::ostream& out, std::ostream& err) {
    asio::io_context io(1);
    asio::signal_set signals(io, SIGTERM, SIGINT);
    embedded::Cluster cluster(io, plan.server);
    const auto port = cluster.start();
    if (!port) {
        return failure(err, "cluster", port.error().message);
    }
    SparkPlayer player(io, cluster.api(), [&err](const std::string& text) {
        err << "gang-scheduler cluster: " << config::printable(text, said_max) << std::endl;
    });
    embedded::KubeletHooks hooks;
    if (plan.plays_spark) {
        hooks.on_running = [&player](const embedded::Json& pod) { player.on_running(pod); };
        hooks.on_gone = [&player](const embedded::Json& pod) { player.on_gone(pod); };
    }
    std::unique_ptr<embedded::Kubelets> kubelets;
    if (plan.has_kubelets) {
        kubelets = std::make_unique<embedded::Kubelets>(io, cluster.api(), plan.kubelets);
        kubelets->start(std::move(hooks));
    }
    if (!plan.kubeconfig_out.empty()) {
        const auto written = cluster.write_kubeconfig(plan.kubeconfig_out);
        if (!written) {
            return failure(err, "cluster", written.error().message);
        }
    }
    out << "listening on " << cluster.url() << std::endl;
    out.clear();  // the kubeconfig says it, too: a server needs nobody who listens
    signals.async_wait([&](const boost::system::error_code&, int) {
        kubelets.reset();
        cluster.stop();
        io.stop();
    });
    io.run();
    // The sessions that were just told to stop hold cursors into the cluster: they end before it.
    io.restart();
    io.run_for(last_turns);
    return exit_done;
}

int run_cluster(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const auto planned = plan(line);
    if (!planned) {
        return usage_error(err, "cluster", planned.error().message);
    }
    return serve(*planned, out, err);
}

}  // namespace

Verb cluster_verb() {
    return Verb{
        "cluster",
        "a Kubernetes API server in memory, with simulated nodes, on loopback",
        "",
        {Flag{"listen", 0, "ADDR:PORT", "loopback address (default: 127.0.0.1:0, any free port)"},
         Flag{"kubeconfig-out", 0, "FILE", "written when the server answers"},
         Flag{"nodes", 0, "N", "how many nodes (default: 3)"},
         Flag{"node-cpu", 0, "QUANTITY", "of each node (default: 4)"},
         Flag{"node-memory", 0, "QUANTITY", "of each node (default: 8Gi)"},
         Flag{"run-for", 0, "DURATION", "how long a pod runs before it succeeds (default: 10s)"},
         Flag{
             "play-spark",
             0,
             "",
             "make the executors of Spark drivers that run, as their conf asks",
             {},
             "true"},
         Flag{
             "kubelet",
             0,
             "simulated|none",
             "none: no nodes are made, somebody else registers them (default: simulated)",
             {"simulated", "none"}}},
        {"gang-scheduler cluster --play-spark --kubeconfig-out /tmp/k",
         "gang-scheduler cluster --kubeconfig-out /tmp/k --nodes 3 --node-cpu 4 --node-memory 8Gi"},
        run_cluster};
}

}  // namespace gang::app
