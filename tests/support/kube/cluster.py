"""Everything one black-box test works with: nodes, fake Spark, the scheduler, and the history."""
import itertools
import uuid
from typing import Optional

from ..client.api import Api, ApiError, Json
from .fake_spark import LINGER, FakeSpark
from .history import History
from .kubelet import Kubelet, NodeSpec, Runtime
from .pods import condition, is_finished, label, node_of
from ..process.polling import eventually
from ..plane.rig import SCHEDULER_NAME, Rig, Scheduler
from .spark_application import SparkApplication

WAIT_SECONDS = 20.0
SERVICES = ("pods", "configmaps", "services")


class Cluster:
    """A cluster for one test on a rig that other tests use too; `close` judges and cleans up."""

    def __init__(self, rig: Rig, runtime: Optional[Runtime] = None) -> None:
        self.rig = rig
        self.api: Api = rig.api
        self.history = History(rig.api, SCHEDULER_NAME)
        self.spark = FakeSpark(rig.api)
        self.kubelet = Kubelet(rig.api, runtime or self.spark, rig.has_controllers)
        self.namespaces: list[str] = []
        self.default_namespace = self.namespace()
        self._names = itertools.count(1)

    def namespace(self) -> str:
        """A new one."""
        name = f"test-{uuid.uuid4().hex[:8]}"
        self.api.post("/api/v1/namespaces", {"metadata": {"name": name}})
        self.namespaces.append(name)
        return name

    def add_nodes(self, count: int, cpu: str = "4", memory: str = "8Gi", **more: object) -> list[str]:
        """Equal nodes, Ready; their names."""
        names = [f"node-{next(self._names)}" for _ in range(count)]
        for name in names:
            self.kubelet.add_node(NodeSpec(name, cpu, memory, **more))  # type: ignore[arg-type]
        return names

    def start_scheduler(self, *arguments: str) -> Scheduler:
        return self.rig.start_scheduler(arguments or ("--leader-elect=false",))

    def submit(self, application: SparkApplication, with_conf: bool = True) -> SparkApplication:
        """As spark-submit does; the driver will act once it runs."""
        self.spark.know(application)
        application.submit(self.api, with_conf)
        return application

    def foreign_pod(self, name: str, cpu: str, node: str, linger_seconds: float = 0) -> str:
        """A pod of another scheduler, already bound; the path. It runs until it is deleted."""
        path = f"/api/v1/namespaces/{self.default_namespace}/pods"
        self.api.post(path, {
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "annotations": {LINGER: str(linger_seconds)}},
            "spec": {"schedulerName": "somebody-else", "restartPolicy": "Never", "containers": [{
                "name": "main", "image": "none",
                "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}}}]}})
        self.api.post(f"{path}/{name}/binding", {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
            "target": {"kind": "Node", "name": node}})
        return f"{path}/{name}"

    def driver(self, application: SparkApplication) -> Json:
        return self.api.get(application.driver_path)

    def executors(self, application: SparkApplication) -> list[Json]:
        selector = f"spark-app-selector={application.application_id},spark-role=executor"
        return [pod for pod in self.api.items(
            f"/api/v1/namespaces/{application.namespace}/pods", labelSelector=selector)
            if not is_finished(pod)]

    def is_bound(self, application: SparkApplication) -> bool:
        return self.history.first_bound(application.driver_path) is not None

    def is_whole(self, application: SparkApplication) -> bool:
        """All its executors have run at one time."""
        return application.running_max >= application.executors

    def wait_bound(self, application: SparkApplication, timeout: float = WAIT_SECONDS) -> Json:
        self.history.wait_for(lambda: self.is_bound(application), timeout, lambda:
                              f"{application.driver_name} to be bound ({self.message(application)})")
        return self.driver(application)

    def wait_finished(self, *applications: SparkApplication, timeout: float = WAIT_SECONDS) -> None:
        for application in applications:
            phase = self.wait_ended(application, timeout)
            assert phase == "Succeeded", f"{application.driver_name} ended as {phase}"

    def wait_ended(self, application: SparkApplication, timeout: float = WAIT_SECONDS) -> str:
        """The phase in which its driver ended."""
        path = application.driver_path
        self.history.wait_for(lambda: self.history.first_finished(path), timeout, lambda:
                              f"{application.driver_name} to end ({self.message(application)})")
        return self.driver(application)["status"]["phase"]

    def wait_code(self, application: SparkApplication, code: str,
                  timeout: float = WAIT_SECONDS) -> str:
        """Until the driver's condition ends with [code]; its message, whose form is checked."""
        eventually(lambda: self.message(application).endswith(f"[{code}]"), timeout, lambda:
                   f"[{code}] at {application.driver_name}, now: {self.message(application)!r}")
        found = condition(self.driver(application), "PodScheduled")
        assert found["status"] == "False", found
        assert found["message"].startswith(f"0/{self.node_count()} nodes"), found["message"]
        return found["message"]

    def message(self, application: SparkApplication) -> str:
        """Of the driver's PodScheduled condition; empty without one."""
        found = self.api.find(application.driver_path)
        return condition(found, "PodScheduled").get("message", "") if found else "(no pod)"

    def node_count(self) -> int:
        return len(self.api.items("/api/v1/nodes"))

    def bound_executors(self, application: SparkApplication) -> list[Json]:
        return [pod for pod in self.executors(application) if node_of(pod)]

    def all_drivers(self) -> list[Json]:
        return [pod for namespace in self.namespaces
                for pod in self.api.items(f"/api/v1/namespaces/{namespace}/pods")
                if label(pod, "spark-role") == "driver"]

    def close(self, judge: bool = True) -> None:
        """Stops everything, removes what the test made, then judges unless the test has failed."""
        self.rig.stop_schedulers()
        self.rig.stop_proxies()
        self.kubelet.stop()
        try:
            self._clean_up()
        finally:
            self.history.stop()
        if judge:
            self.kubelet.check()
            self.history.check()

    def _empty(self, namespace: str) -> None:
        for kind in SERVICES:
            path = f"/api/v1/namespaces/{namespace}/{kind}"
            for item in self.api.items(path):
                self.api.delete(f"{path}/{item['metadata']['name']}", grace_seconds=0)

    def _clean_up(self) -> None:
        if not self.rig.is_running():
            return
        for namespace in self.namespaces:
            self._empty(namespace)
            try:
                self.api.delete(f"/api/v1/namespaces/{namespace}")
                self._empty(namespace)  # of what a driver has made meanwhile: from now on nobody makes more
            except ApiError:
                pass  # no controller finishes it on the real rig: an empty namespace may stay
        for node in self.api.items("/api/v1/nodes"):
            self.api.delete(f"/api/v1/nodes/{node['metadata']['name']}")
