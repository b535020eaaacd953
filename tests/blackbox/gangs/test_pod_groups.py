"""Pod groups on both rigs: PodGroup objects of their own kinds, and pods that name them."""
from pathlib import Path
from typing import Callable, Iterator, Optional

import pytest

from support.client.api import Json
from support.plane.chart import Rights
from support.kube.cluster import Cluster
from support.kube.pod_groups import (ANNOTATION, COSCHEDULING, LABEL, VOLCANO, add_group, define_kinds, group_path,
                                status_of, wait_phase)
from support.kube.pods import condition, node_of
from support.process.polling import eventually, next_second
from support.plane.real_plane import RealPlane


@pytest.fixture
def bare(make_plane: Callable[..., RealPlane]) -> Iterator[Cluster]:
    """No custom resource definition."""
    plane = make_plane()
    plane.use_chart(Rights.render())
    cluster = Cluster(plane)
    yield cluster
    cluster.close()


@pytest.fixture(autouse=True)
def kinds(request: pytest.FixtureRequest) -> None:
    """The custom resource definitions; the embedded API server has the kinds built in."""
    if "cluster" in request.fixturenames:
        define_kinds(request.getfixturevalue("cluster"))


def create(cluster: Cluster, name: str, cpu: str = "1", labels: Optional[Json] = None,
           annotations: Optional[Json] = None) -> str:
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    cluster.api.post(path, {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "labels": labels or {}, "annotations": annotations or {}},
        "spec": {"schedulerName": "gang-scheduler", "restartPolicy": "Never", "containers": [
            {"name": "main", "image": "none", "resources": {"requests": {"cpu": cpu}}}]}})
    return f"{path}/{name}"


def members(cluster: Cluster, group: str, count: int, cpu: str = "1", first: int = 0) -> list[str]:
    return [create(cluster, f"{group}-{i}", cpu, {LABEL: group}) for i in range(first, first + count)]


def bound(cluster: Cluster, paths: list[str]) -> list[str]:
    return [path for path in paths if node_of(cluster.api.get(path))]


def wait_bound(cluster: Cluster, paths: list[str], count: int, seconds: float = 40) -> None:
    eventually(lambda: len(bound(cluster, paths)) == count, seconds,
               lambda: f"{count} bound, now {bound(cluster, paths)}, told {[told(cluster, path) for path in paths]}")


def told(cluster: Cluster, path: str) -> str:
    return condition(cluster.api.get(path), "PodScheduled").get("message", "")


def wait_told(cluster: Cluster, paths: list[str], text: str) -> None:
    """One of them: which is the oldest of pods that were made in one second is chance."""
    eventually(lambda: any(text in told(cluster, path) for path in paths), 40,
               lambda: f"{text!r}, told {[told(cluster, path) for path in paths]}")


def end(cluster: Cluster, path: str, phase: str = "Succeeded") -> None:
    cluster.api.patch(f"{path}/status", {"status": {"phase": phase}})


def events_of(cluster: Cluster, path: str) -> list[Json]:
    folder = f"/apis/events.k8s.io/v1/namespaces/{cluster.default_namespace}/events"
    return [event for event in cluster.api.items(folder)
            if event.get("regarding", {}).get("name") == path.rsplit("/", 1)[1]]


def test_as_many_as_there_is_room_for(cluster: Cluster) -> None:
    """COS-1: six pods, a minimum of 3, room for 3."""
    cluster.add_nodes(1, cpu="3")
    cluster.start_scheduler()
    pods = members(cluster, add_group(cluster, {"minMember": 3}), 6)
    wait_bound(cluster, pods, 3)
    eventually(lambda: sum("[WaitingForCapacity]" in told(cluster, path) for path in pods) == 3, 40,
               lambda: f"the others told why they wait, told {[told(cluster, path) for path in pods]}")
    assert len(bound(cluster, pods)) == 3


def test_the_whole_minimum_or_nobody(cluster: Cluster) -> None:
    """COS-3."""
    cluster.add_nodes(1, cpu="6")
    cluster.start_scheduler()
    group = add_group(cluster, {"minMember": 6})
    pods = members(cluster, group, 5)
    wait_told(cluster, pods, "has 5 of the 6 pods it needs [WaitingForPodGroup]")
    assert not bound(cluster, pods)
    pods += members(cluster, group, 1, first=5)
    wait_bound(cluster, pods, 6)


