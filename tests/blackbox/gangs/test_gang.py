"""kubernetes-gang-scheduler's scenarios, seen from outside, each by its name; units are in tests/gang/model/gang_test.cpp.

One cluster and one scheduler serve all; the headroom is the rule of the original that so much must remain.
"""
from pathlib import Path
from typing import Iterator

import pytest

from conftest import Rigs
from support.plane.fault_proxy import Fault
from support.kube.pods import condition
from support.process.polling import eventually
from support.kube.stage import Stage

CONFIG = """
profiles: [{schedulerName: gang-scheduler}, {schedulerName: spark-scheduler}]
nodes: {headroom: {cpu: 1, memory: 1Gi}}
"""
SAMPLE = {"spark-driver-cpus": "1", "spark-driver-mem": "1g", "spark-executor-count": "2",
          "spark-executor-cpu": "1", "spark-executor-mem": "1g"}
ROOM = ("WaitingForCapacity", "ExceedsCluster")


@pytest.fixture(scope="module")
def whole_stage(rigs: Rigs, rig_name: str, tmp_path_factory: pytest.TempPathFactory,
                request: pytest.FixtureRequest) -> Iterator[Stage]:
    failed = request.session.testsfailed
    stage = Stage(rigs.get(rig_name), CONFIG, tmp_path_factory.mktemp("gang"))
    yield stage
    stage.close(judge=request.session.testsfailed == failed)


@pytest.fixture
def stage(whole_stage: Stage) -> Iterator[Stage]:
    yield whole_stage
    whole_stage.clear()


def test_gang_1_admit_and_place_on_the_cheapest(stage: Stage) -> None:
    stage.node(labels={"cost": "10"})
    cheap = stage.node(labels={"cost": "5"})
    gang = stage.gang(2)
    stage.wait_whole(gang)
    assert {stage.node_of(path) for path in (gang.path, *gang.made)} == {cheap}
    stage.wait_event(gang.path, "Scheduled", f"{gang.name} to {cheap}", "Normal")


def test_gang_2_all_or_nothing(stage: Stage) -> None:
    stage.node(), stage.node()
    gang = stage.gang(8)
    assert "1 driver + 8 executors" in stage.wait_code(gang.path, *ROOM)
    assert stage.reason(gang.path) == "Unschedulable"
    stage.wait_event(gang.path, "FailedScheduling", "8 executors")
    stage.node()
    stage.wait_whole(gang)


def test_gang_3_the_driver_is_counted(stage: Stage) -> None:
    stage.node()
    gang = stage.gang(3)
    assert "1 + 2 fit" in stage.wait_code(gang.path, *ROOM)


def test_gang_4_two_jobs_one_waits(stage: Stage) -> None:
    stage.node("8", "32Gi")
    first = stage.gang(4)
    stage.wait_bound(first.path)
    second = stage.gang(4)
    stage.wait_code(second.path, "WaitingForCapacity")
    stage.wait_whole(first)
    assert not stage.is_bound(second.path)
    stage.finish_gang(first)
    stage.wait_whole(second)


def test_gang_5_ten_jobs_that_fill_the_cluster_in_a_row(stage: Stage) -> None:
    stage.node("3")
    gangs = [stage.gang(1) for _ in range(10)]
    for _ in gangs:
        eventually(lambda: [gang for gang in gangs if stage.is_bound(gang.path)], 15, "the next", 0.02)
        gang = next(gang for gang in gangs if stage.is_bound(gang.path))
        stage.wait_whole(gang)
        assert sum(stage.is_bound(other.path) for other in gangs) == 1
        stage.finish_gang(gang)
        gangs.remove(gang)


def test_gang_6_cost(stage: Stage) -> None:
    dear = stage.node("3", labels={"cost": "150"})
    only = stage.gang(0)
    stage.wait_bound(only.path)
    assert stage.node_of(only.path) == dear
    stage.node("3", labels={"cost": "3"})
    free = stage.node("6")
    gang = stage.gang(1)
    stage.wait_bound(gang.path)
    assert stage.node_of(gang.path) == free


