"""What the two device plugins that Volcano serves do with a pod: by its annotations they find it, and learn its cards.

The kubelet's Allocate is played by allocate(), which knows no pod, only how many devices a container asked for: the plugin must
find the pod by itself, as the real ones do.
"""
from dataclasses import dataclass

from ..client.api import Api, Json
from .device_plugin import PODS, annotation
from .pods import is_finished, node_of

V = "volcano.sh/"
REGISTER = V + "node-vgpu-register"
IDS = V + "vgpu-ids-new"
TO_ALLOCATE = V + "devices-to-allocate"
TIME = V + "vgpu-time"
NODE = V + "vgpu-node"
PHASE = V + "bind-phase"
INDEX = V + "gpu-index"
ASSIGNED = V + "gpu-assigned"
PREDICATE_TIME = V + "predicate-time"
NEVER = str(2**64 - 1)


@dataclass
class VgpuCard:
    memory: int
    slots: int = 10
    health: str = "true"
    mode: str = "hami-core"


def register(cards: dict[str, VgpuCard]) -> dict[str, str]:
    """The annotation of a node with these cards."""
    return {REGISTER: "".join(f"{uuid},{card.slots},{card.memory},NVIDIA-Tesla V100,{card.health},{card.mode}:"
                              for uuid, card in cards.items())}


def offered(cards: dict[str, VgpuCard]) -> dict[str, str]:
    """What the node's kubelet announces of them."""
    return {V + "vgpu-number": str(sum(card.slots for card in cards.values())),
            V + "vgpu-memory": str(sum(card.memory for card in cards.values())), V + "vgpu-cores": str(100 * len(cards))}


def limits(pod: Json, resource: str) -> int:
    return sum(int(each.get("resources", {}).get("limits", {}).get(resource, 0)) for each in pod["spec"]["containers"])


class VgpuPlugin:
    """HAMi's device plugin for Volcano, of one node."""

    def __init__(self, api: Api, node: str) -> None:
        self.api = api
        self.node = node

    def allocate(self, devices: int) -> tuple[str, list[tuple[str, int, int]]]:
        """The pod that it takes for the one that is started, and the cards that this gets: id, MiB, hundredths."""
        found = [pod for pod in self.api.items(PODS) if annotation(pod, NODE) == self.node
                 and len(self._cards(annotation(pod, TO_ALLOCATE))) == devices]
        assert found, "no pod is to get so many devices"
        pod = min(found, key=lambda each: int(annotation(each, TIME)))
        assert annotation(pod, PHASE) == "allocating"
        self._say(pod, {TO_ALLOCATE: "", PHASE: "success", TIME: NEVER})
        return pod["metadata"]["name"], self._cards(annotation(pod, TO_ALLOCATE))

    @staticmethod
    def _cards(text: str) -> list[tuple[str, int, int]]:
        parts = [one.split(",") for container in text.split(";") for one in container.split(":") if "," in one]
        assert all(part[1] == "NVIDIA" for part in parts)
        return [(part[0], int(part[2]), int(part[3])) for part in parts]

    def _say(self, pod: Json, words: dict[str, str]) -> None:
        meta = pod["metadata"]
        self.api.patch(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}", {"metadata": {"annotations": words}})


class SharePlugin:
    """Volcano's own device plugin, of one node: GPUs have numbers there."""

    def __init__(self, api: Api, node: str) -> None:
        self.api = api
        self.node = node

    def allocate(self, resource: str, devices: int) -> tuple[str, list[int]]:
        found = [pod for pod in self.api.items(PODS) if node_of(pod) == self.node and not is_finished(pod)
                 and limits(pod, resource) == devices and annotation(pod, ASSIGNED) != "true"]
        assert found, "no pod asks for so many devices"
        pod = min(found, key=lambda each: int(annotation(each, PREDICATE_TIME)))
        meta = pod["metadata"]
        self.api.patch(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}",
                       {"metadata": {"annotations": {ASSIGNED: "true"}}})
        return meta["name"], [int(one) for one in annotation(pod, INDEX).split(",")]
