"""The schedulers that are compared, each as a process whose use of the machine is read from /proc."""
import time
from abc import ABC, abstractmethod
from typing import Optional, Sequence

from support.plane.controllers import KubeScheduler
from support.client.json_type import Json
from support.process.polling import eventually
from support.process.ports import free_ports
from support.process.processes import Process
from support.process.programs import programs
from support.plane.rig import binary

import requests
import yaml

from . import lease, objects
from .lease import Lease
from .load import Step
from .planes import GANG_GATES, BenchPlane
from .process import Usage, usage

EXECUTORS = 10
READY_SECONDS_MAX = 60
LIFTED = 10000  # requests a second: no limit in practice


class Contender(ABC):
    """One scheduler. start() to stop() is one run; it starts anew in each."""

    name: str
    scheduler_name: str

    def __init__(self) -> None:
        self.process: Optional[Process] = None

    @abstractmethod
    def start(self, plane: BenchPlane, election: Optional[Lease] = None) -> None:
        """With an election it stands by until it gets that Lease; without, it leads at once."""

    @abstractmethod
    def wait_ready(self) -> None:
        """Until it says that it is ready; raises when it never is."""

    def usage(self) -> Usage:
        return usage(self.process.pid)

    def stop(self) -> None:
        if self.process is not None:
            assert self.process.is_running(), f"{self.name} ended early: {self.process.output()[-2000:]}"
            self.process.kill()
            self.process = None

    def gang(self, name: str, slim: bool = False) -> tuple[list[Json], list[Step]]:
        """One driver and its EXECUTORS executors, driver first, and what must exist beside them."""
        raise NotImplementedError

    def gang_steps(self, namespace: str, name: str, slim: bool = False) -> list[Step]:
        pods, others = self.gang(name, slim)
        return [*(step._replace(path=step.path.replace("{namespace}", namespace)) for step in others),
                *objects.create(namespace, pods)]


class Ours(Contender):
    """gang-scheduler as it comes, with its health and metrics served."""

    name = "gang-scheduler"
    scheduler_name = objects.OURS

    def start(self, plane: BenchPlane, election: Optional[Lease] = None) -> None:
        port, = free_ports(1)
        self._url = f"http://127.0.0.1:{port}"
        config = plane.rig.folder / f"{self.name}.yaml"
        key = plane.rig.folder / "seal.key"
        key.write_text("ab" * 32 + "\n")
        config.write_text(yaml.safe_dump({"seal": {"keyFile": str(key)}, "leaderElection": {
            "enabled": election is not None, "leaseName": lease.NAME, "leaseNamespace": lease.NAMESPACE}}))
        self.process = Process(
            [str(binary()), "run", "--kubeconfig", str(plane.kubeconfig), "--config", str(config),
             "--control", "none", "--server", f"127.0.0.1:{port}"],
            plane.rig.folder / f"{self.name}-{time.monotonic_ns()}.log")

    def wait_ready(self, interval: float = 0.02, timeout: float = READY_SECONDS_MAX) -> None:
        eventually(self._is_ready, timeout, f"{self.name} to be ready", interval)

    def gang(self, name: str, slim: bool = False) -> tuple[list[Json], list[Step]]:
        shared = {"gang-scheduler/application": name}
        said = {"gang-scheduler/executors": str(EXECUTORS), "gang-scheduler/executor-cpu": "1",
                "gang-scheduler/executor-memory": "1408Mi"}
        driver = objects.pod(f"{name}-driver", self.scheduler_name, shared, said, slim=slim)
        executors = [objects.pod(f"{name}-exec-{number}", self.scheduler_name,
                                 {**shared, "gang-scheduler/role": "executor"}, slim=slim)
                     for number in range(1, EXECUTORS + 1)]
        return [driver, *executors], []

    def metric(self, name: str) -> float:
        """Of a metric without labels."""
        for line in requests.get(f"{self._url}/metrics", timeout=10, proxies={"http": ""}).text.splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        raise KeyError(name)

    def _is_ready(self) -> bool:
        assert self.process.is_running(), f"{self.name} ended early: {self.process.output()[-2000:]}"
        try:
            return requests.get(f"{self._url}/readyz", timeout=10, proxies={"http": ""}).ok
        except requests.RequestException:
            return False


class Default(Contender):
    """kube-scheduler with its client's limits lifted; `stock`: with those that it comes with."""

    name = "kube-scheduler"
    scheduler_name = objects.DEFAULT
    gates: Sequence[str] = ()

    def __init__(self, stock: bool = False) -> None:
        super().__init__()
        self._limits = () if stock else ("--kube-api-qps", str(LIFTED), "--kube-api-burst", str(LIFTED))
        if stock:
            self.name += ", stock"

    def start(self, plane: BenchPlane, election: Optional[Lease] = None) -> None:
        stands_by = [] if election is None else [
            "--leader-elect=true", "--leader-elect-resource-name", lease.NAME,
            "--leader-elect-resource-namespace", lease.NAMESPACE, "--leader-elect-retry-period", "100ms"]
        self._component = KubeScheduler(programs("controllers") / "kube-scheduler", plane.rig.folder,
                                        plane.kubeconfig, *self._limits, *self.gates, *stands_by)
        self.process = self._component.process

    def wait_ready(self) -> None:
        self._component.wait_ready()

    def gang(self, name: str, slim: bool = False) -> tuple[list[Json], list[Step]]:
        return [objects.pod(f"{name}-{number}", self.scheduler_name, slim=slim)
                for number in range(EXECUTORS + 1)], []


class DefaultGangs(Default):
    """kube-scheduler with its own gangs: a PodGroup for each."""

    name = "kube-scheduler, own gangs"
    gates = ("--feature-gates", GANG_GATES)

    def gang(self, name: str, slim: bool = False) -> tuple[list[Json], list[Step]]:
        pods = [objects.pod(f"{name}-{number}", self.scheduler_name, group=name, slim=slim)
                for number in range(EXECUTORS + 1)]
        return pods, [objects.pod_group("{namespace}", name, EXECUTORS + 1)]
