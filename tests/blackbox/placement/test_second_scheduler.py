"""A second scheduler beside the cluster's own: whose pods are ours, and what of the others counts."""
from pathlib import Path

import yaml

from support.kube.cluster import Cluster
from support.kube.pods import condition, node_of
from support.process.polling import eventually, stays

TWO_NAMES = {"apiVersion": "config.gang-scheduler/v1alpha1", "kind": "SchedulerConfiguration",
             "profiles": [{"schedulerName": "first"}, {"schedulerName": "second"}]}


def create(cluster: Cluster, name: str, scheduler: str, cpu: str = "1", **spec: str) -> str:
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    cluster.api.post(path, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
        "schedulerName": scheduler, "restartPolicy": "Never", **spec, "containers": [
            {"name": "main", "image": "none", "resources": {"requests": {"cpu": cpu}}}]}})
    return f"{path}/{name}"


def wait_node(cluster: Cluster, path: str) -> str:
    eventually(lambda: node_of(cluster.api.get(path)), 20, f"{path} on a node")
    return node_of(cluster.api.get(path))


def test_sec_1_pods_with_our_name_and_no_others(cluster: Cluster) -> None:
    """TOY-10 as well."""
    cluster.add_nodes(2)
    cluster.start_scheduler()
    others = [create(cluster, "theirs", "default-scheduler"), create(cluster, "nobodys", "gang-scheduler-2")]
    wait_node(cluster, create(cluster, "ours", "gang-scheduler"))
    for path in others:
        stays(lambda: not node_of(cluster.api.get(path)), 1.0, f"{path} on no node")
        assert not condition(cluster.api.get(path), "PodScheduled")


def test_sec_2_several_names_at_once(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(2)
    file = tmp_path / "two.yaml"
    file.write_text(yaml.safe_dump(TWO_NAMES))
    cluster.start_scheduler("--leader-elect=false", "--config", str(file))
    for name in ("first", "second"):
        wait_node(cluster, create(cluster, name, name))
    third = create(cluster, "third", "gang-scheduler")
    stays(lambda: not node_of(cluster.api.get(third)), 1.0, "the third on no node")


def test_sec_3_pods_of_others_take_room_at_once(cluster: Cluster) -> None:
    """As soon as they have a node, running or not."""
    taken, free = cluster.add_nodes(2, cpu="4")
    cluster.start_scheduler()
    create(cluster, "theirs", "default-scheduler", "3", nodeName=taken)
    assert wait_node(cluster, create(cluster, "large", "gang-scheduler", "2")) == free
    last = create(cluster, "last", "gang-scheduler", "3")
    eventually(lambda: "2 Insufficient cpu" in condition(cluster.api.get(last), "PodScheduled").get("message", ""), 20,
               "the reason why it waits")
