"""Cases from the test suites of other schedulers, each by its row's id, on one cluster and one scheduler.

K kube-scheduler's pod groups, C coscheduling, V Volcano, Y YuniKorn, P Palantir's extender. "A gang of n" is a
driver that declares n-1 executors, made by hand. Judged by what the API server showed (support/kube/history.py).
"""
from typing import Iterator

import pytest

from conftest import Rigs
from support.kube.fake_spark import LINGER
from support.plane.fault_proxy import Fault
from support.kube.pods import condition
from support.process.polling import eventually, next_second
from support.kube.stage import Gang, Stage

PALANTIR = {"spark-driver-cpu": "1", "spark-driver-mem": "1Gi", "spark-executor-cpu": "1",
            "spark-executor-mem": "1Gi"}


@pytest.fixture(scope="module")
def whole_stage(rigs: Rigs, rig_name: str, tmp_path_factory: pytest.TempPathFactory,
                request: pytest.FixtureRequest) -> Iterator[Stage]:
    failed = request.session.testsfailed
    stage = Stage(rigs.get(rig_name), "", tmp_path_factory.mktemp("acceptance"))
    yield stage
    stage.close(judge=request.session.testsfailed == failed)


@pytest.fixture
def stage(whole_stage: Stage) -> Iterator[Stage]:
    yield whole_stage
    whole_stage.clear()


def dynamic(stage: Stage, least: int, most: int) -> Gang:
    return stage.gang(least, annotations={
        **PALANTIR, "spark-dynamic-allocation-enabled": "true",
        "spark-dynamic-allocation-min-executor-count": str(least),
        "spark-dynamic-allocation-max-executor-count": str(most)})


def interleaved(stage: Stage, first: Gang, second: Gang) -> None:
    for _ in range(2):
        stage.executor(first)
        stage.executor(second)


@pytest.mark.parametrize("names", ["ab", "ba"], ids=["K05", "K06"])
def test_k05_k06_of_two_interleaved_gangs_the_first_is_whole(stage: Stage, names: str) -> None:
    stage.node("2"), stage.node("2")
    blocker = stage.pod("blocker", cpu="2")
    stage.wait_bound(blocker)
    first = stage.gang(2, name=names[0])
    next_second()
    second = stage.gang(2, name=names[1])
    interleaved(stage, first, second)
    stage.wait_code(first.path, "WaitingForCapacity")
    stage.finish(blocker)
    stage.wait_whole(first)
    stage.wait_code(second.path, "WaitingForCapacity", "WaitingInQueue")
    assert not any(map(stage.is_bound, second.made))


def test_k14_a_gated_member_holds_up_its_gang_alone(stage: Stage) -> None:
    stage.node()
    gated = stage.gang(2, schedulingGates=[{"name": "tests/hold"}])
    stage.executors(gated)
    other = stage.gang(2)
    stage.wait_whole(other)
    assert not any(map(stage.is_bound, (gated.path, *gated.made)))
    stage.finish_gang(other)
    stage.api.patch(gated.path, {"spec": {"schedulingGates": None}})
    stage.wait_whole(gated)


def test_k22_a_gang_that_failed_comes_back_by_itself(stage: Stage) -> None:
    stage.node()
    fault = stage.proxy.add(Fault("answer", method="POST", path="/binding", count=2, status=500,
                                  body='{"kind":"Status","status":"Failure","code":500}',
                                  headers={"Content-Type": "application/json"}))
    gang = stage.gang(2)
    fault.wait_fired(2)
    stage.wait_whole(gang)


def test_k24_two_interleaved_gangs_with_room_for_both(stage: Stage) -> None:
    stage.node("6")
    first, second = stage.gang(2), stage.gang(2)
    interleaved(stage, first, second)
    stage.wait_whole(first)
    stage.wait_whole(second)
    for gang in (first, second):
        uid = stage.api.get(gang.path)["metadata"]["uid"]
        assert {stage.slot_mark(path).split("/")[0] for path in gang.made} == {uid}


def test_c11_a_gang_that_can_never_fit_holds_up_nobody(stage: Stage) -> None:
    stage.node("6"), stage.node("2"), stage.node("2"), stage.node("2")
    impossible = stage.gang(5, cpu="4")
    stage.wait_code(impossible.path, "ExceedsCluster")
    possible = stage.gang(0, cpu="2")
    stage.wait_bound(possible.path)


