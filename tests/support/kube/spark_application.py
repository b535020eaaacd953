"""Spark applications made from what real Spark sent: fixtures with fresh names, sizes as the test asks."""
import copy
import json
import re
import uuid
from dataclasses import dataclass, field
from typing import Optional

from ..client.api import Api, Json
from ..plane.rig import ROOT

FIXTURES = ROOT / "tests/blackbox/fixtures/spark"
DEFAULT_VERSION = "4.1.4"
_SERVER_SET = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink")


@dataclass
class SparkApplication:
    """A driver pod, its ConfigMaps and the pattern of its executors; and how it went."""

    namespace: str
    application_id: str
    driver: Json
    config_maps: list[Json]
    executor_pattern: Json
    executors: int
    batch_size: int = 10
    batch_seconds: float = 1.0
    work_seconds: float = 0.6
    running_max: int = field(default=0, init=False)
    finished: bool = field(default=False, init=False)

    @property
    def driver_name(self) -> str:
        return self.driver["metadata"]["name"]

    @property
    def driver_path(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods/{self.driver_name}"

    @property
    def properties(self) -> str:
        return self._conf_map()["data"]["spark.properties"]

    def set_conf(self, **values: Optional[str]) -> "SparkApplication":
        """Replaces, adds or (None) removes spark.properties lines; `__` in a name stands for a dot."""
        lines = self.properties.splitlines()
        for name, value in values.items():
            key = name.replace("__", ".")
            lines = [line for line in lines if not line.startswith(f"{key}=")]
            if value is not None:
                lines.append(f"{key}={value}")
        return self.set_properties("\n".join(lines) + "\n")

    def set_properties(self, text: str) -> "SparkApplication":
        """Replaces the whole file."""
        self._conf_map()["data"]["spark.properties"] = text
        return self

    def submit(self, api: Api, with_conf: bool = True) -> Json:
        """POST the driver, then (as Spark does) what it owns; the driver as the server answered."""
        created = api.post(f"/api/v1/namespaces/{self.namespace}/pods", self.driver)
        self.driver["metadata"]["uid"] = created["metadata"]["uid"]
        if with_conf:
            self.submit_conf(api)
        return created

    def submit_conf(self, api: Api) -> None:
        """The ConfigMaps, owned by the driver that exists by now."""
        for each in self.config_maps:
            body = copy.deepcopy(each)
            body["metadata"]["ownerReferences"] = [self._owner(self.driver["metadata"]["uid"])]
            api.post(f"/api/v1/namespaces/{self.namespace}/configmaps", body)

    def executor(self, number: int, driver: Json) -> Json:
        """The pod of executor `number`, owned by the driver as the server knows it."""
        pod = copy.deepcopy(self.executor_pattern)
        prefix = self.driver_name.rsplit("-driver", 1)[0]
        pod["metadata"]["name"] = f"{prefix}-exec-{number}"
        pod["metadata"]["labels"]["spark-exec-id"] = str(number)
        pod["metadata"]["ownerReferences"] = [self._owner(driver["metadata"]["uid"])]
        return pod

    def _owner(self, uid: str) -> Json:
        return {"apiVersion": "v1", "kind": "Pod", "name": self.driver_name, "uid": uid,
                "controller": True}

    def _conf_map(self) -> Json:
        return next(each for each in self.config_maps if "spark.properties" in each["data"])


def captured(case: str, namespace: str, version: str = DEFAULT_VERSION) -> SparkApplication:
    """The captured application `case`, under names that nobody else has."""
    folder = FIXTURES / version / case
    texts = [(folder / f"{name}.json").read_text() for name in ("driver", "configmaps", "executors")]
    driver = json.loads(texts[0])
    old_id = driver["metadata"]["labels"]["spark-app-selector"]
    fresh = uuid.uuid4().hex
    renames = {old_id: f"spark-{fresh}", driver["metadata"]["name"]: f"{case}-{fresh[:12]}-driver",
               driver["metadata"]["namespace"]: namespace}
    renames |= {each["metadata"]["name"]: _fresh_name(each["metadata"]["name"], fresh)
                for each in json.loads(texts[1])}
    pattern = re.compile("|".join(map(re.escape, sorted(renames, key=len, reverse=True))))
    driver, config_maps, executors = (
        json.loads(pattern.sub(lambda found: renames[found[0]], text)) for text in texts)
    return SparkApplication(
        namespace=namespace, application_id=f"spark-{fresh}", driver=_as_sent(driver),
        config_maps=[_as_sent(each) for each in config_maps],
        executor_pattern=_as_sent(executors[0]), executors=len(executors),
        batch_size=10 if version.startswith("4") else 5)


@dataclass(frozen=True)
class Size:
    """What one executor asks: cores, and MiB of heap (Spark adds its overhead)."""

    executors: int
    cores: int = 1
    heap_mib: int = 1024

    @property
    def memory_mib(self) -> int:
        return self.heap_mib + max(384, self.heap_mib // 10)


def sized(size: Size, namespace: str) -> SparkApplication:
    """A JVM application (driver: 1 cpu, 1408Mi) of the given size."""
    application = captured("jvm-default", namespace)
    application.set_conf(spark__executor__instances=str(size.executors),
                         spark__executor__cores=str(size.cores),
                         spark__executor__memory=f"{size.heap_mib}m")
    application.executors = size.executors
    memory = f"{size.memory_mib}Mi"
    application.executor_pattern["spec"]["containers"][0]["resources"] = {
        "requests": {"cpu": str(size.cores), "memory": memory}, "limits": {"memory": memory}}
    return application


def _fresh_name(name: str, fresh: str) -> str:
    """A ConfigMap's name with other digits: spark-drv-<digits>-conf-map, <prefix>-podspec-conf-map."""
    return re.sub(r"-[0-9a-f]{12,}-", f"-{fresh[:16]}-", name)


def _as_sent(captured_object: Json) -> Json:
    """Without what the API server, the scheduler and the kubelet added."""
    result = copy.deepcopy(captured_object)
    for key in _SERVER_SET:
        result["metadata"].pop(key, None)
    result.pop("status", None)
    if "spec" in result:
        result["spec"].pop("nodeName", None)
    return result
