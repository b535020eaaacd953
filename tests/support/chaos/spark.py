"""Applications as the chaos knows them, and the thread that acts for their drivers.

It looks at the history alone and lists nothing, so that many applications cost little.
"""
import copy
import threading
from dataclasses import dataclass, field
from random import Random
from typing import Optional, Sequence

import requests

from ..client.api import Api, ApiError, Json
from ..kube.history import History
from ..kube.pods import is_finished, is_terminating, node_of
from ..kube.spark_application import Size, SparkApplication, sized

TICK_SECONDS = 0.15
CPU_MILLI = 1000  # of a driver; an executor has `cores` times that
HAND_MEMORY = "1Gi"
GATE = "tests/gate"


@dataclass
class Application:
    """A driver and how many executors it declared. `made` are the paths of those that were asked for."""

    number: int
    kind: str  # see KINDS
    namespace: str
    driver: Json
    executors: int
    cores: int
    spark: Optional[SparkApplication] = None
    asked: int = 0  # so many executors are wanted by now
    uid: str = ""
    made: list[str] = field(default_factory=list)
    ended: bool = False  # by somebody who may
    conf_gone: bool = False
    reservation_touched: bool = False  # or its seal, by a tenant
    relabelled: bool = False  # its driver, at any time

    @property
    def name(self) -> str:
        return self.driver["metadata"]["name"]

    @property
    def path(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods/{self.name}"

    @property
    def is_by_owner(self) -> bool:
        """Its executors are those that it owns."""
        return self.kind == "spark"

    @property
    def trusts_labels(self) -> bool:
        """Made by hand: its executors are whoever bears the application's name in its namespace."""
        return self.spark is None

    @property
    def has_harmed_itself(self) -> bool:
        """Its tenants took away the reservation and what it could be mended from, or the name that executors which
        it does not own know it by."""
        if self.relabelled and not self.is_by_owner:
            return True
        return self.reservation_touched and (self.relabelled or self.conf_gone)

    @property
    def identity(self) -> str:
        return self.driver["metadata"]["labels"]["spark-app-selector"]

    def executor(self, number: int) -> Json:
        if self.spark is not None:
            pod = self.spark.executor(number, {"metadata": {"uid": self.uid}})
        else:
            pod = hand_pod(f"{self.name.removesuffix('-driver')}-exec-{number}", self.cores,
                           {"spark-role": "executor", "spark-app-selector": self.identity})
        if self.kind in SET_NAMES:
            pod["metadata"]["ownerReferences"] = [{
                "apiVersion": "apps/v1", "kind": "StatefulSet", "name": SET_NAMES[self.kind].format(self.identity),
                "uid": f"00000000-0000-4000-8000-{self.number:012}", "controller": True}]
        return pod


KINDS = {"spark": 3,         # a conf says how many; the driver owns its executors
         "spark-set": 1,     # a conf says how many; they belong to a StatefulSet, as Spark's allocator makes it
         "labels": 1, "annotations": 1,  # by hand; executors belong to nobody
         "set": 1}           # by hand; executors belong to somebody's StatefulSet
SET_NAMES = {"spark-set": "spark-s-{}-0", "set": "set-of-{}"}


def make_application(number: int, namespace: str, random: Random, prefix: str,
                     sizes: Sequence[int]) -> Application:
    """Of any kind; its executors have as many cores as one of `sizes` says. Its driver is not yet there."""
    kind = random.choices(list(KINDS), list(KINDS.values()))[0]
    executors = random.choice((2, 3, 3, 4, 5))
    cores = random.choice(sizes)
    spark = None
    if kind.startswith("spark"):
        spark = sized(Size(executors, cores), namespace)
        if kind == "spark-set":
            spark.set_conf(spark__kubernetes__allocation__pods__allocator="statefulset")
        driver = spark.driver
    else:
        identity = f"hand-{prefix}-{number}"
        driver = hand_pod(f"{identity}-driver", 1, {"spark-role": "driver", "spark-app-selector": identity})
        if kind == "annotations":
            driver["metadata"]["annotations"] = {
                "gang-scheduler/executors": str(executors), "gang-scheduler/executor-cpu": str(cores),
                "gang-scheduler/executor-memory": HAND_MEMORY}
        else:
            driver["metadata"]["labels"] |= {"executors": str(executors), "exec-cpu": str(cores), "exec-mem": "1"}
    if random.random() < 0.07:
        driver["spec"]["schedulingGates"] = [{"name": GATE}]
    made = Application(number, kind, namespace, driver, executors, cores, spark)
    made.asked = random.choice((0, executors // 2, executors, executors))
    return made


def hand_pod(name: str, cores: int, labels: dict[str, str]) -> Json:
    """A pod of ours that nobody's spark-submit made."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels, "annotations": {}},
            "spec": {"schedulerName": "gang-scheduler", "restartPolicy": "Never", "containers": [{
                "name": "main", "image": "none",
                "resources": {"requests": {"cpu": str(cores), "memory": HAND_MEMORY}}}]}}


class Drivers:
    """Acts for all drivers that run: makes as many executors as are asked for, and replaces lost ones."""

    def __init__(self, api: Api, history: History, random: Random) -> None:
        self.applications: list[Application] = []
        self.problem = ""
        self._api = api
        self._history = history
        self._random = random
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="drivers")
        self._thread.start()

    def submit(self, application: Application) -> None:
        if application.spark is not None:
            made = application.spark.submit(self._api)
        else:
            made = self._api.post(application.path.rsplit("/", 1)[0], copy.deepcopy(application.driver))
        application.uid = made["metadata"]["uid"]
        self.applications.append(application)

    def stop(self) -> None:
        self._closing.set()
        self._thread.join(30)
        assert not self.problem, self.problem

    def is_live(self, application: Application) -> bool:
        pod = self._history.pod(application.path)
        return (pod is not None and not application.ended and not is_finished(pod) and not is_terminating(pod))

    def is_running(self, application: Application) -> bool:
        """Its driver has a node and lives."""
        pod = self._history.pod(application.path)
        return self.is_live(application) and pod is not None and bool(node_of(pod))

    def living(self, application: Application) -> list[Json]:
        """Its executors that are there, bound or not."""
        found = [self._history.pod(path) for path in application.made]
        return [pod for pod in found if pod is not None and not is_finished(pod)]

    def _run(self) -> None:
        try:
            while not self._closing.wait(TICK_SECONDS):
                for application in list(self.applications):
                    if self._acts(application):
                        self._ask_for_more(application)
        except requests.RequestException:
            if not self._closing.is_set():
                self.problem = "the drivers' API server is gone"
        except Exception as error:  # pylint: disable=broad-except
            self.problem = repr(error)

    def _acts(self, application: Application) -> bool:
        pod = self._history.pod(application.path)
        return self.is_running(application) and (pod or {}).get("status", {}).get("phase") == "Running"

    def _ask_for_more(self, application: Application) -> None:
        unseen = [path for path in application.made if not self._history.states(path)]
        here = [pod for pod in self.living(application) if not is_terminating(pod)]
        missing = application.asked - len(here) - len(unseen)
        for _ in range(min(missing, self._random.choice((1, 2, 5)))):
            pod = application.executor(len(application.made) + 1)
            path = f"/api/v1/namespaces/{application.namespace}/pods"
            application.made.append(f"{path}/{pod['metadata']['name']}")
            try:
                self._api.post(path, pod)
            except ApiError as error:  # the namespace is going, or the name was taken by a tenant
                if error.status not in (403, 404, 409):
                    raise
                application.made.pop()
                return
