"""CompositePodGroups, new in Kubernetes 1.37 behind a gate: refused by name, and nobody starts in part."""
from typing import Callable

from support.plane.chart import Rights
from support.kube.cluster import Cluster
from support.kube.pod_groups import NATIVE, NATIVE_CONDITION, add_group, add_member, group_path, native_flags
from support.kube.pods import condition, node_of
from support.process.polling import eventually
from support.plane.real_plane import RealPlane

ALPHA = "scheduling.k8s.io/v1alpha3"
REFUSAL = "it is a part of CompositePodGroup tree (spec.parentCompositePodGroupName), which is not supported"


def test_groups_of_a_composite_group_are_refused_by_name(make_plane: Callable[..., RealPlane]) -> None:
    """Whether they are gangs or `basic`; their objects say it, and other pods start."""
    plane = make_plane(server_arguments=native_flags(
        "TopologyAwareWorkloadScheduling", "CompositePodGroup", apis=(ALPHA,)))
    plane.use_chart(Rights.render())
    cluster = Cluster(plane)
    cluster.add_nodes(1, cpu="8")
    cluster.start_scheduler()
    namespace = f"namespaces/{cluster.default_namespace}"
    reference = {"workloadName": "job", "templateName": "tree"}
    cluster.api.post(f"/apis/{ALPHA}/{namespace}/compositepodgroups", {
        "apiVersion": ALPHA, "kind": "CompositePodGroup", "metadata": {"name": "tree"},
        "spec": {"schedulingPolicy": {"gang": {"minGroupCount": 2}}, "workloadRef": reference}})
    child = {"parentCompositePodGroupName": "tree", "workloadRef": {**reference, "templateName": "leaf"}}
    groups = [add_group(cluster, {"schedulingPolicy": policy, **child}, NATIVE)
              for policy in ({"gang": {"minCount": 2}}, {"basic": {}})]
    pods = [add_member(cluster, f"{group}-{i}", group) for group in groups for i in range(2)]

    def told(path: str) -> str:
        return condition(cluster.api.get(path), "PodScheduled").get("message", "")
    for path in pods:
        eventually(lambda path=path: REFUSAL in told(path), 40, lambda path=path: f"{REFUSAL!r} in {told(path)!r}")

    def shown(group: str) -> str:
        return condition(cluster.api.get(group_path(cluster, group, NATIVE)), NATIVE_CONDITION).get("message", "")
    for group in groups:
        eventually(lambda group=group: REFUSAL in shown(group), 40, lambda group=group: f"{REFUSAL!r} in {shown(group)!r}")
    whole = add_group(cluster, {"schedulingPolicy": {"gang": {"minCount": 2}}}, NATIVE)
    others = [add_member(cluster, f"{whole}-{i}", whole) for i in range(2)]
    eventually(lambda: all(node_of(cluster.api.get(path)) for path in others), 40, "groups without a parent start")
    assert not any(node_of(cluster.api.get(path)) for path in pods)
    cluster.close()
