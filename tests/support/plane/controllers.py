"""kube-controller-manager and kube-scheduler beside a real API server."""
from pathlib import Path

import requests

from .api_server import Keys
from ..process.polling import eventually
from ..process.ports import free_ports
from ..process.processes import Daemon

READY_SECONDS_MAX = 60


class Component(Daemon):
    """What both are: a daemon with a kubeconfig, without leader election unless `more` says so, that says when it is well."""

    _health = "healthz"

    def __init__(self, program: Path, folder: Path, kubeconfig: Path, *more: str) -> None:
        port, = free_ports(1)
        self._url = f"https://127.0.0.1:{port}"
        super().__init__([
            str(program), "--kubeconfig", str(kubeconfig), "--leader-elect=false",
            "--authentication-kubeconfig", str(kubeconfig),
            "--authorization-kubeconfig", str(kubeconfig),
            "--bind-address", "127.0.0.1", "--secure-port", str(port),
            "--cert-dir", str(folder / f"{program.name}-certificates"), *more,
        ], folder / f"{program.name}.log")

    def wait_ready(self) -> None:
        eventually(self._is_ready, READY_SECONDS_MAX, f"the component; see {self.log}", 0.1)

    def _is_ready(self) -> bool:
        assert self.is_running(), f"ended early: {self.output()}"
        try:  # its certificate is one that it made for itself
            requests.packages.urllib3.disable_warnings()  # type: ignore[attr-defined]
            return requests.get(f"{self._url}/{self._health}", timeout=10, verify=False,
                                proxies={"https": ""}).ok
        except requests.RequestException:
            return False


class ControllerManager(Component):
    """All controllers that are on by default: nodes, garbage, namespaces, accounts, workloads, disruption budgets.

    A node that nobody renews the lease of is unreachable after `node_grace_seconds`.
    """

    def __init__(self, program: Path, folder: Path, kubeconfig: Path, keys: Keys,
                 node_grace_seconds: int) -> None:
        super().__init__(program, folder, kubeconfig,
                         "--service-account-private-key-file", str(keys.service_account),
                         "--root-ca-file", str(keys.authority.ca.certificate),
                         "--node-monitor-grace-period", f"{node_grace_seconds}s",
                         "--node-monitor-period", f"{max(1, node_grace_seconds // 8)}s")


class KubeScheduler(Component):
    """The default scheduler, for pods that name no other. Ready: it has read everything, whether or not it leads."""

    _health = "readyz"
