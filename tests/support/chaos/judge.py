"""What must be true of every state that the API server showed, whatever tenants write.

A text of ours is believed to be the scheduler's when it changed and no tenant's write made that state. So the
judge knows of each driver what the scheduler said last, whatever stands there now; of each executor, what its
bind said. A promise whose text a tenant has written over holds for no node any more, as the scheduler finds the
slots anew; but the cluster must have room for it somewhere, as long as the leader is the one that made it. The next
one finds no word of it: that gang has its slots when there is room for them, whoever was admitted meanwhile.
"""
from dataclasses import dataclass, field
from typing import Optional, Sequence

from ..kube.history import RESERVATION, SEAL, SLOT, Seen
from ..client.json_type import Json
from ..kube.pods import (Requests, add, annotation, effective_requests, exceeding, is_finished, is_terminating, node_of,
                    path_of, scale)
from .words import Reserved, read_reservation

FOREIGN_SEEN_SECONDS = 4.0  # so late may the scheduler see what others have bound, with our faults
MEMBER_GONE_SECONDS = 6.0   # so late may it see that an executor is gone


@dataclass(frozen=True)
class Declared:
    """What the application of a driver (by uid) may have."""

    executors: int
    cpu_milli: int
    by_owner: bool  # executors are those that the driver owns; else those named in `members`
    is_exempt: bool = False  # its own tenants took away what it declared


@dataclass(frozen=True)
class Facts:
    """What the judge is told besides the history."""

    declared: dict[str, Declared]  # by the driver's uid
    wrote: set[tuple[str, str]]  # (uid, resourceVersion) of states that are a tenant's doing
    strangers: set[str] = field(default_factory=set)  # uids of pods that only say that they are executors
    members: dict[str, str] = field(default_factory=dict)  # uid of the driver by the path of an executor made by hand
    relabelled: set[str] = field(default_factory=set)  # paths of executors that a tenant gave other labels
    allocatable: dict[str, Requests] = field(default_factory=dict)


@dataclass(frozen=True)
class Violation:
    """`rule` is one of overdeclared, half-gang, stranger, extra, overcommit, promised-twice."""

    rule: str
    at: float
    text: str


@dataclass
class _Life:
    """One pod as it is by now."""

    pod: Json
    reserved: Optional[Reserved] = None  # by the scheduler's last word
    texts: tuple[str, str] = ("", "")    # that word, and its seal
    bound_at: Optional[float] = None
    gone_at: Optional[float] = None
    by_us: bool = False

    @property
    def is_written_over(self) -> bool:
        return _texts_of(self.pod) != self.texts


