// kube-scheduler's own configuration: the versions of the lecture, and v1.
#include "tests/config/kube.hpp"

#include <doctest/doctest.h>

using tests::contains;
using tests::filters;
using tests::loaded;
using tests::scores;
using tests::wrong;

namespace {

constexpr const char* first_slide = R"(
apiVersion: componentconfig/v1alpha1
kind: KubeSchedulerConfiguration
schedulerName: my-scheduler
algorithmSource:
  policy:
    configMap:
      namespace: kube-system
      name: my-scheduler-policy
leaderElection:
  leaderElect: true
  lockObjectName: my-scheduler
  lockObjectNamespace: kube-system
)";

constexpr const char* second_slide = R"(
apiVersion: kubescheduler.config.k8s.io/v1alpha1
kind: KubeSchedulerConfiguration
schedulerName: my-scheduler
algorithmSource:
  policy:
    file:
      path: policy.json
leaderElection:
  leaderElect: true
  lockObjectName: my-scheduler
  lockObjectNamespace: kube-system
clientConnection:
  kubeconfig: /etc/kubernetes/scheduler.conf
)";

constexpr const char* small_policy =
    R"({"kind": "Policy", "apiVersion": "v1", "priorities": [{"name": "EqualPriority"}]})";

std::string v1(const std::string& rest) {
    return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + rest;
}

std::string with_plugins(const std::string& plugins) {
    return v1("profiles: [{schedulerName: a, plugins: {" + plugins + "}}]\n");
}

constexpr const char* default_scores =
    "TaintToleration*3 NodeAffinity*2 NodeResourcesLeastAllocated*1 PodTopologySpread*2 "
    "InterPodAffinity*2 NodeResourcesBalancedAllocation*1 ImageLocality*1";

}  // namespace

TEST_CASE("SEC-6: the first slide's file names a map of the cluster") {
    config::Loaded found = loaded(first_slide);
    CHECK(found.policy_map == config::PolicyMap{"kube-system", "my-scheduler-policy"});
    CHECK(found.schema.scheduler_names() == std::vector<std::string>{"my-scheduler"});
    CHECK(found.schema.leader_election.lease_name == "my-scheduler");
    CHECK(found.schema.leader_election.lease_namespace == "kube-system");
    const auto whole = config::apply_policy(found, small_policy, "policy.cfg");
    REQUIRE(whole);
    CHECK_FALSE(whole->policy_map);
    CHECK(scores(*whole) == "first-by-name*1");
    CHECK(whole->schema.profiles[0].scheduler_name == "my-scheduler");
    const auto broken = config::apply_policy(found, "{\"kind\": \"Policy\"", "policy.cfg");
    REQUIRE_FALSE(broken);
    CHECK(broken.error().message.starts_with("policy.cfg:1:"));
}

TEST_CASE("SEC-7: the second slide's file names a file, which must be there") {
    const auto found = config::load(second_slide, "config.yaml", [](const std::string& path) {
        return path == "policy.json" ? core::Result<std::string>(small_policy)
                                     : tests::no_file(path);
    });
    REQUIRE(found);
    CHECK(found->schema.kubeconfig == "/etc/kubernetes/scheduler.conf");
    CHECK(scores(*found) == "first-by-name*1");
    CHECK(
        wrong(second_slide) ==
        "policy.cfg:8:13: policy.file.path: policy.json: No such file or directory");
}

TEST_CASE("v1alpha1: providers instead of a policy, and not both") {
    const auto source = [](const std::string& of) {
        return "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: "
               "KubeSchedulerConfiguration\nschedulerName: a\nalgorithmSource: " +
               of + "\n";
    };
    CHECK(contains(
        scores(loaded(source("{provider: DefaultProvider}"))), "NodeResourcesLeastAllocated*1"));
    CHECK(contains(
        scores(loaded(source("{provider: ClusterAutoscalerProvider}"))),
        "NodeResourcesMostAllocated*1"));
    CHECK(contains(wrong(source("{provider: Mine}")), "expected one of DefaultProvider"));
    CHECK(contains(wrong(source("{}")), "expected either provider or policy"));
    CHECK(contains(wrong(source("{policy: {}}")), "expected either file or configMap"));
    CHECK(contains(wrong(source("{policy: {configMap: {name: a}}}")), "namespace and name"));
    CHECK(contains(
        wrong(source("{policy: {file: {path: a}}}") + "plugins: {}\n"),
        "found plugins beside a policy"));
}