def test_one_cpu_too_few_binds_nobody(cluster: Cluster) -> None:
    """COS-2."""
    cluster.add_nodes(1, cpu="5")
    cluster.start_scheduler()
    pods = members(cluster, add_group(cluster, {"minMember": 6}), 6)
    wait_told(cluster, pods, "needs 6 pods (6 cpu")
    wait_told(cluster, pods, "[ExceedsCluster]")
    assert not bound(cluster, pods)


def test_two_groups_with_room_for_one(cluster: Cluster) -> None:
    """COS-4."""
    cluster.add_nodes(1, cpu="4")
    cluster.start_scheduler()
    first, second = (add_group(cluster, {"minMember": 3}) for _ in range(2))
    older = members(cluster, first, 3)
    wait_bound(cluster, older, 3)
    later = members(cluster, second, 3)
    wait_told(cluster, later, f"can take pod group {cluster.default_namespace}/{second} now")
    assert not bound(cluster, later)


def test_members_beyond_the_minimum(cluster: Cluster) -> None:
    """COS-14: those of the minimum, another one, and the two that wait hold up nobody."""
    cluster.add_nodes(1, cpu="4500m")
    cluster.start_scheduler()
    pods = members(cluster, add_group(cluster, {"minMember": 3}), 6)
    wait_bound(cluster, pods, 4)
    next_second()
    other = create(cluster, "other", cpu="500m")
    wait_bound(cluster, [other], 1)
    assert len(bound(cluster, pods)) == 4


@pytest.mark.parametrize("labels,annotations,version", [
    ({LABEL: "G"}, {}, COSCHEDULING),
    ({"pod-group.scheduling.sigs.k8s.io": "G"}, {}, COSCHEDULING),
    ({}, {"scheduling.k8s.io/group-name": "G"}, VOLCANO),
    ({}, {"scheduling.volcano.sh/group-name": "G"}, VOLCANO),
    ({"pod-group.scheduling.sigs.k8s.io/name": "G", "pod-group.scheduling.sigs.k8s.io/min-available": "2"}, {}, ""),
    ({}, {"gang-scheduler/pod-group": "G", "gang-scheduler/min-members": "2"}, ""),
], ids=["coscheduling", "sigs", "kube-batch", "volcano", "lightweight", "own"])
def test_each_way_to_name_a_group(cluster: Cluster, labels: dict[str, str], annotations: dict[str, str],
                                  version: str) -> None:
    """COS-7. The fourth way, spec.schedulingGroup, is COS-9 (test_native_groups.py)."""
    cluster.add_nodes(1)
    cluster.start_scheduler()
    group = add_group(cluster, {"minMember": 2}, version) if version else "named"

    def named(text: dict[str, str]) -> dict[str, str]:
        return {key: group if value == "G" else value for key, value in text.items()}
    pods = [create(cluster, f"{group}-0", labels=named(labels), annotations=named(annotations))]
    wait_told(cluster, pods, "has 1 of the 2 pods it needs")
    pods.append(create(cluster, f"{group}-1", labels=named(labels), annotations=named(annotations)))
    wait_bound(cluster, pods, 2)


def test_the_anchor_ends_before_the_others(cluster: Cluster) -> None:
    """COS-11: The room of the pod that bore the reservation is free, nobody else's is, also for the next scheduler."""
    cluster.add_nodes(1, cpu="3")
    scheduler = cluster.start_scheduler()
    pods = members(cluster, add_group(cluster, {"minMember": 3}), 3)
    wait_bound(cluster, pods, 3)
    [anchor] = [path for path in pods
                if "gang-scheduler/reservation" in cluster.api.get(path)["metadata"].get("annotations", {})]
    others = [create(cluster, f"other-{i}") for i in range(2)]
    end(cluster, anchor)
    wait_bound(cluster, others, 1)
    scheduler.kill()
    cluster.start_scheduler()
    [waits] = [path for path in others if not node_of(cluster.api.get(path))]
    late = create(cluster, "late")
    wait_told(cluster, [late], "[WaitingFor")
    assert not bound(cluster, [waits, late])
    end(cluster, next(path for path in pods if path != anchor))
    wait_bound(cluster, [waits, late], 1)


