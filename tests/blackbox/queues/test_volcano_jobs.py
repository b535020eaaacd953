"""Jobs of Volcano without its scheduler: its controllers make a job's pods when its PodGroup is let in."""
import json
from pathlib import Path
from typing import Callable, Iterator

import pytest

from support.client.api import Json
from support.plane.chart import Rights
from support.kube.cluster import Cluster
from support.kube.pod_groups import ANNOTATION, VOLCANO, add_group, define_kinds, status_of, wait_phase
from support.kube.pods import node_of
from support.process.polling import eventually, next_second
from support.plane.real_plane import RealPlane
from support.plane.rig import Scheduler
from support.plane.served import ANY_PORT, Served


@pytest.fixture
def own(make_plane: Callable[..., RealPlane]) -> Iterator[Cluster]:
    """A plane of its own: all PodGroups of the cluster count."""
    plane = make_plane()
    plane.use_chart(Rights.render("--set", "config.volcano.enqueue=true"))
    cluster = Cluster(plane)
    define_kinds(cluster)
    define_kinds(cluster, "queue_objects.yaml")
    yield cluster
    cluster.close()


def start(cluster: Cluster, folder: Path, *flags: str, enqueue: bool = True, **more: Json) -> Scheduler:
    path = folder / "config.yaml"
    path.write_text(json.dumps({"volcano": {"enqueue": enqueue, **more}}))
    return cluster.start_scheduler("--leader-elect=false", f"--config={path}", *flags)


def add_job(cluster: Cluster, cpus: int, **spec: Json) -> str:
    """The PodGroup that Volcano's controller makes of a job; the oldest has its turn first."""
    group = add_group(cluster, {"minMember": cpus, "minResources": {"cpu": str(cpus)}, **spec}, VOLCANO)
    next_second()
    return group


