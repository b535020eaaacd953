"""Real kubectl against the embedded API server: every command that people type first."""
import json
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Iterator

import pytest
import yaml

from support.kube.fake_spark import FakeSpark
from support.kube.kubelet import Kubelet, NodeSpec
from support.plane.rig import Rig

if TYPE_CHECKING:
    from conftest import Rigs

POD = """
apiVersion: v1
kind: Pod
metadata: {name: one, namespace: default, labels: {a: b}}
spec:
  schedulerName: nobody
  containers: [{name: c, image: i, resources: {requests: {cpu: 100m, memory: 64Mi}}}]
"""

STORAGE = """
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: disks.example.com
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 2Gi}
  storageClassName: fast
  hostPath: {path: /x}
  claimRef: {namespace: default, name: other}
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: w-0}
spec: {drivers: [{name: disks.example.com, nodeID: w-0}]}
"""


class Kubectl:
    """Runs the command; every call must end well unless `fails` is set."""

    def __init__(self, program: Path, rig: Rig) -> None:
        self.program = [str(program), "--kubeconfig", str(rig.kubeconfig)]

    def __call__(self, command: str, stdin: str = "", fails: bool = False) -> str:
        result = subprocess.run([*self.program, *command.split(" ")], input=stdin,
                                capture_output=True, text=True, timeout=30)
        text = f"kubectl {command}: {result.returncode}\n{result.stdout}{result.stderr}"
        assert (result.returncode != 0) == fails, text
        return result.stdout + (result.stderr if fails else "")

    def json(self, command: str) -> dict:
        return json.loads(self(f"{command} -o json"))


@pytest.fixture(scope="module")
def embedded(rigs: "Rigs") -> Iterator[Rig]:
    rig = rigs.get("embedded")
    kubelet = Kubelet(rig.api, FakeSpark(rig.api))
    for name in ("w-0", "w-1"):
        kubelet.add_node(NodeSpec(name))
    yield rig
    kubelet.stop()
    rigs.stop("embedded")


@pytest.fixture
def kubectl(embedded: Rig, kubectl_program: Path) -> Iterator[Kubectl]:
    run = Kubectl(kubectl_program, embedded)
    run("apply -f -", POD)
    yield run
    run("delete pod --all --grace-period=0 --force --wait=false")


def test_get_in_all_forms(kubectl: Kubectl) -> None:
    table = kubectl("get pods")
    assert table.split()[:5] == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"] and "one" in table
    assert "NOMINATED NODE" in kubectl("get pods -o wide")
    assert yaml.safe_load(kubectl("get pod one -o yaml"))["metadata"]["name"] == "one"
    assert kubectl.json("get pod one")["spec"]["schedulerName"] == "nobody"
    assert "NAMESPACE" in kubectl("get pods -A")
    assert kubectl("get pod one -o jsonpath={.metadata.labels.a}") == "b"
    assert kubectl("get pods -o name").strip() == "pod/one"
    assert "STATUS" in kubectl("get nodes") and "w-1" in kubectl("get nodes")
    assert "INTERNAL-IP" in kubectl("get nodes -o wide")
    assert len(yaml.safe_load(kubectl("get nodes -o yaml"))["items"]) == 2
    assert "not found" in kubectl("get pod absent", fails=True)


def test_get_with_selectors_sorting_and_chunks(kubectl: Kubectl) -> None:
    kubectl("apply -f -", POD.replace("name: one", "name: two").replace("a: b", "a: c"))
    assert "two" not in kubectl("get pods -l a=b")
    assert "one" not in kubectl("get pods -l a!=b")
    assert kubectl("get pods -l a=b --field-selector spec.schedulerName=nobody -o name").strip() == "pod/one"
    assert kubectl("get pods --field-selector metadata.name=two -o name").strip() == "pod/two"
    assert kubectl("get pods --chunk-size=1 -o name").split() == ["pod/one", "pod/two"]
    assert kubectl("get pods --sort-by=.metadata.creationTimestamp -o name").split()


