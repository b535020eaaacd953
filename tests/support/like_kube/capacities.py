"""Drivers that say how much storage they have left, and pods whose claims wait for their first consumer: on which nodes two
schedulers would have the volumes made, asked about the same world one after the other, node by node. Nobody makes them: the
node that a scheduler writes to the claim is its answer."""
import itertools
import time
from dataclasses import dataclass, field
from typing import Any, Optional

from support.client.api import Api, Json
from support.kube.pods import condition
from support.kube.provisioner import SELECTED_NODE
from support.process.polling import eventually

from .judge import ANSWER_SECONDS, OURS, THEIRS
from .worlds import HOST, ZONE, Dice, any_room

STORAGE = "/apis/storage.k8s.io/v1"
SPACE = "capacities"
SIZES = ("1Gi", "1500Mi", "2Gi", "3Gi", "1", "0.5Gi")


@dataclass
class CapacityWorld:
    nodes: list[Json] = field(default_factory=list)
    drivers: list[Json] = field(default_factory=list)
    classes: list[Json] = field(default_factory=list)
    capacities: list[Json] = field(default_factory=list)
    claims: list[Json] = field(default_factory=list)


def draw_capacities(seed: int) -> CapacityWorld:
    dice = Dice(3_000_000 + seed)
    world = CapacityWorld()
    for i in range(dice.number(2, 4)):
        name = f"capacity-{seed}-{i}"
        labels = {HOST: name, **({ZONE: dice.any("a", "b")} if dice.percent(85) else {})}
        if dice.percent(50):
            labels["disk"] = dice.any("ssd", "hdd")
        world.nodes.append(any_room(name, labels, {"cpu": "4", "memory": "4Gi", "pods": "9"}))
    hosts = [node["metadata"]["name"] for node in world.nodes]
    drivers = [f"{each}-{seed}.example.com" for each in ("one", "two")]
    for name in drivers:
        if dice.percent(85):
            world.drivers.append({"metadata": {"name": name}, "spec": {"storageCapacity": True} if dice.percent(85) else {}})
    classes = [f"{each}-{seed}" for each in ("fast", "slow")]
    for name in classes:
        topologies: Json = {"allowedTopologies": [{"matchLabelExpressions": [{"key": ZONE, "values": [dice.any("a", "b")]}]}]}
        world.classes.append({"metadata": {"name": name}, "provisioner": dice.any(*drivers),
                              "volumeBindingMode": "WaitForFirstConsumer", **(topologies if dice.percent(20) else {})})
    for i in range(dice.number(0, 6)):
        world.capacities.append({"metadata": {"name": f"like-{seed}-{i}"}, "storageClassName": dice.any(*classes, "other"),
                                 **_topology(dice, hosts), **_amounts(dice)})
    for i in range(dice.any(1, 1, 1, 2)):
        world.claims.append({"metadata": {"name": f"c{i}"}, "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": dice.any(*classes),
            "resources": {"requests": {"storage": dice.any(*SIZES)}}}})
    return world


def _topology(dice: Dice, hosts: list[str]) -> dict[str, Any]:
    if dice.percent(8):
        return {}
    if dice.percent(10):
        return {"nodeTopology": {}}
    labels = {HOST: dice.any(*hosts)} if dice.percent(50) else {ZONE: dice.any("a", "b")}
    if dice.percent(20):
        labels["disk"] = dice.any("ssd", "hdd")
    selector: dict[str, Any] = {"matchLabels": labels}
    if dice.percent(30):
        operator = dice.any("In", "NotIn", "Exists", "DoesNotExist")
        selector = {"matchExpressions": [{"key": dice.any("disk", ZONE), "operator": operator,
                                          **({"values": [dice.any("ssd", "a", "b")]} if "I" in operator else {})}]}
    return {"nodeTopology": selector}


