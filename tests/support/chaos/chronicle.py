"""A life as it can be read afterwards: its story, and beside it every change of our texts and who made it."""
import time
from pathlib import Path
from typing import Optional

from ..kube.history import RESERVATION, SEAL, SLOT, Seen
from ..client.json_type import Json
from ..kube.pods import annotation, condition, is_finished, is_terminating, node_of, path_of
from .world import World


def write(world: World, seed: int) -> Path:
    """All lines in the order of time."""
    lines = [(float(line.split()[0]), line) for line in world.story]
    before: dict[str, Json] = {}
    for seen in list(world.history.events):
        uid = seen.pod["metadata"]["uid"]
        said = _changes(seen, before.get(uid))
        before[uid] = seen.pod
        if said:
            by = "tenant" if (uid, seen.pod["metadata"]["resourceVersion"]) in world.wrote else ""
            at = seen.at - world.begin
            lines.append((at, f"{at:7.2f}     {path_of(seen.pod).split('/', 5)[-1]} {by or 'others'}: {said}"))
    path = world.cluster.rig.folder / f"chaos-{seed}-{time.time():.0f}.story"
    path.write_text("\n".join(line for _, line in sorted(lines, key=lambda pair: pair[0])) + "\n")
    return path


def _changes(seen: Seen, before: Optional[Json]) -> str:
    """What is new in this state of a pod; empty for what nobody asks."""
    now, old = _view(seen.pod), _view(before) if before is not None else {}
    if seen.kind == "DELETED":
        return "gone"
    return ", ".join(f"{key} {value}" for key, value in now.items() if value != old.get(key, ""))


def _view(pod: Json) -> dict[str, str]:
    return {"uid": pod["metadata"]["uid"], "node": node_of(pod), "reservation": annotation(pod, RESERVATION),
            "slot": annotation(pod, SLOT), "seal": annotation(pod, SEAL)[:12],
            "phase": pod["status"].get("phase", "") if is_finished(pod) else "",
            "deleted": str(is_terminating(pod) or ""),
            "said": condition(pod, "PodScheduled").get("message", "")[:160]}
