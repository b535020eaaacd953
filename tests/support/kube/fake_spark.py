"""Spark's behaviour without a JVM: executors asked for in batches, replaced when lost, then the end."""
import threading
import time

from ..client.api import Api, ApiError, Json
from .kubelet import RunningPod
from .pods import annotation, is_finished, is_terminating, label
from .spark_application import SparkApplication

TICK_SECONDS = 0.2
LINGER = "tests/linger-seconds"  # annotation: how long a pod takes to end after its deletion


class FakeSpark:
    """A Runtime (see kubelet.py): drivers act like Spark's, all other pods run until deleted."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._lock = threading.Lock()
        self._applications: dict[str, SparkApplication] = {}

    def know(self, application: SparkApplication) -> None:
        """Tells what the driver of this application is to do when it runs."""
        with self._lock:
            self._applications[application.driver_name] = application

    def run(self, pod: RunningPod) -> int:
        with self._lock:
            application = self._applications.get(pod.name)
        if application is None:
            pod.stopped.wait()
            time.sleep(float(annotation(pod.pod, LINGER) or 0))
            return 0
        driver = _Driver(self._api, application, pod)
        return driver.work()


class _Driver:
    def __init__(self, api: Api, application: SparkApplication, pod: RunningPod) -> None:
        self._api = api
        self._application = application
        self._pod = pod
        self._path = f"/api/v1/namespaces/{pod.namespace}/pods"
        self._selector = (f"spark-app-selector={application.application_id},spark-role=executor")
        self._next_id = 1
        self._next_batch = 0.0

    def work(self) -> int:
        application, worked = self._application, 0.0
        while worked < application.work_seconds:
            executors = [pod for pod in self._executors() if not is_finished(pod)
                         and not is_terminating(pod)]
            self._ask_for(application.executors - len(executors))
            running = sum(pod.get("status", {}).get("phase") == "Running" for pod in executors)
            application.running_max = max(application.running_max, running)
            if running >= application.executors:
                worked += TICK_SECONDS
            if self._pod.stopped.wait(TICK_SECONDS):
                return 143
        self._api.delete(self._path, labelSelector=self._selector)
        application.finished = True
        return 0

    def _executors(self) -> list[Json]:
        return [pod for pod in self._api.items(self._path, labelSelector=self._selector)
                if label(pod, "spark-exec-inactive") != "true"]

    def _ask_for(self, missing: int) -> None:
        """At most a batch a second, as spark.kubernetes.allocation.batch.* has it by default."""
        if missing <= 0 or time.monotonic() < self._next_batch:
            return
        self._next_batch = time.monotonic() + self._application.batch_seconds
        for _ in range(min(missing, self._application.batch_size)):
            executor = self._application.executor(self._next_id, self._pod.pod)
            self._next_id += 1
            try:
                self._api.post(self._path, executor)
            except ApiError as error:
                # 409: another driver of the same name pattern was first; Spark asks again, too.
                if error.status not in (404, 409) and not self._pod.stopped.is_set():
                    raise
