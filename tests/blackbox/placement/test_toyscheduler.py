"""The profile `toyscheduler`: pods that ask for GPUs, one by one, where the fewest GPUs are left over."""
import json
from typing import Optional

import pytest

from support.client.api import Json
from support.kube.cluster import Cluster
from support.plane.fault_proxy import Fault
from support.kube.pods import condition, node_of
from support.process.polling import eventually

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
                 "containers": [container(limits)], **spec}})
    return f"{pods_of(cluster)}/{name}"


def container(limits: Json) -> Json:
    return {"name": "nginx", "image": "nginx", "resources": {"limits": limits}}


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


def insufficient(cluster: Cluster, path: str, line: str) -> None:
    eventually(lambda: told(cluster, path) == line, 10, lambda: f"{line!r}, now {told(cluster, path)!r}")
    assert not node(cluster, path)


def test_toy_5_gpus_are_not_all_that_counts(cluster: Cluster) -> None:
    n1, = cluster.add_nodes(1, cpu="4", memory="16Gi", extended={GPU: "2"})
    n2, = cluster.add_nodes(1, cpu="4", memory="16Gi", extended={GPU: "8"})
    cluster.foreign_pod("elsewhere", "3", n1)
    start(cluster)
    fits = create(cluster, "fits", containers=[container({"cpu": "2", GPU: "1"})])
    wait_node(cluster, fits, n2)  # on n1 one GPU would be left over, but there is no CPU for it
    waits = create(cluster, "waits", containers=[container({"cpu": "3", GPU: "1"})])
    insufficient(cluster, waits, "0/2 nodes are available: 2 Insufficient cpu.")


def test_toy_6_what_an_init_container_asks_for_counts(cluster: Cluster) -> None:
    n1, = cluster.add_nodes(1, cpu="8", memory="16Gi", extended={GPU: "3"})
    start(cluster)
    taken = create(cluster, "taken", 2, nodeName=n1)
    waits = create(cluster, "waits", 1, initContainers=[{**container({GPU: "2"}), "name": "first"}])
    insufficient(cluster, waits, f"0/1 nodes are available: 1 Insufficient {GPU}.")
    cluster.api.request("DELETE", taken, {"gracePeriodSeconds": 0})
    wait_node(cluster, waits, n1)
    beside = create(cluster, "beside", 2)
    insufficient(cluster, beside, f"0/1 nodes are available: 1 Insufficient {GPU}.")


def test_toy_7_nodes_that_are_closed(cluster: Cluster) -> None:
    tainted, cordoned, lost = cluster.add_nodes(3, cpu="8", memory="16Gi", extended={GPU: "1"})
    nodes = "/api/v1/nodes"
    cluster.api.patch(f"{nodes}/{tainted}", {"spec": {"taints": [{"key": "own", "value": "x", "effect": "NoSchedule"}]}})
    cluster.api.patch(f"{nodes}/{cordoned}", {"spec": {"unschedulable": True}})
    cluster.kubelet.report_node(lost, ready=False)
    start(cluster)
    waits = create(cluster, "waits")
    eventually(lambda: told(cluster, waits).startswith("0/3 nodes are available: "), 10, "an answer")
    assert not node(cluster, waits)
    for reason in ("1 node(s) were unschedulable", "2 node(s) had untolerated taint(s)"):
        assert reason in told(cluster, waits)
    cluster.api.patch(f"{nodes}/{cordoned}", {"spec": {"unschedulable": None, "taints": None}})
    wait_node(cluster, waits, cordoned)


@pytest.mark.parametrize("status", [409, 500])
def test_toy_9_a_bind_that_is_refused(cluster: Cluster, status: int) -> None:
    n1, = cluster.add_nodes(1, cpu="8", memory="16Gi", extended={GPU: "1"})
    proxy = cluster.rig.start_proxy()
    try:
        refusal = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "made up", "code": status,
                   "reason": "Conflict" if status == 409 else "InternalError"}
        fault = proxy.add(Fault("answer", method="POST", path="/binding", count=1, status=status,
                                body=json.dumps(refusal), headers={"Content-Type": "application/json"}))
        cluster.rig.start_scheduler(("--leader-elect=false", "--profile=toyscheduler"), cluster.rig.proxied_kubeconfig(proxy))
        first = create(cluster, "first")
        fault.wait_fired()
        wait_node(cluster, first, n1)  # the only GPU was not lost with the bind
        assert len(proxy.requests("POST", "/binding")) == 2
        waits = create(cluster, "waits")
        insufficient(cluster, waits, f"0/1 nodes are available: 1 Insufficient {GPU}.")
        assert len(event_messages(cluster, first, "Scheduled")) == 1  # none for the bind that was refused
    finally:
        cluster.rig.stop_proxies()


def test_toy_10_pods_of_others_are_left_alone(cluster: Cluster) -> None:
    n1, = cluster.add_nodes(1, cpu="8", memory="16Gi", extended={GPU: "2"})
    start(cluster)
    theirs = create(cluster, "theirs", schedulerName="somebody-else")
    wait_node(cluster, create(cluster, "ours"), n1)
    found = cluster.api.get(theirs)
    assert not node_of(found) and not found.get("status", {}).get("conditions")
    assert "annotations" not in found["metadata"]
    assert event_messages(cluster, theirs, "FailedScheduling") == []


def test_toy_11_a_pod_whose_state_is_unknown_has_its_gpu(cluster: Cluster) -> None:
    n1, = cluster.add_nodes(1, cpu="8", memory="16Gi", extended={GPU: "1"})
    start(cluster)
    first = create(cluster, "first")
    wait_node(cluster, first, n1)
    eventually(lambda: cluster.api.get(first)["status"].get("phase") == "Running", 10, "it to run")
    cluster.api.patch(f"{first}/status", {"status": {"phase": "Unknown"}})
    waits = create(cluster, "waits")
    insufficient(cluster, waits, f"0/1 nodes are available: 1 Insufficient {GPU}.")
    cluster.api.patch(f"{first}/status", {"status": {"phase": "Failed"}})
    wait_node(cluster, waits, n1)
