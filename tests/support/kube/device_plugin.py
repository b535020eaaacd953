"""What Alnair's device plugin does: it says the node's cards, and which units a pod got, by annotations.

The kubelet's Allocate is played by allocate(): units of one card if one has enough, else of several, as the real one takes
them. `prefer` is the card that it takes first: the plugin, not the scheduler, chooses.
"""
from typing import Optional

from ..client.api import Api, Json
from .pods import is_finished, node_of

UNITS = "alnair/vgpu-memory"
PREFIX = "ai.centaurus.io/"
CHUNKS = PREFIX + "alnair-gpu-id"
TIMESTAMP = PREFIX + "scheduler-timestamp"
OURS = "gang-scheduler/cards"
PODS = "/api/v1/pods"


def units_of(pod: Json) -> int:
    return sum(int(container.get("resources", {}).get("limits", {}).get(UNITS, 0))
               for container in pod["spec"]["containers"])


def annotation(pod: Json, key: str) -> str:
    return pod["metadata"].get("annotations", {}).get(key, "")


def words(cards: dict[str, int], spelling: str = "vitual") -> dict[str, str]:
    """The annotations of a node with these cards."""
    return {f"{PREFIX}{spelling}-gpu-count": ",".join(map(str, cards.values())),
            f"{PREFIX}physical-gpu-count": str(len(cards)), f"{PREFIX}physical-gpu-uuids": ",".join(cards)}


class DevicePlugin:
    """Of one node, which has said its cards; they are by id, with their units."""

    def __init__(self, api: Api, node: str, cards: dict[str, int]) -> None:
        self.api = api
        self.node = node
        self.cards = cards

    def say(self, **words: Optional[str]) -> None:
        """Annotations of the node; None takes one away."""
        self.api.patch(f"/api/v1/nodes/{self.node}", {
            "metadata": {"annotations": {PREFIX + key.replace("_", "-"): value for key, value in words.items()}}})

    def allocate(self, prefer: str = "") -> None:
        """For each pod of the node that has none yet, the earliest timestamp first."""
        here = [pod for pod in self.api.items(PODS) if node_of(pod) == self.node and units_of(pod) and not is_finished(pod)]
        free = {f"{card}_{i}" for card, units in self.cards.items() for i in range(units)}
        for pod in here:
            free -= set(annotation(pod, CHUNKS).split(","))
        waiting = [pod for pod in here if not annotation(pod, CHUNKS)]
        for pod in sorted(waiting, key=lambda each: annotation(each, TIMESTAMP)):
            taken = self._choose(units_of(pod), free, prefer)
            free -= set(taken)
            meta = pod["metadata"]
            self.api.patch(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}",
                           {"metadata": {"annotations": {CHUNKS: ",".join(taken)}}})

    def _choose(self, count: int, free: set[str], prefer: str) -> list[str]:
        order = sorted(self.cards, key=lambda card: card != prefer)
        for card in order:
            chunks = sorted(each for each in free if each.rsplit("_", 1)[0] == card)
            if len(chunks) >= count:
                return chunks[:count]
        return sorted(free)[:count]
