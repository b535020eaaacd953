"""The judge of the chaos: each of its rules can fail, and none does where all is right."""
from random import Random
from typing import Optional

import pytest

from support.chaos.forgery import FORGERS, node_counts
from support.chaos.judge import Declared, Facts, Judge, Violation
from support.chaos.words import read_reservation
from support.kube.history import RESERVATION, SEAL, SLOT, Seen
from support.client.json_type import Json

DRIVER, SPARK, HAND = "uid-driver", "uid-exec", "uid-hand"
TEXT = ("v1 generation=1 epoch=5 queue=default profile=gang-scheduler anchor=uid-driver;"
        "shape profile=0 max=2 cpu=1000 memory=1024 nodes=n1:1,n2:1")
ROOM = {"cpu": 4000, "memory": 10 ** 12, "pods": 10}


class Tale:
    """Events as the API server would show them."""

    def __init__(self, **declared: int) -> None:
        self.events: list[Seen] = []
        self.wrote: set[tuple[str, str]] = set()
        self.strangers: set[str] = set()
        self.declared = {DRIVER: Declared(declared.get("executors", 2), declared.get("cpu", 1000), True)}
        self._pods: dict[str, Json] = {}
        self._version = 0

    def make(self, uid: str, cpu: str = "1", owner: str = "", by: str = "gang-scheduler", **annotations: str) -> None:
        pod: Json = {"metadata": {"uid": uid, "namespace": "ns", "name": uid, "annotations": annotations},
                     "spec": {"schedulerName": by, "containers": [{"resources": {"requests": {"cpu": cpu}}}]}}
        if owner:
            pod["metadata"]["ownerReferences"] = [{"uid": owner}]
        self._show("ADDED", uid, pod)

    def write(self, uid: str, node: str = "", annotations: Optional[dict[str, str]] = None, phase: str = "",
              tenant: bool = False) -> None:
        """The next state of the pod; `tenant` says whose doing it is."""
        pod = self._pods[uid]
        changed: Json = {"metadata": {**pod["metadata"], "annotations": {
            **pod["metadata"]["annotations"], **(annotations or {})}}, "spec": dict(pod["spec"])}
        if node:
            changed["spec"]["nodeName"] = node
        if phase:
            changed["status"] = {"phase": phase}
        self._show("MODIFIED", uid, changed)
        if tenant:
            self.wrote.add((uid, str(self._version)))

    def admit(self, text: str = TEXT, node: str = "n1") -> None:
        self.make(DRIVER)
        self.write(DRIVER, node, {RESERVATION: text})

    def executor(self, uid: str, node: str, slot: str) -> None:
        self.make(uid, owner=DRIVER)
        self.write(uid, node, {SLOT: slot})

    def found(self, **rooms: dict[str, int]) -> list[Violation]:
        facts = Facts(self.declared, self.wrote, self.strangers,
                      allocatable={"n1": ROOM, "n2": ROOM, **rooms})
        return Judge(facts).read(self.events)

    def rules(self) -> list[str]:
        return [each.rule for each in self.found()]

    def _show(self, kind: str, uid: str, pod: Json) -> None:
        self._version += 1
        pod["metadata"] = {**pod["metadata"], "resourceVersion": str(self._version)}
        self._pods[uid] = pod
        self.events.append(Seen(kind, pod, float(self._version)))


def test_a_life_in_which_all_is_right() -> None:
    tale = Tale()
    tale.admit()
    tale.executor("e1", "n1", f"{DRIVER}/0")
    tale.executor("e2", "n2", f"{DRIVER}/1")
    tale.executor("e3", "n2", "elastic")
    tale.write(DRIVER, annotations={RESERVATION: TEXT.replace("n1:1", "n1:900")}, tenant=True)
    tale.write(DRIVER, annotations={RESERVATION: TEXT.replace("epoch=5", "epoch=6")})
    assert tale.rules() == []


@pytest.mark.parametrize("text", [
    TEXT.replace("n1:1", "n1:2"), TEXT + " unplaced=1", TEXT.replace("cpu=1000", "cpu=2000"),
    TEXT + ";shape profile=1 cpu=1000 memory=1 nodes=n1:1"])
def test_a_reservation_of_ours_for_more_than_was_declared(text: str) -> None:
    tale = Tale()
    tale.admit()
    tale.write(DRIVER, annotations={RESERVATION: text}, tenant=True)
    assert tale.rules() == []
    tale.write(DRIVER, annotations={RESERVATION: text.replace("epoch=5", "epoch=6")})  # it was believed
    assert tale.rules() == ["overdeclared"]


def test_a_reservation_of_ours_on_who_declared_nothing() -> None:
    tale = Tale()
    tale.make("lone")
    tale.write("lone", "n1")
    tale.write("lone", annotations={RESERVATION: TEXT}, tenant=True)
    tale.write("lone", annotations={RESERVATION: TEXT.replace("epoch=5", "epoch=6")})
    assert tale.rules() == ["overdeclared"]


@pytest.mark.parametrize("text", ["", "v1", TEXT.replace("n1:1,", "")])
def test_half_a_gang(text: str) -> None:
    tale = Tale()
    tale.admit(text)
    assert tale.rules() == ["half-gang"]


