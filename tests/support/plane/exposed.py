"""Schedulers behind a Service, asked through the API server's proxy, as in a cluster."""
import socket
from typing import Optional, Sequence

import requests

from ..client.api import ApiError
from .chart import NAMESPACE
from .endpoints import write_endpoints
from .rig import Rig

SERVICE, PORT = "gangs-page", "api"


class Exposed:
    """A Service in front of schedulers that are no pods: the API server asks only addresses of pods, so one pretends."""

    def __init__(self, rig: Rig, address: str, ports: Sequence[int]) -> None:
        self._rig = rig
        base = f"/api/v1/namespaces/{NAMESPACE}"
        named = {"metadata": {"name": SERVICE}}
        rig.api.post(f"{base}/pods", {**named, "spec": {"schedulerName": "nobody", "containers": [
            {"name": "c", "image": "none"}]}})
        rig.api.patch(f"{base}/pods/{SERVICE}/status", {"status": {"podIP": address, "podIPs": [{"ip": address}]}})
        rig.api.post(f"{base}/services", {**named, "spec": {"ports": [{"name": PORT, "port": 10353, "protocol": "TCP"}]}})
        self._paths = [*(f"{base}/{kind}/{SERVICE}" for kind in ("services", "pods")),
                       *write_endpoints(rig.api, NAMESPACE, SERVICE, SERVICE, address, PORT, ports)]
        self.path = f"{base}/services/http:{SERVICE}:{PORT}/proxy/"

    def get(self, path: str) -> Optional[requests.Response]:
        """Nothing while the API server has not seen the endpoints yet, or a standby has answered."""
        try:
            return self._rig.api.request("GET", self.path + path)
        except ApiError as error:
            assert error.status == 503, error
            return None

    def remove(self) -> None:
        for path in self._paths:
            self._rig.api.delete(path, grace_seconds=0)


def own_address() -> str:
    """Of this machine, not loopback: to that the API server hands on nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing
        return str(probe.getsockname()[0])
