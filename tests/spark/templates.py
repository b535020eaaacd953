"""Random executor pod templates, as users write them: YAML or JSON, plain or clever."""
import json
import random
from typing import Any, Optional

import yaml

CPU = ("100m", "0.5", 1, 2, "1", "250m", "1500m")
MEMORY = ("64Mi", "1Gi", "128M", "1.5Gi", "256Mi", 134217728)


def random_template(chance: random.Random) -> tuple[str, Optional[str]]:
    """The text, and the name of the container that Spark may be told to use."""
    spec: dict[str, Any] = {}
    containers, name = _containers(chance)
    if containers is not None:
        spec["containers"] = containers
    if chance.random() < 0.3:
        spec["initContainers"] = _init_containers(chance)
    for key, share, make in _PARTS:
        if chance.random() < share:
            spec[key] = make(chance)
    pod: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "spec": spec}
    if chance.random() < 0.5:
        pod["metadata"] = {"labels": {"team": "from-template", "tier": "batch"},
                           "annotations": {"example.com/note": "x"}}
        if chance.random() < 0.3:
            pod["metadata"]["name"] = "template"
    if chance.random() < 0.1:
        del pod[chance.choice(("apiVersion", "kind"))]
    return _text(chance, pod), name


def _text(chance: random.Random, pod: dict[str, Any]) -> str:
    form = chance.random()
    if form < 0.2:
        return json.dumps(pod, indent=chance.choice((None, 2)))
    text = yaml.safe_dump(pod, default_flow_style=chance.choice((False, False, None)),
                          sort_keys=chance.random() < 0.5)
    if form < 0.3:
        return "---\n" + text
    if form < 0.35:
        return "# a comment\n" + text + "\n...\n"
    if form < 0.38:
        return text + "---\nkind: Pod\napiVersion: v1\nspec: {nodeSelector: {second: document}}\n"
    if form < 0.41:
        return yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [pod]})
    return text


def _containers(chance: random.Random) -> tuple[Optional[list[Any]], Optional[str]]:
    kind = chance.random()
    if kind < 0.15:
        return None, None
    if kind < 0.2:
        return [], None
    made = [_container(chance, name) for name in ("main", "sidecar", "shipper")[:chance.randint(1, 3)]]
    if chance.random() < 0.05:
        del made[0]["name"]
    return made, chance.choice(("main", "sidecar", "shipper", "nobody"))


def _container(chance: random.Random, name: str) -> dict[str, Any]:
    made: dict[str, Any] = {"name": name, "image": "example.com/image"}
    if chance.random() < 0.8:
        made["resources"] = _resources(chance)
    if chance.random() < 0.25:
        port = {"containerPort": chance.choice((9090, 8125, 4000)), "name": "metrics"}
        if chance.random() < 0.6:
            port["hostPort"] = chance.choice((port["containerPort"], 30_001, 30_002))
        if chance.random() < 0.3:
            port["protocol"] = "UDP"
        if chance.random() < 0.2 and "hostPort" in port:
            port["hostIP"] = "127.0.0.1"
        made["ports"] = [port]
    return made


def _resources(chance: random.Random) -> dict[str, Any]:
    made: dict[str, Any] = {}
    cpu, memory = chance.choice(CPU), chance.choice(MEMORY)
    where = chance.choice((("requests",), ("limits",), ("requests", "limits")))
    for part in where:
        made[part] = {"cpu": cpu, "memory": memory}
        if chance.random() < 0.2:
            made[part]["ephemeral-storage"] = "2Gi"
        if chance.random() < 0.1:
            del made[part][chance.choice(("cpu", "memory"))]
    if chance.random() < 0.12:
        made.setdefault("limits", {})["nvidia.com/gpu"] = chance.choice((1, "2"))
    if chance.random() < 0.05:
        made.setdefault("limits", {})["hugepages-2Mi"] = "4Mi"
    return made


def _init_containers(chance: random.Random) -> list[Any]:
    made = []
    for number in range(chance.randint(1, 3)):
        container = _container(chance, f"init-{number}")
        if chance.random() < 0.4:
            container["restartPolicy"] = "Always"
        made.append(container)
    return made


def _tolerations(chance: random.Random) -> list[Any]:
    some = (
        {"key": "spark", "operator": "Equal", "value": "true", "effect": "NoSchedule"},
        {"key": "spark", "value": "only", "effect": "NoSchedule"},
        {"operator": "Exists"},
        {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute",
         "tolerationSeconds": 5},
        {"key": "spot", "operator": "Exists", "effect": "PreferNoSchedule"},
        {"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"},
    )
    return chance.sample(some, chance.randint(1, 3))


