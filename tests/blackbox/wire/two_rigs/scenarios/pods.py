"""Pods: defaults, validation, immutability, quota."""
import time

from support.client.api import MERGE_PATCH, Json

from ..builders import pod
from ..recorder import Recorder, scenario


def container(**more: object) -> Json:
    return {"name": "main", "image": "image:1", **more}


def requests(**amounts: object) -> Json:
    return container(resources={"requests": amounts})


@scenario
def pod_defaults(rig: Recorder) -> None:
    rig.ask("the least", "POST", rig.pods, {"metadata": {"name": "least"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
    rig.ask("much", "POST", rig.pods, {"metadata": {"name": "much", "labels": {"a": "b"}}, "spec": {
        "schedulerName": "nobody", "nodeSelector": {"zone": "a"}, "priority": 0, "terminationGracePeriodSeconds": 5,
        "tolerations": [{"key": "k", "operator": "Exists"}, {"key": "node.kubernetes.io/not-ready", "operator": "Exists"}],
        "initContainers": [{"name": "init", "image": "i:latest"},
                           {"name": "sidecar", "image": "i", "restartPolicy": "Always"}],
        "containers": [{"name": "c", "image": "i:latest", "ports": [{"containerPort": 80, "name": "http"}],
                        "env": [{"name": "N", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
                        "livenessProbe": {"httpGet": {"port": "http"}},
                        "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}},
                       {"name": "d", "image": "i@sha256:" + "0" * 64,
                        "resources": {"requests": {"cpu": "0.5", "memory": "1024Mi", "example.com/card": "1"},
                                      "limits": {"example.com/card": "1"}}}],
        "volumes": [{"name": "map", "configMap": {"name": "m"}}, {"name": "empty", "emptyDir": {}},
                    {"name": "secret", "secret": {"secretName": "s"}}, {"name": "host", "hostPath": {"path": "/x"}},
                    {"name": "projected", "projected": {"sources": [{"configMap": {"name": "m"}}]}}],
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]}}},
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
                                       "labelSelector": {"matchLabels": {"a": "b"}}}]}})
    rig.ask("host network", "POST", rig.pods, pod("host", {"hostNetwork": True, "containers": [
        container(ports=[{"containerPort": 80}])]}))
    rig.ask("best effort", "POST", rig.pods, pod("besteffort", {"containers": [container()]}))
    rig.ask("guaranteed", "POST", rig.pods, pod("guaranteed", {"containers": [container(resources={
        "limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}})]}))


@scenario
def pod_validation(rig: Recorder) -> None:
    for label, spec in (
            ("no containers", {"containers": []}), ("containers null", {"containers": None}),
            ("no name", {"containers": [{"image": "i"}]}), ("no image", {"containers": [{"name": "c"}]}),
            ("a name twice", {"containers": [container(), container()]}), ("a name with dots", {"containers": [container(name="a.b")]}),
            ("restart policy", {"restartPolicy": "Sometimes"}), ("DNS policy", {"dnsPolicy": "None"}),
            ("negative grace", {"terminationGracePeriodSeconds": -1}), ("selector", {"nodeSelector": {"a b": "c"}}),
            ("toleration operator", {"tolerations": [{"key": "k", "operator": "Likes"}]}),
            ("toleration effect", {"tolerations": [{"key": "k", "operator": "Exists", "effect": "Bad"}]}),
            ("toleration value with Exists", {"tolerations": [{"key": "k", "operator": "Exists", "value": "v"}]}),
            ("affinity operator", {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "k", "operator": "Like", "values": ["v"]}]}]}}}}),
            ("affinity without terms", {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": []}}}}),
            ("pod affinity without a topology key", {"affinity": {"podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [{"labelSelector": {}}]}}}),
            ("gate name", {"schedulingGates": [{"name": "a b"}]}), ("a gate twice", {"schedulingGates": [{"name": "a"}, {"name": "a"}]}),
            ("gate and node", {"schedulingGates": [{"name": "a"}], "nodeName": "n"}),
            ("spread skew", {"topologySpreadConstraints": [{"maxSkew": 0, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule"}]}),
            ("priority by hand", {"priority": 7}), ("priority class", {"priorityClassName": "absent"}),
            ("runtime class", {"runtimeClassName": "absent"}), ("volume twice", {"volumes": [
                {"name": "v", "emptyDir": {}}, {"name": "v", "emptyDir": {}}]}),
            ("volume of nothing", {"volumes": [{"name": "v"}]}),
            ("mount of no volume", {"containers": [container(volumeMounts=[{"name": "none", "mountPath": "/x"}])]}),
            ("port number", {"containers": [container(ports=[{"containerPort": 70000}])]}),
            ("pull policy", {"containers": [container(imagePullPolicy="Maybe")]}),
            ("env name", {"containers": [container(env=[{"name": "a=b", "value": "x"}])]}),
            ("host port without network", {"hostNetwork": True, "containers": [
                container(ports=[{"containerPort": 80, "hostPort": 81}])]}),
            ("deadline", {"activeDeadlineSeconds": 0}), ("node name", {"nodeName": "No Node"}),
            ("service account name", {"serviceAccountName": "A B"}), ("host name", {"hostname": "a.b"}),
            ("scheduler name", {"schedulerName": "Not A Name"})):
        rig.ask(label, "POST", rig.pods, pod("a", spec), dryRun="All")


@scenario
def quantities(rig: Recorder) -> None:
    for amount in ("1", "100m", "1.5", "0.1", "1e3", "1E3", "1Ki", "1k", "1.0005", "0", "-1", "x", "", "1 Gi", "1K", "1GiB",
                   "0x10", "1e", ".5", "5.", "+1", "9223372036854775807", "9223372036854775808", "1e400", "0.0000000001"):
        rig.ask(f"memory {amount!r}", "POST", rig.pods, pod("a", {"containers": [requests(memory=amount)]}), dryRun="All")
    for amount in ("1m", "0.5", "0.0001", 2, 0.5, "1000m", "1500m", "0.0015", "1u", "100n"):
        rig.ask(f"cpu {amount!r}", "POST", rig.pods, pod("a", {"containers": [requests(cpu=amount)]}), dryRun="All")
    for label, resources in (
            ("request over limit", {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}),
            ("extended, fraction", {"requests": {"example.com/card": "0.5"}, "limits": {"example.com/card": "0.5"}}),
            ("extended, request only", {"requests": {"example.com/card": "1"}}),
            ("extended, not equal", {"requests": {"example.com/card": "1"}, "limits": {"example.com/card": "2"}}),
            ("unknown bare name", {"requests": {"cards": "1"}}), ("pods", {"requests": {"pods": "1"}}),
            ("huge pages alone", {"limits": {"hugepages-2Mi": "2Mi"}}), ("ephemeral", {"requests": {"ephemeral-storage": "1Gi"}})):
        rig.ask(label, "POST", rig.pods, pod("a", {"containers": [container(resources=resources)]}), dryRun="All")


@scenario
def pod_updates(rig: Recorder) -> None:
    rig.quietly("POST", rig.pods, pod("a", {"schedulingGates": [{"name": "example.com/x"}, {"name": "example.com/y"}]}))
    path = f"{rig.pods}/a"
    for label, patch in (
            ("image", {"spec": {"containers": [{"name": "main", "image": "image:2"}]}}),
            ("resources", {"spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "2"}}}]}}),
            ("env", {"spec": {"containers": [{"name": "main", "env": [{"name": "A", "value": "b"}]}]}}),
            ("node name", {"spec": {"nodeName": "node-a"}}), ("scheduler", {"spec": {"schedulerName": "other"}}),
            ("deadline", {"spec": {"activeDeadlineSeconds": 60}}), ("deadline grows", {"spec": {"activeDeadlineSeconds": 90}}),
            ("selector of a gated pod", {"spec": {"nodeSelector": {"zone": "a"}}}),
            ("a gate goes", {"spec": {"$setElementOrder/schedulingGates": [{"name": "example.com/y"}],
                                      "schedulingGates": [{"$patch": "delete", "name": "example.com/x"}]}}),
            ("a gate comes", {"spec": {"schedulingGates": [{"name": "example.com/new"}]}}),
            ("a toleration more", {"spec": {"tolerations": [{"key": "k", "operator": "Exists"}]}}),
            ("grace", {"spec": {"terminationGracePeriodSeconds": 7}}), ("status is left alone", {"status": {"phase": "Running"}})):
        rig.ask(label, "PATCH", path, patch, "application/strategic-merge-patch+json")
    rig.ask("created with a status", "POST", rig.pods, {**pod("s"), "status": {"phase": "Running", "podIP": "1.2.3.4"}})
    rig.ask("created on a node", "POST", rig.pods, pod("n", {"nodeName": "node-a"}))
    rig.ask("log of a pod that does not run", "GET", f"{rig.pods}/s/log")
    rig.ask("resize", "PATCH", f"{rig.pods}/n/resize", {"spec": {"containers": [
        {"name": "main", "resources": {"requests": {"cpu": "200m"}}}]}}, "application/strategic-merge-patch+json")


@scenario
def pods_under_quota(rig: Recorder) -> None:
    """The admission plugin alone: nobody plays kube-controller-manager but the scenario."""
    quotas = rig.path("resourcequotas")
    hard = {"pods": "3", "requests.cpu": "250m", "limits.memory": "1Gi"}
    rig.ask("quota", "POST", quotas, {"metadata": {"name": "team"}, "spec": {"hard": hard}})
    fits = {"containers": [container(resources={"requests": {"cpu": "100m"}, "limits": {"memory": "100Mi"}})]}
    rig.ask("counted by nobody", "POST", rig.pods, pod("free"))
    used = {"pods": "1", "requests.cpu": "100m", "limits.memory": "0"}
    rig.ask("status", "PATCH", f"{quotas}/team/status", {"status": {"hard": hard, "used": used}}, MERGE_PATCH)
    deadline = time.monotonic() + 10  # the real plugin reads a cache
    while rig.quietly("POST", rig.pods, pod("says-nothing"), dryRun="All").status != 403 and time.monotonic() < deadline:
        time.sleep(0.1)
    rig.ask("without what is counted", "POST", rig.pods, pod("says-nothing"))
    rig.ask("two that do not say it", "POST", rig.pods, pod("two", {
        "containers": [{**container(), "name": "a"}, {**container(), "name": "b"}],
        "initContainers": [{**container(), "name": "c"}]}))
    rig.ask("not made", "POST", rig.pods, pod("dry", fits), dryRun="All")
    rig.ask("the second", "POST", rig.pods, pod("second", fits))
    rig.ask("counted", "GET", f"{quotas}/team")
    rig.ask("too much cpu", "POST", rig.pods, pod("third", fits))
    small = {"containers": [container(resources={"requests": {"cpu": "1m"}, "limits": {"memory": "1Mi"}})]}
    rig.ask("the third", "POST", rig.pods, pod("third", small))
    rig.ask("one too many", "POST", rig.pods, pod("fourth", small))
    rig.ask("counted again", "GET", f"{quotas}/team")
    rig.ask("two init containers", "POST", rig.pods, pod("init", {**small, "initContainers": [
        {**small["containers"][0], "name": "a"}, {**small["containers"][0], "name": "b"}]}), dryRun="All")
