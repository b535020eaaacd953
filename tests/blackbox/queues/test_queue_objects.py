"""Queue objects of Volcano and kube-batch are queues, on a real API server with the chart's rights."""
import subprocess
from pathlib import Path
from typing import Callable, Iterator

import pytest

from support.client.api import Json
from support.plane.chart import Rights
from support.kube.cluster import Cluster
from support.kube.pod_groups import ANNOTATION, KUBE_BATCH, VOLCANO, add_group, define_kinds, wait_served
from support.process.polling import eventually, next_second
from support.plane.real_plane import RealPlane
from test_queues import Queues

KINDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
QUEUE_GROUPS = ("scheduling.volcano.sh", "scheduling.incubator.k8s.io", "scheduling.sigs.dev")


@pytest.fixture
def own(make_plane: Callable[..., RealPlane]) -> Iterator[Cluster]:
    """A plane of its own, for these objects are the whole cluster's."""
    plane = make_plane()
    plane.use_chart(Rights.render())
    cluster = Cluster(plane)
    cluster.add_nodes(1, cpu="8")
    yield cluster
    cluster.close()


def folder(api_version: str) -> str:
    return f"/apis/{api_version}/queues"


def add_queue(cluster: Cluster, name: str, spec: Json, api_version: str = VOLCANO) -> str:
    path = folder(api_version)
    wait_served(cluster, path)
    cluster.api.post(path, {"apiVersion": api_version, "kind": "Queue", "metadata": {"name": name}, "spec": spec})
    return f"{path}/{name}"


def queues_of(shown: dict[str, Json]) -> dict[str, str]:
    return {name: queue["object"] for name, queue in shown.items() if queue["object"]}


def wait_queues(queues: Queues, expected: dict[str, str]) -> dict[str, Json]:
    shown: dict[str, Json] = {}

    def is_shown() -> bool:
        shown.clear()
        shown.update(queues.shown())
        return queues_of(shown) == expected
    eventually(is_shown, 20, lambda: f"{expected}, shown {queues_of(shown)}")
    return shown


def set_state(queues: Queues, path: str, state: str) -> None:
    queues.cluster.api.patch(f"{path}/status", {"status": {"allocated": {}, "state": state}})


def wait_one_said(queues: Queues, pods: list[str], part: str) -> None:
    """One member of a group is told, the others to look at it."""
    def told() -> list[str]:
        return [queues.message(pod) for pod in pods]
    eventually(lambda: any(part in message for message in told()), 10, lambda: f"{part!r} in {told()}")
    assert not any(queues.is_bound(pod) for pod in pods)


def test_an_object_limits_its_gangs_from_the_start_on(own: Cluster, tmp_path: Path) -> None:
    define_kinds(own, "queue_objects.yaml")
    research = add_queue(own, "research", {"weight": 2, "capability": {"cpu": 4}, "reclaimable": True})
    add_queue(own, "old", {"weight": 3, "capability": {"cpu": "1"}}, KUBE_BATCH[0])
    add_queue(own, "q1", {"parent": "research"})
    queues = Queues(own, tmp_path, {})
    shown = wait_queues(queues, {"root.research": "research", "root.research.q1": "q1", "root.old": "old"})
    assert shown["root.research"]["limit"] == {"cpuMilli": 4000}
    assert shown["root.old"]["weight"] == 3

    # It is there before the first decision: nobody was let in beyond it.
    first = queues.pod("first", "q1", executors=2)
    next_second()
    second = queues.pod("second", "q1", executors=1)
    queues.wait_bound(first)
    queues.wait_said(second, "queue root.research has 3 cpu in use by 1 gang, its limit is 4, and it needs 2")

    # A higher capability holds at once; a closed queue lets nobody in, and stops nobody.
    own.api.patch(research, {"spec": {"capability": {"cpu": 6}}})
    queues.wait_bound(second)
    set_state(queues, research, "Closed")
    third = queues.pod("third", "q1")
    queues.wait_said(third, "its Queue object research")
    assert queues.is_bound(first)
    set_state(queues, research, "Open")
    queues.wait_bound(third)


