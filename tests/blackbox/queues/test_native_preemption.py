"""The priority of a PodGroup of Kubernetes' own kind, and how it is disrupted, on a real API server with its gates on."""
from pathlib import Path
from typing import Callable, Iterator

import pytest
import yaml

from support.client.api import Json
from support.plane.chart import Rights
from support.kube.cluster import Cluster
from support.kube.pod_groups import NATIVE, NATIVE_WHOLE, add_group, add_member, native_flags
from support.kube.pods import is_terminating, node_of
from support.process.polling import eventually, next_second
from support.plane.real_plane import RealPlane

CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
QUEUES = [{"name": "default", "order": "priority", "preemption": {"withinQueue": "lowerPriority"}}]


@pytest.fixture
def cluster(make_plane: Callable[..., RealPlane], tmp_path: Path) -> Iterator[Cluster]:
    """With the chart's rights for queues that evict."""
    values = tmp_path / "values.yaml"
    values.write_text(yaml.safe_dump({"config": {"queues": QUEUES}}))
    plane = make_plane(server_arguments=native_flags())
    plane.use_chart(Rights.render("--values", str(values)))
    made = Cluster(plane)
    for name, value in (("low", 1), ("high", 1000)):
        made.api.post(CLASSES, {"metadata": {"name": name}, "value": value})
    yield made
    made.close()


def gang(minimum: int, **more: Json) -> Json:
    return {"schedulingPolicy": {"gang": {"minCount": minimum}}, **more}


def members(cluster: Cluster, group: str, count: int, **more: Json) -> list[str]:
    return [add_member(cluster, f"{group}-{i}", group, **more) for i in range(count)]


def is_there(cluster: Cluster, path: str) -> bool:
    pod = cluster.api.find(path)
    return pod is not None and bool(node_of(pod)) and not is_terminating(pod)


def wait_bound(cluster: Cluster, pods: list[str]) -> None:
    eventually(lambda: all(is_there(cluster, path) for path in pods), 40, f"{pods} on nodes")


def test_a_group_of_a_higher_class_has_one_of_a_lower_evicted(cluster: Cluster) -> None:
    """The class of the object counts; one without a class has the priority of its pods, whatever the API server fills in."""
    cluster.add_nodes(1, cpu="2")
    cluster.start_scheduler()
    low = members(cluster, add_group(cluster, gang(2, priorityClassName="low"), NATIVE), 2, priorityClassName="low")
    wait_bound(cluster, low)
    next_second()
    classless = add_group(cluster, gang(2), NATIVE)
    assert not cluster.api.get(f"/apis/{NATIVE}/namespaces/{cluster.default_namespace}/podgroups/{classless}")["spec"].get(
        "priorityClassName")
    high = members(cluster, classless, 2, priorityClassName="high")
    wait_bound(cluster, high)
    assert not any(is_there(cluster, path) for path in low)


@pytest.mark.parametrize("whole", [False, True])
def test_a_group_that_is_disrupted_as_a_whole_loses_nobody_alone(cluster: Cluster, whole: bool) -> None:
    """One member is beyond its minimum, and its room is enough."""
    cluster.add_nodes(1, cpu="3")
    cluster.start_scheduler()
    mode = {"disruptionMode": NATIVE_WHOLE} if whole else {}
    low = members(cluster, add_group(cluster, gang(2, priorityClassName="low", **mode), NATIVE), 3, priorityClassName="low")
    wait_bound(cluster, low)
    next_second()
    high = members(cluster, add_group(cluster, {"schedulingPolicy": {"basic": {}}}, NATIVE), 1, priorityClassName="high")
    wait_bound(cluster, high)
    # The room of the first that goes is enough: the others may still be on their way out.
    kept = 0 if whole else 2
    eventually(lambda: sum(is_there(cluster, path) for path in low) == kept, 20, f"{kept} of {low} on their node")
