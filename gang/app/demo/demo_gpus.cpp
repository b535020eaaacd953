#include "gang/app/demo/demo_gpus.hpp"

#include "core/base/result.hpp"
#include "core/value/device/card_dialect.hpp"
#include "gang/app/daemon/daemon.hpp"
#include "gang/app/demo/demo_metrics.hpp"
#include "gang/app/demo/demo_spark.hpp"
#include "k8s/embedded/cluster.hpp"
#include "k8s/embedded/kubelet/kubelet.hpp"
#include "k8s/embedded/store/json_value.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace gang::app {

namespace {

using k8s::embedded::Json;

constexpr std::string_view shared_units = "alnair/vgpu-memory";
constexpr std::string_view pods_path = "/api/v1/namespaces/default/pods";
constexpr std::int64_t step_limit_ms = 12'000;
constexpr std::int64_t prometheus_limit_ms = 15'000;

/// Two cards of 16 units, four whole GPUs, and GPUs that only their metrics show.
std::vector<k8s::embedded::NodeDevices> devices() {
    return {
        {{{std::string(shared_units), "32"}},
         {{"ai.centaurus.io/physical-gpu-count", "2"},
          {"ai.centaurus.io/physical-gpu-uuids", "U1,U2"},
          {"ai.centaurus.io/virtual-gpu-count", "16,16"}}},
        {{{"nvidia.com/gpu", "4"}}, {}},
        {}};
}

std::vector<DemoGpu> measured_gpus() {
    return {{"NVIDIA A100-SXM4-40GB", 40960, 8000}, {"Tesla T4", 15360, 3000}};
}

void say(std::string_view text) {
    fmt::print("{}", text);
    std::fflush(stdout);
}

/// Of a message the part that begins so.
std::string_view sentence(std::string_view message, std::string_view begin) {
    message.remove_prefix(std::min(message.find(begin), message.size()));
    return message.substr(0, std::min(message.find(". "), message.find(" [")));
}

class GpuDemo {
public:
    GpuDemo()
        : cluster_(io_, {}),
          kubelets_(io_, cluster_.api(), kubelet_options()),
          spark_(io_, cluster_.api(), [this](const std::string& uid) { kubelets_.finish(uid); }),
          exporter_(io_, measured_gpus()),
          log_(config::LogFormat::console, config::LogLevel::error) {}

    int run() {
        const core::Result<std::uint16_t> port = cluster_.start();
        if (!port) return fail(port.error());
        find_prometheus();
        const auto started = start_daemon(*port);
        if (!started) return fail(started.error());
        kubelets_.start(
            {[this](const Json& pod) { spark_.on_running(pod); },
             [this](const Json& pod) { spark_.on_gone(pod); }});
        const bool is_done = show();
        stop();
        say(is_done ? "\nAll of it as it should be.\n" : "\nNot all of it was seen.\n");
        return is_done ? 0 : 1;
    }

private:
    static k8s::embedded::KubeletOptions kubelet_options() {
        k8s::embedded::KubeletOptions kubelets;
        kubelets.nodes = 3;
        kubelets.node_cpu = "16";
        kubelets.node_memory = "64Gi";
        kubelets.run_ms = 3'600'000;  // DemoSpark says when a pod has finished
        kubelets.devices = devices();
        return kubelets;
    }

    static int fail(const core::Error& error) {
        fmt::print(stderr, "demo: {}\n", error.message);
        return 1;
    }

    void find_prometheus() {
        auto prometheus = DemoPrometheus::start(exporter_.port(), "node-3");
        if (prometheus) {
            prometheus_ = *std::move(prometheus);
        } else {
            missing_ = prometheus.error().message;
        }
    }

    core::Result<core::Done> start_daemon(std::uint16_t port) {
        k8s::Access access;
        access.tls = false;
        access.host = "127.0.0.1";
        access.port = port;
        auto endpoint = k8s::Endpoint::make(std::move(access), "gang-scheduler-demo");
        if (!endpoint) return endpoint.error();
        DaemonOptions options;
        options.config.leader_election.enabled = false;
        options.config.server_listen.clear();  // nobody asks there
        options.config.control_listen.clear();
        if (prometheus_) {
            options.config.gpu_metrics.url = prometheus_->url();
            options.config.gpu_metrics.interval_ms = 1'000;
        }
        options.endpoint = *std::move(endpoint);
        auto source = find_gpu_metrics(options.config.gpu_metrics, options.endpoint);
        if (!source) return source.error();
        options.gpu_metrics = *std::move(source);
        options.identity = options.instance = "demo";
        options.log = &log_;
        daemon_ = std::make_unique<Daemon>(io_, std::move(options));
        daemon_->start();
        return core::Done{};
    }

    bool show() {
        say("Three nodes of 16 cpu and 64Gi, inside this process:\n"
            "  node-1  2 shared GPUs, U1 and U2, of 16 units each (alnair/vgpu-memory, 1 unit = 1 "
            "GiB)\n"
            "  node-2  4 whole GPUs (nvidia.com/gpu)\n"
            "  node-3  2 GPUs that Prometheus alone knows of: 8000 and 3000 MiB free\n\n");
        return show_shares() && show_whole() && show_refusal() && show_measured();
    }

    bool show_shares() {
        say("A Spark application whose 4 executors ask for 6 units each. Units of one pod are on "
            "one card.\n");
        spark_.submit({job("shares", 4, "alnair", "vgpu-memory", 6)});
        return wait_for([this] { return bound_executors("shares") == 4; }) && tell("shares", 4);
    }

