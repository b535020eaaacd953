"""How long people wait for an answer: the program's verbs on a laptop, which ask through an API server's service proxy.

The scheduler serves the full embedded plane. The API server between is a real one, on a plane of its own: only that
has the proxy, and it could not hold as many pods in the time of a bench.
"""
import subprocess
import time
from typing import Sequence

import yaml

from support.client.api import ApiError
from support.plane.chart import NAMESPACE
from support.plane.exposed import PORT, SERVICE, Exposed, own_address
from support.plane.real_plane import RealPlane
from support.plane.rig import binary
from support.process.polling import eventually
from support.process.ports import free_ports
from support.process.processes import Process

from .planes import BenchPlane

READY_SECONDS_MAX = 120


class Asked:
    """A scheduler that leads a plane, and is asked through the proxy of another one."""

    def __init__(self, plane: BenchPlane, gangs: int) -> None:
        """`gangs`: so many run there, and are known before anything is asked."""
        self._real = RealPlane(audit=False)
        try:
            self._real.api.post("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        except ApiError as error:
            assert error.status == 409, error
        address, port = own_address(), free_ports(1)[0]
        config = plane.rig.folder / "asked.yaml"
        config.write_text(yaml.safe_dump({"leaderElection": {"enabled": False},
                                          "api": {"enabled": True, "listen": f"{address}:{port}"}}))
        self._process = Process([str(binary()), "run", "--kubeconfig", str(plane.kubeconfig), "--config", str(config),
                                 "--control", "none", "--server", "none"], plane.rig.folder / "asked.log")
        self._exposed = Exposed(self._real, address, [port])
        eventually(lambda: self._exposed.get("api/v1/summary"), READY_SECONDS_MAX, "an answer through the proxy")
        eventually(lambda: len(self._ask(["gangs", "-A", "-o", "name"]).splitlines()) == gangs, READY_SECONDS_MAX,
                   f"{gangs} gangs")

    def _ask(self, verb: Sequence[str]) -> str:
        done = subprocess.run([str(binary()), *verb, "--control", "none", "--kubeconfig", str(self._real.kubeconfig),
                               "--service", f"{NAMESPACE}/{SERVICE}:{PORT}"], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and done.stdout, done.stderr
        return done.stdout

    def seconds(self, verb: Sequence[str]) -> float:
        """From the start of the program to its end."""
        began = time.monotonic()
        self._ask(verb)
        return time.monotonic() - began

    def stop(self) -> None:
        self._process.kill()
        self._exposed.remove()
        self._real.stop()