def test_objects_come_change_and_go_while_gangs_wait_and_run(own: Cluster, tmp_path: Path) -> None:
    define_kinds(own, "pod_groups.yaml")
    define_kinds(own, "queue_objects.yaml")
    add_queue(own, "default", {})
    queue = add_queue(own, "q1", {"capability": {"cpu": "2"}})
    add_queue(own, "bad", {"weight": 0})
    add_queue(own, "etl", {"weight": 9})
    # Sealed, as the chart has it: after a restart it is known in which queue a group was admitted.
    assert isinstance(own.rig, RealPlane)
    config = {"queues": [{"name": "etl", "weight": 4}], "seal": {"keyFile": f"{own.rig.folder}/seal.key"}}
    queues = Queues(own, tmp_path, config)
    shown = wait_queues(queues, {"root.default": "default", "root.q1": "q1"})
    assert shown["root.etl"]["weight"] == 4
    log = queues.scheduler.output
    eventually(lambda: "Queue bad is not taken: its weight is 0" in log(), 10, "the bad one named")
    assert "Queue etl is not taken: the configuration has a queue root.etl itself" in log()

    # The queue of a PodGroup object, and one that is not there.
    def pods_of(group: str, count: int) -> list[str]:
        made = []
        for i in range(count):
            name = f"{group}-{i}"
            own.api.post(queues.pods, {
                "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "annotations": {ANNOTATION: group}},
                "spec": {"schedulerName": "gang-scheduler", "restartPolicy": "Never", "containers": [
                    {"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}]}})
            made.append(f"{queues.pods}/{name}")
        return made
    fits = pods_of(add_group(own, {"minMember": 2, "queue": "q1"}, VOLCANO), 2)
    queues.wait_bound(*fits)
    lost = pods_of(add_group(own, {"minMember": 1, "queue": "q2"}, VOLCANO), 1)
    queues.wait_said(lost[0], 'queue "q2" is not found')
    waits = pods_of(add_group(own, {"minMember": 2, "queue": "q1"}, VOLCANO), 2)
    in_use = "queue root.q1 has 2 cpu in use by 1 gang, its limit is 2, and it needs 2"
    wait_one_said(queues, waits, in_use)

    # Its object is deleted: who runs goes on, who waits is told.
    own.api.delete(queue)
    wait_one_said(queues, waits, 'queue "q1" is not found')
    assert all(queues.is_bound(pod) for pod in fits)
    assert queues.shown()["root.lost"]["usage"]["cpuMilli"] == 2000
    add_queue(own, "q2", {})
    queues.wait_bound(*lost)

    # Killed and started again with the queue there, it counts what runs.
    add_queue(own, "q1", {"capability": {"cpu": "2"}})
    queues.scheduler.kill()
    queues.scheduler = queues.start(config)
    wait_queues(queues, {"root.default": "default", "root.q1": "q1", "root.q2": "q2"})
    eventually(lambda: queues.shown()["root.q1"]["usage"] == {"cpuMilli": 2000}, 10, "the usage of q1")
    wait_one_said(queues, waits, in_use)

    # The kinds themselves are removed: the file's queues are left, and nobody is held up.
    for group in QUEUE_GROUPS:
        own.api.delete(f"{KINDS}/queues.{group}")
    wait_queues(queues, {})
    queues.wait_bound(*waits)


def test_a_kind_that_comes_later_is_found_and_the_file_may_refuse_it(own: Cluster, tmp_path: Path) -> None:
    queues = Queues(own, tmp_path, {"queueObjects": {"enabled": False}})
    define_kinds(own, "queue_objects.yaml")
    add_queue(own, "q1", {"capability": {"cpu": "1"}})
    queues.wait_bound(queues.pod("first", "q1", cpu="2"))
    queues.scheduler.kill()
    queues.scheduler = queues.start({})
    wait_queues(queues, {"root.q1": "q1"})
    queues.wait_said(queues.pod("second", "q1", cpu="2"), "[ExceedsQuota]")


def test_what_a_queue_holds_stands_in_its_objects_status(own: Cluster, tmp_path: Path, kubectl_program: Path) -> None:
    define_kinds(own, "queue_objects.yaml")
    research = add_queue(own, "research", {"capability": {"cpu": 4}})
    other = add_queue(own, "other", {})
    theirs = {"allocated": {"cpu": "7"}, "running": 5}
    own.api.patch(f"{other}/status", {"status": theirs})
    queues = Queues(own, tmp_path, {"queues": [{"name": "plain"}]})
    wait_queues(queues, {"root.research": "research", "root.other": "other"})

    def status(path: str) -> Json:
        return own.api.get(path).get("status", {})

    def wait_status(path: str, expected: Json) -> None:
        eventually(lambda: status(path) == expected, 20, lambda: f"{expected} in {status(path)}")
    wait_status(research, {"pending": 0, "running": 0, "allocated": {"cpu": "0", "memory": "0"}})
    first = queues.pod("first", "research", executors=2)
    queues.wait_bound(first)
    next_second()
    second = queues.pod("second", "research", executors=1)
    queues.wait_said(second, "its limit is 4")
    allocated = {"cpu": "3", "memory": str(3 * 64 * 2**20)}
    wait_status(research, {"pending": 1, "running": 1, "allocated": allocated})

    # A state that somebody says stays, and is obeyed; with kubectl one sees it all.
    set_state(queues, research, "Closed")
    wait_status(research, {"pending": 1, "running": 1, "allocated": allocated, "state": "Closed"})
    shown = subprocess.run(
        [str(kubectl_program), "--kubeconfig", str(own.rig.kubeconfig), "get", "queues.scheduling.volcano.sh", "research",
         "-o", "jsonpath={.status.state} {.status.pending} {.status.allocated.cpu}"],
        capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "Closed 1 3"

    # What another manager wrote is not touched, and the log says so; cleared, it is ours to write.
    assert status(other) == theirs
    eventually(lambda: "the status of Queue object other is not written" in queues.scheduler.output(), 10, "that said")
    assert queues.scheduler.output().count("the status of Queue object other") == 1
    queues.scheduler.kill()
    subprocess.run(
        [str(kubectl_program), "--kubeconfig", str(own.rig.kubeconfig), "patch", "queues.scheduling.volcano.sh", "other",
         "--subresource=status", "--type=json",
         "-p", '[{"op":"replace","path":"/status","value":{"allocated":{},"state":"Open"}}]'], check=True)
    queues.scheduler = queues.start({"queues": [{"name": "plain"}]})
    idle = {"pending": 0, "running": 0, "allocated": {"cpu": "0", "memory": "0"}}
    wait_status(other, {**idle, "state": "Open"})

    # The file takes the name: what we wrote goes.
    queues.scheduler.kill()
    queues.scheduler = queues.start({"queues": [{"name": "research"}]})
    wait_status(research, {"state": "Closed", "allocated": idle["allocated"]})
