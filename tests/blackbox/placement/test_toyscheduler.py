"""The profile `toyscheduler`: pods that ask for GPUs, one by one, where the fewest GPUs are left over."""
from typing import Optional

from support.api import Json
from support.cluster import Cluster
from support.pods import condition, node_of
from support.polling import eventually

GPU = "nvidia.com/gpu"


def start(cluster: Cluster) -> None:
    cluster.start_scheduler("--leader-elect=false", "--profile=toyscheduler")


def pods_of(cluster: Cluster) -> str:
    return f"/api/v1/namespaces/{cluster.default_namespace}/pods"


def create(cluster: Cluster, name: str, gpus: int = 1, **spec: object) -> str:
    """As toy-scheduler's sample pods: limits alone, which the API server takes for requests. Its path."""
    limits: Json = {"cpu": "1", "memory": "1Gi", **({GPU: str(gpus)} if gpus else {})}
    cluster.api.post(pods_of(cluster), {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"run": "nginx"}},
        "spec": {"schedulerName": "toyscheduler", "restartPolicy": "Never",
                 "containers": [{"name": "nginx", "image": "nginx", "resources": {"limits": limits}}], **spec}})
    return f"{pods_of(cluster)}/{name}"


def node(cluster: Cluster, path: str) -> str:
    return node_of(cluster.api.get(path))


def wait_node(cluster: Cluster, path: str, wanted: Optional[str] = None) -> str:
    eventually(lambda: node(cluster, path) == wanted if wanted else node(cluster, path), 10, lambda:
               f"{path} on {wanted or 'a node'}, now {node(cluster, path)!r}: {told(cluster, path)}")
    return node(cluster, path)


def told(cluster: Cluster, path: str) -> str:
    return condition(cluster.api.get(path), "PodScheduled").get("message", "")


def event_messages(cluster: Cluster, path: str, reason: str) -> list[str]:
    events = cluster.api.items(f"/api/v1/namespaces/{cluster.default_namespace}/events")
    name = path.rsplit("/", 1)[1]
    return [each["message"] for each in events
            if each["involvedObject"]["name"] == name and each["reason"] == reason]


def test_toy_2_the_five_sample_pods(cluster: Cluster) -> None:
    n1, = cluster.add_nodes(1, cpu="8", memory="16Gi", extended={GPU: "4"})
    n2, = cluster.add_nodes(1, cpu="8", memory="16Gi", extended={GPU: "2"})
    start(cluster)
    chosen = []
    for i in range(1, 6):
        path = create(cluster, f"toyscheduler-test-pod{i}")
        chosen.append(wait_node(cluster, path))
        eventually(lambda: event_messages(cluster, path, "Scheduled") == [
            f"Successfully assigned {cluster.default_namespace}/toyscheduler-test-pod{i} to {chosen[-1]}"], 10, "the event")
    assert chosen == [n2, n2, n1, n1, n1]


def test_toy_3_none_fits_then_one_does(cluster: Cluster) -> None:
    n1, = cluster.add_nodes(1, cpu="8", memory="16Gi", extended={GPU: "8"})
    cluster.add_nodes(1, cpu="8", memory="16Gi", extended={GPU: "4"})
    start(cluster)
    first = create(cluster, "first", 4, nodeName=n1)
    waits = create(cluster, "waits", 5)
    line = f"0/2 nodes are available: 2 Insufficient {GPU}."
    eventually(lambda: told(cluster, waits) == line, 10, lambda: f"the line, now {told(cluster, waits)!r}")
    found = condition(cluster.api.get(waits), "PodScheduled")
    assert (found["status"], found["reason"]) == ("False", "Unschedulable")
    eventually(lambda: event_messages(cluster, waits, "FailedScheduling") == [line], 10, "one event")
    cluster.api.request("DELETE", first, {"gracePeriodSeconds": 0})
    wait_node(cluster, waits, n1)


def test_toy_4_a_selector_that_a_label_satisfies_later(cluster: Cluster) -> None:
    n1, = cluster.add_nodes(1, extended={GPU: "1"})
    start(cluster)
    waits = create(cluster, "waits", nodeSelector={"gpu": "a100"})
    line = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
    eventually(lambda: told(cluster, waits) == line, 10, lambda: f"the line, now {told(cluster, waits)!r}")
    cluster.api.patch(f"/api/v1/nodes/{n1}", {"metadata": {"labels": {"gpu": "a100"}}})
    wait_node(cluster, waits, n1)


def test_toy_8_pods_without_gpus_leave_them_to_others(cluster: Cluster) -> None:
    gpus, = cluster.add_nodes(1, cpu="4", memory="16Gi", extended={GPU: "4"})
    plain, = cluster.add_nodes(1, cpu="4", memory="16Gi")
    start(cluster)
    chosen = [wait_node(cluster, create(cluster, f"cpu-{i}", 0)) for i in range(5)]
    assert chosen == [plain] * 4 + [gpus]  # last, not never


def test_toy_1_the_fewest_left_over(cluster: Cluster) -> None:
    n1, = cluster.add_nodes(1, cpu="8", memory="16Gi", extended={GPU: "8"})
    n2, = cluster.add_nodes(1, cpu="8", memory="16Gi", extended={GPU: "4"})
    cluster.add_nodes(1, cpu="8", memory="16Gi")
    start(cluster)
    for name, gpus, there in (("on-1", 4, n1), ("on-2", 2, n2)):
        create(cluster, name, gpus, nodeName=there)
    wait_node(cluster, create(cluster, "one"), n2)


def test_toy_1b_gpus_decide_and_not_what_is_tightest(cluster: Cluster) -> None:
    cluster.add_nodes(1, cpu="1", memory="16Gi", extended={GPU: "8"})
    n2, = cluster.add_nodes(1, cpu="10", memory="16Gi", extended={GPU: "2"})
    start(cluster)
    wait_node(cluster, create(cluster, "one"), n2)


def test_toy_15_gpus_that_fail_and_come_back(cluster: Cluster) -> None:
    n1, = cluster.add_nodes(1, cpu="8", memory="16Gi", extended={GPU: "8"})

    def offer(count: str) -> None:
        cluster.api.patch(f"/api/v1/nodes/{n1}/status", {"status": {"allocatable": {GPU: count}}})
    offer("0")
    start(cluster)
    waits = create(cluster, "waits")
    line = f"0/1 nodes are available: 1 Insufficient {GPU}."
    eventually(lambda: told(cluster, waits) == line, 10, lambda: f"the line, now {told(cluster, waits)!r}")
    assert not node(cluster, waits)
    offer("8")
    wait_node(cluster, waits, n1)
