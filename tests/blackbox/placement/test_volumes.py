"""Pods with persistent volume claims: where their volumes are, and not before they are there."""
import time
from typing import Any, Callable

import pytest

from support.plane.chart import Rights
from support.kube.claim_pods import create, create_with, folder, node, wait_node, wait_told
from support.kube.cluster import Cluster
from support.like_kube.judge import OURS
from support.like_kube.static_volumes import StaticJudge, StaticWorld
from support.like_kube.worlds import any_room
from support.kube.pods import node_of
from support.process.polling import eventually
from support.kube.provisioner import SELECTED_NODE, ZONE, Provisioner, claim
from support.plane.real_plane import RealPlane

MakeProvisioner = Callable[..., Provisioner]


@pytest.fixture
def zones(cluster: Cluster) -> dict[str, str]:
    """Zone -> its node."""
    return {zone: cluster.add_nodes(1, labels={ZONE: zone})[0] for zone in ("a", "b")}


def add_claim(cluster: Cluster, name: str, storage_class: str, mode: str = "ReadWriteOnce") -> None:
    body = claim(name, storage_class)
    body["spec"]["accessModes"] = [mode]
    cluster.api.post(folder(cluster, "persistentvolumeclaims"), body)


def add_bound(cluster: Cluster, provisioner: Provisioner, name: str, mode: str = "ReadWriteOnce") -> None:
    """In the zone that the provisioner gives to claims that are bound at once."""
    add_claim(cluster, name, provisioner.add_class(mode="Immediate"), mode)
    provisioner.wait_bound(cluster.default_namespace, name)


def test_a_pod_goes_where_its_volume_is(
        cluster: Cluster, zones: dict[str, str], make_provisioner: MakeProvisioner) -> None:
    add_bound(cluster, make_provisioner(immediate_topology="a"), "in-a")
    add_bound(cluster, make_provisioner(immediate_topology="b"), "in-b")
    cluster.start_scheduler()
    wait_node(cluster, create(cluster, "one", "in-b"), zones["b"])
    wait_told(cluster, create(cluster, "both", "in-a", "in-b"), "out of reach of its volume")


def test_claims_that_come_late(
        cluster: Cluster, zones: dict[str, str], make_provisioner: MakeProvisioner) -> None:
    provisioner = make_provisioner(immediate_topology="b")
    provisioner.silence()
    cluster.start_scheduler()
    missing = create(cluster, "missing", "c")
    wait_told(cluster, missing, 'persistentvolumeclaim "c" not found')
    at_once = provisioner.add_class(mode="Immediate")
    add_claim(cluster, "unbound", at_once)
    unbound = create(cluster, "unbound", "unbound")
    wait_told(cluster, unbound, "pod has unbound immediate PersistentVolumeClaims")
    provisioner.resume()
    add_claim(cluster, "c", at_once)
    wait_node(cluster, missing, zones["b"])
    wait_node(cluster, unbound, zones["b"])


def test_volumes_are_made_for_the_chosen_node(
        cluster: Cluster, zones: dict[str, str], make_provisioner: MakeProvisioner) -> None:
    """Two claims of one pod, one of them for zone b alone."""
    provisioner = make_provisioner(delay_seconds=0.5)
    only_b = provisioner.add_class(allowedTopologies=[{"matchLabelExpressions": [{"key": ZONE, "values": ["b"]}]}])
    cluster.start_scheduler()
    add_claim(cluster, "one", provisioner.add_class())
    add_claim(cluster, "two", only_b)
    wait_node(cluster, create(cluster, "p", "one", "two"), zones["b"])
    for name in ("one", "two"):
        seen = cluster.api.get(f"{folder(cluster, 'persistentvolumeclaims')}/{name}")
        assert seen["metadata"]["annotations"][SELECTED_NODE] == zones["b"]
        assert seen["status"]["phase"] == "Bound"


def test_a_node_for_which_no_volume_can_be_made(
        cluster: Cluster, zones: dict[str, str], make_provisioner: MakeProvisioner) -> None:
    """The pod is tried again, and nothing is bound before its volume is there."""
    provisioner = make_provisioner()
    for each in zones.values():
        provisioner.fail(each, times=1)
    cluster.start_scheduler()
    add_claim(cluster, "c", provisioner.add_class())
    path = create(cluster, "p", "c")
    eventually(lambda: provisioner.failures, 10, "a failure")
    chosen = wait_node(cluster, path)
    volume = provisioner.wait_bound(cluster.default_namespace, "c")
    assert volume["spec"]["claimRef"]["name"] == "c" and chosen in zones.values()


