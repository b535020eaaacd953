"""Dynamic resource allocation: a pod that names resource claims is refused by name, and never bound without its devices."""
from typing import Optional

from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.pods import condition, node_of
from support.process.polling import eventually
from support.kube.spark_application import Size, captured, sized

SAYING = "spec.resourceClaims: dynamic resource allocation is not supported"
CLAIMS: list[Json] = [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}]


def told(cluster: Cluster, path: str) -> str:
    return condition(cluster.api.get(path), "PodScheduled").get("message", "")


def refused(cluster: Cluster, path: str) -> None:
    eventually(lambda: SAYING in told(cluster, path), 15, lambda: f"the refusal, now {told(cluster, path)!r}")
    pod = cluster.api.get(path)
    assert not node_of(pod)
    assert condition(pod, "PodScheduled")["status"] == "False"
    assert "nvidia.com/gpu" in told(cluster, path) and "[Misconfigured]" in told(cluster, path)

    def warnings() -> list[Json]:
        return [each for each in cluster.api.items(f"/api/v1/namespaces/{cluster.default_namespace}/events")
                if each["involvedObject"]["name"] == path.rsplit("/", 1)[-1] and each["reason"] == "FailedScheduling"]
    eventually(warnings, 10, "a Warning")
    assert len(warnings()) == 1 and warnings()[0]["type"] == "Warning" and SAYING in warnings()[0]["message"]


def create(cluster: Cluster, name: str, claims: Optional[list[Json]] = None, **more: Json) -> str:
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    spec: Json = {"schedulerName": "gang-scheduler", "restartPolicy": "Never", "containers": [
        {"name": "cuda", "image": "nvidia/cuda:12.0-base", "command": ["sleep", "600"],
         "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}}]}
    if claims:
        spec["resourceClaims"] = claims
        spec["containers"][0]["resources"]["claims"] = [{"name": each["name"]} for each in claims]
    spec["containers"][0]["resources"].update(more.get("resources", {}))
    metadata = {"name": name, "annotations": more.get("annotations", {})}
    cluster.api.post(path, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    return f"{path}/{name}"


def bound(cluster: Cluster, path: str) -> None:
    eventually(lambda: node_of(cluster.api.get(path)), 10, lambda: f"{path} on a node: {told(cluster, path)}")


def test_a_pod_with_resource_claims(cluster: Cluster) -> None:
    cluster.add_nodes(1, cpu="16", memory="32Gi")
    cluster.start_scheduler("--leader-elect=false")
    claiming = create(cluster, "claiming", CLAIMS)
    named = create(cluster, "named", [{"name": "gpu", "resourceClaimName": "my-gpu"}])
    refused(cluster, claiming)
    refused(cluster, named)
    bound(cluster, create(cluster, "plain"))


def test_a_driver_with_resource_claims(cluster: Cluster) -> None:
    cluster.add_nodes(1, cpu="16", memory="32Gi")
    cluster.start_scheduler("--leader-elect=false")
    application = sized(Size(executors=2), cluster.default_namespace)
    application.driver["spec"]["resourceClaims"] = CLAIMS
    cluster.submit(application)
    refused(cluster, application.driver_path)
    bound(cluster, create(cluster, "plain"))


def test_a_template_of_executors_with_resource_claims_keeps_the_driver_waiting(cluster: Cluster) -> None:
    cluster.add_nodes(1, cpu="16", memory="32Gi")
    cluster.start_scheduler("--leader-elect=false")
    application = captured("template-affinity", cluster.default_namespace)
    template, = [each for each in application.config_maps if "podspec-configmap-key" in each["data"]]
    template["data"]["podspec-configmap-key"] = (
        "apiVersion: v1\nkind: Pod\nspec:\n  resourceClaims: [{name: gpu, resourceClaimTemplateName: one-gpu}]\n"
        "  containers:\n  - {name: any, image: ignored}\n")
    cluster.submit(application)
    eventually(lambda: SAYING in cluster.message(application), 15, lambda: f"the refusal, now {cluster.message(application)!r}")
    assert not cluster.is_bound(application)
    bound(cluster, create(cluster, "plain"))


def test_an_executor_that_comes_with_resource_claims(cluster: Cluster) -> None:
    """Somebody (an admission webhook) has added them: nothing of it was known when the driver was bound."""
    cluster.add_nodes(1, cpu="16", memory="32Gi")
    cluster.start_scheduler("--leader-elect=false")
    application = sized(Size(executors=1), cluster.default_namespace)
    application.executor_pattern["spec"]["resourceClaims"] = CLAIMS
    cluster.submit(application)
    pods = f"/api/v1/namespaces/{cluster.default_namespace}/pods"

    def executor() -> Optional[Json]:
        return next((pod for pod in cluster.api.items(pods)
                     if pod["metadata"].get("labels", {}).get("spark-role") == "executor"), None)
    eventually(executor, 20, "the executor")
    path = f"{pods}/{executor()['metadata']['name']}"
    eventually(lambda: SAYING in told(cluster, path), 15, lambda: f"the refusal, now {told(cluster, path)!r}")
    assert not node_of(cluster.api.get(path))


def test_a_group_of_which_one_pod_has_resource_claims(cluster: Cluster) -> None:
    """Nothing of it starts, and it holds up nobody. (Claims of a whole PodGroup are named by its pods as well.)"""
    cluster.add_nodes(1, cpu="16", memory="32Gi")
    cluster.start_scheduler("--leader-elect=false")
    group = {"gang-scheduler/pod-group": "training", "gang-scheduler/min-members": "2"}
    claiming = create(cluster, "claiming", CLAIMS, annotations=group)
    other = create(cluster, "other", annotations=group)
    refused(cluster, claiming)
    eventually(lambda: SAYING in told(cluster, other), 15, lambda: f"the refusal, now {told(cluster, other)!r}")
    assert "its pod claiming is not placed" in told(cluster, other)
    bound(cluster, create(cluster, "plain"))
    assert not node_of(cluster.api.get(other)) and not node_of(cluster.api.get(claiming))


def test_a_device_class_that_is_asked_for_as_a_resource(cluster: Cluster) -> None:
    """What Kubernetes makes a ResourceClaim of by itself (DRAExtendedResource)."""
    name = "deviceclass.resource.kubernetes.io/gpu-example"
    cluster.add_nodes(1, cpu="16", memory="32Gi")
    cluster.start_scheduler("--leader-elect=false")
    asking = create(cluster, "asking", resources={"limits": {name: "1"}, "requests": {
        "cpu": "100m", "memory": "64Mi", name: "1"}})
    eventually(lambda: f"{name} is not supported: dynamic resource allocation" in told(cluster, asking), 15,
               lambda: f"the refusal, now {told(cluster, asking)!r}")
    assert "[Misconfigured]" in told(cluster, asking) and not node_of(cluster.api.get(asking))
    application = sized(Size(executors=1), cluster.default_namespace)
    application.set_conf(**{
        "spark__executor__resource__gpu-example__amount": "1",
        "spark__executor__resource__gpu-example__vendor": "deviceclass.resource.kubernetes.io"})
    cluster.submit(application)
    eventually(lambda: f"the executors: {name} is not supported" in cluster.message(application), 15,
               lambda: f"the refusal, now {cluster.message(application)!r}")
    bound(cluster, create(cluster, "plain"))
