"""The programs of tests/plane that other tests lean on do what they are there for."""
import subprocess
from pathlib import Path
from typing import Callable

from support.kube.cluster import Cluster
from support.process.polling import eventually
from support.kube.pods import condition, node_of
from support.plane.real_plane import RealPlane

GOOD = "# HELP sent_total Things sent.\n# TYPE sent_total counter\nsent_total 1\n"
BAD = "# TYPE sent counter\nsent 1\n"


def test_helm(helm: Path, tmp_path: Path) -> None:
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: least\nversion: 0.1.0\n")
    result = subprocess.run([str(helm), "template", str(tmp_path)], capture_output=True, text=True, timeout=30)
    assert result.returncode == 0, result.stderr


def test_promlint(promlint: Path) -> None:
    def lint(text: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([str(promlint)], input=text, capture_output=True, text=True, timeout=30)

    assert lint(GOOD).returncode == 0 and lint(GOOD).stdout == ""
    bad = lint(BAD)
    assert bad.returncode == 1 and "no help text" in bad.stdout and "_total" in bad.stdout
    assert lint("sent{ 1\n").returncode == 1


def test_controllers_and_the_default_scheduler(make_plane: Callable[..., RealPlane]) -> None:
    """A node is made schedulable, a pod scheduled, garbage collected, a namespace emptied, a dead node found."""
    plane = make_plane(controllers=True, scheduler=True, node_grace_seconds=8)
    cluster = Cluster(plane)
    first, second = cluster.add_nodes(2)
    path = f"/api/v1/namespaces/{cluster.default_namespace}"
    eventually(lambda: plane.api.find(f"{path}/serviceaccounts/default"), 20, "the default account")
    pod = plane.api.post(f"{path}/pods", {"metadata": {"name": "p"}, "spec": {
        "containers": [{"name": "c", "image": "i"}]}})
    eventually(lambda: node_of(plane.api.get(f"{path}/pods/p")), 20, "kube-scheduler to bind")
    plane.api.post(f"{path}/configmaps", {"metadata": {"name": "owned", "ownerReferences": [{
        "apiVersion": "v1", "kind": "Pod", "name": "p", "uid": pod["metadata"]["uid"]}]}})
    plane.api.delete(f"{path}/pods/p", grace_seconds=0)
    eventually(lambda: plane.api.find(f"{path}/configmaps/owned") is None, 20, "the garbage collector")
    cluster.kubelet.silence(second)

    def taints(name: str) -> set[str]:
        return {taint["key"] for taint in plane.api.get(f"/api/v1/nodes/{name}")["spec"].get("taints", [])}

    eventually(lambda: "node.kubernetes.io/unreachable" in taints(second), 30, "the node to be given up")
    ready = condition(plane.api.get(f"/api/v1/nodes/{second}"), "Ready")
    assert ready["status"] == "Unknown" and not taints(first)
    plane.api.delete(path)
    eventually(lambda: plane.api.find(path) is None, 30, "the namespace to go")
    cluster.close()