def test_one_pod_at_a_time(
        cluster: Cluster, zones: dict[str, str], make_provisioner: MakeProvisioner) -> None:
    add_bound(cluster, make_provisioner(immediate_topology="a"), "c", "ReadWriteOncePod")
    cluster.start_scheduler()
    first = create(cluster, "first", "c")
    wait_node(cluster, first, zones["a"])
    second = create(cluster, "second", "c")
    wait_told(cluster, second, "ReadWriteOncePod access mode already in-use by another pod")
    cluster.api.request("DELETE", first, {"gracePeriodSeconds": 0})
    wait_node(cluster, second, zones["a"])


@pytest.mark.parametrize("disk,is_shared", [
    ({"gcePersistentDisk": {"pdName": "d"}}, False),
    ({"gcePersistentDisk": {"pdName": "d", "readOnly": True}}, True),
    ({"awsElasticBlockStore": {"volumeID": "d", "readOnly": True}}, False),
    ({"iscsi": {"targetPortal": "10.0.0.1:3260", "iqn": "iqn.2001-04.com.example:d", "lun": 0}}, False),
    ({"rbd": {"monitors": ["m1", "m2"], "image": "d"}}, False)])
def test_disks_that_are_there_once(
        cluster: Cluster, zones: dict[str, str], disk: dict[str, Any], is_shared: bool) -> None:
    """PRED-7: one pod of a node has it, or those that only read."""
    cluster.start_scheduler()
    first, second = (create_with(cluster, name, [disk]) for name in ("first", "second"))
    chosen = {wait_node(cluster, first), wait_node(cluster, second)}
    third = create_with(cluster, "third", [disk])
    if is_shared:
        wait_node(cluster, third)
        return
    assert chosen == set(zones.values())
    wait_told(cluster, third, " taken")
    cluster.api.request("DELETE", first, {"gracePeriodSeconds": 0})
    wait_node(cluster, third)


def test_a_scheduler_that_ends_while_a_volume_is_made(
        cluster: Cluster, zones: dict[str, str], make_provisioner: MakeProvisioner) -> None:
    """What it wrote to the claim counts: the next one chooses the same node."""
    provisioner = make_provisioner()
    provisioner.silence()
    scheduler = cluster.start_scheduler()
    add_claim(cluster, "c", provisioner.add_class())
    path = create(cluster, "p", "c")

    def selected() -> str:
        seen = cluster.api.get(f"{folder(cluster, 'persistentvolumeclaims')}/c")
        return (seen["metadata"].get("annotations") or {}).get(SELECTED_NODE, "")
    eventually(selected, 10, "a node on the claim")
    before = selected()
    scheduler.kill()
    assert not node(cluster, path)
    cluster.start_scheduler()
    provisioner.resume()
    wait_node(cluster, path, before)


@pytest.mark.bound(180)
@pytest.mark.parametrize("verbs,taken,said", [
    (["get", "list", "patch"], ["v0"], "listed every 30 s instead: grant the scheduler watch on persistentvolumes"),
    (["get"], None, "no claim gets a volume that is there: grant the scheduler list and watch on persistentvolumes")])
def test_a_role_of_an_older_chart_lacks_verbs_on_volumes(
        make_plane: Callable[..., RealPlane], verbs: list[str], taken: Any, said: str) -> None:
    """What can be done without is done, and the log says once what lacks."""
    plane = make_plane(controllers=True, node_grace_seconds=3600)
    rights = Rights.render()
    rule, = (each for space, each in rights.rules() if not space and each["resources"] == ["persistentvolumes"])
    rule["verbs"] = verbs
    plane.use_chart(rights)
    scheduler = plane.start_scheduler(("--leader-elect=false",))
    volume = {"metadata": {"name": "v0"}, "spec": {
        "capacity": {"storage": "2Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/v"},
        "persistentVolumeReclaimPolicy": "Retain", "storageClassName": "local"}}
    wanting = {"metadata": {"name": "c0"}, "spec": {
        "accessModes": ["ReadWriteOnce"], "storageClassName": "local", "resources": {"requests": {"storage": "1Gi"}}}}
    world = StaticWorld([any_room("w", {}, {"cpu": "4", "memory": "4Gi", "pods": "9"})], [volume], [wanting])
    judge = StaticJudge(plane.api)
    judge.add_nodes(world)
    plain = "/api/v1/namespaces/static/pods"  # once it is bound the scheduler has read all that there is
    plane.api.post(plain, {"metadata": {"name": "plain"}, "spec": {
        "schedulerName": OURS, "containers": [{"name": "main", "image": "none"}]}})
    eventually(lambda: node_of(plane.api.get(f"{plain}/plain")), 20, "the plain pod on a node")
    assert judge.ask(world, OURS, "w") == taken, scheduler.output()
    time.sleep(4)  # a loop of errors would begin anew each second, and then each other one
    lines = [line for line in scheduler.output().splitlines() if '"watch":"persistentvolumes"' in line]
    assert len(lines) == 1 and said in lines[0], scheduler.output()
