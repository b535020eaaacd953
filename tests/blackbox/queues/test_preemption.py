"""Preemption and reclaim, through the API server: who is evicted, for whom, and who gets the room."""
import time
from pathlib import Path
from typing import Iterator

import pytest

from support.client.api import Json
from support.plane.chart import NAMESPACE, RELEASE
from support.kube.cluster import Cluster
from support.kube.pods import is_terminating
from support.kube.spark_application import Size, sized
from support.process.polling import eventually, next_second
from support.plane.served import ANY_PORT, Served
from test_queues import QUEUE, Queues

ROLE = "gang-scheduler-evictions"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
BY_PRIORITY = {"name": "etl", "order": "priority", "preemption": {"withinQueue": "lowerPriority"}}


@pytest.fixture(autouse=True)
def may_evict(cluster: Cluster) -> Iterator[None]:
    """The right that the chart grants where a queue allows evictions."""
    group = "rbac.authorization.k8s.io"
    cluster.api.post(f"{RBAC}/clusterroles", {
        "apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": {"name": ROLE},
        "rules": [{"apiGroups": [""], "resources": ["pods/eviction"], "verbs": ["create"]}]})
    cluster.api.post(f"{RBAC}/clusterrolebindings", {
        "apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": ROLE},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": ROLE},
        "subjects": [{"kind": "ServiceAccount", "name": RELEASE, "namespace": NAMESPACE}]})
    yield
    cluster.api.delete(f"{RBAC}/clusterrolebindings/{ROLE}")
    cluster.api.delete(f"{RBAC}/clusterroles/{ROLE}")


def is_gone(queues: Queues, path: str) -> bool:
    pod = queues.cluster.api.find(path)
    return pod is None or is_terminating(pod)


def events_of(queues: Queues, path: str) -> list[Json]:
    space = queues.cluster.default_namespace
    name = path.rsplit("/", 1)[1]
    return [event for event in queues.cluster.api.items(f"/apis/events.k8s.io/v1/namespaces/{space}/events")
            if event["regarding"]["name"] == name and event["reason"] == "Preempted"]


