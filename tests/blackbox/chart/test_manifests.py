"""The plain manifests, applied to an API server: what they install places the sample pods of toy-scheduler."""
import subprocess
from pathlib import Path
from typing import Callable

import yaml

from support.client.api import Json
from support.plane.chart import CHART
from support.kube.cluster import Cluster
from support.kube.pods import node_of
from support.process.polling import eventually
from support.plane.real_plane import RealPlane

MakePlane = Callable[..., RealPlane]
MANIFESTS = CHART.parent / "manifests"
GPU = "nvidia.com/gpu"
NAMESPACE, NAME = "kube-system", "gang-scheduler"


def objects(name: str) -> list[Json]:
    return [item for item in yaml.safe_load_all((MANIFESTS / name).read_text()) if item]


def arguments(pod: Json) -> list[str]:
    """Of its container, without the first, which is the verb."""
    return pod["containers"][0]["args"][1:]


def places_the_five_pods(plane: RealPlane, lease: str = "") -> None:
    """TOY-2: the fewest GPUs left over. `lease`: held meanwhile."""
    cluster = Cluster(plane)
    n1, = cluster.add_nodes(1, cpu="8", memory="16Gi", extended={GPU: "4"})
    n2, = cluster.add_nodes(1, cpu="8", memory="16Gi", extended={GPU: "2"})
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    chosen = []
    for i in range(1, 6):
        name = f"toyscheduler-test-pod{i}"
        cluster.api.post(path, {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"run": "nginx"}},
            "spec": {"schedulerName": "toyscheduler", "containers": [
                {"name": "nginx", "image": "nginx", "resources": {"limits": {"cpu": "1", "memory": "1Gi", GPU: "1"}}}]}})
        eventually(lambda: node_of(cluster.api.get(f"{path}/{name}")), 30, f"{name} on a node")
        chosen.append(node_of(cluster.api.get(f"{path}/{name}")))
    assert chosen == [n2, n2, n1, n1, n1]
    assert not lease or plane.api.get(lease)["spec"]["holderIdentity"]
    cluster.close()


def test_toy_12b_the_deployment(make_plane: MakePlane, kubectl_program: Path) -> None:
    """With the rights, the configuration and the arguments that kubectl apply has put there."""
    plane = make_plane()
    applied = subprocess.run(
        [str(kubectl_program), "--kubeconfig", str(plane.kubeconfig), "apply", "-f", str(MANIFESTS / "as-deployment.yaml")],
        capture_output=True, text=True, timeout=60)
    assert applied.returncode == 0, applied.stderr
    deployment = plane.api.get(f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{NAME}")
    pod = deployment["spec"]["template"]["spec"]
    mount = f"{pod['containers'][0]['volumeMounts'][0]['mountPath']}/config.yaml"
    config = plane.folder / "applied.yaml"
    config.write_text(plane.api.get(f"/api/v1/namespaces/{NAMESPACE}/configmaps/{NAME}")["data"]["config.yaml"])
    assert f"--config={mount}" in arguments(pod)
    kubeconfig = plane.token_kubeconfig(NAMESPACE, pod["serviceAccountName"])
    content = yaml.safe_load(kubeconfig.read_text())
    content["contexts"][0]["context"]["namespace"] = NAMESPACE
    kubeconfig.write_text(yaml.safe_dump(content))
    plane.start_scheduler([each.replace(mount, str(config)) for each in arguments(pod)], kubeconfig)
    places_the_five_pods(plane, f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/{NAME}")


def test_toy_12b_the_static_pod(make_plane: MakePlane) -> None:
    """With kube-scheduler's own kubeconfig, as a control plane node has it."""
    plane = make_plane()
    static, = objects("as-static-pod.yaml")
    deployment = next(item for item in objects("as-deployment.yaml") if item["kind"] == "Deployment")
    container, other = static["spec"]["containers"][0], deployment["spec"]["template"]["spec"]["containers"][0]
    assert container["image"] == other["image"] and container["resources"] == other["resources"]
    mount, = container["volumeMounts"]
    path = mount["mountPath"]
    assert mount["readOnly"] and f"--kubeconfig={path}" in arguments(static["spec"])
    kubeconfig = plane.write_kubeconfig(
        "scheduler", client=plane.client_certificate("system:kube-scheduler", "system:nobody"))
    plane.start_scheduler([each for each in arguments(static["spec"]) if path not in each], kubeconfig)
    places_the_five_pods(plane)