    bool show_whole() {
        say("\nA Spark application whose 2 executors ask for 2 whole GPUs each.\n");
        spark_.submit({job("whole", 2, "nvidia.com", "gpu", 2)});
        return wait_for([this] { return bound_executors("whole") == 2; }) && tell("whole", 2);
    }

    bool show_refusal() {
        say("\nA pod of 6 units: 8 are free, 4 on each card.\n");
        create("six", fmt::format(R"("limits":{{"{}":"6"}})", shared_units), "");
        if (!wait_for([this] { return message("six").find("no single GPU") != std::string::npos; }))
            return false;
        say(fmt::format("  six waits: {}\n", sentence(message("six"), "no single GPU")));
        say("  The application ends, and with it what its executors held:\n");
        if (!wait_for([this] { return !node("six").empty(); })) return false;
        say(fmt::format("  six is on {}, card {}\n", node("six"), cards("six")));
        return true;
    }

    bool show_measured() {
        if (!prometheus_) {
            say(fmt::format(
                "\nNOT SHOWN: GPUs by their metrics, for {}.\n"
                "Debian's package is named prometheus: install it, and run the demo again.\n",
                missing_));
            return true;
        }
        say(fmt::format(
            "\nGPUs by their metrics: a real Prometheus ({}) scrapes an exporter with\n"
            "ObserverWard's names, and pods say by labels what they need.\n",
            prometheus_->url()));
        create("large", "", R"("genius/gpu-memory-each":"10000")");
        create("fits", "", R"("genius/gpu-memory-each":"6000","genius/gpu-model":"a100")");
        if (!wait_for([this] { return !node("fits").empty(); }, prometheus_limit_ms)) return false;
        say(fmt::format("  fits, 6000 MiB of an A100, is on {}\n", node("fits")));
        const auto is_told = [this] {
            return message("large").find("needs 1 GPU") != std::string::npos;
        };
        if (!wait_for(is_told, prometheus_limit_ms)) return false;
        say(fmt::format("  large waits: {}\n", sentence(message("large"), "needs 1 GPU")));
        return true;
    }

    static DemoJob job(
        std::string name, int executors, std::string vendor, std::string device, int amount) {
        DemoJob made;
        made.name = std::move(name);
        made.executors = executors;
        made.work_ms = 8'000;
        made.device_vendor = std::move(vendor);
        made.device_name = std::move(device);
        made.device_amount = amount;
        return made;
    }

    Json call(std::string method, std::string target, std::string body = {}) {
        k8s::embedded::Request request;
        request.method = std::move(method);
        request.target = std::move(target);
        request.body = std::move(body);
        request.content_type = "application/json";
        const k8s::embedded::Response response = cluster_.api().handle(request);
        core::Result<Json> answer = Json::parse(response.body);
        return answer ? *std::move(answer) : Json();
    }

    void create(std::string_view name, std::string_view resources, std::string_view labels) {
        call(
            "POST",
            std::string(pods_path),
            fmt::format(
                R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","labels":{{{}}}}},)"
                R"("spec":{{"schedulerName":"gang-scheduler","restartPolicy":"Never","containers":)"
                R"([{{"name":"cuda","image":"nvidia/cuda:12.0-base","resources":{{{}}}}}]}}}})",
                name,
                labels,
                resources));
    }

    Json pod(std::string_view name) { return call("GET", fmt::format("{}/{}", pods_path, name)); }
    std::string node(std::string_view name) { return pod(name).text({"spec", "nodeName"}); }
    std::string cards(std::string_view name) {
        return pod(name).text({"metadata", "annotations", core::cards_annotation});
    }
    std::string message(std::string_view name) {
        const Json read = pod(name);
        const Json* const conditions = read.find_path({"status", "conditions"});
        if (conditions == nullptr) return {};
        for (const Json& condition : conditions->items()) {
            if (condition.text({"type"}) == "PodScheduled") return condition.text({"message"});
        }
        return {};
    }

    int bound_executors(const std::string& application) {
        int bound = 0;
        for (int i = 1; i <= 4; ++i) {
            bound += node(fmt::format("{}-exec-{}", application, i)).empty() ? 0 : 1;
        }
        return bound;
    }

    bool tell(const std::string& application, int executors) {
        for (int i = 1; i <= executors; ++i) {
            const std::string name = fmt::format("{}-exec-{}", application, i);
            const std::string on = cards(name);
            say(fmt::format(
                "  {} is on {}{}\n", name, node(name), on.empty() ? "" : ", card " + on));
        }
        return true;
    }

    bool wait_for(const std::function<bool()>& is_so, std::int64_t limit_ms = step_limit_ms) {
        const std::int64_t end_ms = cluster_.api().now_ms() + limit_ms;
        while (!is_so()) {
            if (cluster_.api().now_ms() > end_ms) return false;
            io_.run_for(std::chrono::milliseconds(50));
        }
        return true;
    }

    void stop() {
        bool stopped = false;
        daemon_->stop([&stopped] { stopped = true; });
        while (!stopped) io_.run_for(std::chrono::milliseconds(20));
        cluster_.stop();
        io_.run_for(std::chrono::milliseconds(20));
    }

    boost::asio::io_context io_{1};
    k8s::embedded::Cluster cluster_;
    k8s::embedded::Kubelets kubelets_;
    DemoSpark spark_;
    DemoExporter exporter_;
    std::unique_ptr<DemoPrometheus> prometheus_;
    std::string missing_;  ///< why there is no Prometheus
    Log log_;
    std::unique_ptr<Daemon> daemon_;
};

}  // namespace

int run_gpu_demo() {
    return GpuDemo().run();
}

}  // namespace gang::app
