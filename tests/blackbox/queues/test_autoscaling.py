"""What an autoscaler is asked for, on both rigs: objects that stand while a gang waits, and none afterwards."""
import subprocess
import time
from pathlib import Path
from typing import Callable, Iterator

import pytest
import yaml

from support.client.api import ApiError, Json
from support.plane.chart import Rights
from support.kube.cluster import Cluster
from support.kube.pods import condition
from support.process.polling import eventually
from support.plane.real_plane import RealPlane
from support.plane.rig import EmbeddedRig, Scheduler
from support.kube.spark_application import Size, SparkApplication, sized

DEFINITIONS = Path(__file__).parent.parent / "fixtures" / "autoscaling.yaml"
KINDS = {"capacityBuffer": "/apis/autoscaling.x-k8s.io/v1beta1/namespaces/{}/capacitybuffers",
         "provisioningRequest": "/apis/autoscaling.x-k8s.io/v1/namespaces/{}/provisioningrequests"}

embedded = pytest.mark.parametrize("rig_name", ["embedded"], indirect=True, scope="session")


def define(cluster: Cluster) -> None:
    folder = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    for body in yaml.safe_load_all(DEFINITIONS.read_text()):
        path = f"{folder}/{body['metadata']['name']}"
        cluster.api.post(folder, body)

        def is_established(path: str = path) -> bool:
            return condition(cluster.api.get(path), "Established").get("status") == "True"
        eventually(is_established, 20, f"{path} established")

    def is_served() -> bool:
        try:
            return all(cluster.api.find(path.format("default")) is not None for path in KINDS.values())
        except ApiError as error:
            assert error.status == 429, error  # its storage is being made
            return False
    eventually(is_served, 20, "the kinds served")


class Asking:
    """A cluster whose scheduler has a mode, and on the real rig the rights that come with it."""

    def __init__(self, cluster: Cluster, mode: str, folder: Path) -> None:
        self.cluster = cluster
        self.mode = mode
        self.file = folder / "autoscaling.yaml"
        self.file.write_text(f"autoscaling: {{mode: {mode}}}\n")

    def start(self) -> Scheduler:
        return self.cluster.start_scheduler("--leader-elect=false", f"--config={self.file}")

    def templates(self) -> list[Json]:
        return self.cluster.api.items(f"/api/v1/namespaces/{self.cluster.default_namespace}/podtemplates")

    def objects(self) -> list[Json]:
        return self.cluster.api.items(KINDS[self.mode].format(self.cluster.default_namespace))

    def wait_gone(self) -> None:
        eventually(lambda: not self.objects() and not self.templates(), 20,
                   lambda: f"nothing left, now {self.objects()} {self.templates()}")

    def submit(self, executors: int) -> SparkApplication:
        return self.cluster.submit(sized(Size(executors=executors), self.cluster.default_namespace))


@pytest.fixture(params=list(KINDS))
def asking(request: pytest.FixtureRequest, rig_name: str, make_plane: Callable[..., RealPlane],
           tmp_path: Path) -> Iterator[Asking]:
    mode = request.param
    if rig_name == "embedded":
        rig = EmbeddedRig()
        cluster = Cluster(rig)
    else:
        plane = make_plane()
        plane.use_chart(Rights.render("--set", f"config.autoscaling.mode={mode}"))
        cluster = Cluster(plane)
        define(cluster)
    yield Asking(cluster, mode, tmp_path)
    cluster.close()
    if rig_name == "embedded":
        rig.stop()


def test_the_whole_gang_is_asked_for_until_it_runs(asking: Asking) -> None:
    cluster = asking.cluster
    asking.start()
    application = asking.submit(6)
    message = cluster.wait_code(application, "WaitingForNodes")
    assert "Asked the autoscaler for 6 executors of 1 cpu, 1408Mi memory, at " in message, message
    assert condition(cluster.driver(application), "PodScheduled")["reason"] == "Unschedulable"
    template, = asking.templates()
    driver = cluster.driver(application)["metadata"]
    assert template["metadata"]["name"] == f"gang-demand-{driver['uid']}-0"
    assert template["metadata"]["ownerReferences"][0]["uid"] == driver["uid"]
    requests = template["template"]["spec"]["containers"][0]["resources"]["requests"]
    assert requests == {"cpu": "1", "memory": "1408Mi"} or requests["cpu"] in ("1", "1000m"), requests
    made, = asking.objects()
    if asking.mode == "capacityBuffer":
        assert made["spec"]["replicas"] == 6, made
        assert made["spec"]["podTemplateRef"]["name"] == template["metadata"]["name"]
    else:
        assert made["spec"]["podSets"] == [{"count": 6, "podTemplateRef": {"name": template["metadata"]["name"]}}], made
    cluster.add_nodes(2)
    cluster.wait_finished(application, timeout=40)
    assert cluster.is_whole(application)
    asking.wait_gone()