def test_the_anchor_ends_while_a_place_is_kept(cluster: Cluster, tmp_path: Path) -> None:
    """COS-11: The place of a member that failed outlives the anchor, and the scheduler that is killed after it."""
    cluster.add_nodes(1, cpu="4")
    key, config = tmp_path / "seal.key", tmp_path / "config.yaml"
    key.write_text("k" * 40)
    config.write_text(f"seal:\n  keyFile: {key}\n")
    sealed = ("--leader-elect=false", "--config", str(config))
    scheduler = cluster.start_scheduler(*sealed)
    pods = members(cluster, group := add_group(cluster, {"minMember": 4}), 4)
    wait_bound(cluster, pods, 4)

    def bearers() -> list[str]:
        return [path for path in pods if (pod := cluster.api.get(path))["status"].get("phase") not in ("Succeeded", "Failed")
                and "gang-scheduler/reservation" in pod["metadata"].get("annotations", {})]

    [anchor] = bearers()
    fails = next(path for path in pods if path != anchor)
    end(cluster, fails, "Failed")
    other = create(cluster, "other")
    wait_told(cluster, [other], "[WaitingFor")
    end(cluster, anchor)
    wait_bound(cluster, [other], 1)
    eventually(lambda: len(bearers()) == 1, 20, lambda: "another pod bears the reservation")
    scheduler.kill()
    cluster.start_scheduler(*sealed)
    late = create(cluster, "late")
    wait_told(cluster, [late], "[WaitingFor")
    successor = create(cluster, f"{group}-again", labels={LABEL: group})
    wait_bound(cluster, [successor], 1)
    assert not bound(cluster, [late])


def test_its_object_goes_while_some_of_it_run(cluster: Cluster) -> None:
    """COS-13, K19."""
    cluster.add_nodes(1, cpu="2")
    cluster.start_scheduler()
    group = add_group(cluster, {"minMember": 2})
    pods = members(cluster, group, 3)
    wait_bound(cluster, pods, 2)
    [waits] = [path for path in pods if not node_of(cluster.api.get(path))]
    wait_told(cluster, [waits], "[WaitingForCapacity]")
    cluster.api.delete(group_path(cluster, group))
    wait_told(cluster, [waits], "PodGroup not found")
    late = create(cluster, f"{group}-late", labels={LABEL: group})
    cluster.add_nodes(1, cpu="4")
    wait_told(cluster, [late], "PodGroup not found")
    assert len(bound(cluster, pods)) == 2
    assert not bound(cluster, [late])
    add_group(cluster, {"minMember": 2}, name=group)
    wait_bound(cluster, [*pods, late], 4)


def test_two_dialects_on_one_pod(cluster: Cluster) -> None:
    """COS-15: The first of the table counts, and a Warning says so; a group is one of its namespace."""
    cluster.add_nodes(1)
    cluster.start_scheduler()
    group = add_group(cluster, {"minMember": 2})
    pods = [create(cluster, f"{group}-{i}", labels={LABEL: group}, annotations={ANNOTATION: "other"}) for i in range(2)]
    wait_bound(cluster, pods, 2)

    def is_warned() -> bool:
        return any(event["type"] == "Warning" and event["reason"] == "DeclarationMismatch" and
                   "names pod group other" in event["note"] for path in pods for event in events_of(cluster, path))
    eventually(is_warned, 40, lambda: f"a Warning, events {[events_of(cluster, path) for path in pods]}")
    apart = add_group(cluster, {"minMember": 2})
    mine = create(cluster, f"{apart}-0", labels={LABEL: apart})
    elsewhere = f"/api/v1/namespaces/{cluster.namespace()}/pods"
    body = cluster.api.get(mine)
    cluster.api.post(elsewhere, {"apiVersion": "v1", "kind": "Pod",
                                 "metadata": {"name": f"{apart}-1", "labels": {LABEL: apart}},
                                 "spec": {key: body["spec"][key] for key in ("schedulerName", "containers")}})
    wait_told(cluster, [mine], "has 1 of the 2 pods it needs")
    wait_told(cluster, [f"{elsewhere}/{apart}-1"], "PodGroup not found")


def test_an_object_that_comes_later(cluster: Cluster) -> None:
    """COS-5."""
    cluster.add_nodes(1)
    cluster.start_scheduler()
    pods = members(cluster, "late", 2)
    wait_told(cluster, pods, "PodGroup not found: " + cluster.default_namespace + "/late")
    assert not bound(cluster, pods)
    add_group(cluster, {"minMember": 2}, name="late")
    wait_bound(cluster, pods, 2)