def _node_affinity(chance: random.Random) -> dict[str, Any]:
    requirement = chance.choice((
        {"key": "pool", "operator": "In", "values": ["a", "b"]},
        {"key": "spot", "operator": "DoesNotExist"},
        {"key": "disk", "operator": "Exists"},
        {"key": "cores", "operator": "Gt", "values": ["4"]},
        {"key": "cores", "operator": "Lt", "values": ["64"]},
        {"key": "zone", "operator": "NotIn", "values": ["c"]}))
    made: dict[str, Any] = {}
    if chance.random() < 0.7:
        term: dict[str, Any] = {"matchExpressions": [requirement]}
        if chance.random() < 0.2:
            term["matchFields"] = [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]
        made["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": [term]}
    if chance.random() < 0.5 or not made:
        made["preferredDuringSchedulingIgnoredDuringExecution"] = [
            {"weight": 10, "preference": {"matchExpressions": [requirement]}}]
    return made


def _affinity(chance: random.Random) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if chance.random() < 0.6:
        made["nodeAffinity"] = _node_affinity(chance)
    term: dict[str, Any] = {"labelSelector": {"matchLabels": {"spark-role": "executor"}},
                            "topologyKey": "kubernetes.io/hostname"}
    if chance.random() < 0.2:
        term["matchLabelKeys"] = ["spark-app-selector"]
    if chance.random() < 0.2:
        term["namespaceSelector"] = {}
    kind = chance.choice(("podAffinity", "podAntiAffinity"))
    if chance.random() < 0.5 or not made:
        made[kind] = chance.choice((
            {"requiredDuringSchedulingIgnoredDuringExecution": [term]},
            {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 5, "podAffinityTerm": term}]}))
    return made


def _spread(chance: random.Random) -> list[Any]:
    made: dict[str, Any] = {"maxSkew": chance.choice((1, 2)), "topologyKey": "topology.kubernetes.io/zone",
                            "whenUnsatisfiable": chance.choice(("DoNotSchedule", "ScheduleAnyway")),
                            "labelSelector": {"matchLabels": {"spark-role": "executor"}}}
    if made["whenUnsatisfiable"] == "DoNotSchedule" and chance.random() < 0.4:
        made["minDomains"] = 2
    if chance.random() < 0.3:
        made["nodeTaintsPolicy"] = "Honor"
    if chance.random() < 0.3:
        made["matchLabelKeys"] = ["spark-app-selector"]
    return [made]


def _volumes(chance: random.Random) -> list[Any]:
    some = (
        {"name": "cache", "persistentVolumeClaim": {"claimName": "shared-cache", "readOnly": True}},
        {"name": "scratch", "emptyDir": {"sizeLimit": "1Gi"}},
        {"name": "each", "ephemeral": {"volumeClaimTemplate": {"spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
            "resources": {"requests": {"storage": "10Gi"}}}}}},
        {"name": "files", "csi": {"driver": "files.example.com"}},
        {"name": "host", "hostPath": {"path": "/data"}},
    )
    return chance.sample(some, chance.randint(1, 2))


_PARTS = (
    ("nodeSelector", 0.25, lambda chance: {"disk": "template", "from": "template"}),
    ("tolerations", 0.3, _tolerations),
    ("affinity", 0.3, _affinity),
    ("topologySpreadConstraints", 0.2, _spread),
    ("priorityClassName", 0.2, lambda chance: chance.choice(("high", "low"))),
    ("runtimeClassName", 0.1, lambda chance: "sandboxed"),
    ("overhead", 0.05, lambda chance: {"cpu": "250m", "memory": "120Mi"}),
    ("schedulerName", 0.15, lambda chance: chance.choice(("gang-scheduler", "another"))),
    ("hostNetwork", 0.1, lambda chance: True),
    ("volumes", 0.2, _volumes),
    ("resources", 0.1, lambda chance: chance.choice((
        {"requests": {"cpu": "20", "memory": "64Gi"}}, {"limits": {"cpu": "20", "memory": "64Gi"}}))),
    ("schedulingGates", 0.03, lambda chance: [{"name": "example.com/wait"}]),
    ("preemptionPolicy", 0.05, lambda chance: "Never"),
    ("restartPolicy", 0.2, lambda chance: "Always"),
    ("hostname", 0.05, lambda chance: "fixed"),
    ("nodeName", 0.02, lambda chance: "node-1"),
    ("terminationGracePeriodSeconds", 0.1, lambda chance: 5),
    ("serviceAccountName", 0.05, lambda chance: "template"),
    ("imagePullSecrets", 0.05, lambda chance: [{"name": "registry"}]),
)