def make_pods(cluster: Cluster, group: str, count: int) -> list[str]:
    """What that controller does when the group is let in."""
    folder = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    for i in range(count):
        cluster.api.post(folder, {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"{group}-{i}", "annotations": {ANNOTATION: group}},
            "spec": {"schedulerName": "gang-scheduler", "restartPolicy": "Never", "containers": [
                {"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}]}})
    return [f"{folder}/{group}-{i}" for i in range(count)]


def conditions(cluster: Cluster, group: str) -> dict[str, Json]:
    return {one["type"]: one for one in status_of(cluster, group, VOLCANO).get("conditions", [])}


def end_job(cluster: Cluster, group: str, count: int) -> None:
    for i in range(count):
        cluster.api.delete(f"/api/v1/namespaces/{cluster.default_namespace}/pods/{group}-{i}")
    cluster.api.delete(f"/apis/{VOLCANO}/namespaces/{cluster.default_namespace}/podgroups/{group}")


def wait_bound(cluster: Cluster, paths: list[str]) -> None:
    eventually(lambda: all(node_of(cluster.api.get(path)) for path in paths), 20, f"{paths} bound")


def is_let_in(cluster: Cluster, group: str) -> bool:
    return status_of(cluster, group, VOLCANO).get("phase", "Pending") != "Pending"


def test_kb_10_as_many_as_the_cluster_bears(own: Cluster, tmp_path: Path) -> None:
    own.add_nodes(1, cpu="8")
    scheduler = start(own, tmp_path)
    first = add_job(own, 4)
    wait_phase(own, first, "Inqueue", VOLCANO)
    pods = make_pods(own, first, 4)
    wait_bound(own, pods)
    wait_phase(own, first, "Running", VOLCANO)
    # 4 are in use, and 120 % of 8 are 9.6.
    too_large, fits = add_job(own, 6), add_job(own, 5)
    wait_phase(own, fits, "Inqueue", VOLCANO)
    assert not is_let_in(own, too_large)

    # Killed and started anew, it counts whom it had let in.
    scheduler.kill()
    later = add_job(own, 1)
    scheduler = start(own, tmp_path)
    without = add_group(own, {"minMember": 1}, VOLCANO)
    wait_phase(own, without, "Inqueue", VOLCANO)
    assert not is_let_in(own, later)
    assert not is_let_in(own, too_large)
    assert "pod group is let in" in scheduler.output()
    end_job(own, first, 4)
    wait_phase(own, later, "Inqueue", VOLCANO)
    wait_bound(own, make_pods(own, fits, 5))
    assert not is_let_in(own, too_large)
    end_job(own, later, 0)
    end_job(own, fits, 5)
    wait_phase(own, too_large, "Inqueue", VOLCANO)
    wait_bound(own, make_pods(own, too_large, 6))


def test_kb_11_who_has_waited_for_too_long_is_let_in(own: Cluster, tmp_path: Path) -> None:
    own.foreign_pod("fills", "8", own.add_nodes(1, cpu="8")[0])
    folder = "/apis/scheduling.volcano.sh/v1beta1/queues"
    own.api.post(folder, {"apiVersion": VOLCANO, "kind": "Queue", "metadata": {"name": "q1"},
                          "spec": {"capability": {"cpu": "4"}}})
    start(own, tmp_path)
    patient = add_job(own, 2)
    urgent = [add_job(own, cpus, queue="q1") for cpus in (4, 5)]
    for group in urgent:
        own.api.patch(f"/apis/{VOLCANO}/namespaces/{own.default_namespace}/podgroups/{group}",
                      {"metadata": {"annotations": {"sla-waiting-time": "4s"}}})
    wait_phase(own, urgent[0], "Inqueue", VOLCANO)
    assert not is_let_in(own, urgent[1])  # its queue has no more
    assert not is_let_in(own, patient)


def test_in_strict_order_the_oldest_that_does_not_fit_holds_up_its_queue(own: Cluster, tmp_path: Path) -> None:
    own.add_nodes(1, cpu="8")
    folder = "/apis/scheduling.volcano.sh/v1beta1/queues"
    for name in ("q1", "q2"):
        own.api.post(folder, {"apiVersion": VOLCANO, "kind": "Queue", "metadata": {"name": name}, "spec": {}})
    scheduler = start(own, tmp_path, strictOrder=True)
    first = add_job(own, 6, queue="q1")
    wait_phase(own, first, "Inqueue", VOLCANO)
    huge, large, small = (add_job(own, cpus, queue="q1") for cpus in (100, 5, 1))
    other = add_job(own, 2, queue="q2")
    wait_phase(own, other, "Inqueue", VOLCANO)
    eventually(lambda: "later ones of its queue wait for it" in scheduler.output(), 20, "who holds up others said")
    assert not any(is_let_in(own, group) for group in (huge, large, small))
    end_job(own, first, 0)
    wait_phase(own, small, "Inqueue", VOLCANO)
    assert is_let_in(own, large) and not is_let_in(own, huge)
    said = [line for line in scheduler.output().splitlines() if "later ones of its queue wait for it" in line]
    assert len(said) == 1 and large in said[0], said


def test_a_group_whose_pods_do_not_come_counts_no_more(own: Cluster, tmp_path: Path) -> None:
    own.add_nodes(1, cpu="8")
    scheduler = start(own, tmp_path, *ANY_PORT, podsWithin="4s")
    late = add_job(own, 8)
    wait_phase(own, late, "Inqueue", VOLCANO)
    waits = add_job(own, 8)
    wait_phase(own, waits, "Inqueue", VOLCANO)
    eventually(lambda: conditions(own, late).get("Unschedulable", {}).get("reason") == "PodsMissing", 20,
               lambda: f"the reason in {status_of(own, late, VOLCANO)}")
    said = conditions(own, late)["Unschedulable"]
    assert said["status"] == "True" and "for 4 s it has had fewer than its 8 pods here" in said["message"], said
    assert status_of(own, late, VOLCANO)["phase"] == "Inqueue"
    assert "pod group was let in, and its pods do not come: it counts no more" in scheduler.output()
    served = Served(scheduler)
    assert served.metric("gang_scheduler_pod_groups_without_pods") == 1
    wait_bound(own, make_pods(own, waits, 8))
    wait_phase(own, waits, "Running", VOLCANO)
    # Its pods come after all: they wait in line, and their group counts.
    make_pods(own, late, 8)
    next_one = add_job(own, 2)
    eventually(lambda: served.metric("gang_scheduler_pod_groups_without_pods") == 0, 20, "no group without its pods")
    eventually(lambda: conditions(own, late)["Unschedulable"]["reason"] == "NotEnoughResources", 20,
               lambda: f"the reason in {status_of(own, late, VOLCANO)}")
    assert not is_let_in(own, next_one)


def test_without_the_word_nobody_is_let_in_and_without_the_right_it_is_said(
        make_plane: Callable[..., RealPlane], tmp_path: Path) -> None:
    plane = make_plane()
    plane.use_chart(Rights.render())
    cluster = Cluster(plane)
    try:
        cluster.add_nodes(1, cpu="8")
        define_kinds(cluster)
        group = add_job(cluster, 1)
        scheduler = start(cluster, tmp_path)
        eventually(lambda: "PodGroups of Volcano are not let in: they cannot be listed" in scheduler.output(),
                   20, "the missing right said")
        scheduler.kill()
        scheduler = start(cluster, tmp_path, enqueue=False)
        pods = make_pods(cluster, add_group(cluster, {"minMember": 1}, VOLCANO), 1)
        wait_bound(cluster, pods)
        assert not is_let_in(cluster, group)
        assert "they cannot be listed" not in scheduler.output()
    finally:
        cluster.close()
