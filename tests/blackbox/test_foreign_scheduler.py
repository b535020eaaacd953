"""The default scheduler beside ours, on the same nodes: it knows nothing of reservations."""
import itertools
import threading
from typing import Callable

import pytest

from support.api import Api, Json
from support.cluster import Cluster
from support.real_plane import RealPlane
from support.spark_application import Size, sized

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
            cluster.wait_finished(*wave, timeout=60)
            applications += wave
    finally:
        load.stop()
    assert all(cluster.is_whole(application) for application in applications)
    rejected = cluster.kubelet.rejections
    cluster.close(judge=False)
    by_others = cluster.history.check_beside_foreign(SEEN_SECONDS)
    print(f"{load.made} foreign pods, {by_others} binds of the other scheduler past a node, {len(rejected)} refusals")