def test_a_forged_reservation_that_was_left_at_the_bind() -> None:
    tale = Tale()
    tale.make(DRIVER, **{RESERVATION: TEXT})
    tale.write(DRIVER, "n1")
    assert tale.rules() == ["half-gang"]


def test_a_stranger_with_a_slot() -> None:
    tale = Tale()
    tale.admit()
    tale.strangers.add("s")
    tale.make("s", **{SLOT: f"{DRIVER}/7"})
    tale.write("s", "n1")  # as a lone pod: what it says itself is nothing
    assert tale.rules() == []
    tale.strangers.add("t")
    tale.make("t")
    tale.write("t", "n1", {SLOT: f"{DRIVER}/0"})
    assert tale.rules() == ["stranger"]


def test_an_executor_beside_its_gang_though_a_slot_must_be_there() -> None:
    tale = Tale()
    tale.admit()
    tale.executor("e1", "n1", f"{DRIVER}/0")
    tale.executor("e2", "n2", "elastic")
    assert tale.rules() == ["extra"]


def test_an_executor_that_has_just_ended_may_still_be_seen() -> None:
    tale = Tale()
    tale.admit()
    tale.executor("e1", "n1", f"{DRIVER}/0")
    tale.executor("e2", "n2", f"{DRIVER}/1")
    tale.write("e2", phase="Failed")
    tale.executor("e3", "n2", "elastic")
    assert tale.rules() == []


def test_a_node_that_has_too_much() -> None:
    tale = Tale()
    for number in range(5):
        tale.make(f"p{number}")
        tale.write(f"p{number}", "n1")
    assert tale.rules() == ["overcommit"]


def test_what_others_have_just_bound_may_not_be_seen_yet() -> None:
    tale = Tale()
    tale.make("foreign", cpu="4", by="somebody-else")
    tale.write("foreign", "n1")
    tale.make("p")
    tale.write("p", "n1")
    assert tale.rules() == []
    for number in range(4):  # time passes
        tale.make(f"q{number}")
    tale.make("late")
    tale.write("late", "n1")
    assert tale.rules() == ["overcommit"]


def test_room_that_is_promised_twice() -> None:
    tale = Tale()
    tale.declared["other"] = Declared(3, 1000, True)
    tale.admit()
    tale.make("other")
    tale.write("other", "n2", {RESERVATION: TEXT.replace("n1:1,n2:1", "n2:3")})
    assert tale.rules() == ["promised-twice"]


def test_room_of_who_harmed_itself_is_promised_to_others() -> None:
    tale = Tale()
    tale.declared = {DRIVER: Declared(2, 1000, True, is_exempt=True), "other": Declared(3, 1000, True)}
    tale.admit()
    tale.make("other")
    tale.write("other", "n2", {RESERVATION: TEXT.replace("n1:1,n2:1", "n2:3")})
    assert tale.rules() == []


@pytest.mark.parametrize("executors,nodes,rules", [(3, "n2:3", []), (5, "n1:2,n2:3", ["promised-twice"])])
def test_there_is_room_somewhere_for_a_promise_that_a_tenant_wrote_over(executors: int, nodes: str,
                                                                        rules: list[str]) -> None:
    tale = Tale()
    tale.declared["other"] = Declared(executors, 1000, True)
    tale.admit()
    tale.write(DRIVER, annotations={RESERVATION: "nothing"}, tenant=True)
    tale.make("other")
    tale.write("other", "n2", {RESERVATION: TEXT.replace("n1:1,n2:1", nodes)})
    assert tale.rules() == rules


def test_the_next_leader_knows_nothing_of_a_promise_that_a_tenant_wrote_over() -> None:
    tale = Tale()
    tale.declared["other"] = Declared(5, 1000, True)
    tale.admit()
    tale.write(DRIVER, annotations={RESERVATION: "nothing"}, tenant=True)
    tale.make("other")
    tale.write("other", "n2", {RESERVATION: TEXT.replace("n1:1,n2:1", "n1:2,n2:3").replace("epoch=5", "epoch=6")})
    assert tale.rules() == []


def test_a_tenant_who_guessed_the_slot() -> None:
    tale = Tale()
    tale.admit()
    tale.make("e1", owner=DRIVER, **{SLOT: f"{DRIVER}/0"})
    tale.write("e1", "n1", {SEAL: "v1 abc"})
    assert tale.rules() == []


def test_words_that_are_no_reservation() -> None:
    for text in ("", ";", "shape nodes=:,n:x", "shape nodes", "v1;shape cpu=x nodes=n1:-5"):
        assert read_reservation(text).count == 0, text
    assert read_reservation(TEXT + " unplaced=4").count == 6
    assert node_counts(TEXT) == [("n1", 1), ("n2", 1)]


@pytest.mark.parametrize("name", FORGERS)
def test_forgeries_are_strings_of_any_text(name: str) -> None:
    for seed in range(30):
        for text in (TEXT, "", "v1", TEXT.replace("cpu=1000", "cpu=x")):
            assert isinstance(FORGERS[name](text, ["n1", "n2"], DRIVER, Random(seed)), str)
    more = FORGERS["more_slots"]("", ["n1"], DRIVER, Random(1))
    assert read_reservation(more).count >= 8
