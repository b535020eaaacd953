#include "config/loader.hpp"

#include "config/profiles/builtin_profiles.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

/// The complaints about a text, "f" being the file's name.
std::string complaints(const std::string& text) {
    const auto loaded = config::load(text, "f");
    return loaded ? "" : loaded.error().message;
}

config::Schema loaded(const std::string& text) {
    const auto result = config::load(text, "f");
    REQUIRE_MESSAGE(result.has_value(), complaints(text));
    return result->schema;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

constexpr const char* everything = R"(
apiVersion: config.gang-scheduler/v1alpha1
kind: SchedulerConfiguration
clientConnection:
  kubeconfig: /etc/kubeconfig
leaderElection:
  enabled: false
  leaseName: my-lease
  leaseNamespace: spark-system
  leaseDuration: 1m30s
  renewDeadline: 20s
  retryPeriod: 500ms
server: {listen: "[::]:9001"}
control:
  listen: "127.0.0.2:9000"
api: {enabled: true, listen: ":9002", hosts: [gangs.example.com], showAllNamespaces: false}
extender: {enabled: true, listen: "127.0.0.1:9003", prefix: /gangs/v1, schedulerName: batch, binds: false}
logging: {format: console, level: debug}
profiles:
  - schedulerName: gang-scheduler
  - {packing: fewest-nodes, schedulerName: other.example, gangs: false, messages: kube-scheduler}
  - schedulerName: third
    filters: [NodeResourcesFit, PodToleratesNodeTaints]
    scores:
      - name: RequestedToCapacityRatio
        weight: 3
        resources: [{name: nvidia.com/gpu, weight: 2}]
        shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]
      - name: node-affinity
nodes:
  headroom:
    cpu: 1500m
    memory: 256Mi
  costLabel: example.com/price
  scarce: [nvidia.com/gpu, "amd.com/gpu"]
autoscaling:
  mode: capacityBuffer
quota:
  preflight: true
gpuMetrics:
  url: https://prometheus.example:9443/tenant/
  service: {namespace: "", name: "", port: "", scheme: http}
  interval: 2s
  staleAfter: 1m
  bearerTokenFile: /etc/token
  caFile: /etc/ca
  nodeLabel: node
  modelAliases: [{name: rtx, model: NVIDIA GeForce RTX 3090}]
  weights: {memory: 1, multiprocessors: 3, sharedDecoders: 4, sharedEncoders: 5, freeMemory: 6, power: 0,
            decoder: 7, encoder: 8, static: 9, dynamic: 100, lessPower: false}
queues:
  - name: etl
    weight: 3
    guarantee: {cpu: 64, memory: 256Gi}
    limit: {nvidia.com/gpu: 16, cpu: "512", hugepages-2Mi: 1Gi}
    userLimit: {ephemeral-storage: 10Gi}
    maxGangs: 100
    order: priority
    agingPerHour: 50
    maxWait: 4h
    maxWaitStrict: true
    preemption: {reclaimable: true, withinQueue: lowerPriority}
    backfill: conservative
    users: [etl/spark, ml/default]
    namespaces: [etl]
    state: stopped
  - name: root.ml.train
placement:
  - annotation: gang-scheduler/queue
  - namespace
  - namespaceLabel: example.com/team
  - fixed: root.ml.train
queueObjects: {enabled: false, reclaim: true}
volcano: {enqueue: true, overcommitPercent: 150, strictOrder: true, podsWithin: 90s}
preemption: {acrossQueues: true, maxVictimsPerMinute: 3}
gang:
  discovery: none
  orphanExecutors: schedule
  maxGangSize: 50
  dynamicAllocation: reserve-max
  neverRunning: {after: 1h, then: keep}
  missingExecutors: {after: 2h, then: release}
backfill: {mode: easy, maxBypass: 12}
fairShare: {usageHalfLife: 3h}
seal:
  keyFile: /etc/seal/key
conditions: {nameOtherNamespaces: false}
events:
  perSecond: 3