def test_get_watch_shows_a_change(kubectl: Kubectl) -> None:
    watch = subprocess.Popen([*kubectl.program, "get", "pods", "-w"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        time.sleep(1.0)
        kubectl("apply -f -", POD.replace("name: one", "name: three"))
        time.sleep(1.0)
    finally:
        watch.terminate()
    output = watch.communicate(timeout=10)[0]
    assert "one" in output and "three" in output, output


def test_describe(kubectl: Kubectl) -> None:
    text = kubectl("describe pod one")
    assert "Status:" in text and "Pending" in text and "cpu:" in text
    node = kubectl("describe node w-0")
    assert "Allocatable:" in node and "Non-terminated Pods:" in node


def test_create_and_delete_of_simple_kinds(kubectl: Kubectl) -> None:
    kubectl("create configmap settings --from-literal=a=b")
    assert kubectl.json("get cm settings")["data"] == {"a": "b"}
    kubectl("create namespace other")
    kubectl("create serviceaccount robot -n other")
    assert "robot" in kubectl("get sa -n other")
    assert "already exists" in kubectl("create configmap settings --from-literal=a=b", fails=True).lower()
    kubectl("delete configmap settings")
    kubectl("delete serviceaccount robot -n other")
    kubectl("delete namespace other --wait=false")
    assert "not found" in kubectl("get cm settings", fails=True)


def test_apply_twice_and_server_side(kubectl: Kubectl) -> None:
    assert "unchanged" in kubectl("apply -f -", POD)
    assert "configured" in kubectl("apply -f -", POD.replace("a: b", "a: z"))
    assert kubectl.json("get pod one")["metadata"]["labels"]["a"] == "z"
    kubectl("apply --server-side --force-conflicts -f -", POD.replace("a: b", "a: s"))
    assert kubectl.json("get pod one")["metadata"]["labels"]["a"] == "s"


def test_label_annotate_and_the_three_patches(kubectl: Kubectl) -> None:
    kubectl("label pod one x=y")
    kubectl("annotate pod one m=n")
    kubectl('patch pod one --type merge -p {"metadata":{"labels":{"p":"merge"}}}')
    kubectl('patch pod one --type strategic -p {"metadata":{"labels":{"q":"strategic"}}}')
    kubectl('patch pod one --type json -p [{"op":"add","path":"/metadata/labels/r","value":"json"}]')
    found = kubectl.json("get pod one")["metadata"]
    assert found["labels"] == {"a": "b", "x": "y", "p": "merge", "q": "strategic", "r": "json"}
    assert found["annotations"]["m"] == "n"
    kubectl("label pod one x-")
    assert "x" not in kubectl.json("get pod one")["metadata"]["labels"]


def test_wait(kubectl: Kubectl) -> None:
    kubectl("wait --for=jsonpath={.metadata.labels.a}=b pod/one --timeout=5s")
    assert "timed out" in kubectl("wait --for=condition=Ready pod/one --timeout=1s", fails=True)
    kubectl("delete pod one --wait=false")
    kubectl("wait --for=delete pod/one --timeout=5s")


def test_cordon_taint_and_drain(kubectl: Kubectl) -> None:
    kubectl("cordon w-0")
    assert "SchedulingDisabled" in kubectl("get node w-0")
    kubectl("uncordon w-0")
    kubectl("taint nodes w-0 k=v:NoSchedule")
    assert kubectl.json("get node w-0")["spec"]["taints"] == [
        {"key": "k", "value": "v", "effect": "NoSchedule"}]
    kubectl("taint nodes w-0 k-")
    assert not kubectl.json("get node w-0")["spec"].get("taints")
    kubectl("drain w-1 --ignore-daemonsets --force --timeout=5s")
    kubectl("uncordon w-1")


def rows(table: str) -> list[list[str]]:
    """The lines of a table without their last column, the age."""
    return [line.split()[:-1] for line in table.splitlines()]


def test_claims_volumes_and_their_classes(kubectl: Kubectl) -> None:
    kubectl("apply -f -", STORAGE)
    assert kubectl("apply -f -", STORAGE).count("unchanged") == 4
    assert rows(kubectl("get pvc")) == [
        ["NAME", "STATUS", "VOLUME", "CAPACITY", "ACCESS", "MODES", "STORAGECLASS", "VOLUMEATTRIBUTESCLASS"],
        ["data", "Pending", "fast", "<unset>"]]
    assert rows(kubectl("get pv")) == [
        ["NAME", "CAPACITY", "ACCESS", "MODES", "RECLAIM", "POLICY", "STATUS", "CLAIM", "STORAGECLASS",
         "VOLUMEATTRIBUTESCLASS", "REASON"],
        ["disk", "2Gi", "RWO", "Retain", "Pending", "default/other", "fast", "<unset>"]]
    assert rows(kubectl("get sc")) == [
        ["NAME", "PROVISIONER", "RECLAIMPOLICY", "VOLUMEBINDINGMODE", "ALLOWVOLUMEEXPANSION"],
        ["fast", "(default)", "disks.example.com", "Delete", "WaitForFirstConsumer", "false"]]
    assert rows(kubectl("get csinodes")) == [["NAME", "DRIVERS"], ["w-0", "1"]]
    together = kubectl("get pvc,pv,sc,csinodes")
    for name in ("persistentvolumeclaim/data", "persistentvolume/disk", "storageclass.storage.k8s.io/fast",
                 "csinode.storage.k8s.io/w-0"):
        assert name in together
    assert "VOLUMEMODE" in kubectl("get pvc -o wide") and "Filesystem" in kubectl("get pv -o wide")
    assert "StorageClass:  fast" in kubectl("describe pvc data")
    assert "HostPath" in kubectl("describe pv disk")
    assert "IsDefaultClass:  Yes" in kubectl("describe sc fast")
    assert "disks.example.com" in kubectl("describe csinode w-0")
    assert "accessModes" in kubectl("explain pvc.spec")
    too_much = STORAGE.replace("storage: 1Gi", "storage: 3Gi")
    assert "spec is immutable" in kubectl("apply -f -", too_much, fails=True)
    assert kubectl("delete -f -", STORAGE).count("deleted") == 4


def test_what_the_server_is_and_may(kubectl: Kubectl) -> None:
    assert "Server Version" in kubectl("version")
    resources = kubectl("api-resources")
    for kind in ("pods", "nodes", "configmaps", "leases", "events"):
        assert kind in resources
    assert kubectl("auth can-i create pods/binding").strip() == "yes"
    assert kubectl("get --raw /healthz") == "ok"
    kubectl("cluster-info")
    kubectl("get events -A")
    kubectl("get lease -A")
    kubectl("get svc")


def test_what_it_does_not_know_is_a_status_not_a_broken_connection(kubectl: Kubectl) -> None:
    for command in ("get widgets", "top pods"):
        text = kubectl(command, fails=True)
        assert "EOF" not in text and "connection" not in text.lower(), text


def test_a_list_of_objects(kubectl: Kubectl) -> None:
    items = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"listed-{i}", "namespace": "default"}}
             for i in range(2)]
    created = kubectl("create -f -", json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    assert created.split("\n")[:2] == ["configmap/listed-0 created", "configmap/listed-1 created"]
    kubectl("delete -n default configmap listed-0 listed-1")
    refused = kubectl("create deployment web --image=x", fails=True)
    assert "protobuf" in refused and "--dry-run=client -o json" in refused