def test_gang_7_packing_not_sums(stage: Stage) -> None:
    stage.node(), stage.node()
    stage.wait_code(stage.gang(2, cpu="2").path, *ROOM)


def test_gang_8_units(stage: Stage) -> None:
    stage.node("32", "64Gi")
    for memory in ("2g", "2048m", "2Gi", "2147483648"):
        gang = stage.gang(1, annotations={**SAMPLE, "spark-executor-count": "1", "spark-executor-mem": memory})
        stage.wait_bound(gang.path)
        assert [requests["memory"] for _, _, requests in stage.slots(gang)] == [2 * 2**30], memory
    half = stage.gang(1, labels={"exec-cpu": "500m", "exec-mem": "2"})
    stage.wait_bound(half.path)
    assert stage.slots(half)[0][2] == {"cpu": 500, "memory": 2 * 2**30, "pods": 1}
    lots = stage.gang(1, labels={"driver-mem": "lots"})
    assert 'driver-mem = "lots"' in stage.wait_code(lots.path, "Misconfigured")
    stage.wait_event(lots.path, "FailedScheduling", "driver-mem")


@pytest.mark.parametrize("key,value", [
    ("spark-executor-count", "-1"), ("spark-executor-count", "1000000000"), ("spark-executor-count", "NaN"),
    ("spark-executor-count", ""), ("spark-executor-cpu", "-1"), ("spark-executor-cpu", "１"),
    ("spark-executor-mem", "1e400"), ("spark-executor-mem", "2g;rm"), ("spark-executor-mem", "1.5g"),
    ("spark-executor-mem", "9223372036854775807g"), ("gang-scheduler/min-executers", "3")])
def test_gang_8_bad_values_are_named(stage: Stage, key: str, value: str) -> None:
    bad = stage.gang(2, annotations={**SAMPLE, key: value})
    assert key in stage.wait_code(bad.path, "Misconfigured")
    assert stage.reason(bad.path) == "SchedulingSkipped"


def test_gang_8_a_mended_label_is_enough(stage: Stage) -> None:
    stage.node()
    bad = stage.gang(1, labels={"exec-mem": "lots"})
    stage.wait_code(bad.path, "Misconfigured")
    stage.api.patch(bad.path, {"metadata": {"labels": {"exec-mem": "1"}}})
    stage.wait_whole(bad)


def test_gang_9_what_runs_already_counts(stage: Stage) -> None:
    node = stage.node()
    foreign = stage.cluster.foreign_pod("daemon", "2", node)
    gang = stage.gang(1)
    stage.wait_code(gang.path, *ROOM)
    stage.finish(foreign)
    stage.wait_whole(gang)


def test_gang_10_a_reserved_node_is_cordoned(stage: Stage) -> None:
    first = stage.node()
    gang = stage.gang(2)
    stage.wait_bound(gang.path)
    second = stage.node()
    stage.cordon(first)
    eventually(lambda: [slot[:2] for slot in stage.slots(gang)] == [(second, 2)], 15, "moved slots")
    stage.wait_whole(gang)
    assert {stage.node_of(path) for path in gang.made} == {second}
    assert stage.node_of(gang.path) == first


def test_gang_11_restart(stage: Stage) -> None:
    stage.node("6", "16Gi")
    gang = stage.gang(4)
    stage.wait_bound(gang.path)
    stage.wait_bound(*stage.executors(gang, 2))
    stage.scheduler.kill()
    other = stage.gang(1)
    stage.scheduler.restart()
    stage.wait_code(other.path, "WaitingForCapacity")
    stage.wait_bound(*stage.executors(gang, 2))
    assert not stage.is_bound(other.path)
    assert all("/" in stage.slot_mark(path) for path in gang.made)


