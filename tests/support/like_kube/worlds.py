"""Random clusters with pods on them, and one pod that is to be placed: what a seed draws."""
import random
from dataclasses import dataclass, field
from typing import Any

from support.client.json_type import Json

ZONE, HOST, GPU = "topology.kubernetes.io/zone", "kubernetes.io/hostname", "example.com/gpu"
SPACES = ("like-a", "like-b")
SPACE_LABELS = {"like-a": {"team": "x"}, "like-b": {"tier": "b"}}


@dataclass
class World:
    nodes: list[Json] = field(default_factory=list)
    csi_nodes: list[Json] = field(default_factory=list)
    volumes: list[Json] = field(default_factory=list)
    claims: list[Json] = field(default_factory=list)
    services: list[Json] = field(default_factory=list)
    pods: list[Json] = field(default_factory=list)  # on their nodes
    probe: Json = field(default_factory=dict)       # without a schedulerName
    has_spread: bool = False


class Dice:
    """Chance from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def percent(self, share: int) -> bool:
        return self._random.randrange(100) < share

    def any(self, *choices: Any) -> Any:
        return self._random.choice(choices)

    def number(self, least: int, most: int) -> int:
        return self._random.randint(least, most)

    def some(self, most: int, make: Any) -> list[Any]:
        return [make() for _ in range(self.number(1, most))]


def draw(seed: int) -> World:
    dice = Dice(seed)
    world = World()
    world.nodes = [_node(dice, f"like-{seed}-{i}") for i in range(dice.number(2, 5))]
    names = [node["metadata"]["name"] for node in world.nodes]
    for i in range(dice.number(0, 6)):
        pod = _pod(dice, f"there-{i}", dice.percent(25))
        pod["spec"].update(nodeName=dice.any(*names), schedulerName="somebody-else")
        world.pods.append(pod)
    world.probe = _pod(dice, "probe", dice.percent(60))
    _add_node_rules(dice, world.probe["spec"], names)
    if dice.percent(20):
        rules = dice.some(2, lambda: any_spread(dice))
        world.probe["spec"]["topologySpreadConstraints"] = list({each["topologyKey"]: each for each in rules}.values())
        # Cordoned nodes are to be closed to it: see Judge.
        world.probe["spec"].pop("tolerations", None)
        world.has_spread = True
    if dice.percent(12):
        _add_claim(dice, world, seed)
    return world


def _node(dice: Dice, name: str) -> Json:
    labels = {HOST: name}
    if dice.percent(80):
        labels[ZONE] = dice.any("a", "b", "c")
    if dice.percent(70):
        labels["disk"] = dice.any("ssd", "hdd")
    if dice.percent(50):
        labels["rank"] = str(dice.number(1, 9))
    room = {"cpu": dice.any("1", "2", "4"), "memory": dice.any("1Gi", "2Gi", "4Gi"), "pods": dice.any("3", "110")}
    if dice.percent(30):
        room[GPU] = dice.any("1", "2")
    node = any_room(name, labels, room)
    spec = node["spec"]
    if dice.percent(35):
        spec["taints"] = dice.some(2, lambda: {
            "key": dice.any("t", "u"), **({"value": "x"} if dice.percent(50) else {}),
            "effect": dice.any("NoSchedule", "NoExecute", "PreferNoSchedule")})
        spec["taints"] = list({(each["key"], each["effect"]): each for each in spec["taints"]}.values())
    if dice.percent(10):
        spec["unschedulable"] = True
    return node


def any_room(name: str, labels: Json, room: Json) -> Json:
    """A node that is Ready."""
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": {},
            "status": {"capacity": room, "allocatable": room, "conditions": [
                {"type": "Ready", "status": "True", "reason": "Test", "message": ""}]}}


def _pod(dice: Dice, name: str, has_rules: bool) -> Json:
    labels = {"app": dice.any("a", "b"), "tier": dice.any("x", "y")}
    requests = {"cpu": dice.any("100m", "500m", "1", "2"), "memory": dice.any("64Mi", "512Mi", "1Gi")}
    container: Json = {"name": "main", "image": "none", "resources": {"requests": requests}}
    if dice.percent(12):
        container["resources"]["limits"] = {GPU: "1"}
    if dice.percent(18):
        container["ports"] = [_port(dice)]
    spec: Json = {"containers": [container], "restartPolicy": "Never", "terminationGracePeriodSeconds": 0}
    if dice.percent(8):
        spec["volumes"] = [{"name": "disk", "gcePersistentDisk": {"pdName": "d", "readOnly": dice.percent(50)}}]
    affinity: Json = {}
    if has_rules and dice.percent(45):
        affinity["podAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": dice.some(2, lambda: any_term(dice))}
    if has_rules and dice.percent(60):
        affinity["podAntiAffinity"] = {
            "requiredDuringSchedulingIgnoredDuringExecution": dice.some(2, lambda: any_term(dice))}
    if affinity:
        spec["affinity"] = affinity
    return {"apiVersion": "v1", "kind": "Pod", "spec": spec,
            "metadata": {"name": name, "namespace": dice.any(*SPACES), "labels": labels}}


def _port(dice: Dice) -> Json:
    number = dice.number(8080, 8081)
    port: Json = {"containerPort": number, "hostPort": number, "protocol": dice.any("TCP", "TCP", "UDP")}
    if dice.percent(40):
        port["hostIP"] = dice.any("0.0.0.0", "127.0.0.1", "10.0.0.1")
    return port


def _selector(dice: Dice) -> Json:
    if dice.percent(60):
        return {"matchLabels": {dice.any("app", "tier"): dice.any("a", "b", "x", "y")}}
    return {"matchExpressions": [_expression(dice, ("app", "tier", "none"), ("a", "b", "x"), ("In", "NotIn"))]}


def _expression(dice: Dice, keys: tuple[str, ...], values: tuple[str, ...], with_values: tuple[str, ...]) -> Json:
    operator = dice.any(*with_values, "Exists", "DoesNotExist")
    chosen = {"values": sorted(set(dice.some(2, lambda: dice.any(*values))))} if operator in with_values else {}
    return {"key": dice.any(*keys), "operator": operator, **chosen}


def any_term(dice: Dice) -> Json:
    term: Json = {"topologyKey": dice.any(HOST, ZONE, ZONE, "disk"), "labelSelector": _selector(dice)}
    if dice.percent(25):
        term["namespaces"] = dice.some(2, lambda: dice.any(*SPACES))
    if dice.percent(20):
        term["namespaceSelector"] = dice.any({}, _space_selector(dice))
    if dice.percent(15):
        term[dice.any("matchLabelKeys", "mismatchLabelKeys")] = [dice.any("tier", "none")]
    keys = {each["key"] for each in term["labelSelector"].get("matchExpressions", [])}
    if "tier" in keys | set(term["labelSelector"].get("matchLabels", {})):
        term.pop("matchLabelKeys", None)  # one key may not be in both
        term.pop("mismatchLabelKeys", None)
    return term


def _space_selector(dice: Dice) -> Json:
    if dice.percent(40):
        return {"matchLabels": dice.any({"team": "x"}, {"tier": "b"}, {"kubernetes.io/metadata.name": "like-a"})}
    return {"matchExpressions": [_expression(dice, ("team", "tier", "none"), ("x", "b", "y"), ("In", "NotIn"))]}


def any_spread(dice: Dice) -> Json:
    rule: Json = {"maxSkew": dice.number(1, 2), "topologyKey": dice.any(ZONE, HOST, "disk"),
                  "whenUnsatisfiable": "DoNotSchedule", "labelSelector": _selector(dice)}
    if dice.percent(25):
        rule["minDomains"] = dice.number(1, 4)
    for policy in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        if dice.percent(30):
            rule[policy] = dice.any("Honor", "Ignore")
    return rule


def _add_node_rules(dice: Dice, spec: Json, names: list[str]) -> None:
    if dice.percent(15):
        spec["nodeSelector"] = {"disk": dice.any("ssd", "hdd")}
    if dice.percent(30):
        spec.setdefault("affinity", {})["nodeAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": dice.some(2, lambda: _node_term(dice, names))}}
    if dice.percent(40):
        spec["tolerations"] = dice.some(2, lambda: _toleration(dice))


def _node_term(dice: Dice, names: list[str]) -> Json:
    if dice.percent(5):
        return {}
    term: Json = {}
    if dice.percent(85):
        term["matchExpressions"] = dice.some(2, lambda: _node_expression(dice))
    if dice.percent(15) or not term:
        term["matchFields"] = [{"key": "metadata.name", "operator": dice.any("In", "NotIn"),
                                "values": [dice.any(*names)]}]
    return term


def _node_expression(dice: Dice) -> Json:
    if dice.percent(25):
        return {"key": "rank", "operator": dice.any("Gt", "Lt"), "values": [str(dice.number(1, 9))]}
    return _expression(dice, (ZONE, "disk", "none"), ("a", "b", "ssd"), ("In", "NotIn"))


def _toleration(dice: Dice) -> Json:
    one: Json = {}
    if dice.percent(80):
        one["key"] = dice.any("t", "u", "node.kubernetes.io/unschedulable")
    one["operator"] = "Exists" if "key" not in one or dice.percent(60) else "Equal"
    if one["operator"] == "Equal" and dice.percent(60):
        one["value"] = "x"
    if dice.percent(50):
        one["effect"] = dice.any("NoSchedule", "NoExecute")
    return one


def _add_claim(dice: Dice, world: World, seed: int) -> None:
    """Bound by hand, as the control plane would; or none."""
    space, name = world.probe["metadata"]["namespace"], f"like-{seed}"
    world.probe["spec"].setdefault("volumes", []).append(
        {"name": "claimed", "persistentVolumeClaim": {"claimName": name}})
    if dice.percent(25):
        return
    labels = {ZONE: dice.any("a", "b")} if dice.percent(40) else {}
    spec: Json = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "",
                  "persistentVolumeReclaimPolicy": "Delete", "csi": {"driver": "example.com", "volumeHandle": name},
                  "claimRef": {"namespace": space, "name": name}}
    if dice.percent(60):
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": dice.some(2, lambda: {
            "matchExpressions": [_node_expression(dice)]})}}
    world.volumes.append({"apiVersion": "v1", "kind": "PersistentVolume", "spec": spec,
                          "metadata": {"name": name, "labels": labels}})
    bound = {"pv.kubernetes.io/bind-completed": "yes"} if dice.percent(80) else {}
    world.claims.append({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": space, "annotations": bound},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "", "volumeName": name,
                 "resources": {"requests": {"storage": "1Gi"}}}})
