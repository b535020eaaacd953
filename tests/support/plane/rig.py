"""The two rigs of the black-box tests behind one interface: an API server to schedule for."""
import itertools
import os
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Optional, Sequence

from ..client.api import Api
from .fault_proxy import FaultProxy
from ..process.polling import eventually
from ..process.processes import Daemon, Process, scratch_folder

ROOT = Path(__file__).resolve().parents[3]
SCHEDULER_NAME = "gang-scheduler"
_log_numbers = itertools.count()  # two schedulers never share a log: ports are read from it


def binary() -> Path:
    """The program under test."""
    return Path(os.environ.get("GANG_SCHEDULER_BINARY", ROOT / "build/release/gang-scheduler"))


class Scheduler(Daemon):
    """One `gang-scheduler run`."""


class Rig(ABC):
    """A running API server: `kubeconfig` (full rights), `api`, and the program under test on it."""

    name: str
    kubeconfig: Path
    api: Api
    has_controllers = False  # a kube-controller-manager looks after nodes, garbage and namespaces

    def __init__(self, name: str) -> None:
        self.name = name
        self.folder = scratch_folder(name)
        self.schedulers: list[Scheduler] = []
        self.proxies: list[FaultProxy] = []

    def start_scheduler(self, arguments: Sequence[str] = ("--leader-elect=false",),
                        kubeconfig: Optional[Path] = None, log: Optional[Path] = None) -> Scheduler:
        """`gang-scheduler run` on this rig; more arguments as given. Ended by stop_schedulers()."""
        command = [str(binary()), "run", "--kubeconfig", str(kubeconfig or self.kubeconfig),
                   "--control", "none", "--server", "none", *self._configuration(), *arguments]
        scheduler = Scheduler(command, log or self.folder / f"scheduler-{next(_log_numbers)}.log")
        self.schedulers.append(scheduler)
        return scheduler

    def _configuration(self) -> list[str]:
        """Flags that every scheduler of this rig gets."""
        return []

    def stop_schedulers(self) -> None:
        for scheduler in self.schedulers:
            scheduler.stop()
        self.schedulers.clear()

    def start_proxy(self) -> FaultProxy:
        """A fault proxy in front of the API server; it ends with the rig, or by stop_proxies()."""
        proxy = self._make_proxy()
        self.proxies.append(proxy)
        return proxy

    def stop_proxies(self) -> None:
        for proxy in self.proxies:
            proxy.stop()
        self.proxies.clear()

    def cli(self, *arguments: str, timeout: float = 20.0) -> "subprocess.CompletedProcess[str]":
        """Another verb of the program, with this rig's kubeconfig."""
        return subprocess.run([str(binary()), *arguments, "--kubeconfig", str(self.kubeconfig)],
                              capture_output=True, text=True, timeout=timeout)

    @abstractmethod
    def proxied_kubeconfig(self, proxy: FaultProxy) -> Path:
        """Full rights, through that proxy."""

    @abstractmethod
    def _make_proxy(self) -> FaultProxy: ...

    @abstractmethod
    def is_running(self) -> bool:
        """Whether the API server is alive."""

    @abstractmethod
    def stop(self) -> None:
        """Ends every process of the rig."""


class EmbeddedRig(Rig):
    """The API server inside the program under test, without nodes: the test's kubelet brings them.

    `server` is its process.
    """

    def __init__(self) -> None:
        super().__init__("embedded")
        self.kubeconfig = self.folder / "kubeconfig"
        self.server = Process([str(binary()), "cluster", "--listen", "127.0.0.1:0",
                                "--kubeconfig-out", str(self.kubeconfig), "--kubelet", "none"],
                               self.folder / "cluster.log")
        eventually(self._has_answered, 10, f"the embedded cluster; see {self.server.log}", 0.02)
        self.api = Api(self.kubeconfig)

    def is_running(self) -> bool:
        return self.server.is_running()

    def stop(self) -> None:
        self.stop_schedulers()
        self.stop_proxies()
        self.server.stop()

    def proxied_kubeconfig(self, proxy: FaultProxy) -> Path:
        path = self.folder / f"proxy-{proxy.port}.kubeconfig"
        path.write_text(self.kubeconfig.read_text().replace(self.api.server, proxy.url))
        return path

    def _make_proxy(self) -> FaultProxy:
        return FaultProxy(self.folder, self.api.server)

    def terminate(self) -> int:
        """SIGTERM to the API server; the exit code."""
        self.server.signal(15)
        return self.server.wait(10)

    def _has_answered(self) -> bool:
        assert self.server.is_running(), f"the embedded cluster ended: {self.server.output()}"
        return self.kubeconfig.exists()
