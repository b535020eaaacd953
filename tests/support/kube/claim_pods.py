"""Pods that mount claims: made, and waited for by the path that create() gives."""
from typing import Any

from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.pods import condition, node_of
from support.process.polling import eventually

WAIT_SECONDS = 40  # a claim that was missing for a while is read again after half a minute


def folder(cluster: Cluster, kind: str) -> str:
    return f"/api/v1/namespaces/{cluster.default_namespace}/{kind}"


def create(cluster: Cluster, name: str, *claims: str) -> str:
    return create_with(cluster, name, [{"persistentVolumeClaim": {"claimName": each}} for each in claims])


def create_with(cluster: Cluster, name: str, sources: list[dict[str, Any]]) -> str:
    volumes: list[Json] = [{"name": f"v{i}", **source} for i, source in enumerate(sources)]
    cluster.api.post(folder(cluster, "pods"), {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {"schedulerName": "gang-scheduler", "restartPolicy": "Never", "volumes": volumes, "containers": [
            {"name": "main", "image": "none", "resources": {"requests": {"cpu": "100m"}}}]}})
    return f"{folder(cluster, 'pods')}/{name}"


def node(cluster: Cluster, path: str) -> str:
    return node_of(cluster.api.get(path))


def told(cluster: Cluster, path: str) -> str:
    return condition(cluster.api.get(path), "PodScheduled").get("message", "")


def wait_node(cluster: Cluster, path: str, wanted: str = "") -> str:
    eventually(lambda: node(cluster, path) and wanted in ("", node(cluster, path)), WAIT_SECONDS, lambda:
               f"{path} on {wanted or 'a node'}, now {node(cluster, path)!r}: {told(cluster, path)!r}")
    return node(cluster, path)


def wait_told(cluster: Cluster, path: str, text: str, seconds: float = 10) -> None:
    eventually(lambda: text in told(cluster, path), seconds, lambda: f"{text!r}, told: {told(cluster, path)!r}")
    assert not node(cluster, path)
