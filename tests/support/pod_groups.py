"""Kinds of pod groups on either rig: their definitions, and objects of them."""
import itertools
from pathlib import Path
from typing import Optional

import yaml

from .api import ApiError, Json
from .cluster import Cluster
from .pods import condition
from .polling import eventually

FIXTURES = Path(__file__).parent.parent / "blackbox" / "fixtures"
COSCHEDULING = "scheduling.x-k8s.io/v1alpha1"
VOLCANO = "scheduling.volcano.sh/v1beta1"
KUBE_BATCH = ("scheduling.incubator.k8s.io/v1alpha1", "scheduling.sigs.dev/v1alpha2")
LABEL = "scheduling.x-k8s.io/pod-group"
ANNOTATION = "scheduling.k8s.io/group-name"
_names = (f"g{i}" for i in itertools.count())


def define_kinds(cluster: Cluster, file: str = "pod_groups.yaml") -> None:
    """The custom resource definitions; the embedded API server has those of pod_groups.yaml built in."""
    if cluster.rig.name == "embedded":
        return
    folder = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    for body in yaml.safe_load_all((FIXTURES / file).read_text()):
        path = f"{folder}/{body['metadata']['name']}"
        if cluster.api.find(path) is None:
            cluster.api.post(folder, body)

        def is_established() -> bool:
            return condition(cluster.api.get(path), "Established").get("status") == "True"
        eventually(is_established, 20, f"{path} established")


def group_path(cluster: Cluster, name: str, api_version: str = COSCHEDULING) -> str:
    return f"/apis/{api_version}/namespaces/{cluster.default_namespace}/podgroups/{name}"


def add_group(cluster: Cluster, spec: Json, api_version: str = COSCHEDULING, name: Optional[str] = None) -> str:
    name = name or next(_names)
    folder = group_path(cluster, "", api_version).rstrip("/")

    def is_served() -> bool:
        try:
            return cluster.api.find(folder) is not None
        except ApiError as error:
            assert error.status == 429, error  # its storage is being made
            return False
    eventually(is_served, 20, f"{folder} served")
    cluster.api.post(folder, {"apiVersion": api_version, "kind": "PodGroup", "metadata": {"name": name}, "spec": spec})
    return name


def status_of(cluster: Cluster, name: str, api_version: str = COSCHEDULING) -> Json:
    status: Json = cluster.api.get(group_path(cluster, name, api_version)).get("status") or {}
    return status


def wait_phase(cluster: Cluster, name: str, phase: str, api_version: str = COSCHEDULING) -> Json:
    """The status with that phase."""
    def find() -> Optional[Json]:
        status = status_of(cluster, name, api_version)
        return status if status.get("phase") == phase else None
    found: Json = eventually(find, 40, lambda: f"phase {phase}, status {status_of(cluster, name, api_version)}")
    return found
