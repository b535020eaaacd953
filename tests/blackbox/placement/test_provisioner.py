"""The tests' own provisioner: claims get volumes as from a real one, on every rig."""
from typing import Callable

import pytest

from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.pods import node_of
from support.process.polling import eventually, stays
from support.kube.provisioner import (BIND_COMPLETED, BOUND_BY_CONTROLLER, HOSTNAME, SELECTED_NODE, STORAGE_PROVISIONER, ZONE,
                                 Provisioner, claim, topology_of)
from support.plane.real_plane import RealPlane

WAIT_SECONDS = 20
MakeProvisioner = Callable[..., Provisioner]


def claims_path(cluster: Cluster) -> str:
    return f"/api/v1/namespaces/{cluster.default_namespace}/persistentvolumeclaims"


def add_claim(cluster: Cluster, name: str, storage_class: str) -> str:
    """Its path."""
    cluster.api.post(claims_path(cluster), claim(name, storage_class))
    return f"{claims_path(cluster)}/{name}"


def select(cluster: Cluster, path: str, node: str) -> None:
    """What a scheduler writes when it has chosen a node."""
    cluster.api.patch(path, {"metadata": {"annotations": {SELECTED_NODE: node}}})


def annotations(cluster: Cluster, path: str) -> dict[str, str]:
    return cluster.api.get(path)["metadata"].get("annotations", {})


def failure_events(cluster: Cluster, name: str) -> list[Json]:
    return cluster.api.items(f"/api/v1/namespaces/{cluster.default_namespace}/events",
                             fieldSelector=f"reason=ProvisioningFailed,involvedObject.name={name}")


def test_a_selected_node_leads_to_a_bound_claim(cluster: Cluster, make_provisioner: MakeProvisioner) -> None:
    node, = cluster.add_nodes(1, labels={ZONE: "zone-b"})
    provisioner = make_provisioner()
    path = add_claim(cluster, "data", provisioner.add_class())
    stays(lambda: "volumeName" not in cluster.api.get(path)["spec"], 0.5, "no volume before a node is selected")
    select(cluster, path, node)
    volume = provisioner.wait_bound(cluster.default_namespace, "data")
    bound = cluster.api.get(path)
    assert topology_of(volume) == (ZONE, ["zone-b"])
    assert volume["spec"]["claimRef"]["uid"] == bound["metadata"]["uid"]
    assert volume["spec"]["csi"] == {"driver": provisioner.name, "volumeHandle": volume["metadata"]["name"]}
    assert volume["spec"]["storageClassName"] == bound["spec"]["storageClassName"]
    assert bound["status"]["capacity"] == volume["spec"]["capacity"] == {"storage": "1Gi"}
    assert bound["status"]["accessModes"] == ["ReadWriteOnce"]
    expected = {BIND_COMPLETED: "yes", BOUND_BY_CONTROLLER: "yes", SELECTED_NODE: node,
                **{key: provisioner.name for key in STORAGE_PROVISIONER}}
    assert bound["metadata"]["annotations"] == expected


def test_immediate_claims_get_a_volume_at_once_where_the_test_says(cluster: Cluster, make_provisioner: MakeProvisioner) -> None:
    provisioner = make_provisioner(immediate_topology="zone-a")
    storage_class = provisioner.add_class(mode="Immediate")
    add_claim(cluster, "first", storage_class)
    assert topology_of(provisioner.wait_bound(cluster.default_namespace, "first")) == (ZONE, ["zone-a"])
    provisioner.immediate_topology = ""
    add_claim(cluster, "second", storage_class)
    assert "nodeAffinity" not in provisioner.wait_bound(cluster.default_namespace, "second")["spec"]


def test_local_volumes_belong_to_one_node(cluster: Cluster, make_provisioner: MakeProvisioner) -> None:
    node, = cluster.add_nodes(1)
    provisioner = make_provisioner(source="local", topology=HOSTNAME)
    select(cluster, add_claim(cluster, "data", provisioner.add_class()), node)
    volume = provisioner.wait_bound(cluster.default_namespace, "data")
    assert topology_of(volume) == (HOSTNAME, [node]) and "local" in volume["spec"]


def test_a_failure_gives_the_claim_back_to_the_scheduler(cluster: Cluster, make_provisioner: MakeProvisioner) -> None:
    full, free = cluster.add_nodes(2, labels={ZONE: "zone-a"})
    provisioner = make_provisioner()
    provisioner.fail(full)
    path = add_claim(cluster, "data", provisioner.add_class())
    for node, reason in ((full, "ResourceExhausted"), ("no-such-node", "not found")):
        select(cluster, path, node)
        eventually(lambda: SELECTED_NODE not in annotations(cluster, path), WAIT_SECONDS, "the node to be taken away")
        eventually(lambda: any(reason in event["message"] for event in failure_events(cluster, "data")), WAIT_SECONDS, reason)
    assert cluster.api.get(path)["status"]["phase"] == "Pending" and not provisioner.volumes
    select(cluster, path, free)
    provisioner.wait_bound(cluster.default_namespace, "data")
    assert [node for _, node in provisioner.failures] == [full, "no-such-node"]


