"""Volumes that are there, and pods whose claims wait for their first consumer: which volumes two schedulers give them, asked
about the same world one after the other, node by node. A kube-controller-manager binds what they have written."""
import itertools
import time
from dataclasses import dataclass, field
from typing import Optional

from support.client.api import Api, Json
from support.kube.pods import condition, node_of
from support.process.polling import eventually

from .judge import ANSWER_SECONDS, OURS, THEIRS
from .worlds import HOST, ZONE, Dice, any_room

CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
VOLUMES = "/api/v1/persistentvolumes"
SPACE = "static"
SIZES = ("1Gi", "2Gi", "3Gi")


@dataclass
class StaticWorld:
    nodes: list[Json] = field(default_factory=list)
    volumes: list[Json] = field(default_factory=list)  # without their names' first part, which is the question's
    claims: list[Json] = field(default_factory=list)


def draw_static(seed: int) -> StaticWorld:
    dice = Dice(2_000_000 + seed)
    world = StaticWorld()
    for i in range(dice.number(2, 3)):
        name = f"static-{seed}-{i}"
        world.nodes.append(any_room(name, {HOST: name, ZONE: dice.any("a", "b")}, {"cpu": "4", "memory": "4Gi", "pods": "9"}))
    hosts = [node["metadata"]["name"] for node in world.nodes]
    sizes = [f"{number}Gi" for number in range(1, 8)]
    for i in range(dice.number(1, 5)):
        size = dice.any(*sizes)
        sizes.remove(size)  # of two of one size either may be taken
        spec: Json = {"capacity": {"storage": size}, "accessModes": [dice.any("ReadWriteOnce", "ReadWriteOnce", "ReadOnlyMany")],
                      "persistentVolumeReclaimPolicy": "Retain", "hostPath": {"path": "/v"},
                      "storageClassName": dice.any("local", "local", "local", "other")}
        if dice.percent(70):
            key, value = (HOST, dice.any(*hosts)) if dice.percent(70) else (ZONE, dice.any("a", "b"))
            spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [
                {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}]}}
        world.volumes.append({"metadata": {"name": f"v{i}", "labels": {"tier": dice.any("x", "y")}}, "spec": spec})
    for i in range(dice.number(1, 2)):
        spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": "local",
                "resources": {"requests": {"storage": dice.any(*SIZES)}}}
        if dice.percent(25):
            spec["selector"] = {"matchLabels": {"tier": dice.any("x", "y")}}
        world.claims.append({"metadata": {"name": f"c{i}"}, "spec": spec})
    return world


class StaticJudge:
    def __init__(self, api: Api) -> None:
        self._api = api
        self._questions = itertools.count(1)
        self.placed = 0
        api.post("/api/v1/namespaces", {"metadata": {"name": SPACE}})
        eventually(lambda: api.find(f"/api/v1/namespaces/{SPACE}/serviceaccounts/default"), 20, "the account")
        for name in ("local", "other"):
            api.post(CLASSES, {"metadata": {"name": name}, "provisioner": "kubernetes.io/no-provisioner",
                               "volumeBindingMode": "WaitForFirstConsumer"})

    def add_nodes(self, world: StaticWorld) -> None:
        for node in world.nodes:
            self._api.post("/api/v1/nodes", node)
            self._ready(node)

    def differences(self, world: StaticWorld) -> list[str]:
        self.add_nodes(world)
        found = []
        try:
            for node in world.nodes:
                name = node["metadata"]["name"]
                ours, theirs = (self.ask(world, scheduler, name) for scheduler in (OURS, THEIRS))
                self.placed += 1 if theirs is not None else 0
                if ours != theirs:
                    found.append(f"on {name}: ours {ours}, theirs {theirs}")
        finally:
            for node in world.nodes:
                self._api.delete(f"/api/v1/nodes/{node['metadata']['name']}")
        return found

    def _ready(self, node: Json) -> None:
        """The controller-manager closes new nodes until it has seen them Ready."""
        path = f"/api/v1/nodes/{node['metadata']['name']}"
        eventually(lambda: not self._api.get(path)["spec"].get("taints"), 20, f"{path} without taints", 0.1)

    def ask(self, world: StaticWorld, scheduler: str, node: str) -> Optional[list[str]]:
        """The volumes of the pod's claims, in order, if it may be on this node alone; nothing: it was not placed."""
        prefix = f"q{next(self._questions)}"
        claims = f"/api/v1/namespaces/{SPACE}/persistentvolumeclaims"
        for volume in world.volumes:
            named = {**volume["metadata"], "name": f"{prefix}-{volume['metadata']['name']}"}
            self._api.post(VOLUMES, {**volume, "metadata": named})
        for claim in world.claims:
            self._api.post(claims, {**claim, "metadata": {"name": f"{prefix}-{claim['metadata']['name']}"}})
        for volume in world.volumes:
            path = f"{VOLUMES}/{prefix}-{volume['metadata']['name']}"
            eventually(lambda: self._api.get(path)["status"].get("phase") == "Available", 20, f"{path} available", 0.05)
        names = [f"{prefix}-{claim['metadata']['name']}" for claim in world.claims]
        pods = f"/api/v1/namespaces/{SPACE}/pods"
        time.sleep(0.3)  # both watch, or list: what they have not seen they do not know
        self._api.post(pods, {"metadata": {"name": prefix}, "spec": {
            "schedulerName": scheduler, "containers": [{"name": "main", "image": "none"}],
            "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]}}},
            "volumes": [{"name": each, "persistentVolumeClaim": {"claimName": each}} for each in names]}})
        try:
            return self._answer(f"{pods}/{prefix}", [f"{claims}/{each}" for each in names], len(prefix) + 1)
        finally:
            self._clear(f"{pods}/{prefix}", [f"{claims}/{each}" for each in names],
                        [f"{VOLUMES}/{prefix}-{volume['metadata']['name']}" for volume in world.volumes])

    def _answer(self, pod: str, claims: list[str], prefix: int) -> Optional[list[str]]:
        def is_answered() -> bool:
            found = self._api.get(pod)
            return bool(node_of(found)) or condition(found, "PodScheduled").get("status") == "False"
        eventually(is_answered, ANSWER_SECONDS, f"an answer for {pod}", 0.05)
        if not node_of(self._api.get(pod)):
            return None
        return [self._api.get(claim)["spec"]["volumeName"][prefix:] for claim in claims]

    def _clear(self, pod: str, claims: list[str], volumes: list[str]) -> None:
        self._api.delete(pod, 0)
        for path in (*claims, *volumes):
            if self._api.find(path) is not None:
                self._api.patch(path, {"metadata": {"finalizers": None}})
            self._api.delete(path)
