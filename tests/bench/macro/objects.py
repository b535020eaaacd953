"""Nodes, pods and Bindings of the benches, as requests."""
from typing import Iterator, Optional

from support.client.json_type import Json

from .load import Step

NODES = "/api/v1/nodes"
OURS = "gang-scheduler"
DEFAULT = "default-scheduler"


def pods_path(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/pods"


def node(name: str, cpu: str = "64", memory: str = "256Gi", pods: int = 110) -> Json:
    amounts = {"cpu": cpu, "memory": memory, "pods": str(pods), "ephemeral-storage": "500Gi"}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {
                "kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64", "node.kubernetes.io/instance-type": "m5.16xlarge",
                "topology.kubernetes.io/zone": f"zone-{sum(map(ord, name)) % 3}"}},
            "spec": {},
            "status": {"capacity": amounts, "allocatable": amounts, "conditions": [
                {"type": "Ready", "status": "True", "reason": "Bench",
                 "lastHeartbeatTime": "2026-01-01T00:00:00Z",
                 "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}


def node_name(number: int) -> str:
    return f"node-{number:05d}"


def nodes(count: int) -> Iterator[Step]:
    for number in range(count):
        yield Step("POST", NODES, node(node_name(number)))


def pod(name: str, scheduler: str, labels: Optional[dict[str, str]] = None,
        annotations: Optional[dict[str, str]] = None, group: str = "", slim: bool = False) -> Json:
    """A pod as large as a Spark executor (1 core, 1408Mi); `slim`: with next to nothing but its requests.

    `group` is a PodGroup of scheduling.k8s.io.
    """
    container: Json = {"name": "spark-kubernetes-executor", "image": "spark:4.1.4",
                       "resources": {"requests": {"cpu": "1", "memory": "1408Mi"}}}
    spec: Json = {"schedulerName": scheduler, "restartPolicy": "Never", "containers": [container]}
    if not slim:
        container["resources"]["limits"] = {"memory": "1408Mi"}
        container["args"] = ["executor"]
        container["ports"] = [{"containerPort": 7079, "name": "blockmanager", "protocol": "TCP"}]
        container["env"] = [{"name": key, "value": value} for key, value in _environment(name)]
        container["env"].append({"name": "SPARK_EXECUTOR_POD_IP", "valueFrom": {
            "fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}})
        container["volumeMounts"] = [{"mountPath": "/var/data/spark", "name": "spark-local-dir-1"},
                                     {"mountPath": "/opt/spark/conf", "name": "spark-conf-volume"}]
        spec["volumes"] = [{"name": "spark-local-dir-1", "emptyDir": {}},
                           {"name": "spark-conf-volume", "emptyDir": {}}]
        spec["securityContext"] = {"fsGroup": 185, "runAsUser": 185}
    if group:
        spec["schedulingGroup"] = {"podGroupName": group}
    metadata: Json = {"name": name, "labels": {"spark-version": "4.1.4", **(labels or {})}}
    if annotations:
        metadata["annotations"] = annotations
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _environment(name: str) -> Iterator[tuple[str, str]]:
    yield "SPARK_USER", "spark"
    yield "SPARK_DRIVER_URL", f"spark://CoarseGrainedScheduler@{name}-svc.etl.svc:7078"
    yield "SPARK_EXECUTOR_CORES", "1"
    yield "SPARK_EXECUTOR_MEMORY", "1g"
    yield "SPARK_APPLICATION_ID", "spark-7f3b9c1e4d5a4f6b8c7d6e5f4a3b2c1d"
    yield "SPARK_CONF_DIR", "/opt/spark/conf"
    yield "SPARK_EXECUTOR_ID", "1"
    yield "SPARK_RESOURCE_PROFILE_ID", "0"
    for number in range(6):
        yield f"SPARK_JAVA_OPT_{number}", f"-Dspark.some.property.{number}=a value of usual length {number}"


def create(namespace: str, pods: list[Json], when: str = "") -> list[Step]:
    return [Step("POST", pods_path(namespace), each, when) for each in pods]


def bindings(namespace: str, names: list[str], nodes_count: int) -> list[Step]:
    """What the raw binder sends: each pod to a fixed node, with one annotation."""
    return [Step("POST", f"{pods_path(namespace)}/{name}/binding", {
        "apiVersion": "v1", "kind": "Binding",
        "metadata": {"name": name, "annotations": {"gang-scheduler/slot": "bench/7f3b9c1e-0"}},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node_name(number % nodes_count)}})
        for number, name in enumerate(names)]


def removals(namespace: str, names: list[str]) -> list[Step]:
    body = {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0}
    return [Step("DELETE", f"{pods_path(namespace)}/{name}", body) for name in names]


def pod_group(namespace: str, name: str, members: int) -> Step:
    """The gang of kube-scheduler 1.37 (feature gate GenericWorkload)."""
    return Step("POST", f"/apis/scheduling.k8s.io/v1beta1/namespaces/{namespace}/podgroups", {
        "apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": name},
        "spec": {"schedulingPolicy": {"gang": {"minCount": members}}}})
