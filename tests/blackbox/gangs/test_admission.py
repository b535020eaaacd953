"""A gang is admitted as a whole or not at all, on both rigs."""
import calendar
import time

from support.kube.cluster import Cluster
from support.kube.history import RESERVATION, SLOT, slots_of
from support.kube.pods import annotation, condition, node_of, path_of
from support.process.polling import eventually, next_second, stays
from support.kube.spark_application import Size, captured, sized

QUIET_SECONDS = 2.0  # long enough for a wrong bind to happen


def test_a_gang_is_admitted_whole(cluster: Cluster) -> None:
    cluster.add_nodes(2)
    cluster.start_scheduler()
    application = cluster.submit(sized(Size(executors=4), cluster.default_namespace))
    cluster.wait_finished(application)
    assert cluster.is_whole(application)


def test_one_binding_carries_the_reservation_and_one_each_a_slot(cluster: Cluster) -> None:
    nodes = cluster.add_nodes(2)
    cluster.start_scheduler()
    application = sized(Size(executors=3), cluster.default_namespace)
    application.work_seconds = 30
    cluster.submit(application)
    eventually(lambda: len(cluster.bound_executors(application)) == 3, 15, "three bound executors")
    bound = cluster.history.first_bound(application.driver_path)
    assert bound is not None
    reserved = slots_of(bound.pod)  # the first state with a node has the whole reservation already
    assert sum(slots.count for slots in reserved) == 3
    assert {slots.node for slots in reserved} <= set(nodes)
    assert {(slots.requests["cpu"], slots.requests["memory"]) for slots in reserved} == {
        (1000, 1408 * 2**20)}
    texts = {annotation(seen.pod, RESERVATION) for seen in cluster.history.states(application.driver_path)
             if node_of(seen.pod)}
    assert len(texts) == 1, f"nothing changed, so nothing is written again: {texts}"
    for executor in cluster.bound_executors(application):
        first = cluster.history.first_bound(path_of(executor))
        assert first is not None and annotation(first.pod, SLOT)


def test_what_does_not_fit_holds_nothing(cluster: Cluster) -> None:
    cluster.add_nodes(2)
    cluster.start_scheduler()
    large = cluster.submit(sized(Size(executors=8), cluster.default_namespace))
    message = cluster.wait_code(large, "ExceedsCluster")
    assert "8 executors" in message
    assert not node_of(cluster.driver(large))
    small = cluster.submit(sized(Size(executors=6), cluster.default_namespace))
    cluster.wait_finished(small)
    assert not cluster.is_bound(large)


def test_a_single_executor_too_large_for_any_node(cluster: Cluster) -> None:
    cluster.add_nodes(3)
    cluster.start_scheduler()
    application = cluster.submit(sized(Size(1, cores=6), cluster.default_namespace))
    cluster.wait_code(application, "ExceedsCluster")


def test_two_gangs_that_do_not_fit_together(cluster: Cluster) -> None:
    cluster.add_nodes(2)
    cluster.start_scheduler()
    first = sized(Size(executors=4), cluster.default_namespace)
    first.work_seconds = 3
    cluster.submit(first)
    cluster.wait_bound(first)
    second = cluster.submit(sized(Size(executors=4), cluster.default_namespace))
    cluster.wait_code(second, "WaitingForCapacity")
    cluster.wait_finished(first, second)
    ended = cluster.history.first_finished(first.driver_path)
    bound = cluster.history.first_bound(second.driver_path)
    assert ended is not None and bound is not None and ended.at <= bound.at


def test_a_later_gang_does_not_overtake_one_that_could_fit(cluster: Cluster) -> None:
    cluster.add_nodes(2)
    cluster.start_scheduler()
    running = sized(Size(executors=3), cluster.default_namespace)
    running.work_seconds = 3
    cluster.submit(running)
    cluster.wait_bound(running)
    waiting = cluster.submit(sized(Size(executors=6), cluster.default_namespace))
    cluster.wait_code(waiting, "WaitingForCapacity")
    next_second()
    later = cluster.submit(sized(Size(executors=1), cluster.default_namespace))
    cluster.wait_finished(running, waiting, later, timeout=40)
    first = cluster.history.first_bound(waiting.driver_path)
    second = cluster.history.first_bound(later.driver_path)
    assert first is not None and second is not None and first.at <= second.at