TEST_CASE("SEC-8: v1 with two profiles, each with its own strategy") {
    const config::Loaded found = loaded(v1(R"(profiles:
  - schedulerName: packing
    pluginConfig:
      - name: NodeResourcesFit
        args:
          scoringStrategy:
            type: MostAllocated
            resources: [{name: cpu, weight: 1}]
  - schedulerName: spreading
)"));
    CHECK(contains(scores(found, 0), "NodeResourcesMostAllocated*1"));
    CHECK(scores(found, 1) == default_scores);
    CHECK(found.warnings.empty());
    CHECK(found.schema.profiles[0].messages == config::Messages::kube_scheduler);
    CHECK(found.schema.profiles[0].gangs);
}

TEST_CASE("SEC-9: a plugin that nobody knows is named, and one enabled twice is refused") {
    const std::string slide = R"(
apiVersion: kubescheduler.config.k8s.io/v1alpha1
kind: KubeSchedulerConfiguration
schedulerName: a
plugins:
  reserve:
    enabled:
      - name: bar
      - name: foo
    disabled:
      - name: foo
)";
    const std::string complaints = wrong(slide);
    CHECK(complaints.starts_with("policy.cfg:8:15: unknown plugin \"bar\""));
    CHECK(contains(
        wrong(with_plugins("score: {enabled: [{name: NodeAffinity}, {name: NodeAffinity}]}")),
        "found NodeAffinity enabled twice"));
}

TEST_CASE("SEC-9: what is disabled and enabled again comes behind the other defaults") {
    CHECK(
        scores(loaded(with_plugins(
            "multiPoint: {disabled: [{name: TaintToleration}, {name: ImageLocality}], "
            "enabled: [{name: ImageLocality, weight: 7}, {name: TaintToleration, weight: 5}]}"))) ==
        "NodeAffinity*2 NodeResourcesLeastAllocated*1 PodTopologySpread*2 "
        "InterPodAffinity*2 NodeResourcesBalancedAllocation*1 ImageLocality*7 "
        "TaintToleration*5");
    CHECK(
        scores(loaded(
            with_plugins("score: {disabled: [{name: '*'}], enabled: [{name: NodeAffinity}]}"))) ==
        "NodeAffinity*1");
    CHECK(scores(loaded(with_plugins("score: {disabled: [{name: '*'}]}"))).empty());
}

TEST_CASE("v1: an extension point on top of multiPoint") {
    CHECK(
        scores(loaded(with_plugins("multiPoint: {enabled: [{name: NodeAffinity, weight: 9}]}"))) ==
        "TaintToleration*3 NodeAffinity*9 NodeResourcesLeastAllocated*1 PodTopologySpread*2 "
        "InterPodAffinity*2 NodeResourcesBalancedAllocation*1 ImageLocality*1");
    CHECK(
        scores(loaded(with_plugins(
            "multiPoint: {disabled: [{name: '*'}], enabled: [{name: NodeResourcesFit}, "
            "{name: NodeAffinity, weight: 2}]}, score: {enabled: [{name: NodeAffinity, weight: "
            "4}, {name: ImageLocality}]}"))) ==
        "NodeAffinity*4 NodeResourcesLeastAllocated*1 ImageLocality*1");
    CHECK(
        filters(loaded(
            with_plugins("filter: {disabled: [{name: '*'}], enabled: [{name: NodeResourcesFit}, "
                         "{name: TaintToleration}]}"))) == "NodeResourcesFit TaintToleration");
    CHECK(contains(
        wrong(with_plugins("filter: {disabled: [{name: NodeResourcesFit}]}")),
        "NodeResourcesFit cannot be left out: gangs hold room on nodes"));
    CHECK(contains(
        wrong(with_plugins("filter: {enabled: [{name: ImageLocality}]}")),
        "ImageLocality is no plugin of filter"));
}

