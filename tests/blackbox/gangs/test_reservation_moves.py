"""The scheduler is killed at each of its writes; the reservation moves safely all the same."""
from typing import Optional

import pytest

from support.client.api import STRATEGIC_PATCH
from support.kube.cluster import Cluster
from support.plane.fault_proxy import Fault
from support.kube.history import Slots, slots_of
from support.kube.pods import node_of
from support.process.polling import eventually
from support.plane.rig import Scheduler
from support.kube.spark_application import Size, SparkApplication, sized

EXECUTORS = 5


def start(cluster: Cluster) -> "tuple[Scheduler, object]":
    proxy = cluster.rig.start_proxy()
    scheduler = cluster.rig.start_scheduler(kubeconfig=cluster.rig.proxied_kubeconfig(proxy))
    return scheduler, proxy


def slow(cluster: Cluster) -> SparkApplication:
    """Its driver asks for its executors late, so its slots stay open for a while."""
    application = sized(Size(executors=EXECUTORS), cluster.default_namespace)
    application.batch_size, application.batch_seconds = 1, 0.4
    return cluster.submit(application)


def slots_by_node(cluster: Cluster, application: SparkApplication) -> "dict[str, int]":
    counts: dict[str, int] = {}
    held: list[Slots] = slots_of(cluster.driver(application))
    for slots in held:
        counts[slots.node] = counts.get(slots.node, 0) + slots.count
    return counts


def cordon(cluster: Cluster, node: str, cordoned: bool = True) -> None:
    cluster.api.patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": cordoned}}, STRATEGIC_PATCH)


# The real server in the default lane, both in the long one.
REAL_FIRST = pytest.mark.parametrize(
    "rig_name", [pytest.param("embedded", marks=pytest.mark.long), "real"], indirect=True, scope="session")


@REAL_FIRST
@pytest.mark.parametrize("applied", [False, True], ids=["before it is applied", "before its answer"])
@pytest.mark.parametrize("number", [0, 1, 3], ids=["driver", "first executor", "third executor"])
def test_killed_at_a_bind(cluster: Cluster, number: int, applied: bool) -> None:
    cluster.add_nodes(2)
    scheduler, proxy = start(cluster)
    held = proxy.add(Fault("hold", method="POST", path="/binding$", skip=number, count=1, applied=applied))
    first = slow(cluster)
    held.wait_waiting()
    scheduler.kill()
    second = cluster.submit(sized(Size(executors=EXECUTORS), cluster.default_namespace))
    scheduler.restart()
    held.release()  # what was held up without being applied arrives now, if it arrives at all
    cluster.wait_finished(first, second)
    assert cluster.is_whole(first) and cluster.is_whole(second)


@REAL_FIRST
@pytest.mark.parametrize("applied", [False, True], ids=["before it is applied", "before its answer"])
@pytest.mark.parametrize("comes_back", [False, True], ids=["for good", "and the node comes back"])
def test_killed_at_a_move(cluster: Cluster, comes_back: bool, applied: bool) -> None:
    cluster.add_nodes(3)
    scheduler, proxy = start(cluster)
    first = slow(cluster)
    home = node_of(cluster.wait_bound(first))
    left: Optional[str] = next((node for node in slots_by_node(cluster, first) if node != home), None)
    assert left is not None
    held = proxy.add(Fault("hold", method="PATCH", path=f"{first.driver_name}/status", count=1,
                           applied=applied))
    cordon(cluster, left)
    held.wait_waiting()
    scheduler.kill()
    if comes_back:
        cordon(cluster, left, False)
    second = cluster.submit(sized(Size(executors=EXECUTORS), cluster.default_namespace))
    scheduler.restart()
    held.release()
    if not comes_back:
        eventually(lambda: slots_by_node(cluster, first).get(left, 0) == 0, 15,
                   f"no slot to be left on {left}")
    cluster.wait_finished(first)
    cordon(cluster, left, False)
    cluster.wait_finished(second)
    assert cluster.is_whole(first) and cluster.is_whole(second)


def test_what_a_tenant_puts_in_its_place_is_overwritten(cluster: Cluster) -> None:
    cluster.add_nodes(2)
    cluster.start_scheduler()
    application = slow(cluster)
    cluster.wait_bound(application)
    wanted = slots_by_node(cluster, application)
    cluster.api.patch(f"{application.driver_path}/status",
                      {"metadata": {"annotations": {"gang-scheduler/reservation": "v1 generation=1"}}},
                      STRATEGIC_PATCH)
    eventually(lambda: slots_by_node(cluster, application) == wanted, 10, "the reservation to be restored")
    cluster.wait_finished(application)