def test_gang_12_one_too_many_gets_unreserved_room(stage: Stage) -> None:
    stage.node("6", "16Gi")
    first, second = stage.gang(1), stage.gang(1)
    stage.wait_bound(first.path, second.path)
    made = stage.executors(first, 3)
    eventually(lambda: sum(map(stage.is_bound, made)) == 2, 10, "two executors")
    late = next(path for path in made if not stage.is_bound(path))
    stage.wait_code(late, *ROOM, "WaitingInQueue")
    stage.wait_whole(second)
    assert not stage.is_bound(late)


def test_gang_13_no_admitted_driver(stage: Stage) -> None:
    stage.node()
    gang = stage.gang(8)
    executor = stage.executor(gang)
    nobody = stage.pod("stray", labels={"spark-role": "executor", "exec-cpu": "1", "exec-mem": "1"})
    for path in (executor, nobody):
        assert "waits for the admitted driver" in stage.wait_code(path, "WaitingInQueue")
    stage.node("8", "16Gi")
    stage.wait_bound(gang.path, executor)
    assert not stage.is_bound(nobody)


def test_gang_14_a_driver_that_goes_frees_its_room(stage: Stage) -> None:
    stage.node()
    first = stage.gang(2)
    stage.wait_bound(first.path)
    second = stage.gang(2)
    stage.wait_code(second.path, "WaitingForCapacity")
    stage.api.delete(first.path, grace_seconds=0)
    stage.wait_bound(second.path)


@pytest.mark.parametrize("status", [409, 500])
def test_gang_15_a_failed_bind_keeps_the_slot(stage: Stage, status: int) -> None:
    stage.node()
    gang = stage.gang(1)
    stage.wait_bound(gang.path)
    body = ('{"kind":"Status","apiVersion":"v1","status":"Failure","message":"made up","reason":"%s",'
            '"code":%d}' % ("Conflict" if status == 409 else "InternalError", status))
    fault = stage.proxy.add(Fault("answer", method="POST", path="/binding", count=1, status=status,
                                  body=body, headers={"Content-Type": "application/json"}))
    executor = stage.executor(gang)
    fault.wait_fired()
    thief = stage.pod("thief", cpu="2")
    stage.wait_bound(executor)
    assert stage.slot_mark(executor).endswith("/0")
    stage.wait_code(thief, *ROOM)


def test_gang_16_annotations_and_labels(stage: Stage) -> None:
    stage.node("16", "32Gi")
    sleep = stage.pod("sleep-driver", annotations=SAMPLE, schedulerName="spark-scheduler")
    labelled, both = stage.gang(2), stage.gang(5, labels={}, annotations=SAMPLE)
    stage.wait_bound(sleep, labelled.path, both.path)
    made = [stage.pod("e", labels={"spark-role": "executor"}, schedulerName="spark-scheduler", owner=sleep)
            for _ in range(2)]
    stage.wait_bound(*made)
    assert all("/" in stage.slot_mark(path) for path in made)
    assert stage.slots(labelled)[0][1:] == stage.slots(both)[0][1:]
    stage.wait_event(both.path, "DeclarationMismatch", "annotation spark-executor-count counts")


def test_gang_17_a_driver_that_differs_from_its_labels(stage: Stage) -> None:
    stage.node()
    large = stage.gang(2, requests=("2", "1Gi"))
    stage.wait_code(large.path, *ROOM)
    stage.wait_event(large.path, "DeclarationMismatch", "driver-cpu says 1 cpu")


def test_gang_18_executors_larger_than_declared(stage: Stage) -> None:
    stage.node("6", "16Gi")
    gang = stage.gang(2)
    stage.wait_bound(gang.path)
    stage.wait_bound(stage.executor(gang, cpu="2"))
    larger = stage.executor(gang, cpu="3")
    stage.wait_code(larger, "WaitingForCapacity")
    stage.wait_event(gang.path, "ExecutorsLargerThanDeclared", "3 cpu")
    stage.node("6", "16Gi")
    stage.wait_bound(larger)