audit:
  interval: 0s
)";

}  // namespace

TEST_CASE("loader: an empty text and a text of comments are all defaults") {
    CHECK(loaded("") == config::Schema{});
    CHECK(loaded("# nothing yet\n") == config::Schema{});
    CHECK(loaded("---\n") == config::Schema{});
    CHECK(loaded("{}") == config::Schema{});
}

TEST_CASE("loader: every key reaches its member") {
    constexpr auto fit_and_taints = core::FilterSet{}
                                        .with(core::FilterId::node_resources_fit)
                                        .with(core::FilterId::taint_toleration);
    config::Schema wanted;
    wanted.kubeconfig = "/etc/kubeconfig";
    wanted.leader_election = {false, "my-lease", "spark-system", 90'000, 20'000, 500};
    wanted.server_listen = "[::]:9001";
    wanted.control_listen = "127.0.0.2:9000";
    wanted.api = {true, ":9002", {"gangs.example.com"}};
    wanted.extender = {true, "127.0.0.1:9003", "/gangs/v1", "batch", false};
    wanted.log_format = config::LogFormat::console;
    wanted.log_level = config::LogLevel::debug;
    wanted.profiles = {
        {},
        {"other.example",
         core::PackingPolicy::fewest_nodes,
         false,
         config::Messages::kube_scheduler},
        {"third",
         core::PackingPolicy::tightest,
         true,
         config::Messages::gang_scheduler,
         core::all_filters.without(fit_and_taints),
         {{*core::find_score_id("RequestedToCapacityRatio"),
           3,
           {{"nvidia.com/gpu", 2}},
           {{0, 0}, {100, 100}}},
          {*core::find_score_id("node-affinity"), 1, {}, {}}}}};
    wanted.gang = {
        config::Discovery::none,
        config::OrphanExecutors::schedule,
        50,
        config::DynamicAllocation::reserve_max,
        3'600'000,
        config::UnusedThen::keep,
        7'200'000,
        config::UnusedThen::release};
    wanted.nodes = {1'500, 268'435'456, "example.com/price", {"nvidia.com/gpu", "amd.com/gpu"}};
    wanted.autoscaling.mode = config::AutoscalingMode::capacity_buffer;
    wanted.quota.preflight = true;
    wanted.gpu_metrics = {
        "https://prometheus.example:9443/tenant/",
        {},
        2'000,
        60'000,
        "/etc/token",
        "/etc/ca",
        "node",
        {{"rtx", "NVIDIA GeForce RTX 3090"}},
        {1, 3, 4, 5, 6, 0, 7, 8, 9, 100, false}};
    constexpr std::int64_t gibibyte = 1024LL * 1024 * 1024;
    wanted.queues.resize(2);
    wanted.queues[0] = {
        "root.etl",
        3,
        {{"cpu", 64'000}, {"memory", 256 * gibibyte}},
        {{"cpu", 512'000}, {"hugepages-2Mi", gibibyte}, {"nvidia.com/gpu", 16}},
        {{"ephemeral-storage", 10 * gibibyte}},
        100,
        config::QueueOrder::priority,
        50,
        4 * 3'600'000,
        true,
        {true, config::PreemptionWithin::lower_priority},
        config::BackfillMode::conservative,
        {"etl/spark", "ml/default"},
        {"etl"},
        config::QueueState::stopped,
        {}};
    wanted.backfill = {config::BackfillMode::easy, 12};
    wanted.fair_share = {3 * 3'600'000};
    wanted.queues[1].name = "root.ml.train";
    wanted.placement = {
        {config::PlacementRule::Kind::annotation},
        {config::PlacementRule::Kind::namespace_name},
        {config::PlacementRule::Kind::namespace_label, {}, "example.com/team"},
        {config::PlacementRule::Kind::fixed, "root.ml.train"}};
    wanted.queue_objects = {false, true, false};
    wanted.volcano = {true, 150, true, 90'000};
    wanted.preemption = {true, 3};
    wanted.seal_key_file = "/etc/seal/key";
    wanted.api.shows_all_namespaces = false;
    wanted.names_other_namespaces = false;
    wanted.events_per_second = 3;
    wanted.audit_interval_ms = 0;
    CHECK(loaded(everything) == wanted);
}

TEST_CASE("loader: the text above names every key there is") {
    for (const std::string& key : config::known_keys()) {
        const std::string last = key.substr(key.rfind('.') + 1);
        CHECK_MESSAGE(contains(everything, last + ":"), key);
    }
    CHECK(config::known_keys().size() == 102);
}

TEST_CASE("loader: headroom is an amount, the cost label a key") {
    for (const char* wrong : {"-1", "x", "[]", "1 cpu", "''"}) {
        CHECK(contains(
            complaints("nodes: {headroom: {cpu: " + std::string(wrong) + "}}\n"),
            "expected an amount of cpu"));
        CHECK(contains(
            complaints("nodes: {headroom: {memory: " + std::string(wrong) + "}}\n"),
            "expected an amount of memory"));
    }
    CHECK(contains(complaints("nodes: {headroom: {memory: 256m}}\n"), "expected an amount"));
    CHECK(contains(complaints("nodes: {costLabel: a b}\n"), "expected the key of a label"));
    CHECK(loaded("nodes: {costLabel: ''}\n").nodes.cost_label.empty());
    CHECK(
        loaded("autoscaling: {mode: provisioningRequest}\n").autoscaling.mode ==
        config::AutoscalingMode::provisioning_request);
    CHECK(loaded("autoscaling: {mode: none}\n").autoscaling == config::Autoscaling{});
    CHECK(contains(complaints("quota:\n  preflight: perhaps\n"), ":2:14: "));
    CHECK(contains(complaints("autoscaling:\n  mode: karpenter\n"), ":2:9: "));
    CHECK(contains(complaints("autoscaling: {mode: karpenter}\n"), "capacityBuffer"));
    const auto metrics = [](const std::string& keys) { return "gpuMetrics: {" + keys + "}\n"; };
    CHECK(
        loaded(metrics(
                   "service: {namespace: monitoring, name: prometheus, port: 9090, scheme: https}"))
            .gpu_metrics.service ==
        config::MetricsService{"monitoring", "prometheus", "9090", true});
    CHECK(loaded(metrics("url: ''")).gpu_metrics == config::GpuMetrics{});
    CHECK(contains(complaints(metrics("url: prometheus")), "expected a URL such as"));
    CHECK(contains(complaints(metrics("url: 'http://p/api/v1'")), "expected a URL such as"));
    CHECK(contains(complaints(metrics("url: 'http://u@p'")), "expected a URL such as"));
    CHECK(contains(complaints(metrics("weights: {power: -1}")), "a whole number from 0 to 100"));
    CHECK(contains(
        complaints(metrics("url: 'http://p', service: {namespace: a, name: b}")),
        "found service beside url"));
    CHECK(contains(complaints(metrics("service: {name: b}")), "found one of namespace and name"));
    CHECK(contains(
        complaints(metrics("url: 'http://p', bearerTokenFile: t")), "beside a url without TLS"));
    CHECK(
        contains(complaints(metrics("caFile: t")), "found bearerTokenFile or caFile without url"));
    CHECK(contains(
        complaints(metrics("url: 'http://p', staleAfter: 9s")), "expected at least twice as much"));
    CHECK(loaded("nodes: {scarce: []}\n").nodes.scarce.empty());
    CHECK(contains(complaints("nodes: {scarce: x/y}\n"), "found \"x/y\", expected a list"));
    CHECK(contains(complaints("nodes: {scarce: [gpu]}\n"), "found \"gpu\" in it, expected"));
    CHECK(contains(complaints("nodes: {scarce: [x/y, x/y]}\n"), "found \"x/y\" twice"));
}

TEST_CASE("loader: an unknown key is found at its place, with the nearest known one") {
    CHECK(
        complaints("gang:\n  maxGangsize: 5\n") ==
        "f:2:3: gang: found unknown key \"maxGangsize\", expected one of discovery, "
        "orphanExecutors, maxGangSize, dynamicAllocation, neverRunning, missingExecutors, did you "
        "mean "
        "\"maxGangSize\"?");
    CHECK(contains(complaints("leaderelection: {}\n"), "did you mean \"leaderElection\"?"));
    CHECK(contains(complaints("lease-name: x\n"), "f:1:1: found unknown key"));
    CHECK_FALSE(contains(complaints("zzzzzzzzzzzz: x\n"), "did you mean"));
}

TEST_CASE("loader: a repeated key is an error, not the first or the last value") {
    CHECK(
        complaints("gang:\n  maxGangSize: 5\n  maxGangSize: 6\n") ==
        "f:3:3: gang.maxGangSize: found the key a second time, expected it once");
    CHECK(contains(complaints("gang: {}\nevents: {}\ngang: {}\n"), "f:3:1: gang: found the key"));
}

TEST_CASE("loader: values of another type") {
    CHECK(
        complaints("leaderElection: {enabled: yes}\n") ==
        "f:1:27: leaderElection.enabled: found \"yes\", expected true or false");
    CHECK(contains(complaints("leaderElection: {enabled: \"true\"}\n"), "expected true or false"));
    CHECK(contains(complaints("gang: {maxGangSize: 010}\n"), "without a leading zero"));
    CHECK(contains(complaints("gang: {maxGangSize: \"10\"}\n"), "a whole number from 1 to 100000"));
    CHECK(contains(complaints("gang: {maxGangSize: 1e3}\n"), "a whole number"));
    CHECK(contains(complaints("gang: {maxGangSize: 1_000}\n"), "a whole number"));
    CHECK(contains(complaints("gang: {maxGangSize: [5]}\n"), "found a list"));
    CHECK(contains(complaints("gang: 5\n"), "found \"5\", expected a mapping"));
    CHECK(contains(complaints("gang:\n"), "f:1:1: gang: found nothing, expected a mapping"));
    CHECK(contains(complaints("- gang\n"), "found a list, expected a mapping"));
    CHECK(contains(complaints("logging: {level:}\n"), "found nothing, expected one of debug"));
}

TEST_CASE("loader: a text that YAML readers take for another type must be quoted") {
    for (const char* value : {"no", "On", "null", "012", "0x1F", "1e3", "1_000", "1.5", "~"}) {
        const std::string plain = std::string("leaderElection: {leaseName: ") + value + "}\n";
        CHECK_MESSAGE(contains(complaints(plain), "expected a text"), value);
    }
    CHECK(loaded("leaderElection: {leaseName: \"012\"}\n").leader_election.lease_name == "012");
    CHECK(loaded("leaderElection: {leaseName: 12-a}\n").leader_election.lease_name == "12-a");
}

TEST_CASE("loader: durations need a unit") {
    const auto wrong = complaints("leaderElection:\n  retryPeriod: 2\n");
    CHECK(contains(wrong, "f:2:16: leaderElection.retryPeriod: found \"2\" (no unit)"));
    CHECK(contains(wrong, "such as 15s, 1m30s or 500ms"));
    CHECK(contains(complaints("gang: {neverRunning: {after: 15min}}\n"), "found \"15min\""));
    CHECK(contains(complaints("gang: {neverRunning: {after: 10Mi}}\n"), "unknown unit"));
    CHECK(contains(complaints("gang: {neverRunning: {after: 10ms}}\n"), "from 1s to 720h"));
}

TEST_CASE("loader: ranges and words") {
    CHECK(contains(complaints("gang: {maxGangSize: 0}\n"), "from 1 to 100000"));
    CHECK(contains(complaints("gang: {maxGangSize: 99999999999999999999}\n"), "from 1 to 100000"));
    CHECK(contains(complaints("events: {perSecond: -1}\n"), "from 0 to 1000"));
    CHECK(contains(
        complaints("gang: {discovery: atuo}\n"),
        "one of auto, sparkConf, annotations, none, did you mean \"auto\"?"));
    CHECK(contains(complaints("gang: {dynamicAllocation: reserve}\n"), "reserve-initial"));
    CHECK(contains(complaints("apiVersion: v1\n"), "expected config.gang-scheduler/v1alpha1"));
    CHECK(contains(complaints("kind: Pod\n"), "expected one of SchedulerConfiguration, "));
}

TEST_CASE("loader: names that Kubernetes would refuse") {
    CHECK(contains(complaints("profiles: [{schedulerName: Gang}]\n"), "lower-case letters"));
    CHECK(contains(complaints("profiles: [{schedulerName: a..b}]\n"), "lower-case letters"));
    CHECK(contains(complaints("profiles: [{schedulerName: \"\"}]\n"), "lower-case letters"));
    CHECK(contains(complaints("leaderElection: {leaseNamespace: a.b}\n"), "a namespace"));
    CHECK(loaded("leaderElection: {leaseNamespace: \"\"}\n") == config::Schema{});
}

TEST_CASE("loader: profiles are a list of named things, each once") {
    CHECK(contains(complaints("profiles: []\n"), "found an empty list"));
    CHECK(contains(complaints("profiles: {}\n"), "found a mapping, expected a list"));
    CHECK(contains(complaints("profiles: [{}]\n"), "profiles[0]: found no key schedulerName"));
    CHECK(contains(complaints("profiles: [a]\n"), "profiles[0]: found \"a\", expected a mapping"));
    CHECK(
        complaints("profiles:\n- schedulerName: a\n- schedulerName: a\n") ==
        "f:3:18: profiles[1].schedulerName: found \"a\" a second time, expected each name once");
}

TEST_CASE("TOY-17: loader: each profile has a packing policy, its own") {
    const auto schema = loaded(
        "profiles: [{schedulerName: a, packing: fewest-nodes}, {schedulerName: b}, "
        "{packing: tightest, schedulerName: c}]\n");
    REQUIRE(schema.scheduler_names() == std::vector<std::string>{"a", "b", "c"});
    CHECK(schema.find_profile("a")->packing == core::PackingPolicy::fewest_nodes);
    CHECK(schema.find_profile("b")->packing == core::PackingPolicy::tightest);
    CHECK(schema.find_profile("c")->packing == core::PackingPolicy::tightest);
    CHECK(schema.find_profile("d") == nullptr);
    CHECK(contains(
        complaints("profiles: [{schedulerName: a, packing: fewest}]\n"),
        "profiles[0].packing: found \"fewest\""));
    CHECK(contains(
        complaints("profiles: [{schedulerName: a, packing: gpubestfit}]\n"),
        "did you mean \"gpu-bestfit\"?"));
}

TEST_CASE("profiles: each that comes with the program is read, and served beside others") {
    REQUIRE(config::builtin_profiles().size() >= 2);
    for (const config::BuiltinProfile& one : config::builtin_profiles()) {
        const auto own = config::load(one.text, one.name);
        REQUIRE_MESSAGE(own, (own ? "" : own.error().message));
        config::Schema schema;
        schema.profiles.front().scheduler_name = "mine";
        REQUIRE(config::add_builtin_profile(schema, one.name));
        CHECK(schema.profiles.front().scheduler_name == "mine");
        for (const config::Profile& profile : own->schema.profiles) {
            REQUIRE(schema.find_profile(profile.scheduler_name) != nullptr);
            CHECK(*schema.find_profile(profile.scheduler_name) == profile);
        }
    }
}

TEST_CASE(
    "profiles: what is configured already stays as it is, and a wrong name is told the right") {
    config::Schema schema;
    schema.profiles.front().packing = core::PackingPolicy::fewest_nodes;
    const config::Schema before = schema;
    REQUIRE(config::add_builtin_profile(schema, "gang-scheduler"));
    CHECK(schema == before);
    const auto wrong = config::add_builtin_profile(schema, "gang-schedular");
    REQUIRE_FALSE(wrong);
    CHECK(contains(wrong.error().message, "did you mean \"gang-scheduler\"?"));
    CHECK(schema == before);
}

TEST_CASE("loader: the lease's times must be ordered") {
    CHECK(
        complaints("leaderElection:\n  leaseDuration: 5s\n") ==
        "f:2:18: found leaseDuration 5s and renewDeadline 10s, expected leaseDuration to be "
        "longer by at least 1s");
    CHECK(contains(complaints("leaderElection: {renewDeadline: 14001ms}\n"), "at least 1s"));
    CHECK(loaded("leaderElection: {renewDeadline: 14s}\n").leader_election.enabled);
    CHECK(contains(complaints("leaderElection: {retryPeriod: 9s}\n"), "1.2 times retryPeriod"));
    CHECK(loaded("leaderElection: {retryPeriod: 8s}\n").leader_election.retry_period_ms == 8000);
}

TEST_CASE("loader: the extender listens on loopback alone, and has a scheduler's name of its own") {
    CHECK_FALSE(loaded("extender: {prefix: /x}\n").extender.enabled);
    CHECK(loaded("extender: {enabled: true}\n").extender.listen == "127.0.0.1:10354");
    CHECK(loaded("extender: {enabled: true, listen: \"[::1]:9\"}\n").extender.enabled);
    CHECK(contains(
        complaints("extender: {enabled: true, listen: \":10354\"}\n"),
        "f:1:35: extender.listen: found \":10354\""));
    CHECK(contains(complaints("extender: {listen: \"10.0.0.1:80\"}\n"), "loopback"));
    CHECK(contains(complaints("extender: {listen: \"unix:/run/x\"}\n"), "loopback"));
    CHECK(contains(complaints("extender: {enabled: true, listen: none}\n"), "found none while"));
    CHECK(contains(
        complaints("extender: {enabled: true, listen: \"127.0.0.1:10351\"}\n"),
        "control.listen has, too"));
    CHECK(contains(complaints("extender: {prefix: filter}\n"), "expected the path of a URL"));
    CHECK(contains(complaints("extender: {prefix: \"/a//b\"}\n"), "expected the path of a URL"));
    CHECK(contains(complaints("extender: {prefix: \"/a?b\"}\n"), "expected the path of a URL"));
    CHECK(contains(
        complaints("extender: {enabled: true, schedulerName: gang-scheduler}\n"),
        "f:1:42: extender.schedulerName: found \"gang-scheduler\", which is a profile's name, "
        "too"));
}

TEST_CASE("loader: the page and its JSON are off, and listen where nothing else does") {
    CHECK_FALSE(loaded("api: {listen: \":80\"}\n").api.enabled);
    CHECK(loaded("api: {enabled: true}\n").api.listen == "127.0.0.1:10353");
    CHECK(contains(complaints("api: {listen: \"gangs.example:80\"}\n"), "not an IP address"));
    CHECK(contains(complaints("api: {listen: \":x\"}\n"), "f:1:15: api.listen: found"));
    CHECK(contains(complaints("api: {enabled: yes}\n"), "expected true or false"));
    CHECK(contains(complaints("api: {enabled: true, listen: none}\n"), "found none while"));
    CHECK(contains(complaints("api: {hosts: [\"a:80\"]}\n"), "without ports"));
    CHECK(contains(complaints("api: {hosts: a}\n"), "expected a list of host names"));
    CHECK(contains(
        complaints("api: {enabled: true, listen: \":10352\"}\n"),
        "f:1:30: api.listen: found \":10352\", whose port server.listen has, too"));
    CHECK(contains(
        complaints("api: {enabled: true, listen: \":10351\"}\n"), "control.listen has, too"));
    CHECK(contains(
        complaints("server: {listen: \":10351\"}\n"), "control.listen: found \"127.0.0.1:10351"));
    CHECK_FALSE(loaded("api: {enabled: false, listen: \":10352\"}\n").api.enabled);
    CHECK(loaded("api: {enabled: true, listen: \"127.0.0.2:10351\"}\n").api.enabled);
    CHECK(loaded("api: {enabled: true, listen: \":0\"}\nserver: {listen: \":0\"}\n").api.enabled);
}

TEST_CASE("loader: the control endpoint stays on this machine") {
    CHECK(contains(complaints("control: {listen: \"0.0.0.0:80\"}\n"), "not a loopback address"));
    CHECK(contains(complaints("control: {listen: \"127.0.0.1\"}\n"), "no port"));
    CHECK(contains(complaints("control: {listen: \"127.0.0.1:70000\"}\n"), "up to 65535"));
    CHECK(contains(complaints("control: {listen: \"127.0.0.1.evil:1\"}\n"), "not a loopback"));
    CHECK(contains(complaints("control: {listen: \":10351\"}\n"), "not a loopback"));
    CHECK(loaded("control: {listen: none}\n").control_listen.empty());
    CHECK(loaded("control: {listen: \"[::1]:80\"}\n").control_listen == "[::1]:80");
    CHECK(loaded("control: {listen: 127.0.0.1:80}\n").control_listen == "127.0.0.1:80");
    CHECK(loaded("control: {listen: unix:/run/x}\n").control_listen == "unix:/run/x");
    CHECK(contains(complaints("control: {listen: \"unix:x\"}\n"), "an absolute path"));
    CHECK(loaded("server: {listen: none}\n").server_listen.empty());
    CHECK(contains(complaints("server: {listen: \"x:1\"}\n"), "not an IP address"));
}

TEST_CASE("loader: the corners of YAML are refused at their place") {
    CHECK(contains(complaints("gang: &g {discovery: none}\n"), "f:1:7: found an anchor"));
    CHECK(contains(complaints("gang: *g\n"), "f:1:7"));
    CHECK(contains(complaints("a: &a {}\ngang: {<<: *a}\n"), "found an alias"));
    CHECK(contains(complaints("gang: {<<: {discovery: none}}\n"), "found a merge key"));
    CHECK(contains(complaints("gang: !!map {}\n"), "found a tag"));
    CHECK(contains(complaints("gang: {}\n---\nevents: {}\n"), "found a second document"));
    CHECK(contains(complaints("? [a]\n: b\n"), "found a list as a key"));
}

TEST_CASE("loader: text that is no YAML") {
    CHECK(contains(complaints("gang: {\n"), "found no valid YAML"));
    CHECK(contains(complaints("\tgang: 1\n"), "f:1:"));
    CHECK(contains(complaints(std::string("gang: {}\n\x04 hidden: 1\n")), "f:2:1: found control"));
    CHECK(contains(complaints(std::string(100'000, '[')), "found no valid YAML"));
    CHECK(contains(complaints(std::string(config::file_bytes_max + 1, ' ')), "expected at most"));
}

TEST_CASE("loader: all complaints come together, in the file's order, up to a bound") {
    const auto two = complaints("events: {perSecond: x}\ngang: {discovery: y}\n");
    CHECK(contains(two, "f:1:21: events.perSecond"));
    CHECK(contains(two, "\nf:2:19: gang.discovery"));
    std::string many;
    for (int i = 0; i < 30; ++i) {
        many += "key" + std::to_string(i) + "x: 1\n";
    }
    const auto text = complaints(many);
    CHECK(std::count(text.begin(), text.end(), '\n') == 20);
    CHECK(contains(text, "and 10 more"));
}

TEST_CASE("loader: what a file says is escaped in the complaint") {
    const auto text = complaints("\"a\\e[31m\\nb\": 1\n");
    CHECK(contains(text, "\\x1b[31m\\nb"));
    CHECK_FALSE(contains(text, "\x1b"));
}
