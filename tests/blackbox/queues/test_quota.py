"""ResourceQuotas and LimitRanges of a namespace: no driver starts whose executors they would refuse.

The API server's admission judges each pod on both rigs. On the real one kube-controller-manager counts what has ended;
on the embedded one nobody does, and the test writes what would be counted.
"""
from pathlib import Path
from typing import Callable, Iterator, Optional

import pytest

from support.client.api import ApiError, Json
from support.plane.chart import Rights
from support.kube.cluster import Cluster
from support.kube.pods import node_of
from support.process.polling import eventually
from support.plane.real_plane import RealPlane
from support.plane.rig import EmbeddedRig, Scheduler
from support.plane.served import ANY_PORT, Served
from support.kube.spark_application import Size, SparkApplication, sized

LONG_SECONDS = 8.0


class Looking:
    """A cluster whose scheduler looks at quotas, with the rights that the chart grants for it."""

    def __init__(self, cluster: Cluster, folder: Path, is_counted: bool) -> None:
        self.cluster = cluster
        self.is_counted = is_counted  # by a controller
        self.space = f"/api/v1/namespaces/{cluster.default_namespace}"
        self.file = folder / "quota.yaml"

    def start(self, preflight: bool = True) -> Scheduler:
        self.file.write_text(f"quota: {{preflight: {str(preflight).lower()}}}\n")
        return self.cluster.start_scheduler("--leader-elect=false", f"--config={self.file}", *ANY_PORT)

    def make_quota(self, hard: dict[str, str], name: str = "team") -> None:
        """Until it counts."""
        path = f"{self.space}/resourcequotas"
        self.cluster.api.post(path, {"apiVersion": "v1", "kind": "ResourceQuota",
                                     "metadata": {"name": name}, "spec": {"hard": hard}})
        self._as_controller(name, {"hard": hard, "used": {resource: "0" for resource in hard}})
        eventually(lambda: self.cluster.api.get(f"{path}/{name}").get("status", {}).get("used"), 20, "the quota to count")

    def change_quota(self, hard: dict[str, str], name: str = "team") -> None:
        self.cluster.api.patch(f"{self.space}/resourcequotas/{name}", {"spec": {"hard": hard}})
        self._as_controller(name, {"hard": hard})

    def count(self, used: dict[str, str], name: str = "team") -> None:
        """Pods have ended, and so many are left."""
        self._as_controller(name, {"used": used})

    def _as_controller(self, name: str, status: Json) -> None:
        """What a controller would do, where there is none."""
        if not self.is_counted:
            self.cluster.api.patch(f"{self.space}/resourcequotas/{name}/status", {"status": status})

    def submit(self, executors: int, work_seconds: float = 0.6) -> SparkApplication:
        application = sized(Size(executors=executors), self.cluster.default_namespace)
        application.work_seconds = work_seconds
        return self.cluster.submit(application)


@pytest.fixture
def looking(rig_name: str, make_plane: Callable[..., RealPlane], tmp_path: Path) -> Iterator[Looking]:
    if rig_name == "embedded":
        rig = EmbeddedRig()
        cluster = Cluster(rig)
    else:
        plane = make_plane(controllers=True)
        plane.use_chart(Rights.render("--set", "config.quota.preflight=true"))
        cluster = Cluster(plane)
    yield Looking(cluster, tmp_path, rig_name != "embedded")
    cluster.close()
    if rig_name == "embedded":
        rig.stop()


def test_a_gang_waits_for_the_quota_of_all_its_executors(looking: Looking) -> None:
    cluster = looking.cluster
    cluster.add_nodes(4)
    scheduler = looking.start()
    looking.make_quota({"pods": "9"})
    first = looking.submit(6, LONG_SECONDS)
    cluster.wait_bound(first)
    eventually(lambda: len(cluster.bound_executors(first)) == 6, 20, "the first gang to run")
    second = looking.submit(4)
    message = cluster.wait_code(second, "WaitingForQuota")
    space = cluster.default_namespace
    assert (f"its executors need pods 4, and of the 9 of ResourceQuota {space}/team 8 are used: "
            "it starts when enough is free") in message, message
    assert not cluster.is_bound(second)
    cluster.wait_finished(first, timeout=60)
    assert cluster.is_whole(first)
    looking.count({"pods": "1"})
    cluster.wait_finished(second, timeout=90)
    assert cluster.is_whole(second)
    assert Served(scheduler).metric("gang_scheduler_quota_reads_total") > 0
    assert Served(scheduler).metric("gang_scheduler_quota_read_errors_total") == 0


def test_a_quota_that_the_gang_alone_exceeds(looking: Looking) -> None:
    cluster = looking.cluster
    cluster.add_nodes(4)
    looking.start()
    looking.make_quota({"requests.cpu": "4"})
    application = looking.submit(4)
    message = cluster.wait_code(application, "ExceedsQuota")
    assert "its executors need requests.cpu 4, and ResourceQuota " in message, message
    assert "/team allows 4 in all, with its driver" in message, message
    looking.change_quota({"requests.cpu": "5"})
    cluster.wait_finished(application, timeout=90)
    assert cluster.is_whole(application)