def test_silence_and_delay(cluster: Cluster, make_provisioner: MakeProvisioner) -> None:
    provisioner = make_provisioner(delay_seconds=1.0)
    storage_class = provisioner.add_class(mode="Immediate")
    add_claim(cluster, "late", storage_class)
    stays(lambda: not provisioner.volumes, 0.6, "no volume before its time")
    provisioner.wait_bound(cluster.default_namespace, "late")
    provisioner.delay_seconds = 0.0
    provisioner.silence()
    add_claim(cluster, "unheard", storage_class)
    stays(lambda: len(provisioner.volumes) == 1, 0.6, "no volume while it is silent")
    provisioner.resume()
    provisioner.wait_bound(cluster.default_namespace, "unheard")


def test_a_claim_may_be_older_than_its_class_and_half_bound(cluster: Cluster, make_provisioner: MakeProvisioner) -> None:
    provisioner = make_provisioner()
    name = f"class-of-{cluster.default_namespace}"
    path = add_claim(cluster, "data", name)
    uid = cluster.api.get(path)["metadata"]["uid"]
    cluster.api.patch(path, {"spec": {"volumeName": f"pvc-{uid}"}})
    provisioner.add_class(name, mode="Immediate")
    assert provisioner.wait_bound(cluster.default_namespace, "data")["metadata"]["name"] == f"pvc-{uid}"


def test_other_claims_are_left_alone_and_a_volume_goes_with_its_claim(cluster: Cluster,
                                                                      make_provisioner: MakeProvisioner) -> None:
    provisioner, other = make_provisioner(), make_provisioner()
    foreign = add_claim(cluster, "foreign", "no-such-class")
    path = add_claim(cluster, "data", provisioner.add_class(mode="Immediate"))
    volume = provisioner.wait_bound(cluster.default_namespace, "data")
    assert not other.volumes and "volumeName" not in cluster.api.get(foreign)["spec"]
    for each in (path, foreign):
        cluster.api.patch(each, {"metadata": {"finalizers": None}})
        cluster.api.delete(each)
    gone = f"/api/v1/persistentvolumes/{volume['metadata']['name']}"
    eventually(lambda: cluster.api.find(gone) is None, WAIT_SECONDS, "the volume to go")


@pytest.mark.bound(120)
@pytest.mark.parametrize("scheduler", ("default-scheduler", "gang-scheduler"))
def test_a_real_binder_and_a_scheduler_place_pods_by_their_volumes(
        make_plane: Callable[..., RealPlane], scheduler: str) -> None:
    """kube-controller-manager and kube-scheduler, or ours, accept what the provisioner does; such planes start slowly."""
    plane = make_plane(controllers=True, scheduler=scheduler == "default-scheduler")
    if scheduler == "gang-scheduler":
        plane.start_scheduler(("--leader-elect=false",))
    cluster = Cluster(plane)
    provisioner = Provisioner(plane, immediate_topology="zone-b")
    first, = cluster.add_nodes(1, labels={ZONE: "zone-a"})
    second, = cluster.add_nodes(1, labels={ZONE: "zone-b"})
    path = f"/api/v1/namespaces/{cluster.default_namespace}"
    eventually(lambda: plane.api.find(f"{path}/serviceaccounts/default"), WAIT_SECONDS, "the default account")
    waiting, at_once = provisioner.add_class(), provisioner.add_class(mode="Immediate")
    provisioner.fail(first, times=1)
    for name, storage_class, selector in (("waiting", waiting, {ZONE: "zone-a"}), ("at-once", at_once, {})):
        add_claim(cluster, name, storage_class)
        plane.api.post(f"{path}/pods", {"metadata": {"name": name}, "spec": {
            "schedulerName": scheduler, "nodeSelector": selector, "containers": [{"name": "c", "image": "i"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]}})
    for name, node, zone in (("at-once", second, "zone-b"), ("waiting", first, "zone-a")):
        volume = provisioner.wait_bound(cluster.default_namespace, name, 60)
        assert topology_of(volume) == (ZONE, [zone])
        bound = eventually(lambda: node_of(plane.api.get(f"{path}/pods/{name}")), 60, f"{name} to be bound")
        assert bound == node
        found = annotations(cluster, f"{claims_path(cluster)}/{name}")
        assert found[BIND_COMPLETED] == found[BOUND_BY_CONTROLLER] == "yes"
        assert found[STORAGE_PROVISIONER[0]] == provisioner.name
    assert provisioner.failures == [(f"{cluster.default_namespace}/waiting", first)]
    assert failure_events(cluster, "waiting")
    provisioner.check()
    provisioner.stop()
    cluster.close()
