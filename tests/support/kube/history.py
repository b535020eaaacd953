"""The referee of the whole test: every state that the API server showed, and what must hold in each."""
import threading
import time
from dataclasses import dataclass
from typing import Callable, Optional, Union
from urllib.parse import unquote

from ..client.api import Api, Json
from ..client.pod_watch import ObjectWatch
from .pods import (Requests, add, amounts, annotation, effective_requests, exceeding, is_finished,
                   is_terminating, label, node_of, path_of, scale)
from ..process.polling import said

RESERVATION = "gang-scheduler/reservation"
SLOT = "gang-scheduler/slot"
SEAL = "gang-scheduler/seal"


@dataclass(frozen=True)
class Seen:
    """One event of the pod watch; `at` is this process's monotonic clock."""

    kind: str
    pod: Json
    at: float


@dataclass(frozen=True)
class Slots:
    """Equal slots of a reservation on one node."""

    node: str
    count: int
    requests: Requests


def slots_of(driver: Json) -> list[Slots]:
    """What the reservation in the driver's annotation says; empty without one."""
    result = []
    for record in annotation(driver, RESERVATION).split(";"):
        words = record.split()
        if not words or words[0] != "shape":
            continue
        fields = dict(word.split("=", 1) for word in words[1:])
        requests = {"cpu": int(fields.get("cpu", 0)), "memory": int(fields.get("memory", 0)), "pods": 1}
        for entry in filter(None, fields.get("nodes", "").split(",")):
            node, count = entry.rsplit(":", 1)
            result.append(Slots(unquote(node), int(count), requests))
    return result