def test_a_replacement_executor_takes_the_slot_again(cluster: Cluster) -> None:
    cluster.add_nodes(2, cpu="3")
    cluster.start_scheduler()
    application = sized(Size(executors=5), cluster.default_namespace)
    application.work_seconds = 40
    cluster.submit(application)
    eventually(lambda: cluster.is_whole(application), 20, "five running executors")
    waiting = cluster.submit(sized(Size(executors=2), cluster.default_namespace))
    cluster.wait_code(waiting, "WaitingForCapacity")
    victim = cluster.executors(application)[2]
    cluster.api.delete(path_of(victim), grace_seconds=0)

    def is_replaced() -> bool:
        bound = cluster.bound_executors(application)
        return len(bound) == 5 and victim["metadata"]["uid"] not in {
            pod["metadata"]["uid"] for pod in bound}
    eventually(is_replaced, 15, "the replacement to be bound")
    names = {pod["metadata"]["name"] for pod in cluster.bound_executors(application)}
    assert any(name.endswith("-exec-6") for name in names), names
    assert not cluster.is_bound(waiting), "the dead executor's room was given to somebody else"


def test_a_gang_s_end_frees_what_it_held(cluster: Cluster) -> None:
    """The driver is deleted while executors run: the next gang gets in once they are gone."""
    cluster.add_nodes(1)
    cluster.start_scheduler()
    first = sized(Size(executors=3), cluster.default_namespace)
    first.work_seconds = 60
    cluster.submit(first)
    eventually(lambda: cluster.is_whole(first), 20, "three running executors")
    second = cluster.submit(sized(Size(executors=3), cluster.default_namespace))
    cluster.wait_code(second, "WaitingForCapacity")
    cluster.api.delete(first.driver_path)
    cluster.wait_finished(second)


def test_pods_of_other_schedulers_count_until_they_are_gone(cluster: Cluster) -> None:
    node, = cluster.add_nodes(1)
    foreign = cluster.foreign_pod("foreign", "2", node, linger_seconds=3)
    eventually(lambda: cluster.api.get(foreign)["status"].get("phase") == "Running", 10, "the foreign pod running")
    cluster.start_scheduler()
    application = cluster.submit(sized(Size(executors=2), cluster.default_namespace))
    # Gangs may not hope for foreign pods to go: it is parked, and blocks nobody.
    assert "other schedulers" in cluster.wait_code(application, "WaitingForCapacity")
    cluster.api.delete(foreign)
    stays(lambda: not cluster.is_bound(application), QUIET_SECONDS, "a terminating pod counts")
    cluster.wait_finished(application)


def test_a_foreign_pod_that_ends_by_itself_gives_room(cluster: Cluster) -> None:
    node, = cluster.add_nodes(1)
    foreign = cluster.foreign_pod("foreign", "3", node)
    cluster.start_scheduler()
    application = cluster.submit(sized(Size(executors=2), cluster.default_namespace))
    # Gangs may not hope for foreign pods to go: it is parked, and blocks nobody.
    assert "other schedulers" in cluster.wait_code(application, "WaitingForCapacity")
    cluster.api.patch(f"{foreign}/status", {"status": {"phase": "Succeeded"}})
    cluster.wait_finished(application)


def test_a_node_added_later_unblocks(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    cluster.start_scheduler()
    application = cluster.submit(sized(Size(executors=6), cluster.default_namespace))
    cluster.wait_code(application, "ExceedsCluster")
    cluster.add_nodes(1)
    cluster.wait_finished(application)


def test_no_node_at_all(cluster: Cluster) -> None:
    cluster.start_scheduler()
    application = cluster.submit(sized(Size(executors=1), cluster.default_namespace))
    eventually(lambda: cluster.message(application).startswith("0/0 nodes"), 10, "a condition")
    cluster.add_nodes(1)
    cluster.wait_finished(application)


def test_a_new_message_is_no_transition(cluster: Cluster) -> None:
    """lastTransitionTime moves with the condition's status alone, as Kubernetes' API conventions have it."""
    cluster.start_scheduler()
    application = cluster.submit(sized(Size(executors=6), cluster.default_namespace))
    eventually(lambda: cluster.message(application).startswith("0/0 nodes"), 10, "a condition")
    before = condition(cluster.driver(application), "PodScheduled")
    since = calendar.timegm(time.strptime(before["lastTransitionTime"], "%Y-%m-%dT%H:%M:%SZ"))
    eventually(lambda: time.time() >= since + 2, 5, "a later second")
    cluster.add_nodes(1)
    eventually(lambda: cluster.message(application).startswith("0/1 nodes"), 20, "another message")
    after = condition(cluster.driver(application), "PodScheduled")
    assert after["lastTransitionTime"] == before["lastTransitionTime"]


def test_pods_that_were_there_before_the_scheduler(cluster: Cluster) -> None:
    cluster.add_nodes(2)
    applications = [cluster.submit(captured("jvm-default", cluster.default_namespace))
                    for _ in range(2)]
    cluster.start_scheduler()
    cluster.wait_finished(*applications)
