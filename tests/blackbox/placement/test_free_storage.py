"""How much storage drivers have left: CSIStorageCapacities."""
from typing import Callable, Iterator, Optional

import pytest

from support.client.api import Json
from support.kube.claim_pods import WAIT_SECONDS, create, folder, node, wait_node, wait_told
from support.kube.cluster import Cluster
from support.kube.provisioner import ZONE, Provisioner, claim
from support.kube.spark_application import Size, sized
from support.process.polling import eventually

STORAGE = "/apis/storage.k8s.io/v1"
NONE_LEFT = "not enough free storage for its volume"
MakeProvisioner = Callable[..., Provisioner]


class Driver:
    """A provisioner that says how much it has left."""

    def __init__(self, cluster: Cluster, provisioner: Provisioner) -> None:
        self._api = cluster.api
        self.name = provisioner.name
        self.storage_class = provisioner.add_class()
        self._folder = f"{STORAGE}/namespaces/{cluster.default_namespace}/csistoragecapacities"
        self._api.post(f"{STORAGE}/csidrivers", {"metadata": {"name": self.name}, "spec": {"storageCapacity": True}})

    def has_left(self, name: str, zone: Optional[str], **amounts: str) -> None:
        """In a zone, or everywhere; again: what it says later."""
        path = f"{self._folder}/{name}"
        if self._api.find(path) is not None:
            self._api.patch(path, amounts)
            return
        topology = {"matchLabels": {ZONE: zone}} if zone else {}
        self._api.post(self._folder, {"metadata": {"name": name}, "storageClassName": self.storage_class,
                                      "nodeTopology": topology, **amounts})

    def remove(self) -> None:
        self._api.delete(f"{STORAGE}/csidrivers/{self.name}")


@pytest.fixture
def driver(cluster: Cluster, make_provisioner: MakeProvisioner) -> Iterator[Driver]:
    made = Driver(cluster, make_provisioner())
    yield made
    made.remove()


def add_claim(cluster: Cluster, name: str, storage_class: str, storage: str) -> None:
    cluster.api.post(folder(cluster, "persistentvolumeclaims"), claim(name, storage_class, storage))


def test_a_pod_goes_where_storage_is_left_for_its_claim(cluster: Cluster, driver: Driver) -> None:
    """Who finds none waits, and is tried when the driver has more."""
    cluster.add_nodes(1, labels={ZONE: "a"})
    large, = cluster.add_nodes(1, labels={ZONE: "b"})
    driver.has_left("in-a", "a", capacity="5Gi")
    driver.has_left("in-b", "b", capacity="50Gi", maximumVolumeSize="10Gi")
    cluster.start_scheduler()
    add_claim(cluster, "fits", driver.storage_class, "10Gi")
    add_claim(cluster, "too-large", driver.storage_class, "20Gi")
    wait_node(cluster, create(cluster, "fits", "fits"), large)
    waiting = create(cluster, "too-large", "too-large")
    wait_told(cluster, waiting, f"2 {NONE_LEFT}", WAIT_SECONDS)
    driver.has_left("in-b", "b", maximumVolumeSize="20Gi")
    eventually(lambda: node(cluster, waiting) == large, 10, "the pod where there is more now")


def test_a_driver_that_does_not_say_what_is_left_always_has_some(
        cluster: Cluster, make_provisioner: MakeProvisioner) -> None:
    cluster.add_nodes(1, labels={ZONE: "a"})
    cluster.start_scheduler()
    add_claim(cluster, "one", make_provisioner().add_class(), "10Gi")
    wait_node(cluster, create(cluster, "one", "one"))


def test_a_gang_is_planned_where_storage_is_left_for_its_executors(cluster: Cluster, driver: Driver) -> None:
    """OnDemand: Spark makes a claim for each executor. The driver is not started before there is room."""
    cluster.add_nodes(1, labels={ZONE: "a"})
    driver.has_left("in-a", "a", capacity="1Gi")
    cluster.start_scheduler()
    key = "spark.kubernetes.executor.volumes.persistentVolumeClaim.data"
    conf = {f"{key}.mount.path": "/data", f"{key}.options.claimName": "OnDemand",
            f"{key}.options.storageClass": driver.storage_class, f"{key}.options.sizeLimit": "2Gi"}
    application = cluster.submit(sized(Size(2), cluster.default_namespace).set_conf(**conf))
    path = f"{folder(cluster, 'pods')}/{application.driver_name}"
    wait_told(cluster, path, NONE_LEFT, WAIT_SECONDS)
    driver.has_left("in-a", "a", capacity="2Gi")
    wait_node(cluster, path)
