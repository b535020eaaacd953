"""Two schedulers on one real plane, asked about the same pod, one after the other."""
import copy
import time
from dataclasses import dataclass
from typing import Any, Optional

from support.client.api import Api, Json
from support.kube.pods import condition, node_of
from support.process.polling import eventually

from .worlds import SPACE_LABELS, SPACES, World

ANSWER_SECONDS = 20
OURS, THEIRS = "gang-scheduler", "default-scheduler"
CSI_NODES = "/apis/storage.k8s.io/v1/csinodes"


@dataclass(frozen=True)
class Answer:
    """Where the pod was bound, or why not."""
    node: str = ""
    message: str = ""


class Judge:
    """Which nodes a scheduler allows is found out exactly: by twins of the pod, each for one node alone. One twin at a time,
    gone before the next, so that none counts for another's rules. A pod with spread constraints has no twins, for a node
    affinity would change what they count: there all nodes but one are cordoned, which they do not look at."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.placed = 0  # probes that both placed
        for space in SPACES:
            api.post("/api/v1/namespaces", {"metadata": {"name": space, "labels": SPACE_LABELS[space]}})
            eventually(lambda: api.find(f"/api/v1/namespaces/{space}/serviceaccounts/default") or
                       self._add_account(space), 10, "the account")

    def _add_account(self, space: str) -> Any:
        return self._api.post(f"/api/v1/namespaces/{space}/serviceaccounts", {"metadata": {"name": "default"}})

    def build(self, world: World, pause: float) -> None:
        for path, objects in (("/api/v1/nodes", world.nodes), (CSI_NODES, world.csi_nodes),
                              ("/api/v1/persistentvolumes", world.volumes)):
            for each in objects:
                self._api.post(path, each)
        for kind, objects in (
                ("persistentvolumeclaims", world.claims), ("services", world.services), ("pods", world.pods)):
            for each in objects:
                made = self._api.post(f"/api/v1/namespaces/{each['metadata']['namespace']}/{kind}", each)
                if kind == "persistentvolumeclaims":
                    self._api.patch(f"/api/v1/persistentvolumes/{each['metadata']['name']}",
                                    {"spec": {"claimRef": {"uid": made["metadata"]["uid"]}}})
        time.sleep(pause)

    def clear(self) -> None:
        for space in SPACES:
            self._api.delete(f"/api/v1/namespaces/{space}/pods", 0)
            for service in self._api.items(f"/api/v1/namespaces/{space}/services"):
                self._remove("services", service)
            for claim in self._api.items(f"/api/v1/namespaces/{space}/persistentvolumeclaims"):
                self._remove("persistentvolumeclaims", claim)
        for volume in self._api.items("/api/v1/persistentvolumes"):
            self._remove("persistentvolumes", volume)
        self._api.delete("/api/v1/nodes")
        self._api.delete(CSI_NODES)

    def _remove(self, kind: str, found: Json) -> None:
        """Nobody here takes the finalizers away."""
        space = found["metadata"].get("namespace")
        path = f"/api/v1/{f'namespaces/{space}/' if space else ''}{kind}/{found['metadata']['name']}"
        self._api.patch(path, {"metadata": {"finalizers": None}})
        self._api.delete(path)

    def ask(self, world: World, scheduler: str, only: Optional[str] = None, pause: float = 0.05) -> Answer:
        """What becomes of the probe; `only`: of its twin for that node."""
        pod = copy.deepcopy(world.probe)
        pod["spec"]["schedulerName"] = scheduler
        if only is not None:
            _bind_to(pod["spec"], only)
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods"
        self._api.post(path, pod)
        path += f"/{pod['metadata']['name']}"
        try:
            eventually(lambda: _answer(self._api.get(path)), ANSWER_SECONDS, f"{scheduler}'s answer", 0.02)
            return _answer(self._api.get(path)) or Answer()
        finally:
            self._api.delete(path, 0)
            time.sleep(pause)

    def eligible(self, world: World, pause: float) -> dict[str, set[str]]:
        """By scheduler, the nodes that it allows."""
        found: dict[str, set[str]] = {OURS: set(), THEIRS: set()}
        for node in world.nodes:
            name = node["metadata"]["name"]
            if world.has_spread:
                self._cordon(world, [name], pause)
            for scheduler, nodes in found.items():
                if self.ask(world, scheduler, None if world.has_spread else name, pause).node == name:
                    nodes.add(name)
        if world.has_spread:
            self._cordon(world, [node["metadata"]["name"] for node in world.nodes], pause)
        return found

    def _cordon(self, world: World, but: list[str], pause: float) -> None:
        """All others; these are as they were made."""
        for node in world.nodes:
            name = node["metadata"]["name"]
            closed = name not in but or node["spec"].get("unschedulable", False)
            self._api.patch(f"/api/v1/nodes/{name}", {"spec": {"unschedulable": closed or None}})
        time.sleep(pause)


def _bind_to(spec: Json, node: str) -> None:
    """One node alone: each of its terms, or the only one."""
    field = {"key": "metadata.name", "operator": "In", "values": [node]}
    required = spec.setdefault("affinity", {}).setdefault("nodeAffinity", {}).setdefault(
        "requiredDuringSchedulingIgnoredDuringExecution", {"nodeSelectorTerms": [{"matchFields": []}]})
    for term in required["nodeSelectorTerms"]:
        if term:  # an empty one matches nothing, and is to go on doing so
            term["matchFields"] = [*term.get("matchFields", []), field]


def _answer(pod: Json) -> Optional[Answer]:
    if node_of(pod):
        return Answer(node=node_of(pod))
    found = condition(pod, "PodScheduled")
    if found.get("status") != "False":
        return None
    # The filters' sentence: behind it is what other plugins of kube-scheduler could do about it, preemption for one.
    return Answer(message=found.get("message", "").split(". ")[0].rstrip("."))


def differences(judge: Judge, world: World, pause: float) -> list[str]:
    """What the two do differently with the probe; empty: nothing."""
    ours, theirs = (judge.ask(world, scheduler, None, pause) for scheduler in (OURS, THEIRS))
    if bool(ours.node) != bool(theirs.node) or ours.message != theirs.message:
        return [f"ours: {ours}", f"theirs: {theirs}"]
    judge.placed += 1 if ours.node else 0
    allowed = judge.eligible(world, pause) if ours.node else {OURS: set(), THEIRS: set()}
    return [] if allowed[OURS] == allowed[THEIRS] else [f"allowed: {allowed}"]
