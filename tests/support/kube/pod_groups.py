"""Kinds of pod groups on either rig: their definitions, and objects of them."""
import itertools
from pathlib import Path
from typing import Optional, Sequence

import yaml

from ..client.api import ApiError, Json
from .cluster import Cluster
from .pods import condition
from ..process.polling import eventually
from ..process.programs import plane_version

FIXTURES = Path(__file__).parents[2] / "blackbox" / "fixtures"
COSCHEDULING = "scheduling.x-k8s.io/v1alpha1"
VOLCANO = "scheduling.volcano.sh/v1beta1"
KUBE_BATCH = ("scheduling.incubator.k8s.io/v1alpha1", "scheduling.sigs.dev/v1alpha2")
# Kubernetes' own kind has another version, other gates and another condition in each version of the plane.
NATIVE, NATIVE_GATES, NATIVE_CONDITION, NATIVE_WHOLE = {
    "1.37": ("scheduling.k8s.io/v1beta1", ("GenericWorkload",), "PodGroupInitiallyScheduled", {"all": {}}),
    "1.36": ("scheduling.k8s.io/v1alpha2", ("GenericWorkload", "GangScheduling", "WorkloadAwarePreemption"),
             "PodGroupScheduled", "PodGroup")}[plane_version()]
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


def native_flags(*gates: str, apis: Sequence[str] = ()) -> tuple[str, ...]:
    """Flags of a kube-apiserver that has Kubernetes' own groups, with more gates and versions of APIs."""
    return ("--feature-gates", ",".join(f"{gate}=true" for gate in (*NATIVE_GATES, *gates)),
            "--runtime-config", ",".join(f"{api}=true" for api in (NATIVE, *apis)))


def group_path(cluster: Cluster, name: str, api_version: str = COSCHEDULING) -> str:
    return f"/apis/{api_version}/namespaces/{cluster.default_namespace}/podgroups/{name}"


def wait_served(cluster: Cluster, folder: str) -> None:
    """The collection of a kind that was defined just now."""
    def is_served() -> bool:
        try:
            return cluster.api.find(folder) is not None
        except ApiError as error:
            assert error.status == 429, error  # its storage is being made
            return False
    eventually(is_served, 20, f"{folder} served")


def add_group(cluster: Cluster, spec: Json, api_version: str = COSCHEDULING, name: Optional[str] = None) -> str:
    name = name or next(_names)
    folder = group_path(cluster, "", api_version).rstrip("/")
    wait_served(cluster, folder)
    cluster.api.post(folder, {"apiVersion": api_version, "kind": "PodGroup", "metadata": {"name": name}, "spec": spec})
    return name


def add_member(cluster: Cluster, name: str, native_group: str, **more: Json) -> str:
    """A pod of 1 cpu in a group of Kubernetes' own kind; `more` goes into its spec."""
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    cluster.api.post(path, {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {"schedulerName": "gang-scheduler", "restartPolicy": "Never",
                 "schedulingGroup": {"podGroupName": native_group}, "containers": [
                     {"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}], **more}})
    return f"{path}/{name}"


def status_of(cluster: Cluster, name: str, api_version: str = COSCHEDULING) -> Json:
    status: Json = cluster.api.get(group_path(cluster, name, api_version)).get("status") or {}
    return status


def wait_phase(cluster: Cluster, name: str, phase: str, api_version: str = COSCHEDULING, seconds: float = 40) -> Json:
    """The status with that phase."""
    def find() -> Optional[Json]:
        status = status_of(cluster, name, api_version)
        return status if status.get("phase") == phase else None
    found: Json = eventually(find, seconds, lambda: f"phase {phase}, status {status_of(cluster, name, api_version)}")
    return found