def test_c13_a_node_is_taken_between_the_members(stage: Stage) -> None:
    """Both nodes are free when the first member comes, one is when the driver does: nothing is bound."""
    stage.node()
    taken = stage.node()
    executor = stage.pod("early", cpu="4", labels={"spark-role": "executor", "spark-app-id": "c13"})
    stage.wait_code(executor, "WaitingInQueue")
    stage.cluster.foreign_pod("intruder", "1", taken)
    driver = stage.pod("late", cpu="4", labels={"spark-role": "driver", "spark-app-id": "c13"}, annotations={
        **PALANTIR, "spark-driver-cpu": "4", "spark-executor-cpu": "4", "spark-executor-count": "1"})
    assert "other schedulers" in stage.wait_code(driver, "WaitingForCapacity")
    assert not stage.is_bound(executor)


def test_v01_other_pods_hold_half_and_one(stage: Stage) -> None:
    stage.node("2"), stage.node("2")
    others = [stage.pod("replica") for _ in range(3)]
    stage.wait_bound(*others)
    gang = stage.gang(2)
    stage.wait_code(gang.path, "WaitingForCapacity")
    assert stage.reason(gang.path) == "Unschedulable"
    for path in others:
        stage.api.delete(path, grace_seconds=0)
    stage.wait_whole(gang)


def test_v02_v04_a_full_cluster_and_an_equal_gang(stage: Stage) -> None:
    """The first stays whole (no eviction: a failed attempt leaves no trace), the second waits."""
    stage.node("2"), stage.node("2")
    first = stage.gang(3)
    stage.wait_whole(first)
    second = stage.gang(3)
    stage.wait_code(second.path, "WaitingForCapacity")
    assert stage.reason(second.path) == "Unschedulable"
    assert all(map(stage.live, (first.path, *first.made)))
    stage.finish_gang(first)
    stage.wait_whole(second)


def test_v07_a_gated_executor_keeps_its_slot_until_the_gate_goes(stage: Stage) -> None:
    stage.node("2")
    gang = stage.gang(1)
    stage.wait_bound(gang.path)
    gated = stage.executor(gang, schedulingGates=[{"name": "tests/hold"}])
    other = stage.pod("other")
    stage.wait_code(other, "WaitingForCapacity", "WaitingInQueue")
    assert not stage.is_bound(gated)
    stage.api.patch(gated, {"spec": {"schedulingGates": None}})
    stage.wait_bound(gated)
    assert not stage.is_bound(other)


def test_v10_terminating_members_are_no_want_of_room(stage: Stage) -> None:
    stage.node("3")
    gang = stage.gang(2)
    stage.wait_bound(gang.path)
    for _ in range(2):
        stage.executor(gang, annotations={LINGER: "300"})
    stage.wait_running(*gang.made)  # what never ran ends at once
    terminating = list(gang.made)
    for path in terminating:
        stage.api.delete(path)
    replacement = stage.executor(gang)
    stage.wait_code(replacement, "WaitingInQueue")
    driver = stage.api.get(gang.path)
    assert condition(driver, "PodScheduled")["status"] == "True"
    for path in terminating:
        stage.api.delete(path, grace_seconds=0)
    stage.wait_bound(replacement)  # in a slot, once its predecessor is really gone
    assert "/" in stage.slot_mark(replacement)


def test_y06_first_come_first_served(stage: Stage) -> None:
    stage.node("3")
    first = stage.pod("a")
    stage.wait_bound(first)
    second = stage.gang(2)
    stage.wait_code(second.path, "WaitingForCapacity")
    next_second()
    third = stage.pod("c")
    stage.wait_code(third, "WaitingInQueue", "WaitingForCapacity")
    stage.api.delete(first, grace_seconds=0)
    stage.wait_whole(second)
    assert not stage.is_bound(third)
    stage.finish_gang(second)
    stage.wait_bound(third)


@pytest.mark.parametrize("owned", [False, True], ids=["labelled", "owned"])
def test_y09_the_originator_is_deleted(stage: Stage, owned: bool) -> None:
    stage.node("3")
    gang = stage.gang(2)
    stage.wait_bound(gang.path)
    executor = stage.executor(gang, **({"owner": gang.path} if owned else {}))
    stage.wait_bound(executor)
    stage.api.delete(gang.path, grace_seconds=0)
    alone = stage.gang(1)  # fits beside the executor that is left, if the open slot is free
    stage.wait_bound(alone.path)


