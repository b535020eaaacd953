"""kube-scheduler's own files: Policy and KubeSchedulerConfiguration, from the command line to where pods go."""
import itertools
import json
import subprocess
import time
from pathlib import Path
from typing import Any, Optional

from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.pods import node_of
from support.process.polling import eventually
from support.plane.rig import Scheduler, binary
from support.plane.served import ANY_PORT, Served

LECTURE = {
    "kind": "Policy", "apiVersion": "v1",
    "predicates": [{"name": name} for name in (
        "PodFitsHostPorts", "PodFitsResources", "NoDiskConflict", "MatchNodeSelector", "HostName")],
    "priorities": [{"name": name, "weight": 1} for name in (
        "LeastRequestedPriority", "BalancedResourceAllocation", "ServiceSpreadingPriority", "EqualPriority")],
    "extenders": [{"urlPrefix": "http://127.0.0.1:8888/", "filterVerb": "filter", "enableHttps": False}],
    "hardPodAffinitySymmetricWeight": 10}


def check(path: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(binary()), "check-config", str(path), *arguments], capture_output=True, text=True,
                          timeout=20)


def written(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=4))
    return path


def pod(cluster: Cluster, name: str, scheduler: str, cpu: str = "1", image: str = "none",
        labels: Optional[dict[str, str]] = None) -> str:
    """Its path."""
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    cluster.api.post(path, {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels or {}},
        "spec": {"schedulerName": scheduler, "restartPolicy": "Never", "containers": [
            {"name": "main", "image": image, "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}}}]}})
    return f"{path}/{name}"


def place(cluster: Cluster, name: str, scheduler: str, **more: Any) -> str:
    path = pod(cluster, name, scheduler, **more)
    eventually(lambda: node_of(cluster.api.get(path)), 10, f"{name} on a node")
    return node_of(cluster.api.get(path))


def test_sec_4_the_lectures_policy(tmp_path: Path) -> None:
    result = check(written(tmp_path, "policy.cfg", LECTURE), "-o", "json")
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    profile, = answer["profiles"]
    assert sorted(profile["filters"]) == sorted((
        "NodePorts", "NodeResourcesFit", "VolumeRestrictions", "NodeAffinity", "NodeName", "TaintToleration",
        "NodeUnschedulable"))
    assert profile["filtersNotBuilt"] == []
    assert [score["weight"] for score in profile["scores"]] == [1, 1, 1, 1]
    assert all(score["built"] for score in profile["scores"])
    assert len(answer["warnings"]) == 1


def test_sec_4b_a_file_that_breaks_off(tmp_path: Path) -> None:
    text = json.dumps(LECTURE, indent=4)
    path = written(tmp_path, "policy.cfg", text[:text.index('"extenders"')])
    result = check(path)
    assert result.returncode == 2 and f"{path}:" in result.stderr


def test_sec_4_a_profile_from_a_policy(cluster: Cluster, tmp_path: Path) -> None:
    n1, n2 = cluster.add_nodes(2)
    policy = written(tmp_path, "policy.cfg", {
        "kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsResources"}],
        "priorities": [{"name": "MostRequestedPriority"}]})
    cluster.api.patch(f"/api/v1/nodes/{n1}", {"spec": {"unschedulable": True}})
    cluster.start_scheduler("--leader-elect=false", f"--config={policy}")
    assert [place(cluster, name, "gang-scheduler") for name in ("a", "b")] == [n2, n2]


def start(cluster: Cluster, config: Path) -> Scheduler:
    return cluster.start_scheduler("--leader-elect=false", f"--config={config}", *ANY_PORT)


def test_sec_6_a_policy_in_a_config_map(cluster: Cluster, tmp_path: Path) -> None:
    n1, n2 = cluster.add_nodes(2)
    config = written(tmp_path, "config.yaml", f"""
apiVersion: componentconfig/v1alpha1
kind: KubeSchedulerConfiguration
schedulerName: gang-scheduler
algorithmSource:
  policy:
    configMap:
      namespace: {cluster.default_namespace}
      name: my-scheduler-policy
""")
    waits = pod(cluster, "waits", "gang-scheduler")
    scheduler = start(cluster, config)
    served = Served(scheduler)
    eventually(lambda: "waiting for the policy" in scheduler.output(), 10, "the warning")
    time.sleep(1)
    assert served.failing() == ["policy"] and not node_of(cluster.api.get(waits))
    policy: Json = {"kind": "Policy", "apiVersion": "v1", "priorities": [{"name": "MostRequestedPriority"}]}
    cluster.api.post(f"/api/v1/namespaces/{cluster.default_namespace}/configmaps", {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "my-scheduler-policy"},
        "data": {"policy.cfg": json.dumps(policy)}})
    eventually(lambda: node_of(cluster.api.get(waits)) == n1, 10, "the pod on the first node")
    assert [place(cluster, name, "gang-scheduler") for name in ("a", "b")] == [n1, n1]
    assert scheduler.output().count('"serving"') == 2  # while it waits, and then


def test_sec_6_a_signal_ends_the_wait(cluster: Cluster, tmp_path: Path) -> None:
    config = written(tmp_path, "config.yaml", f"""
apiVersion: componentconfig/v1alpha1
kind: KubeSchedulerConfiguration
schedulerName: gang-scheduler
algorithmSource: {{policy: {{configMap: {{namespace: {cluster.default_namespace}, name: never}}}}}}
""")
    scheduler = start(cluster, config)
    eventually(lambda: "waiting for the policy" in scheduler.output(), 10, "the warning")
    scheduler.stop()
    assert "signal, nothing was scheduled" in scheduler.output()


def test_sec_8_two_profiles_of_v1(cluster: Cluster, tmp_path: Path) -> None:
    n1, n2 = cluster.add_nodes(2)
    config = written(tmp_path, "config.yaml", """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: packing
    pluginConfig:
      - name: NodeResourcesFit
        args: {scoringStrategy: {type: MostAllocated}}
  - schedulerName: spreading
""")
    cluster.start_scheduler("--leader-elect=false", f"--config={config}")
    assert [place(cluster, name, "packing") for name in ("a", "b")] == [n1, n1]
    assert [place(cluster, name, "spreading") for name in ("c", "d")] == [n2, n2]


def test_sec_7_a_policy_file_that_is_not_there(tmp_path: Path) -> None:
    config = written(tmp_path, "config.yaml", """
apiVersion: kubescheduler.config.k8s.io/v1alpha1
kind: KubeSchedulerConfiguration
schedulerName: my-scheduler
algorithmSource: {policy: {file: {path: /does/not/exist}}}
""")
    result = subprocess.run([str(binary()), "run", "--config", str(config)], capture_output=True, text=True, timeout=20)
    assert result.returncode == 2 and "policy.file.path: /does/not/exist" in result.stderr


def has_images(cluster: Cluster, node: str, *images: str) -> None:
    cluster.api.patch(f"/api/v1/nodes/{node}/status", {"status": {"images": [
        {"names": [image], "sizeBytes": 900 * 1024 * 1024} for image in images]}})


def test_score_image_locality(cluster: Cluster, tmp_path: Path) -> None:
    """Where the image is, and where it is no longer."""
    n1, n2 = cluster.add_nodes(2, cpu="64")
    has_images(cluster, n2, "registry.example/spark:latest")
    policy = written(tmp_path, "policy.cfg", {"kind": "Policy", "apiVersion": "v1", "priorities": [
        {"name": "ImageLocalityPriority"}]})
    cluster.start_scheduler("--leader-elect=false", f"--config={policy}")
    assert place(cluster, "with", "gang-scheduler", image="registry.example/spark") == n2
    assert place(cluster, "without", "gang-scheduler", image="registry.example/other") == n1
    has_images(cluster, n2)
    names = itertools.count()
    eventually(lambda: place(cluster, f"later-{next(names)}", "gang-scheduler", image="registry.example/spark",
                             cpu="10m") == n1, 10, "the first node, as no other has the image any more")


def test_score_9_alike_pods_spread(cluster: Cluster, tmp_path: Path) -> None:
    """MostRequested fills one node; pods of one kind are kept apart all the same."""
    n1, n2 = cluster.add_nodes(2)
    policy = written(tmp_path, "policy.cfg", {"kind": "Policy", "apiVersion": "v1", "priorities": [
        {"name": "MostRequestedPriority"}, {"name": "ServiceSpreadingPriority", "weight": 5}]})
    cluster.start_scheduler("--leader-elect=false", f"--config={policy}")
    web = {"app": "web"}
    assert [place(cluster, f"web-{i}", "gang-scheduler", labels=web, cpu="500m") for i in range(4)] == [n1, n2, n1, n2]
    assert [place(cluster, name, "gang-scheduler", cpu="500m") for name in ("a", "b")] == [n1, n1]