def test_a_higher_priority_has_the_lowest_evicted_in_its_queue(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(1, cpu="8")
    queues = Queues(cluster, tmp_path, {"queues": [BY_PRIORITY]}, *ANY_PORT)
    low = queues.pod("low", "etl", executors=3, priority=1)
    mid = queues.pod("mid", "etl", executors=3, priority=500)
    queues.wait_bound(low, mid)
    next_second()
    high = queues.pod("high", "etl", executors=3, priority=1000)
    queues.wait_bound(high)
    assert is_gone(queues, low) and queues.is_bound(mid) and not is_gone(queues, mid)
    space = cluster.default_namespace
    eventually(lambda: events_of(queues, low), 10, "an event on the victim")
    assert events_of(queues, low)[0]["note"] == f"evicted for {space}/high: its priority is higher"
    served = Served(queues.scheduler)
    assert served.metric("gang_scheduler_evictions_total", reason="preempt", outcome="evicted") == 1


def test_pods_that_stand_alone_go_as_gangs_do(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(1, cpu="4")
    queues = Queues(cluster, tmp_path, {"queues": [BY_PRIORITY]}, *ANY_PORT)
    first, second = (queues.pod(name, "etl", priority=1) for name in ("first", "second"))
    mid = queues.pod("mid", "etl", priority=500)
    equal = queues.pod("equal", "etl", priority=1000)
    queues.wait_bound(first, second, mid, equal)
    next_second()
    high = queues.pod("high", "etl", executors=1, priority=1000)
    queues.wait_bound(high)
    assert is_gone(queues, first) and is_gone(queues, second)
    assert not is_gone(queues, mid) and not is_gone(queues, equal)
    space = cluster.default_namespace
    eventually(lambda: events_of(queues, first), 10, "an event on the victim")
    assert events_of(queues, first)[0]["note"] == f"evicted for {space}/high: its priority is higher"
    served = Served(queues.scheduler)
    assert served.metric("gang_scheduler_evictions_total", reason="preempt", outcome="evicted") == 2


def test_a_queue_gets_its_guarantee_back(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(1, cpu="8")
    queues = Queues(cluster, tmp_path, {"queues": [
        {"name": "etl", "guarantee": {"cpu": 4}}, {"name": "adhoc", "preemption": {"reclaimable": True}}]})
    first = queues.pod("first", "adhoc", executors=3)
    queues.wait_bound(first)
    next_second()
    second = queues.pod("second", "adhoc", executors=3)
    queues.wait_bound(second)
    mine = queues.pod("mine", "etl", executors=3)
    queues.wait_bound(mine)
    assert is_gone(queues, second) and not is_gone(queues, first)
    # Beyond its guarantee it waits like anybody else.
    more = queues.pod("more", "etl", executors=1)
    queues.wait_said(more, "[WaitingForCapacity]")
    time.sleep(3)
    assert not is_gone(queues, first) and not queues.is_bound(more)


def test_a_disruption_budget_is_kept(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(1, cpu="4")
    queues = Queues(cluster, tmp_path, {"queues": [BY_PRIORITY]})
    low = queues.pod("low", "etl", executors=3)
    queues.wait_bound(low)
    cluster.api.patch(low, {"metadata": {"labels": {"keep": "me"}}})
    eventually(lambda: cluster.api.get(low)["status"].get("phase") == "Running", 10, "the victim runs")
    budgets = f"/apis/policy/v1/namespaces/{cluster.default_namespace}/poddisruptionbudgets"
    cluster.api.post(budgets, {
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "keep"},
        "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"keep": "me"}}}})
    # What kube-controller-manager would count.
    cluster.api.patch(f"{budgets}/keep/status", {"status": {
        "observedGeneration": 1, "disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 1,
        "expectedPods": 1}})
    next_second()
    high = queues.pod("high", "etl", executors=3, priority=1000)
    queues.wait_said(high, "refused one: others are looked for soon; needs 1 driver + 3 executors")
    time.sleep(3)
    assert not is_gone(queues, low) and not queues.is_bound(high)


def test_executors_beyond_a_minimum_give_way_and_the_gang_goes_on(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(1, cpu="8", memory="32Gi")
    queues = Queues(cluster, tmp_path, {"queues": [BY_PRIORITY]}, *ANY_PORT)
    served = Served(queues.scheduler)
    elastic = sized(Size(5), cluster.default_namespace)
    elastic.work_seconds = 600
    elastic.driver["metadata"].setdefault("annotations", {})[QUEUE] = "etl"
    elastic.set_conf(spark__executor__instances=None, spark__dynamicAllocation__enabled="true",
                     spark__dynamicAllocation__minExecutors="2", spark__dynamicAllocation__initialExecutors="5",
                     spark__dynamicAllocation__maxExecutors="5")
    cluster.submit(elastic)
    cluster.wait_bound(elastic)
    eventually(lambda: len(cluster.bound_executors(elastic)) == 5, 20, "five executors on the node")
    next_second()
    # 6 of 8 are in use, and it needs 4: two executors go, and neither their driver nor the other three.
    before = {pod["metadata"]["name"] for pod in cluster.bound_executors(elastic)}
    high = queues.pod("high", "etl", executors=3, priority=1000)
    queues.wait_bound(high)
    assert not is_gone(queues, elastic.driver_path)
    stay = {pod["metadata"]["name"] for pod in cluster.bound_executors(elastic) if not is_terminating(pod)}
    assert len(stay & before) == 3, (before, stay)
    assert served.metric("gang_scheduler_soft_slots_given_up_total", reason="preempt") == 2
    assert served.metric("gang_scheduler_soft_slots_given_up_total", reason="reclaim") == 0
    notes = [event["note"] for event in events_of(queues, elastic.driver_path)]
    assert len(notes) == 2 and all(note.endswith(f"was evicted for {cluster.default_namespace}/high: its priority is higher")
                                   for note in notes), notes
    # What Spark makes in their place is beyond the reservation, and waits.
    time.sleep(3)
    assert len([pod for pod in cluster.bound_executors(elastic) if not is_terminating(pod)]) == 3