class History:
    """Watches all pods and nodes from the moment it is made; `check` judges all that was seen."""

    def __init__(self, api: Api, scheduler_name: str) -> None:
        self.events: list[Seen] = []
        self._states: dict[str, list[Seen]] = {}  # of events, by the pod's path
        self._scheduler_name = scheduler_name
        self._allocatable: dict[str, Requests] = {}
        self._changed = threading.Condition()
        self._nodes = ObjectWatch(api, "/api/v1/nodes", self._on_node)
        self._pods = ObjectWatch(api, "/api/v1/pods", self._on_pod)

    def stop(self) -> None:
        self._nodes.stop()
        self._pods.stop()

    def pod(self, path: str) -> Optional[Json]:
        """The newest state of a pod, None when there is none (yet, or any more)."""
        states = self.states(path)
        return states[-1].pod if states and states[-1].kind != "DELETED" else None

    def living(self) -> list[Json]:
        """The newest state of every pod that there is and that has not ended."""
        newest = [states[-1] for states in list(self._states.values())]
        return [seen.pod for seen in newest if seen.kind != "DELETED" and not is_finished(seen.pod)]

    def states(self, path: str) -> list[Seen]:
        return list(self._states.get(path, ()))

    def first_bound(self, path: str) -> Optional[Seen]:
        """The event in which the pod first had a node."""
        return next((seen for seen in self.states(path) if node_of(seen.pod)), None)

    def first_finished(self, path: str) -> Optional[Seen]:
        return next((seen for seen in self.states(path)
                     if is_finished(seen.pod) or seen.kind == "DELETED"), None)

    def wait_for(self, probe: Callable[[], object], timeout: float,
                 what: Union[str, Callable[[], str]]) -> None:
        """Until `probe` is true; asked again after every event."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while not probe():
                left = deadline - time.monotonic()
                if left <= 0:
                    raise AssertionError(f"waited {timeout:g} s for {said(what)}")
                self._changed.wait(min(left, 0.5))

    def check(self) -> None:
        """Asserts the invariants in every state the API server went through."""
        self._nodes.check()
        self._pods.check()
        live: dict[str, Json] = {}
        for seen in list(self.events):
            uid = seen.pod["metadata"]["uid"]
            before = live.get(uid)
            if seen.kind == "DELETED" or is_finished(seen.pod):
                live.pop(uid, None)
                continue
            live[uid] = seen.pod
            if node_of(seen.pod):
                self._check_node(node_of(seen.pod), live)
                if before is not None and not node_of(before):
                    self._check_binding(seen.pod, live)

    def check_beside_foreign(self, seen_seconds: float) -> int:
        """Judges only our own binds, beside a scheduler that knows nothing of our reservations.

        A bind of ours must fit beside what we could know: all of ours, and the pods of others that were
        bound more than `seen_seconds` before it. Whatever else exceeds a node is the doing of a later bind
        of the other scheduler. Returns how many states of a node exceeded it by such binds.
        """
        self._nodes.check()
        self._pods.check()
        live: dict[str, Json] = {}
        bound_at: dict[str, float] = {}
        by_others = 0
        for seen in list(self.events):
            uid = seen.pod["metadata"]["uid"]
            before = live.get(uid)
            if seen.kind == "DELETED" or is_finished(seen.pod):
                live.pop(uid, None)
                continue
            live[uid] = seen.pod
            node = node_of(seen.pod)
            if not node or before is None or node_of(before):
                continue
            bound_at[uid] = seen.at
            if not self._is_ours(seen.pod):
                by_others += bool(self._exceeding(node, live, holds_slots=False))
                continue
            known = {key: pod for key, pod in live.items() if self._is_ours(pod)
                     or bound_at.get(key, 0) < seen.at - seen_seconds}
            over = self._exceeding(node, known, holds_slots=False)
            assert not over, f"{path_of(seen.pod)} was bound to {node}, already full: {over}"
            for slots in slots_of(seen.pod):
                over = self._exceeding(slots.node, known, holds_slots=True)
                assert not over, f"{path_of(seen.pod)} reserved room on {slots.node} that is not there: {over}"
        return by_others

    def _is_ours(self, pod: Json) -> bool:
        return pod["spec"].get("schedulerName") == self._scheduler_name

    def _exceeding(self, node: str, live: dict[str, Json], holds_slots: bool) -> list[str]:
        """The resources that what is bound to the node (and the open slots there) has too much of."""
        bound = [pod for pod in live.values() if node_of(pod) == node]
        total: Requests = {}
        for pod in bound:
            total = add(total, effective_requests(pod))
        for driver in live.values() if holds_slots else ():
            if node_of(driver) and label(driver, "spark-role") == "driver":
                total = add(total, self._open_slots(driver, node, bound))
        room = self._allocatable.get(node, {})
        return [name for name in exceeding(total, room) if name in room]

    def _check_node(self, node: str, live: dict[str, Json]) -> None:
        """What is bound to a node, together with the open slots on it, fits the node."""
        if node not in self._allocatable:
            return
        bound = [pod for pod in live.values() if node_of(pod) == node]
        total: Requests = {}
        for pod in bound:
            total = add(total, effective_requests(pod))
        self._assert_fits(node, total, "bound pods")
        for driver in live.values():
            if node_of(driver) and label(driver, "spark-role") == "driver":
                total = add(total, self._open_slots(driver, node, bound))
        self._assert_fits(node, total, "bound pods and open slots")

    def _open_slots(self, driver: Json, node: str, bound: list[Json]) -> Requests:
        """The room on `node` that the driver's gang holds and no executor of its uses yet; its gang ends with
        a driver that is being deleted."""
        if is_terminating(driver):
            return {}
        here = [slots for slots in slots_of(driver) if slots.node == node]
        used = sum(self._is_executor_of(pod, driver) for pod in bound)
        total: Requests = {}
        for slots in here:
            open_count = max(0, slots.count - used)
            used = max(0, used - slots.count)
            total = add(total, scale(slots.requests, open_count))
        return total

    def _check_binding(self, pod: Json, live: dict[str, Json]) -> None:
        """The write that bound one of our pods also said why it may be there."""
        if pod["spec"].get("schedulerName") != self._scheduler_name:
            return
        if label(pod, "spark-role") == "driver":
            assert annotation(pod, RESERVATION), f"{path_of(pod)} was bound without a reservation"
        for driver in live.values():
            if node_of(driver) and self._is_executor_of(pod, driver):
                assert annotation(pod, SLOT), f"{path_of(pod)} was bound without a slot"

    def _assert_fits(self, node: str, total: Requests, what: str) -> None:
        over = exceeding(total, self._allocatable[node])
        over = [name for name in over if name in self._allocatable[node]]
        assert not over, (f"{what} on {node} exceed its {', '.join(over)}: {total} of "
                          f"{self._allocatable[node]}")

    @staticmethod
    def _is_executor_of(pod: Json, driver: Json) -> bool:
        """By its owner; an executor that was made by hand, by the slot that it was bound with."""
        uid = driver["metadata"]["uid"]
        owners = pod["metadata"].get("ownerReferences") or []
        return (any(owner["uid"] == uid for owner in owners)
                or annotation(pod, SLOT).startswith(f"{uid}/"))

    def _on_node(self, kind: str, node: Json) -> None:
        if kind != "DELETED":
            resources = (node.get("status") or {}).get("allocatable") or {}
            if resources:
                self._allocatable[node["metadata"]["name"]] = amounts(resources)

    def _on_pod(self, kind: str, pod: Json) -> None:
        with self._changed:
            seen = Seen(kind, pod, time.monotonic())
            self.events.append(seen)
            self._states.setdefault(path_of(pod), []).append(seen)
            self._changed.notify_all()
