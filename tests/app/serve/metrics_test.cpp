#include "gang/app/serve/metrics.hpp"

#include "gang/app/serve/process_stats.hpp"
#include "gang/scheduler.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>

using namespace gang::app;

namespace {

Metrics::Identity identity() {
    return {"1.2.3", "gang-scheduler", "my-lease", "https://10.0.0.1:443"};
}

bool has_line(const std::string& text, const std::string& line) {
    return text.find(line + "\n") != std::string::npos;
}

/// Every name that the text has a `# HELP` for.
std::set<std::string> names_in(const std::string& text) {
    std::set<std::string> out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("# HELP ")) {
            out.insert(line.substr(7, line.find(' ', 7) - 7));
        }
    }
    return out;
}

std::string everything() {
    k8s::RequestStats requests;
    requests.count("GET", 200, 3);
    MetricsView view;
    view.queues.resize(1);
    view.queues[0].name = "root.etl";
    view.queues[0].usage.cpu_milli = 1'500;
    view.queues[0].guarantee = {{"cpu", 500}};
    view.queues[0].limit = {{"cpu", 2'000}, {"nvidia.com/gpu", 3}};
    view.queues[0].share_millionths = 250'000;
    view.queues[0].waiting = 4;
    view.gpu_metrics.emplace();
    view.gpu_metrics->models = {{"NVIDIA \"A100\"", 2, 8'000}};
    view.requests = &requests;
    return Metrics(identity()).text(view);
}

std::string file(const std::string& path) {
    std::ifstream in(std::string(TESTS_DIR) + "/../" + path);
    REQUIRE_MESSAGE(in.good(), path);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::set<std::string> names_matching(const std::string& text, const char* pattern) {
    const std::regex regex(pattern);
    std::set<std::string> out;
    for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
        out.insert((*it)[1].str());
    }
    return out;
}

}  // namespace

TEST_CASE("metrics: what was measured is shown") {
    Metrics metrics(identity());
    metrics.planned(0.0002);
    metrics.bind_answered({gang::BindOutcome::bound, 0.0002, 0.004, 7.5, true});
    metrics.bind_answered({gang::BindOutcome::bound, 0.0002, 0.004, 0.5, false});
    metrics.bind_answered({gang::BindOutcome::refused, 0.0002, 0.004, 7.5, true});
    metrics.found_unschedulable();
    k8s::RequestStats requests;
    requests.count("POST", 201, 4);
    requests.count("POST", 201, 70'000);
    requests.count("GET", 0, 1);
    MetricsView view;
    view.requests = &requests;
    view.leading = true;
    view.monotonic_ms = 10'000;
    view.pods.interrupted_ms = 7'500;
    view.totals.idle_milli_ms = 3'000'000;
    view.totals.pending_gangs[static_cast<std::size_t>(gang::ReasonCode::exceeds_cluster)] = 2;
    const std::string text = metrics.text(view);
    const std::string profile = "profile=\"gang-scheduler\"";
    for (const std::string& line : {
             "scheduler_schedule_attempts_total{" + profile + ",result=\"scheduled\"} 2",
             "scheduler_schedule_attempts_total{" + profile + ",result=\"unschedulable\"} 1",
             "scheduler_schedule_attempts_total{" + profile + ",result=\"error\"} 1",
             std::string("scheduler_pod_scheduling_sli_duration_seconds_count 2"),
             std::string("scheduler_pod_scheduling_sli_duration_seconds_bucket{le=\"0.5\"} 1"),
             std::string("gang_scheduler_gang_wait_seconds_count 1"),
             std::string("gang_scheduler_gang_wait_seconds_sum 7.5"),
             std::string("gang_scheduler_bind_errors_total{code=\"refused\"} 1"),
             std::string("gang_scheduler_bind_errors_total{code=\"gone\"} 0"),
             std::string("gang_scheduler_decision_seconds_count 1"),
             std::string("leader_election_master_status{name=\"my-lease\"} 1"),
             std::string("gang_scheduler_build_info{version=\"1.2.3\"} 1"),
             std::string("gang_scheduler_pending_gangs{code=\"ExceedsCluster\"} 2"),
             std::string("gang_scheduler_watch_interrupted_seconds{resource=\"pods\"} 2.5"),
             std::string("gang_scheduler_watch_interrupted_seconds{resource=\"nodes\"} 0"),
             std::string("gang_scheduler_reservation_idle_core_seconds_total 3"),
             std::string("rest_client_requests_total{code=\"201\",method=\"POST\",host=\"https://"
                         "10.0.0.1:443\"} 2"),
             std::string("rest_client_requests_total{code=\"<error>\",method=\"GET\",host=\"https:/"
                         "/10.0.0.1:443\"} 1"),
             std::string("rest_client_request_duration_seconds_bucket{verb=\"POST\",host=\"https://"
                         "10.0.0.1:443\",le=\"10\"} 1"),
             std::string("rest_client_request_duration_seconds_count{verb=\"POST\",host=\"https://"
                         "10.0.0.1:443\"} 2"),
         }) {
        CHECK_MESSAGE(has_line(text, line), line << "\nin\n" << text);
    }
}

TEST_CASE("metrics: the kernel knows this process") {
    const ProcessStats stats = read_process_stats();
    CHECK(stats.resident_bytes > 1'000'000);
    CHECK(stats.virtual_bytes >= stats.resident_bytes);
    CHECK(stats.open_descriptors >= 3);
    CHECK(stats.descriptors_max > stats.open_descriptors);
    CHECK(stats.start_unix_seconds > 1'600'000'000);
    CHECK(stats.start_unix_seconds < 10'000'000'000);
}

TEST_CASE("metrics: T12, tenants' names make no series") {
    // As many series with a thousand namespaces, applications and nodes as with none.
    gang::Scheduler scheduler(config::Schema{});
    std::uint64_t sequence = 0;
    const auto step = [&](gang::Event event) {
        scheduler.step({++sequence, 1'800'000'000'000, std::move(event)});
    };
    Metrics metrics(identity());
    const auto series = [&] {
        MetricsView view;
        view.totals = scheduler.totals(1'800'000'000'000);
        const std::string text = metrics.text(view);
        CHECK(text.find("tenant") == std::string::npos);
        return std::count(text.begin(), text.end(), '\n');
    };
    step(gang::LeadershipGained{1});
    const auto before = series();
    for (const auto kind : {gang::Kind::nodes, gang::Kind::pods}) {
        step(gang::RelistBegun{kind});
        step(gang::RelistEnded{kind});
    }
    for (int i = 0; i < 1'000; ++i) {
        const std::string name = "tenant-" + std::to_string(i);
        core::Pod pod = build::PodBuilder(name).in(name);
        build::put(pod.labels, "spark-app-selector", name);
        step(gang::PodUpserted{pod});
    }
    step(gang::Tick{});
    CHECK(scheduler.gangs().size() == 1'000);
    CHECK(series() == before);
}

TEST_CASE("metrics: queues of the configuration, in cores, bytes and devices") {
    const std::string text = everything();
    for (const std::string line :
         {R"(gang_scheduler_queue_usage{queue="root.etl",resource="cpu"} 1.5)",
          R"(gang_scheduler_queue_usage{queue="root.etl",resource="memory"} 0)",
          R"(gang_scheduler_queue_guarantee{queue="root.etl",resource="cpu"} 0.5)",
          R"(gang_scheduler_queue_limit{queue="root.etl",resource="nvidia.com/gpu"} 3)",
          R"(gang_scheduler_queue_share{queue="root.etl"} 0.25)",
          R"(gang_scheduler_queue_gangs{queue="root.etl",state="waiting"} 4)"}) {
        CHECK_MESSAGE(text.find("\n" + line + "\n") != std::string::npos, line);
    }
}

TEST_CASE("metrics: docs/reference/metrics.md has every metric and no other") {
    const std::set<std::string> served = names_in(everything());
    CHECK(names_matching(file("docs/reference/metrics.md"), R"(\n\| `([a-z_]+)[`{])") == served);
}

TEST_CASE("metrics: the alert rules ask only for metrics that exist") {
    std::set<std::string> known = names_in(everything());
    for (const std::string& name : std::set<std::string>(known)) {
        for (const char* suffix : {"_bucket", "_sum", "_count"}) {
            known.insert(name + suffix);
        }
    }
    const std::string rules = file("charts/gang-scheduler/files/alerts.yaml");
    const auto used = names_matching(
        rules, R"(\b((?:gang_scheduler|scheduler|rest_client|leader_election|process)_[a-z_]+))");
    CHECK(used.size() > 5);
    for (const std::string& name : used) {
        CHECK_MESSAGE(known.contains(name), name);
    }
}
