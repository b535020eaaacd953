"""What docs/reference/reasons.md promises to those who wait, as `kubectl describe pod` shows it."""
import time

import pytest

from support.client.api import Json
from support.kube.cluster import Cluster
from support.process.polling import eventually
from support.kube.spark_application import Size, sized


def events_at(cluster: Cluster, name: str, reason: str) -> list[str]:
    """The notes of these Warnings at the pod."""
    found = cluster.api.items(f"/apis/events.k8s.io/v1/namespaces/{cluster.default_namespace}/events")
    return [event.get("note", "") for event in found
            if (event["regarding"]["name"], event["reason"], event["type"]) == (name, reason, "Warning")]


def make_pod(cluster: Cluster, name: str, cpu: str = "1", **metadata: Json) -> str:
    """A pod that starts no gang; its path."""
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    cluster.api.post(path, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata}, "spec": {
        "schedulerName": "gang-scheduler", "restartPolicy": "Never",
        "containers": [{"name": "main", "image": "none", "resources": {"requests": {"cpu": cpu}}}]}})
    return f"{path}/{name}"


@pytest.mark.parametrize("election", (False, True), ids=("alone", "elected"))
@pytest.mark.parametrize("later", (False, True), ids=("there", "later"))
def test_the_first_gang_that_waits_has_its_event(cluster: Cluster, later: bool, election: bool) -> None:
    node, = cluster.add_nodes(1)
    cluster.foreign_pod("before", "2", node)
    waits = sized(Size(executors=3), cluster.default_namespace)
    if not later:
        cluster.submit(waits)
    cluster.start_scheduler(f"--leader-elect={str(election).lower()}")
    if later:
        time.sleep(2)
        cluster.submit(waits)
    message = cluster.wait_code(waits, "WaitingForCapacity")
    eventually(lambda: events_at(cluster, waits.driver_name, "FailedScheduling"), 10, "the event")
    assert events_at(cluster, waits.driver_name, "FailedScheduling") == [message]


def test_a_cordoned_node_makes_no_gang_too_large(cluster: Cluster) -> None:
    nodes = cluster.add_nodes(2)
    cluster.api.patch(f"/api/v1/nodes/{nodes[0]}", {"spec": {"unschedulable": True}})
    cluster.start_scheduler()
    waits = cluster.submit(sized(Size(executors=6), cluster.default_namespace))
    message = cluster.wait_code(waits, "WaitingForCapacity")
    assert "nodes that it could use are closed" in message and "1 cordoned" in message, message
    small = cluster.submit(sized(Size(executors=1), cluster.default_namespace))
    cluster.wait_finished(small)  # it blocks nobody
    cluster.api.patch(f"/api/v1/nodes/{nodes[0]}", {"spec": {"unschedulable": None}})
    cluster.wait_finished(waits)


def test_a_gang_in_another_schedulers_words_is_said_to_be_unread(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    cluster.start_scheduler()
    make_pod(cluster, "godel", annotations={"godel.bytedance.com/pod-group-name": "g" * 50_000})
    make_pod(cluster, "plain")
    key = "annotation godel.bytedance.com/pod-group-name is how another"
    eventually(lambda: any(key in note for note in events_at(cluster, "godel", "DeclarationMismatch")), 10,
               "the Warning")
    assert len(events_at(cluster, "godel", "DeclarationMismatch")) == 1
    assert not events_at(cluster, "plain", "DeclarationMismatch")
