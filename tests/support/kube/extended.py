"""kube-scheduler with gang-scheduler as its extender."""
import json
from pathlib import Path
from typing import Any, Optional

import requests
import yaml

from ..client.api import Json
from ..plane.controllers import KubeScheduler
from ..process.ports import free_ports
from ..process.programs import programs
from ..plane.real_plane import RealPlane
from ..plane.rig import Scheduler
from .spark_application import SparkApplication

NAME = "default-scheduler"


def for_kube_scheduler(application: SparkApplication) -> SparkApplication:
    """The same, with no word of us in it."""
    for pod in (application.driver, application.executor_pattern):
        pod["spec"]["schedulerName"] = NAME
    return application.set_conf(spark__kubernetes__scheduler__name=None)


class Endpoint:
    """Our extender's configuration, and calls to it as kube-scheduler makes them."""

    def __init__(self, folder: Path, binds: bool = True, prefix: str = "/") -> None:
        self.port, = free_ports(1)
        self.url = f"http://127.0.0.1:{self.port}{prefix}".rstrip("/")
        self.config = folder / f"extender-{self.port}.yaml"
        self.config.write_text(yaml.safe_dump({
            "apiVersion": "config.gang-scheduler/v1alpha1", "kind": "SchedulerConfiguration",
            "extender": {"enabled": True, "listen": f"127.0.0.1:{self.port}", "prefix": prefix, "binds": binds}}))

    def post(self, verb: str, body: object = None, data: Optional[bytes] = None,
             content_type: str = "application/json") -> requests.Response:
        sent = data if data is not None else json.dumps(body).encode()
        return requests.post(f"{self.url}/{verb}", data=sent, timeout=30, headers={"Content-Type": content_type})

    def get(self, path: str) -> requests.Response:
        return requests.get(f"{self.url}{path}", timeout=10)


class Extended:
    """A real plane's kube-scheduler that asks our scheduler; both can be killed and started again."""

    name = NAME

    def __init__(self, plane: RealPlane, binds: bool = True, prefix: str = "/", **stanza: Any) -> None:
        self.plane = plane
        self.endpoint = Endpoint(plane.folder, binds, prefix)
        self._theirs = plane.folder / f"extended-{self.endpoint.port}.yaml"
        extender: Json = {
            "urlPrefix": self.endpoint.url, "filterVerb": "filter", "prioritizeVerb": "prioritize", "weight": 1,
            "preemptVerb": "preempt", "nodeCacheCapable": True, **stanza}
        if binds:
            extender["bindVerb"] = "bind"
        self._theirs.write_text(yaml.safe_dump({
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": str(plane.kubeconfig)}, "leaderElection": {"leaderElect": False},
            "extenders": [extender]}))
        self.ours: Scheduler = self.start_ours()
        self.theirs = self._start_theirs()

    def start_ours(self) -> Scheduler:
        self.ours = self.plane.start_scheduler(("--leader-elect=false", "--config", str(self.endpoint.config)))
        return self.ours

    def _start_theirs(self) -> KubeScheduler:
        scheduler = KubeScheduler(
            programs("controllers") / "kube-scheduler", self.plane.folder, self.plane.kubeconfig,
            "--config", str(self._theirs), "--v=2")
        self.plane.kube_scheduler = scheduler  # it ends with the plane
        scheduler.wait_ready()
        return scheduler

    def stop(self) -> None:
        self.theirs.kill()