def test_a_limit_range_that_no_executor_passes(looking: Looking) -> None:
    cluster = looking.cluster
    cluster.add_nodes(4)
    looking.start()
    application = sized(Size(executors=2), cluster.default_namespace)
    # The driver exists before: a LimitRange is about pods to come.
    driver_first = cluster.submit(application, with_conf=False)
    cluster.api.post(f"{looking.space}/limitranges", {
        "apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "sizes"},
        "spec": {"limits": [{"type": "Container", "max": {"memory": "1Gi"}}]}})
    driver_first.submit_conf(cluster.api)
    message = cluster.wait_code(application, "ExceedsQuota")
    assert "LimitRange sizes allows 1Gi memory for a container at most, and an executor has 1408Mi" in message, message
    cluster.api.delete(f"{looking.space}/limitranges/sizes")
    cluster.wait_finished(application, timeout=90)


def test_a_quota_of_limits_refuses_executors_without_one(looking: Looking) -> None:
    cluster = looking.cluster
    cluster.add_nodes(4)
    looking.start()
    application = cluster.submit(sized(Size(executors=2), cluster.default_namespace), with_conf=False)
    looking.make_quota({"limits.cpu": "100"})
    application.submit_conf(cluster.api)
    message = cluster.wait_code(application, "ExceedsQuota")
    assert "spark.kubernetes.executor.limit.cores sets it" in message, message
    assert not cluster.is_bound(application)


def test_two_gangs_at_once_do_not_share_the_room_of_one(looking: Looking) -> None:
    cluster = looking.cluster
    cluster.add_nodes(4)
    # Both drivers are there before the scheduler: they are judged in the same moment.
    looking.make_quota({"pods": "8"})
    both = [looking.submit(5, 4.0), looking.submit(5, 4.0)]
    looking.start()
    eventually(lambda: any(cluster.is_bound(one) for one in both), 20, "one of them to start")
    first = next(one for one in both if cluster.is_bound(one))
    second = next(one for one in both if one is not first)
    cluster.wait_code(second, "WaitingForQuota")
    cluster.wait_finished(first, timeout=60)
    assert cluster.is_whole(first)
    looking.count({"pods": "1"})
    cluster.wait_finished(second, timeout=90)
    assert cluster.is_whole(second)


def test_a_quota_of_nonsense(looking: Looking) -> None:
    """What the API server refuses nobody sees. What it takes and nobody can read stops nobody. Large numbers are numbers."""
    cluster = looking.cluster
    cluster.add_nodes(4)
    scheduler = looking.start()
    path = f"{looking.space}/resourcequotas"
    for hard in ({"pods": "many"}, {"requests.cpu": {"a": 1}}):
        body = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "bad"}, "spec": {"hard": hard}}
        if looking.is_counted:
            with pytest.raises(ApiError) as error:
                cluster.api.post(path, body)
            assert error.value.status in (400, 422), error.value
            continue
        cluster.api.post(path, body)
        cluster.wait_finished(looking.submit(2), timeout=60)
        # Said of the first: for half a minute nobody asks again.
        assert "ResourceQuota bad: hard.pods: expected a quantity" in scheduler.output()
        cluster.api.delete(f"{path}/bad")
    looking.make_quota({"requests.memory": "9E", "pods": "9223372036854775807", "example.com/dragons": "0"})
    application = looking.submit(3)
    cluster.wait_finished(application, timeout=60)
    assert cluster.is_whole(application)


def test_without_the_key_quotas_are_not_read(looking: Looking) -> None:
    cluster = looking.cluster
    cluster.add_nodes(4)
    scheduler = looking.start(preflight=False)
    looking.make_quota({"pods": "2"})
    # By hand: executors that nobody makes are refused to nobody.
    cluster.api.post(f"{looking.space}/pods", {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "driver", "annotations": {
            "gang-scheduler/executors": "4", "gang-scheduler/executor-cpu": "1", "gang-scheduler/executor-memory": "64Mi"}},
        "spec": {"schedulerName": "gang-scheduler", "restartPolicy": "Never", "containers": [
            {"name": "main", "image": "none", "resources": {"requests": {"cpu": "1", "memory": "64Mi"}}}]}})
    eventually(lambda: node_of(cluster.api.get(f"{looking.space}/pods/driver")), 20, "the driver on a node")
    assert Served(scheduler).metric("gang_scheduler_quota_reads_total") == 0


def test_without_the_right_gangs_start_as_before(make_plane: Callable[..., RealPlane], tmp_path: Path) -> None:
    """Said once in the log; the embedded API server grants everything, so this is about the real one."""
    plane = make_plane()
    plane.use_chart(Rights.render())
    cluster = Cluster(plane)
    try:
        cluster.add_nodes(4)
        scheduler = Looking(cluster, tmp_path, True).start()
        applications = [cluster.submit(sized(Size(executors=2), cluster.default_namespace)) for _ in range(2)]
        cluster.wait_finished(*applications, timeout=60)
        log = scheduler.output()
        assert log.count("gangs of the namespace start without a look at them") >= 1, log
        assert Served(scheduler).metric("gang_scheduler_quota_read_errors_total") > 0
    finally:
        cluster.close()