def test_gang_19_dynamic_allocation(stage: Stage) -> None:
    stage.node("5", "16Gi")
    gang = stage.gang(1, annotations={
        **SAMPLE, "spark-dynamic-allocation-enabled": "true",
        "spark-dynamic-allocation-min-executor-count": "2",
        "spark-dynamic-allocation-max-executor-count": "6"})
    stage.wait_bound(gang.path)
    assert sum(slot[1] for slot in stage.slots(gang)) == 2
    made = stage.executors(gang, 7)
    eventually(lambda: sum(map(stage.is_bound, made)) == 3, 10, "three executors")
    stage.node("16", "32Gi")
    eventually(lambda: sum(map(stage.is_bound, made)) == 6, 10, "six executors")
    last = next(path for path in made if not stage.is_bound(path))
    assert "may have 6 executors" in stage.wait_code(last, "Misconfigured", "WaitingInQueue")


def test_gang_20_constraints_of_executors_to_come(stage: Stage) -> None:
    stage.node("16", "32Gi")
    taint = {"key": "dedicated", "value": "spark", "effect": "NoSchedule"}
    pool = [stage.node(labels={"pool": stage.namespace}, taints=[taint])]
    there = {"nodeSelector": {"pool": stage.namespace},
             "tolerations": [{"key": "dedicated", "operator": "Exists"}]}
    gang = stage.gang(3, **there)
    stage.wait_code(gang.path, *ROOM)
    pool.append(stage.node(labels={"pool": stage.namespace}, taints=[taint]))
    stage.wait_bound(gang.path)
    assert {slot[0] for slot in stage.slots(gang)} <= set(pool)
    executor = stage.executor(gang, **there)
    stage.wait_bound(executor)
    assert stage.node_of(executor) in pool


def test_gang_21_a_plain_pod(stage: Stage) -> None:
    stage.node()
    plain = stage.pod("plain")
    stage.wait_bound(plain)
    assert condition(stage.api.get(plain), "PodScheduled")["status"] == "True"


def test_gang_22_nothing_is_asked_while_nothing_happens(stage: Stage) -> None:
    stage.node()
    gang = stage.gang(2)
    stage.wait_bound(gang.path)
    waiting = stage.gang(2)
    stage.wait_code(waiting.path, "WaitingForCapacity")
    eventually(lambda: stage.proxy.requests("POST", "/events"), 10, "the events to be written")

    def is_quiet(before: list[int]) -> bool:
        now = len(stage.proxy.requests())
        before.append(now)
        return len(before) > 20 and before[-20] == now  # no request for 20 looks: two seconds
    eventually(lambda looks=[]: is_quiet(looks), 15, "two seconds without a request")


@pytest.mark.long
@pytest.mark.bound(300)
def test_gang_22_figures(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    """How fast a thousand pods that wait already are bound, and how large the process is then."""
    for _ in range(20):
        stage.node("64", "256Gi")
    stage.scheduler.stop()
    gangs = [stage.gang(4) for _ in range(200)]
    pods = [path for gang in gangs for path in (gang.path, *stage.executors(gang))]
    scheduler = stage.cluster.rig.start_scheduler()
    bound = stage.namespace

    def count() -> int:
        items = stage.api.items(f"/api/v1/namespaces/{bound}/pods")
        return sum("nodeName" in pod["spec"] for pod in items)
    eventually(lambda: count() == len(pods), 240, lambda: f"{len(pods)} bound pods, now {count()}", 0.5)
    times = [seen.at for seen in map(stage.history.first_bound, pods) if seen]
    resident = int(next(line.split()[1] for line in Path(f"/proc/{scheduler.process.pid}/status")
                        .read_text().splitlines() if line.startswith("VmRSS"))) / 1024
    with capsys.disabled():
        print(f"\n{len(pods)} pods bound in {max(times) - min(times):.2f} s, {resident:.1f} MiB resident")
    scheduler.stop()
    stage.scheduler.restart()
