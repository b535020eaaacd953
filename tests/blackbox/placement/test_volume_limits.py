"""How many volumes nodes can attach, and volumes that are there."""
import time
from typing import Callable, Iterator

import pytest

from support.client.api import Json
from support.kube.claim_pods import WAIT_SECONDS, create, create_with, folder, node, wait_node, wait_told
from support.kube.cluster import Cluster
from support.process.polling import eventually
from support.kube.provisioner import (BIND_COMPLETED, CLASSES, SELECTED_NODE, VOLUMES, ZONE, Provisioner, claim)
from support.kube.spark_application import Size, sized

CSI_NODES = "/apis/storage.k8s.io/v1/csinodes"
MakeProvisioner = Callable[..., Provisioner]


@pytest.fixture
def made(cluster: Cluster) -> Iterator[list[str]]:
    """Paths of objects that belong to no namespace: removed at the end."""
    paths: list[str] = []
    yield paths
    for path in paths:
        if path.startswith(VOLUMES) and cluster.api.find(path) is not None:
            cluster.api.patch(path, {"metadata": {"finalizers": None}})
        cluster.api.delete(path)


def limit(cluster: Cluster, made: list[str], node: str, driver: str, count: int) -> None:
    """What the driver says when it registers on the node; again: what it says later."""
    drivers = [{"name": driver, "nodeID": node, "topologyKeys": [], "allocatable": {"count": count}}]
    path = f"{CSI_NODES}/{node}"
    if path in made:
        cluster.api.delete(path)
    else:
        made.append(path)
    cluster.api.post(CSI_NODES, {"metadata": {"name": node}, "spec": {"drivers": drivers}})


def add_claims(cluster: Cluster, storage_class: str, *names: str) -> None:
    for name in names:
        cluster.api.post(folder(cluster, "persistentvolumeclaims"), claim(name, storage_class))


def test_a_node_gets_no_more_volumes_than_it_can_attach(
        cluster: Cluster, made: list[str], make_provisioner: MakeProvisioner) -> None:
    """The third pod waits until one has ended, or the node can attach more."""
    only, = cluster.add_nodes(1, labels={ZONE: "a"})
    provisioner = make_provisioner()
    limit(cluster, made, only, provisioner.name, 2)
    cluster.start_scheduler()
    add_claims(cluster, provisioner.add_class(), "a", "b", "c", "d")
    first, second = create(cluster, "first", "a"), create(cluster, "second", "b")
    wait_node(cluster, first)
    wait_node(cluster, second)
    wait_node(cluster, create(cluster, "sharing", "a"))  # its volume is there already
    third, fourth = create(cluster, "third", "c"), create(cluster, "fourth", "d")
    for path in (third, fourth):
        wait_told(cluster, path, f"at the limit of volumes of {provisioner.name}", WAIT_SECONDS)
    cluster.api.request("DELETE", second, {"gracePeriodSeconds": 0})
    eventually(lambda: node(cluster, third) or node(cluster, fourth), WAIT_SECONDS, "one more on the node")
    limit(cluster, made, only, provisioner.name, 3)
    wait_node(cluster, third)
    wait_node(cluster, fourth)


def test_volumes_of_other_schedulers_pods_count(
        cluster: Cluster, made: list[str], make_provisioner: MakeProvisioner) -> None:
    """Their claims are read when the first volume is wanted that is limited."""
    full, free = cluster.add_nodes(2, labels={ZONE: "a"})
    provisioner = make_provisioner(immediate_topology="a")
    for each in (full, free):
        limit(cluster, made, each, provisioner.name, 1)
    at_once = provisioner.add_class(mode="Immediate")
    add_claims(cluster, at_once, "theirs", "ours", "more")
    for name in ("theirs", "ours", "more"):
        provisioner.wait_bound(cluster.default_namespace, name)
    cluster.api.post(folder(cluster, "pods"), {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "theirs"},
        "spec": {"schedulerName": "somebody-else", "nodeName": full, "restartPolicy": "Never",
                 "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "theirs"}}],
                 "containers": [{"name": "main", "image": "none"}]}})
    scheduler = cluster.start_scheduler()
    wait_node(cluster, create(cluster, "ours", "ours"), free)
    waiting = create(cluster, "more", "more")
    wait_told(cluster, waiting, f"2 at the limit of volumes of {provisioner.name}", WAIT_SECONDS)
    # Who comes next counts them anew.
    scheduler.kill()
    cluster.start_scheduler()
    cluster.api.request("DELETE", f"{folder(cluster, 'pods')}/theirs", {"gracePeriodSeconds": 0})
    wait_node(cluster, waiting, full)


def test_disks_that_pods_name_themselves_count_for_their_drivers(cluster: Cluster, made: list[str]) -> None:
    """Without any claim. A disk is one volume of its node, however many pods have it there."""
    only, = cluster.add_nodes(1, labels={ZONE: "a"})
    limit(cluster, made, only, "pd.csi.storage.gke.io", 2)
    cluster.start_scheduler()

    def pod(name: str, disk: str) -> str:
        return create_with(cluster, name, [{"gcePersistentDisk": {"pdName": disk, "readOnly": True}}])
    first = pod("first", "one")
    wait_node(cluster, first)
    time.sleep(1)  # from the first on what nodes can attach is asked for
    wait_node(cluster, pod("sharing", "one"))
    wait_node(cluster, pod("second", "two"))
    wait_node(cluster, pod("also-sharing", "two"))
    third = pod("third", "three")
    wait_told(cluster, third, "at the limit of volumes of pd.csi.storage.gke.io", WAIT_SECONDS)
    cluster.api.request("DELETE", first, {"gracePeriodSeconds": 0})
    eventually(lambda: cluster.api.find(first) is None, 10, "the first to be gone")
    assert not node(cluster, third)  # another pod has its disk still
    cluster.api.request("DELETE", f"{folder(cluster, 'pods')}/sharing", {"gracePeriodSeconds": 0})
    wait_node(cluster, third, only)