class Judge:
    """Reads the events once, in order."""

    def __init__(self, facts: Facts, scheduler_name: str = "gang-scheduler") -> None:
        self._facts = facts
        self._scheduler_name = scheduler_name
        self._lives: dict[str, _Life] = {}
        self._epoch = 0  # of the latest leader that has written a reservation
        self.violations: list[Violation] = []

    def read(self, events: Sequence[Seen]) -> list[Violation]:
        for seen in events:
            self._read(seen)
        return self.violations

    def _read(self, seen: Seen) -> None:
        uid = seen.pod["metadata"]["uid"]
        before = self._lives.get(uid)
        life = self._lives.setdefault(uid, _Life(seen.pod))
        old = before.pod if before is not None else {"metadata": {}, "spec": {}}
        life.pod = seen.pod
        if (seen.kind == "DELETED" or is_finished(seen.pod)) and life.gone_at is None:
            life.gone_at = seen.at
        if life.gone_at is not None:
            return
        is_ours = (uid, seen.pod["metadata"]["resourceVersion"]) not in self._facts.wrote and bool(old["metadata"])
        if is_ours and annotation(seen.pod, RESERVATION) != annotation(old, RESERVATION):
            self._judge_reservation(seen, life)
        if node_of(seen.pod) and not node_of(old):
            life.bound_at = seen.at
            life.by_us = bool(old["metadata"]) and seen.pod["spec"].get("schedulerName") == self._scheduler_name
            if life.by_us:
                self._judge_bind(seen, life, old)

    def _judge_reservation(self, seen: Seen, life: _Life) -> None:
        """The scheduler wrote it."""
        text = annotation(seen.pod, RESERVATION)
        life.reserved = read_reservation(text)
        self._epoch = max(self._epoch, life.reserved.epoch)
        life.texts = _texts_of(seen.pod)
        declared = self._facts.declared.get(seen.pod["metadata"]["uid"])
        most = declared.executors if declared is not None else 0
        if life.reserved.count > most:
            self._violate("overdeclared", seen, f"{life.reserved.count} slots of {most} declared: {text}")
        sizes = {slots.requests["cpu"] for slots in life.reserved.slots}
        if declared is not None and sizes - {declared.cpu_milli}:
            self._violate("overdeclared", seen, f"slots of {sizes}, declared {declared.cpu_milli}: {text}")

    def _judge_bind(self, seen: Seen, life: _Life, old: Json) -> None:
        uid = seen.pod["metadata"]["uid"]
        declared = self._facts.declared.get(uid)
        if declared is not None and (life.reserved is None or life.reserved.count != declared.executors):
            held = life.reserved.count if life.reserved is not None else "none"
            self._violate("half-gang", seen, f"bound with {held} of {declared.executors} slots")
        # A tenant may have guessed the slot beforehand, but never its seal.
        is_said = any(annotation(seen.pod, key) != annotation(old, key) for key in (SLOT, SEAL))
        said = annotation(seen.pod, SLOT) if is_said else ""
        if uid in self._facts.strangers and "/" in said:
            self._violate("stranger", seen, f"got slot {said}")
        self._judge_executor(seen, said)
        self._judge_room(seen, life)

    def _judge_executor(self, seen: Seen, said: str) -> None:
        """Nobody goes beside its gang while fewer than declared are there."""
        path, driver = path_of(seen.pod), self._driver_of(seen.pod)
        declared = self._facts.declared.get(driver)
        if declared is None or declared.is_exempt or path in self._facts.relabelled or said not in ("", "elastic"):
            return
        gang = self._lives.get(driver)
        if gang is None or gang.gone_at is not None or is_terminating(gang.pod) or gang.bound_at is None:
            return
        others = [other for other in self._lives.values() if other.pod is not seen.pod and other.bound_at is not None
                  and (other.gone_at is None or other.gone_at > seen.at - MEMBER_GONE_SECONDS)
                  and self._driver_of(other.pod) == driver]
        if len(others) < declared.executors:
            self._violate("extra", seen, f"bound as {said or 'a lone pod'!r} beside {len(others)} others of "
                          f"{declared.executors} declared")

    def _judge_room(self, seen: Seen, life: _Life) -> None:
        """What was bound fits beside all that we could know of."""
        node = node_of(seen.pod)
        known = [other for other in self._lives.values() if other.gone_at is None and other.bound_at is not None
                 and (other.by_us or other.bound_at < seen.at - FOREIGN_SEEN_SECONDS)]
        over = self._exceeding(node, known, with_slots=False)
        if over:
            self._violate("overcommit", seen, f"{node} has too much: {over}")
        for slots in life.reserved.slots if life.reserved is not None else ():
            over = self._exceeding(slots.node, known, with_slots=True)
            if over:
                self._violate("promised-twice", seen, f"reserved on {slots.node}, where is too much: {over}")
        if life.reserved is not None and any(other.is_written_over for other in known):
            over = self._exceeding_cluster(known)
            if over:
                self._violate("promised-twice", seen, f"the cluster has too much: {over}")

    def _exceeding(self, node: str, known: list[_Life], with_slots: bool) -> str:
        return _too_much(self._taken(node, [life for life in known if not life.is_written_over] if with_slots else [],
                                     known), self._facts.allocatable.get(node, {}))

    def _exceeding_cluster(self, known: list[_Life]) -> str:
        """With the promises that hold for no node, of the leader that is."""
        total: Requests = {}
        room: Requests = {}
        promised = [life for life in known if life.reserved is None or not life.is_written_over
                    or life.reserved.epoch == self._epoch]
        for node, allocatable in self._facts.allocatable.items():
            total = add(total, self._taken(node, promised, known))
            room = add(room, allocatable)
        return _too_much(total, room)

    def _taken(self, node: str, promised_to: list[_Life], known: list[_Life]) -> Requests:
        """By the pods that are bound there, and by open slots of the gangs in `promised_to`."""
        bound = [life.pod for life in known if node_of(life.pod) == node]
        total: Requests = {}
        for pod in bound:
            total = add(total, effective_requests(pod))
        for life in promised_to:
            declared = self._facts.declared.get(life.pod["metadata"]["uid"])
            is_exempt = declared is not None and declared.is_exempt
            if life.reserved is not None and not is_exempt and not is_terminating(life.pod):
                total = add(total, self._open(life, node, bound))
        return total

    def _open(self, driver: _Life, node: str, bound: list[Json]) -> Requests:
        uid = driver.pod["metadata"]["uid"]
        used = sum(self._driver_of(pod) == uid for pod in bound)
        total: Requests = {}
        assert driver.reserved is not None
        for slots in driver.reserved.slots:
            if slots.node == node:
                total = add(total, scale(slots.requests, max(0, slots.count - used)))
                used = max(0, used - slots.count)
        return total

    def _driver_of(self, pod: Json) -> str:
        """The uid of the driver whose executor this pod is; empty: nobody's."""
        for owner in pod["metadata"].get("ownerReferences") or []:
            declared = self._facts.declared.get(owner["uid"])
            if declared is not None and declared.by_owner:
                return owner["uid"]
        return self._facts.members.get(path_of(pod), "")

    def _violate(self, rule: str, seen: Seen, text: str) -> None:
        self.violations.append(Violation(rule, seen.at, f"{path_of(seen.pod)}: {text}"))


def _texts_of(pod: Json) -> tuple[str, str]:
    return annotation(pod, RESERVATION), annotation(pod, SEAL)


def _too_much(total: Requests, room: Requests) -> str:
    over = [name for name in exceeding(total, room) if name in room]
    return ", ".join(f"{name} {total[name]} of {room[name]}" for name in over)