def test_new_nodes_are_for_who_asked_for_them(asking: Asking) -> None:
    cluster = asking.cluster
    asking.start()
    large = asking.submit(6)
    cluster.wait_code(large, "WaitingForNodes")
    small = asking.submit(1)
    cluster.wait_code(small, "WaitingForNodes")
    cluster.add_nodes(1)  # the small one would fit there
    time.sleep(3)
    assert not cluster.is_bound(small)
    cluster.add_nodes(1)
    eventually(lambda: cluster.is_bound(large), 10, "the first who asked on the nodes that came")
    cluster.wait_finished(large, small, timeout=60)
    asking.wait_gone()


def test_a_restart_finds_what_stands(asking: Asking) -> None:
    cluster = asking.cluster
    scheduler = asking.start()
    stays, goes = asking.submit(6), asking.submit(6)
    for application in (stays, goes):
        cluster.wait_code(application, "WaitingForNodes")
    left = next(item for item in asking.templates()
                if item["metadata"]["ownerReferences"][0]["name"] == goes.driver_name)
    scheduler.kill()
    cluster.api.delete(goes.driver_path, grace_seconds=0)
    # As if the garbage collector had not come by yet.
    collection = f"/api/v1/namespaces/{cluster.default_namespace}/podtemplates"
    for field in ("uid", "resourceVersion", "creationTimestamp", "managedFields", "ownerReferences"):
        left["metadata"].pop(field, None)
    time.sleep(1)
    if cluster.api.find(f"{collection}/{left['metadata']['name']}") is None:
        cluster.api.post(collection, left)
    asking.start()
    eventually(lambda: len(asking.templates()) == 1, 20, lambda: f"one template, now {asking.templates()}")
    assert asking.templates()[0]["metadata"]["ownerReferences"][0]["name"] == stays.driver_name
    cluster.api.delete(stays.driver_path, grace_seconds=0)
    asking.wait_gone()


def test_without_the_right_gangs_are_scheduled_all_the_same(make_plane: Callable[..., RealPlane],
                                                            tmp_path: Path) -> None:
    plane = make_plane()  # the embedded API server grants everything
    plane.use_chart(Rights.render())
    cluster = Cluster(plane)
    asking = Asking(cluster, "capacityBuffer", tmp_path)
    asking.start()
    application = asking.submit(6)
    cluster.wait_code(application, "ExceedsCluster")
    events = f"/apis/events.k8s.io/v1/namespaces/{cluster.default_namespace}/events"
    eventually(lambda: any(event["reason"] == "AutoscalerNotAsked" for event in cluster.api.items(events)), 20,
               "an event")
    cluster.add_nodes(2)
    cluster.wait_finished(application, timeout=40)
    cluster.close()


@embedded  # elsewhere kubectl reads what is installed
def test_kubectl_reads_the_kinds(cluster: Cluster, kubectl_program: Path) -> None:
    namespace = cluster.default_namespace
    cluster.api.post(KINDS["capacityBuffer"].format(namespace), {
        "apiVersion": "autoscaling.x-k8s.io/v1beta1", "kind": "CapacityBuffer", "metadata": {"name": "buffer"},
        "spec": {"replicas": 3, "podTemplateRef": {"name": "t"}}})
    cluster.api.post(KINDS["provisioningRequest"].format(namespace), {
        "apiVersion": "autoscaling.x-k8s.io/v1", "kind": "ProvisioningRequest", "metadata": {"name": "request"},
        "spec": {"provisioningClassName": "best-effort-atomic-scale-up.autoscaling.x-k8s.io",
                 "podSets": [{"count": 3, "podTemplateRef": {"name": "t"}}]}})

    def kubectl(*words: str) -> str:
        command = [str(kubectl_program), "--kubeconfig", str(cluster.rig.kubeconfig), "--namespace", namespace, *words]
        result = subprocess.run(command, capture_output=True, text=True, timeout=30)
        assert result.returncode == 0, result.stderr
        return result.stdout

    assert "buffer" in kubectl("get", "capacitybuffers")
    assert "request" in kubectl("get", "provisioningrequests")
    assert kubectl("get", "capacitybuffer", "buffer", "-o", "jsonpath={.spec.replicas}") == "3"
    kubectl("delete", "capacitybuffer", "buffer")
    assert not cluster.api.items(KINDS["capacityBuffer"].format(namespace))
