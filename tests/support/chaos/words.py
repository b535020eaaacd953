"""The tests' own reading of a reservation, which never fails: what cannot be read names no slots."""
from dataclasses import dataclass
from typing import Optional
from urllib.parse import unquote

from ..kube.history import Slots


@dataclass(frozen=True)
class Reserved:
    """The slots of a reservation by node, and how many it has in all (those without a node, too)."""

    slots: tuple[Slots, ...]
    count: int
    epoch: int  # of the leader that wrote it


def read_reservation(text: str) -> Reserved:
    slots, count, epoch = [], 0, 0
    for record in text.split(";"):
        words = record.split(" ")
        fields = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        if words[0] != "shape":
            epoch = max(epoch, _number(fields.get("epoch")))
            continue
        requests = {"cpu": _number(fields.get("cpu")), "memory": _number(fields.get("memory")), "pods": 1}
        count += _number(fields.get("unplaced"))
        for entry in filter(None, fields.get("nodes", "").split(",")):
            node, _, number = entry.rpartition(":")
            slots.append(Slots(unquote(node), _number(number), requests))
            count += slots[-1].count
    return Reserved(tuple(slots), count, epoch)


def _number(text: Optional[str]) -> int:
    return int(text) if text is not None and text.isdigit() else 0