def test_a_gang_is_planned_with_the_claims_of_its_executors(
        cluster: Cluster, made: list[str], make_provisioner: MakeProvisioner) -> None:
    """OnDemand: Spark makes a claim for each executor."""
    nodes = cluster.add_nodes(2, labels={ZONE: "a"})
    provisioner = make_provisioner()
    for each in nodes:
        limit(cluster, made, each, provisioner.name, 1)
    cluster.start_scheduler()
    key = "spark.kubernetes.executor.volumes.persistentVolumeClaim.data"
    conf = {f"{key}.mount.path": "/data", f"{key}.options.claimName": "OnDemand",
            f"{key}.options.storageClass": provisioner.add_class(), f"{key}.options.sizeLimit": "1Gi"}

    def submit(executors: int) -> str:
        application = cluster.submit(sized(Size(executors), cluster.default_namespace).set_conf(**conf))
        return f"{folder(cluster, 'pods')}/{application.driver_name}"
    wait_told(cluster, submit(3), f"short of volumes of {provisioner.name}", WAIT_SECONDS)
    wait_node(cluster, submit(2))


def add_volume(cluster: Cluster, made: list[str], storage_class: str, name: str, size: str, node: str = "") -> None:
    """As an administrator makes it; the control plane finds it available."""
    spec: Json = {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": storage_class,
                  "persistentVolumeReclaimPolicy": "Retain", "hostPath": {"path": f"/volumes/{name}"}}
    if node:
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}]}}
    cluster.api.post(VOLUMES, {"metadata": {"name": name}, "spec": spec})
    made.append(f"{VOLUMES}/{name}")
    cluster.api.patch(f"{VOLUMES}/{name}/status", {"status": {"phase": "Available"}})


def bind_as_the_control_plane(cluster: Cluster, name: str) -> str:
    """The volume that was written to be the claim's, once it was."""
    path = f"{folder(cluster, 'persistentvolumeclaims')}/{name}"
    uid = cluster.api.get(path)["metadata"]["uid"]

    def chosen() -> str:
        found = [each for each in cluster.api.items(VOLUMES) if each["spec"].get("claimRef", {}).get("uid") == uid]
        return found[0]["metadata"]["name"] if found else ""
    eventually(chosen, WAIT_SECONDS, f"a volume for {name}")
    volume = chosen()
    cluster.api.patch(f"{VOLUMES}/{volume}/status", {"status": {"phase": "Bound"}})
    cluster.api.patch(path, {"metadata": {"annotations": {BIND_COMPLETED: "yes"}}, "spec": {"volumeName": volume}})
    cluster.api.patch(f"{path}/status", {"status": {"phase": "Bound"}})
    return volume


def add_local_class(cluster: Cluster, made: list[str]) -> str:
    name = f"local-{cluster.default_namespace}"
    cluster.api.post(CLASSES, {"metadata": {"name": name}, "provisioner": "kubernetes.io/no-provisioner",
                               "volumeBindingMode": "WaitForFirstConsumer"})
    made.append(f"{CLASSES}/{name}")
    return name


def test_volumes_that_are_there_are_chosen_from(cluster: Cluster, made: list[str]) -> None:
    """PRED-12: the smallest that is large enough, on its node; who finds none waits until there is one."""
    n1, n2 = cluster.add_nodes(2)
    local = add_local_class(cluster, made)
    prefix = cluster.default_namespace
    add_volume(cluster, made, local, f"{prefix}-tiny", "1Mi", n1)
    add_volume(cluster, made, local, f"{prefix}-large", "9Gi", n2)
    add_volume(cluster, made, local, f"{prefix}-small", "2Gi", n2)
    cluster.start_scheduler()
    add_claims(cluster, local, "one", "two", "three")
    first = create(cluster, "first", "one")
    assert bind_as_the_control_plane(cluster, "one") == f"{prefix}-small"
    wait_node(cluster, first, n2)
    second = create(cluster, "second", "two")
    assert bind_as_the_control_plane(cluster, "two") == f"{prefix}-large"
    wait_node(cluster, second, n2)
    third = create(cluster, "third", "three")
    wait_told(cluster, third, "no volume can be made for it there", WAIT_SECONDS)
    add_volume(cluster, made, local, f"{prefix}-late", "1Gi", n1)
    assert bind_as_the_control_plane(cluster, "three") == f"{prefix}-late"
    wait_node(cluster, third, n1)
    for name in ("one", "two", "three"):
        seen = cluster.api.get(f"{folder(cluster, 'persistentvolumeclaims')}/{name}")
        assert SELECTED_NODE not in (seen["metadata"].get("annotations") or {})