def test_y11_restart_with_one_gang_placed_and_one_pending(stage: Stage) -> None:
    stage.node("3")
    first = stage.gang(2)
    stage.wait_bound(first.path)
    stage.wait_bound(stage.executor(first))
    second = stage.gang(2)
    before = stage.wait_code(second.path, "WaitingForCapacity")
    slots = stage.slots(first)
    stage.scheduler.kill()
    stage.scheduler.restart()
    stage.wait_bound(stage.executor(first))
    eventually(lambda: stage.message(second.path).split(":")[0] == before.split(":")[0], 15,
               lambda: f"the same words, now {stage.message(second.path)!r}")
    assert stage.slots(first) == slots and not stage.is_bound(second.path)
    stage.finish_gang(first)
    stage.wait_whole(second)


def test_y13_foreign_pods_are_known_by_uid(stage: Stage) -> None:
    one, two = stage.node(), stage.node()
    foreign = stage.cluster.foreign_pod("foreign", "3", one)
    stage.cluster.api.delete(foreign, grace_seconds=0)
    stage.cluster.foreign_pod("foreign", "3", two)  # the same name, another pod, another node
    gang = stage.gang(0, cpu="4")
    stage.wait_bound(gang.path)
    assert stage.node_of(gang.path) == one
    stage.wait_code(stage.gang(0, cpu="2").path, "WaitingForCapacity")


def test_p01_two_executors_and_not_a_third(stage: Stage) -> None:
    stage.node(), stage.node()
    gang = stage.gang(2, annotations={**PALANTIR, "spark-executor-count": "2"})
    stage.wait_whole(gang)
    third = stage.executor(gang)
    assert "may have 2 executors" in stage.wait_code(third, "Misconfigured", "WaitingInQueue")
    marks = [stage.slot_mark(path) for path in gang.made[:2]]
    stage.finish(gang.made[0])
    stage.wait_bound(third)
    assert stage.slot_mark(third) == marks[0]


def test_p02_p03_dynamic_allocation(stage: Stage) -> None:
    stage.node("8"), stage.node("8")
    gang = dynamic(stage, 1, 3)
    stage.wait_bound(gang.path)
    hard, soft = stage.executor(gang), stage.executor(gang)
    stage.wait_bound(hard, soft)
    assert {stage.slot_mark(path).split("/")[-1] for path in (hard, soft)} == {"0", "elastic"}
    stage.wait_bound(stage.executor(gang))
    beyond = stage.executor(gang)
    stage.wait_code(beyond, "Misconfigured", "WaitingInQueue")
    dead = hard if stage.slot_mark(hard).endswith("/0") else soft
    stage.finish(dead)
    stage.wait_bound(beyond)
    assert stage.slot_mark(beyond) == stage.slot_mark(dead), "a hard slot before a new soft one"


def test_p05_too_large_for_the_cluster(stage: Stage) -> None:
    stage.node(), stage.node()
    large = stage.gang(100, annotations={**PALANTIR, "spark-executor-count": "100"})
    stage.wait_code(large.path, "ExceedsCluster")
    small = stage.gang(2, annotations={**PALANTIR, "spark-executor-count": "2"})
    stage.wait_whole(small)


def test_p07_a_line_for_each_group_of_nodes(stage: Stage) -> None:
    stage.node("2", labels={"instance-group": f"a-{stage.namespace}"})
    stage.node("2", labels={"instance-group": f"b-{stage.namespace}"})
    to_a, to_b = ({"nodeSelector": {"instance-group": f"{group}-{stage.namespace}"}} for group in "ab")
    running = stage.pod("running", **to_a)
    stage.wait_bound(running)
    earlier = stage.gang(1, **to_a)
    stage.wait_code(earlier.path, "WaitingForCapacity")
    next_second()
    later = stage.gang(0, **to_a)
    elsewhere = stage.gang(1, **to_b)
    stage.wait_bound(elsewhere.path)
    stage.wait_code(later.path, "WaitingInQueue")
    stage.finish(running)
    stage.wait_bound(earlier.path)
    assert not stage.is_bound(later.path)


def test_p08_a_failed_bind_is_tried_on_the_same_node(stage: Stage) -> None:
    node = stage.node("2", labels={"cost": "1"})
    stage.node("4", labels={"cost": "2"})
    fault = stage.proxy.add(Fault("answer", method="POST", path="/binding", count=1, status=503,
                                  body='{"kind":"Status","status":"Failure","code":503}',
                                  headers={"Content-Type": "application/json"}))
    gang = stage.gang(1)
    fault.wait_fired()
    stage.wait_bound(gang.path)
    assert stage.node_of(gang.path) == node
    assert [slots[:2] for slots in stage.slots(gang)] == [(node, 1)]