def test_a_group_that_waits_holds_nothing(cluster: Cluster) -> None:
    """COS-6: there is nothing that scheduleTimeoutSeconds could time out."""
    cluster.add_nodes(1, cpu="2")
    cluster.start_scheduler()
    pods = members(cluster, add_group(cluster, {"minMember": 3, "scheduleTimeoutSeconds": 1}), 2)
    wait_told(cluster, pods, "has 2 of the 3 pods it needs")
    other = create(cluster, "other", cpu="2")
    wait_bound(cluster, [other], 1)
    cluster.api.delete(other, grace_seconds=0)
    cluster.add_nodes(1, cpu="2")
    pods += [create(cluster, "last", labels=cluster.api.get(pods[0])["metadata"]["labels"])]
    wait_bound(cluster, pods, 3)


def test_min_resources_are_free_when_a_group_starts(cluster: Cluster) -> None:
    """Its pods would fit; who comes later does not take what it waits for."""
    cluster.add_nodes(1, cpu="4")
    cluster.start_scheduler()
    blocker = create(cluster, "blocker")
    wait_bound(cluster, [blocker], 1)
    pods = members(cluster, add_group(cluster, {"minMember": 2, "minResources": {"cpu": "4"}}), 2)
    wait_told(cluster, pods, "needs 4 cpu free on all nodes together (spec.minResources), short of 1 cpu "
                             "[WaitingForCapacity]")
    next_second()
    later = create(cluster, "later")
    wait_told(cluster, [later], "1 gang is ahead")
    assert not bound(cluster, [*pods, later])
    cluster.api.delete(blocker, grace_seconds=0)
    wait_bound(cluster, [*pods, later], 3)


def test_the_job_of_kube_batchs_readme(cluster: Cluster) -> None:
    """KB-1: six pods of one CPU, none on five CPUs, all on six."""
    cluster.add_nodes(1, cpu="5")
    cluster.start_scheduler()
    group = add_group(cluster, {"minMember": 6}, VOLCANO, name="qj-1")
    pods = [create(cluster, f"qj-1-{i}", annotations={ANNOTATION: group}) for i in range(6)]
    wait_told(cluster, pods, "needs 6 pods (6 cpu")

    def is_unschedulable() -> bool:
        return condition({"status": status_of(cluster, group, VOLCANO)}, "Unschedulable").get("status") == "True"
    eventually(is_unschedulable, 40, lambda: f"Unschedulable, status {status_of(cluster, group, VOLCANO)}")
    assert not bound(cluster, pods)
    cluster.add_nodes(1, cpu="1")
    wait_bound(cluster, pods, 6)
    wait_phase(cluster, group, "Running", VOLCANO)


def test_volcanos_roles(cluster: Cluster) -> None:
    """COS-12: a launcher of 1 cpu and three workers of 2, on 6 cpu and on 7."""
    cluster.add_nodes(1, cpu="6")
    cluster.start_scheduler()
    group = add_group(cluster, {"minMember": 4, "minTaskMember": {"launcher": 1, "worker": 3}, "queue": "default"}, VOLCANO)

    def task(name: str, role: str, cpu: str) -> str:
        return create(cluster, name, cpu, annotations={"scheduling.k8s.io/group-name": group, "volcano.sh/task-spec": role})
    pods = [task(f"worker-{i}", "worker", "2") for i in range(3)]
    wait_told(cluster, pods, "has 3 of the 4 pods it needs")
    pods.append(task("launcher", "launcher", "1"))
    wait_told(cluster, pods, "needs 4 pods (7 cpu")
    assert not bound(cluster, pods)
    cluster.add_nodes(1, cpu="1")
    wait_bound(cluster, pods, 4)