def _amounts(dice: Dice) -> dict[str, Any]:
    """kube-scheduler 1.37 falls over (nil pointer in VolumeBinding's Score) where there is a largest volume and nothing else."""
    if not dice.percent(85):
        return {}
    amounts = {"capacity": dice.any("0", "1Gi", "1500M", "2Gi", "3Gi", "1.5Gi")}
    if dice.percent(35):
        amounts["maximumVolumeSize"] = dice.any("0", "1Gi", "2Gi", "3Gi")
    return amounts


class CapacityJudge:
    def __init__(self, api: Api) -> None:
        self._api = api
        self._questions = itertools.count(1)
        self.placed = 0
        self.refused = 0
        api.post("/api/v1/namespaces", {"metadata": {"name": SPACE}})
        path = f"/api/v1/namespaces/{SPACE}/serviceaccounts"
        if api.find(f"{path}/default") is None:  # without a controller that makes it
            api.post(path, {"metadata": {"name": "default"}})

    def differences(self, world: CapacityWorld, pause: float) -> list[str]:
        objects = [("/api/v1/nodes", world.nodes), (f"{STORAGE}/csidrivers", world.drivers),
                   (f"{STORAGE}/storageclasses", world.classes),
                   (f"{STORAGE}/namespaces/{SPACE}/csistoragecapacities", world.capacities)]
        for path, each in objects:
            for one in each:
                self._api.post(path, one)
        time.sleep(pause)
        found = []
        try:
            for node in [None, *(each["metadata"]["name"] for each in world.nodes)]:
                ours, theirs = (self._ask(world, scheduler, node, pause) for scheduler in (OURS, THEIRS))
                self.placed += 1 if theirs in ("", node) else 0
                self.refused += 0 if theirs in ("", node) else 1
                if ours != theirs:
                    found.append(f"{node or 'anywhere'}: ours {ours!r}, theirs {theirs!r}")
        finally:
            for path, each in objects:
                for one in each:
                    self._api.delete(f"{path}/{one['metadata']['name']}")
        return found

    def _ask(self, world: CapacityWorld, scheduler: str, only: Optional[str], pause: float) -> str:
        """The node, if it may be on this one alone; empty: any of them; else the words for the refusal, if it may be anywhere."""
        prefix = f"q{next(self._questions)}"
        claims = f"/api/v1/namespaces/{SPACE}/persistentvolumeclaims"
        names = [f"{prefix}-{claim['metadata']['name']}" for claim in world.claims]
        for name, claim in zip(names, world.claims):
            self._api.post(claims, {**claim, "metadata": {"name": name}})
        time.sleep(pause)
        pod = f"/api/v1/namespaces/{SPACE}/pods/{prefix}"
        spec: Json = {"schedulerName": scheduler, "containers": [{"name": "main", "image": "none"}],
                      "volumes": [{"name": each, "persistentVolumeClaim": {"claimName": each}} for each in names]}
        if only is not None:
            spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [only]}]}]}}}
        self._api.post(f"/api/v1/namespaces/{SPACE}/pods", {"metadata": {"name": prefix}, "spec": spec})

        def answer() -> Optional[str]:
            annotations = self._api.get(f"{claims}/{names[0]}")["metadata"].get("annotations") or {}
            if SELECTED_NODE in annotations:
                return str(annotations[SELECTED_NODE]) if only else "any"
            told = condition(self._api.get(pod), "PodScheduled")
            if told.get("status") != "False":
                return None
            # Of a node that two claims have problems with, either may be said.
            return "refused" if only or len(names) > 1 else str(told.get("message", "")).split(". ")[0].rstrip(".")
        try:
            eventually(lambda: answer() is not None, ANSWER_SECONDS, f"{scheduler}'s answer for {pod}", 0.02)
            said = answer()
            return "" if said == "any" else str(said)
        finally:
            self._api.delete(pod, 0)
            for name in names:
                self._api.patch(f"{claims}/{name}", {"metadata": {"finalizers": None}})
                self._api.delete(f"{claims}/{name}")
            time.sleep(pause)
