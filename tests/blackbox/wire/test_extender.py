"""kube-scheduler itself places Spark gangs, and asks us as its extender (docs/manage/extender.md)."""
from typing import Any, Callable

import pytest

from support.kube.cluster import Cluster
from support.kube.extended import Extended, for_kube_scheduler
from support.kube.history import RESERVATION
from support.kube.pods import annotation, condition, node_of
from support.process.polling import eventually, stays
from support.plane.real_plane import RealPlane
from support.kube.spark_application import Size, SparkApplication, sized

MakePlane = Callable[..., RealPlane]


def gang(cluster: Cluster, executors: int, work_seconds: float = 3600) -> SparkApplication:
    application = for_kube_scheduler(sized(Size(executors), cluster.default_namespace))
    application.work_seconds = work_seconds
    return cluster.submit(application)


def wait_whole(cluster: Cluster, application: SparkApplication, timeout: float = 30) -> None:
    cluster.wait_bound(application, timeout)
    cluster.history.wait_for(lambda: cluster.is_whole(application), timeout, "all executors to run")


VARIANTS = [dict(binds=True, nodeCacheCapable=True), dict(binds=True, nodeCacheCapable=False),
            dict(binds=False, nodeCacheCapable=True), dict(binds=False, nodeCacheCapable=False, prefix="/gangs/v1")]


@pytest.mark.parametrize("options", VARIANTS, ids=["bind-names", "bind-nodes", "names", "nodes-prefix"])
def test_of_two_gangs_that_do_not_fit_together_one_is_placed(make_plane: MakePlane, options: dict[str, Any]) -> None:
    """EXT-12: exactly one runs, whole; the other has nothing, is told why by kube-scheduler, and runs after it."""
    plane = make_plane()
    extended = Extended(plane, **options)
    cluster = Cluster(plane)
    cluster.add_nodes(1, cpu="4")
    gangs = [gang(cluster, 2), gang(cluster, 2)]
    eventually(lambda: any(cluster.is_bound(each) for each in gangs), 30, "one driver to be bound")
    first, second = sorted(gangs, key=lambda each: not cluster.is_bound(each))
    wait_whole(cluster, first)
    said = eventually(lambda: cluster.message(second), 20, "kube-scheduler to say why the other waits")
    assert "1 driver + 2 executors" in said and said.startswith("0/1 nodes are available"), said
    stays(lambda: not cluster.is_bound(second) and not cluster.executors(second), 2, "the other has nothing")
    assert annotation(cluster.driver(first), RESERVATION)
    first.work_seconds = 0
    cluster.wait_finished(first)
    wait_whole(cluster, second, 10)
    second.work_seconds = 0
    cluster.wait_finished(second)
    extended.stop()
    cluster.close()


def test_a_restart_between_driver_and_executors(make_plane: MakePlane) -> None:
    plane = make_plane()
    extended = Extended(plane)
    cluster = Cluster(plane)
    cluster.add_nodes(2, cpu="4")
    application = for_kube_scheduler(sized(Size(5), cluster.default_namespace))
    application.work_seconds, application.batch_size = 3600, 0  # no executor is asked for yet
    cluster.submit(application)
    cluster.wait_bound(application)
    extended.ours.kill()
    # A pod of nobody's gang would fit beside the driver, if nothing were reserved there.
    pods = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    cluster.api.post(pods, {"metadata": {"name": "big"}, "spec": {"containers": [{
        "name": "c", "image": "i", "resources": {"requests": {"cpu": "3"}}}]}})
    stays(lambda: not node_of(cluster.api.get(f"{pods}/big")), 2, "without us nothing is placed")
    application.batch_size = 10
    extended.start_ours()
    wait_whole(cluster, application)
    said = eventually(lambda: condition(cluster.api.get(f"{pods}/big"), "PodScheduled").get("message", ""), 20, "a reason")
    assert not node_of(cluster.api.get(f"{pods}/big")), said
    application.work_seconds = 0
    cluster.wait_finished(application)
    eventually(lambda: node_of(cluster.api.get(f"{pods}/big")), 30, "the pod of no gang to be placed")
    extended.stop()
    cluster.close()


def test_a_node_that_kube_scheduler_does_not_offer(make_plane: MakePlane) -> None:
    """EXT-13: of 150 nodes kube-scheduler asks about 100 at a time; a slot moves to where it may go."""
    plane = make_plane()
    extended = Extended(plane, binds=True)
    cluster = Cluster(plane)
    cluster.add_nodes(150, cpu="2")
    application = gang(cluster, 20)
    wait_whole(cluster, application, 50)
    application.work_seconds = 0
    cluster.wait_finished(application)
    extended.stop()
    cluster.close()