def test_a_job_as_volcanos_controller_writes_it(cluster: Cluster) -> None:
    """KB-15: whole, and who is made for one that failed has its place; nobody overtakes it."""
    cluster.add_nodes(1, cpu="3")
    cluster.start_scheduler()
    uid = "0e4a9b62-55a8-4b1c-9d11-1c5c7fba9a01"
    group = add_group(cluster, {"minMember": 3, "minTaskMember": {"master": 1, "worker": 2}, "queue": "q1",
                                "minResources": {"count/pods": "3", "cpu": "3", "pods": "3", "requests.cpu": "3"}},
                      VOLCANO, name=f"train-{uid}")

    def task(role: str, index: int, retry: int = 0) -> str:
        said = {"volcano.sh/job-name": "train", "volcano.sh/queue-name": "q1", "volcano.sh/task-index": str(index),
                "volcano.sh/task-spec": role}
        return create(cluster, f"train-{role}-{index}" + (f"-{retry}" if retry else ""), labels={
            **said, "volcano.sh/job-namespace": cluster.default_namespace},
            annotations={**said, ANNOTATION: group, "volcano.sh/job-version": "0",
                         "volcano.sh/job-retry-count": str(retry), "volcano.sh/template-uid": f"train-{role}"})
    pods = [task("worker", 0), task("worker", 1)]
    wait_told(cluster, pods, "has 2 of the 3 pods it needs")
    pods.append(task("master", 0))
    wait_bound(cluster, pods, 3)
    wait_phase(cluster, group, "Running", VOLCANO)
    other = create(cluster, "other")
    wait_told(cluster, [other], "[WaitingForCapacity]")
    # The anchor is the first in order; of the others one fails.
    failed = next(path for path in pods
                  if "gang-scheduler/reservation" not in cluster.api.get(path)["metadata"]["annotations"])
    labels = cluster.api.get(failed)["metadata"]["labels"]
    end(cluster, failed, "Failed")
    again = task(labels["volcano.sh/task-spec"], int(labels["volcano.sh/task-index"]), retry=1)
    wait_bound(cluster, [again], 1)
    assert not bound(cluster, [other])


def test_annotations_alone(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    cluster.start_scheduler()
    said = {"gang-scheduler/pod-group": "own", "gang-scheduler/min-members": "3"}
    pods = [create(cluster, f"own-{i}", annotations=said) for i in range(2)]
    wait_told(cluster, pods, "has 2 of the 3 pods it needs")
    pods.append(create(cluster, "own-2", annotations=said))
    wait_bound(cluster, pods, 3)


def test_a_minimum_that_is_no_number(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    cluster.start_scheduler()
    bad = create(cluster, "bad", annotations={"gang-scheduler/pod-group": "own", "gang-scheduler/min-members": "all"})
    wait_told(cluster, [bad], 'annotation gang-scheduler/min-members is "all"')
    other = create(cluster, "other")
    wait_bound(cluster, [other], 1)


def test_killed_while_a_group_is_being_bound(cluster: Cluster) -> None:
    """COS-10: Whatever was bound, a new scheduler makes it whole, and the other group has nothing."""
    cluster.add_nodes(1, cpu="12")
    scheduler = cluster.start_scheduler()
    names = [add_group(cluster, {"minMember": 10}) for _ in range(2)]
    groups = [members(cluster, name, 10) for name in names]
    # Which of them goes first is chance: pods of one second, and their groups' objects come by another watch.
    [begun] = eventually(lambda: [group for group in groups if bound(cluster, group)], 20, "the first bind", 0.01)
    scheduler.kill()
    cluster.start_scheduler()
    wait_bound(cluster, begun, 10)
    [other] = [group for group in groups if group is not begun]
    wait_told(cluster, other, "[WaitingForCapacity]")
    assert not bound(cluster, other)


def test_a_group_is_shown(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    cluster.start_scheduler()
    group = add_group(cluster, {"minMember": 2})
    pods = members(cluster, group, 1)
    wait_told(cluster, pods, "has 1 of the 2 pods it needs")
    shown = cluster.rig.cli("why", f"{group}-0", "-n", cluster.default_namespace)
    assert "has 1 of the 2 pods it needs" in shown.stdout, shown


def test_a_definition_that_is_installed_while_its_pods_wait(bare: Cluster) -> None:
    """COS-16."""
    bare.add_nodes(1, cpu="4")
    bare.start_scheduler()
    pods = members(bare, "early", 2)
    wait_told(bare, pods, "PodGroup not found")
    other = create(bare, "other")
    wait_bound(bare, [other], 1)
    define_kinds(bare)
    add_group(bare, {"minMember": 2}, name="early")
    wait_bound(bare, pods, 2)