TEST_CASE("v1: arguments of plugins") {
    const auto arguments = [](const std::string& of) {
        return v1("profiles: [{schedulerName: a, pluginConfig: [" + of + "]}]\n");
    };
    const config::Loaded ratio = loaded(arguments(
        "{name: NodeResourcesFit, args: {apiVersion: kubescheduler.config.k8s.io/v1, kind: "
        "NodeResourcesFitArgs, scoringStrategy: {type: RequestedToCapacityRatio, resources: "
        "[{name: nvidia.com/gpu, weight: 3}], requestedToCapacityRatio: {shape: [{utilization: 0, "
        "score: 0}, {utilization: 100, score: 10}]}}}}"));
    CHECK(contains(scores(ratio), "NodeAffinity*2 RequestedToCapacityRatio*1"));
    CHECK(contains(
        wrong(arguments("{name: NodeResourcesFit, args: {scoringStrategy: {type: "
                        "RequestedToCapacityRatio}}}")),
        "found no shape"));
    CHECK(contains(
        wrong(arguments("{name: NodeResourcesFit, args: {scoringStrategy: {type: Most}}}")),
        "expected one of LeastAllocated, MostAllocated, RequestedToCapacityRatio"));
    CHECK(contains(wrong(arguments("{name: Mine, args: {}}")), "unknown plugin \"Mine\""));
    CHECK(contains(
        wrong(arguments("{name: NodeAffinity, args: {}}, {name: NodeAffinity, args: {}}")),
        "found arguments of NodeAffinity twice"));
    CHECK(contains(
        loaded(arguments("{name: NodeAffinity, args: {addedAffinity: {}}}")).warnings.at(0),
        "the arguments of NodeAffinity have no effect here"));
    const auto pods = loaded(arguments(
        "{name: InterPodAffinity, args: {hardPodAffinityWeight: 3, "
        "ignorePreferredTermsOfExistingPods: true}}"));
    CHECK(pods.schema.profiles[0].pod_scoring == core::PodScoring{3, true});
    CHECK(contains(
        wrong(arguments("{name: InterPodAffinity, args: {hardPodAffinityWeight: 101}}")),
        "a whole number from 0 to 100"));
}

TEST_CASE("SEC-10: what is understood and has no effect is one warning each") {
    const config::Loaded found = loaded(v1(R"(parallelism: 16
percentageOfNodesToScore: 50
leaderElection: {leaderElect: false, resourceLock: leases}
clientConnection: {qps: 100}
extenders: [{urlPrefix: "http://a", httpTimeout: 5s, enableHTTPS: true}]
profiles:
  - schedulerName: a
    plugins: {queueSort: {enabled: [{name: PrioritySort}]}}
)"));
    CHECK(found.warnings.size() == 5);
    REQUIRE(found.schema.extenders.size() == 1);
    CHECK(found.schema.extenders[0].timeout_ms == 5'000);
    CHECK_FALSE(found.schema.leader_election.enabled);
    CHECK(contains(found.warnings[0], "policy.cfg:3:1: parallelism is understood, and has no"));
    CHECK(contains(found.warnings[4], "plugins.queueSort is understood, and has no effect"));
}

TEST_CASE("v1: unknown keys and versions are refused") {
    CHECK(contains(wrong(v1("profile: []\n")), "policy.cfg:3:1: unknown key \"profile\""));
    CHECK(contains(wrong(v1("profile: []\n")), "did you mean profiles?"));
    CHECK(contains(
        wrong("apiVersion: kubescheduler.config.k8s.io/v2\nkind: KubeSchedulerConfiguration\n"),
        "expected one of componentconfig/v1alpha1"));
    CHECK(contains(
        wrong(v1("profiles: [{schedulerName: a}, {schedulerName: a}]\n")), "a second time"));
    CHECK(
        contains(loaded(v1("")).warnings.at(0), "the name default-scheduler is served: no other"));
}
