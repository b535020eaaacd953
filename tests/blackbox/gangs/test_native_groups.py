"""Groups of Kubernetes' own kind (scheduling.k8s.io), on a real API server that has their gates on."""
import subprocess
from pathlib import Path
from typing import Callable, Iterator

import pytest

from support.client.api import Json
from support.plane.chart import Rights
from support.kube.cluster import Cluster
from support.kube.pod_groups import (NATIVE, NATIVE_CONDITION, add_group, add_member, group_path, native_flags)
from support.kube.pods import condition, node_of
from support.process.polling import eventually
from support.plane.real_plane import RealPlane

ZONE = "topology.kubernetes.io/zone"


@pytest.fixture
def cluster(make_plane: Callable[..., RealPlane]) -> Iterator[Cluster]:
    plane = make_plane(server_arguments=native_flags("TopologyAwareWorkloadScheduling"))
    plane.use_chart(Rights.render())
    made = Cluster(plane)
    yield made
    made.close()


def gang(minimum: int, **more: Json) -> Json:
    return {"schedulingPolicy": {"gang": {"minCount": minimum}}, **more}


def members(cluster: Cluster, group: str, count: int, first: int = 0) -> list[str]:
    return [add_member(cluster, f"{group}-{i}", group) for i in range(first, first + count)]


def nodes_of(cluster: Cluster, pods: list[str]) -> list[str]:
    """Of those that are bound."""
    return [node for node in (node_of(cluster.api.get(path)) for path in pods) if node]


def wait_bound(cluster: Cluster, pods: list[str], count: int) -> None:
    eventually(lambda: len(nodes_of(cluster, pods)) == count, 40, lambda: f"{count} bound, told {told(cluster, pods)}")


def told(cluster: Cluster, pods: list[str]) -> list[str]:
    return [condition(cluster.api.get(path), "PodScheduled").get("message", "") for path in pods]


def wait_told(cluster: Cluster, pods: list[str], text: str) -> None:
    eventually(lambda: any(text in one for one in told(cluster, pods)), 40, lambda: f"{text!r} in {told(cluster, pods)}")


def scheduled(cluster: Cluster, group: str) -> Json:
    return condition(cluster.api.get(group_path(cluster, group, NATIVE)), NATIVE_CONDITION)


def test_the_whole_gang_or_nobody_and_what_its_object_shows(cluster: Cluster, kubectl_program: Path) -> None:
    """COS-9. What a controller that waits for the group does: `kubectl wait`."""
    cluster.add_nodes(1, cpu="4")
    cluster.start_scheduler()
    group = add_group(cluster, gang(3), NATIVE)
    pods = members(cluster, group, 2)
    wait_told(cluster, pods, "has 2 of the 3 pods it needs [WaitingForPodGroup]")
    assert not nodes_of(cluster, pods)
    found = eventually(lambda: scheduled(cluster, group), 40, "the condition")
    assert (found["status"], found["reason"]) == ("False", "Unschedulable"), found
    assert "has 2 of the 3 pods it needs" in found["message"], found
    waiter = subprocess.Popen(
        [str(kubectl_program), "--kubeconfig", str(cluster.rig.kubeconfig), "-n", cluster.default_namespace, "wait",
         f"podgroups.{NATIVE.split('/')[1]}.scheduling.k8s.io/{group}", f"--for=condition={NATIVE_CONDITION}",
         "--timeout=40s"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    pods += members(cluster, group, 1, first=2)
    wait_bound(cluster, pods, 3)
    said, _ = waiter.communicate(timeout=50)
    assert waiter.returncode == 0 and "condition met" in said, said
    assert scheduled(cluster, group)["reason"] == "Scheduled"
    # For good, whatever becomes of the pods.
    for path in pods:
        cluster.api.delete(path, grace_seconds=0)
    pods = [add_member(cluster, f"{group}-anew", group)]
    wait_told(cluster, pods, "has 1 of the 3 pods it needs")
    assert scheduled(cluster, group)["status"] == "True"


def test_basic_is_each_pod_by_itself(cluster: Cluster) -> None:
    cluster.add_nodes(1, cpu="2")
    cluster.start_scheduler()
    wait_bound(cluster, members(cluster, add_group(cluster, {"schedulingPolicy": {"basic": {}}}, NATIVE), 3), 2)


def test_a_gang_with_a_topology_is_in_one_domain(cluster: Cluster) -> None:
    for zone in ("a", "b"):
        cluster.add_nodes(1, cpu="2", labels={ZONE: zone})
    cluster.start_scheduler()
    constraints: Json = {"schedulingConstraints": {"topology": [{"key": ZONE}]}}
    split = add_group(cluster, gang(3, **constraints), NATIVE)
    pods = members(cluster, split, 3)
    wait_told(cluster, pods, f"in one {ZONE}")
    assert not nodes_of(cluster, pods)
    added = cluster.add_nodes(1, cpu="4", labels={ZONE: "b"})
    wait_bound(cluster, pods, 3)
    zones = {cluster.api.get(f"/api/v1/nodes/{node}")["metadata"]["labels"][ZONE] for node in nodes_of(cluster, pods)}
    assert zones == {"b"} and added, zones
    basic = add_group(cluster, {"schedulingPolicy": {"basic": {}}, **constraints}, NATIVE)
    wait_told(cluster, members(cluster, basic, 1), "spec.schedulingConstraints.topology is supported for gangs")
