"""Several times the cluster at once, made of what real Spark sent."""
import time

import pytest

from support.kube.cluster import Cluster
from support.kube.spark_application import SparkApplication, captured

BURST = (("jvm-sized", "4.1.4"), ("py-sized", "4.1.4"), ("jvm-default", "4.1.4"),
         ("batch-size", "4.1.4"), ("cores-request", "3.5.9"), ("overhead-min", "3.5.9"),
         ("py-sized", "3.5.9"), ("jvm-sized", "3.5.9"))
KILL_EVERY_SECONDS = 1.3


def submit_burst(cluster: Cluster, copies: int = 1) -> list[SparkApplication]:
    """Eight gangs of four namespaces' tenants, per copy."""
    cluster.add_nodes(3)
    namespaces = [cluster.namespace() for _ in range(4)]
    applications = []
    for number, (case, version) in enumerate(BURST * copies):
        application = captured(case, namespaces[number % len(namespaces)], version)
        application.batch_seconds = 0.3
        if case == "batch-size":
            application.batch_size = 2
        applications.append(cluster.submit(application))
    return applications


def assert_all_whole(cluster: Cluster, applications: list[SparkApplication]) -> None:
    for application in applications:
        assert cluster.is_whole(application), application
    assert not cluster.kubelet.rejections


def in_submission_order(cluster: Cluster, applications: list[SparkApplication]) -> bool:
    bound = [cluster.history.first_bound(application.driver_path) for application in applications]
    times = [seen.at for seen in bound if seen is not None]
    return times == sorted(times)


@pytest.mark.bound(90)
def test_all_gangs_of_a_burst_finish(cluster: Cluster) -> None:
    cluster.start_scheduler()
    applications = submit_burst(cluster)
    cluster.wait_finished(*applications, timeout=60)
    assert_all_whole(cluster, applications)


@pytest.mark.bound(150)
def test_a_burst_while_the_scheduler_is_killed_again_and_again(cluster: Cluster) -> None:
    scheduler = cluster.start_scheduler()
    applications = submit_burst(cluster)
    deadline = time.monotonic() + 120
    kills = 0
    while not all(application.finished for application in applications):
        assert time.monotonic() < deadline, [
            (application.driver_name, cluster.message(application)) for application in applications
            if not application.finished]
        time.sleep(KILL_EVERY_SECONDS)
        assert scheduler.is_running(), "it ended by itself"
        scheduler.kill()
        scheduler.restart()
        kills += 1
    cluster.wait_finished(*applications)
    assert_all_whole(cluster, applications)
    assert kills >= 3, "the burst was over before anything was tested"


@pytest.mark.long
@pytest.mark.bound(900)
def test_a_long_burst_while_the_scheduler_is_killed(cluster: Cluster) -> None:
    scheduler = cluster.start_scheduler()
    applications = submit_burst(cluster, copies=4)
    deadline = time.monotonic() + 850
    while not all(application.finished for application in applications):
        assert time.monotonic() < deadline
        time.sleep(KILL_EVERY_SECONDS)
        scheduler.kill()
        scheduler.restart()
    assert_all_whole(cluster, applications)


def test_gangs_that_wait_are_admitted_in_the_order_they_came(cluster: Cluster) -> None:
    cluster.start_scheduler()
    cluster.add_nodes(3)
    applications = []
    for _ in range(4):
        applications.append(cluster.submit(captured("jvm-sized", cluster.default_namespace)))
        time.sleep(1.1)  # creationTimestamp, the order of arrival, is in whole seconds
    cluster.wait_finished(*applications, timeout=40)
    assert in_submission_order(cluster, applications)
