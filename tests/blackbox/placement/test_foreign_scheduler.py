"""The default scheduler beside ours, on the same nodes: it knows nothing of reservations."""
import itertools
import threading
from typing import Callable

import pytest

from support.client.api import Api, Json
from support.kube.cluster import Cluster
from support.kube.history import History, Seen
from support.plane.real_plane import RealPlane
from support.plane.rig import SCHEDULER_NAME
from support.kube.spark_application import Size, SparkApplication, sized

NODES = 4
GANGS = 12
EXECUTORS = 4
FOREIGN_PODS_MIN = 150
# Between a foreign bind and the moment our watch has shown it, on a loaded machine.
SEEN_SECONDS = 2.0


class ForeignLoad:
    """Keeps so many pods for the default scheduler in existence: the oldest goes when a new one comes."""

    def __init__(self, api: Api, namespace: str, pods_max: int) -> None:
        self.made = 0
        self._api = api
        self._path = f"/api/v1/namespaces/{namespace}/pods"
        self._pods_max = pods_max
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="foreign")
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(20)

    def _run(self) -> None:
        for number in itertools.count(1):
            if self._stopped.is_set():
                return
            self._api.post(self._path, self._pod(number))
            self.made = number
            if number > self._pods_max:
                self._api.delete(f"{self._path}/foreign-{number - self._pods_max}", grace_seconds=0)

    @staticmethod
    def _pod(number: int) -> Json:
        return {"metadata": {"name": f"foreign-{number}"}, "spec": {"containers": [{
            "name": "c", "image": "i",
            "resources": {"requests": {"cpu": f"{100 * (1 + number % 5)}m", "memory": "64Mi"}}}]}}


def ends_refused(cluster: Cluster, application: SparkApplication) -> bool:
    """Whether its node had no room for the driver any more: the other scheduler was faster. It succeeds otherwise."""
    if cluster.wait_ended(application, timeout=60) == "Succeeded":
        return False
    refused = [rejection.pod for rejection in cluster.kubelet.rejections]
    assert application.driver_path in refused, f"{application.driver_name} failed, and no node had refused it"
    return True


class Quiet:
    """A watch that saw everything."""

    def check(self) -> None:
        pass


def history_of(*binds: tuple[str, str, float]) -> History:
    """Pods of 3 CPUs bound one after another to a node of 4: (name, scheduler, time)."""
    history = History.__new__(History)
    history._scheduler_name = SCHEDULER_NAME
    history._allocatable = {"n": {"cpu": 4000}}
    history._nodes = history._pods = Quiet()  # type: ignore[assignment]
    history.events = []
    for name, scheduler, at in binds:
        pod: Json = {"metadata": {"name": name, "namespace": "x", "uid": name}, "spec": {
            "schedulerName": scheduler,
            "containers": [{"resources": {"requests": {"cpu": "3"}}}]}}
        bound = {**pod, "spec": {**pod["spec"], "nodeName": "n"}}
        history.events += [Seen("ADDED", pod, at), Seen("MODIFIED", bound, at)]
    return history


def test_the_judge_knows_whose_doing_an_overcommit_was() -> None:
    ours, other = SCHEDULER_NAME, "default-scheduler"
    assert history_of(("a", ours, 0), ("b", other, 9)).check_beside_foreign(SEEN_SECONDS) == 1
    assert history_of(("a", other, 0), ("b", ours, 1)).check_beside_foreign(SEEN_SECONDS) == 0
    for first in (ours, other):  # ours, on top of what was there to be seen
        with pytest.raises(AssertionError, match="already full"):
            history_of(("a", first, 0), ("b", ours, 9)).check_beside_foreign(SEEN_SECONDS)


@pytest.mark.bound(150)
def test_s10_gangs_are_admitted_beside_the_default_scheduler(
        make_plane: Callable[..., RealPlane]) -> None:
    plane = make_plane(scheduler=True)
    cluster = Cluster(plane)
    cluster.add_nodes(NODES, cpu="8", memory="32Gi")
    cluster.start_scheduler()
    load = ForeignLoad(plane.api, cluster.namespace(), pods_max=40)
    try:
        applications = []
        while len(applications) < GANGS or load.made < FOREIGN_PODS_MIN:
            wave = [cluster.submit(sized(Size(executors=EXECUTORS), cluster.default_namespace))
                    for _ in range(GANGS // 2)]
            applications += [each for each in wave if not ends_refused(cluster, each)]
    finally:
        load.stop()
    assert all(cluster.is_whole(application) for application in applications)
    rejected = cluster.kubelet.rejections
    cluster.close(judge=False)
    by_others = cluster.history.check_beside_foreign(SEEN_SECONDS)
    print(f"{load.made} foreign pods, {by_others} binds of the other scheduler past a node, {len(rejected)} refusals")
