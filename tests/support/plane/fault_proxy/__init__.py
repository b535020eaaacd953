"""A proxy between a client and an API server that breaks what it is told to break.

It ends TLS with a certificate of the rig's own authority, so it sees requests and answers and a fault can
name them: `proxy.add(Fault("reset", method="POST", path="/binding$", applied=True, count=1))` lets one bind
reach the server and loses its answer. Clients authenticate through it by token (RealPlane.token_kubeconfig).
It is a process of its own, told by JSON lines over a Unix socket, so the tests' threads do not slow it.
"""
import json
import socket
import sys
import threading
from pathlib import Path
from typing import Any, Optional

from ..certificates import KeyPair
from ...process.polling import eventually
from ...process.ports import free_ports
from ...process.processes import Process
from .fault import Fault

__all__ = ["ActiveFault", "Fault", "FaultProxy"]

_TESTS = Path(__file__).resolve().parents[3]


class ActiveFault:
    """A fault in force at a proxy."""

    def __init__(self, proxy: "FaultProxy", number: int) -> None:
        self._proxy = proxy
        self._number = number

    def fired(self) -> int:
        """How many exchanges it has struck."""
        return self._state()["fired"]

    def waiting(self) -> int:
        """How many exchanges it holds up at this moment."""
        return self._state()["waiting"]

    def release(self) -> None:
        """Strikes nobody any more; whom it holds up may go on."""
        self._proxy.ask(do="release", id=self._number)

    def wait_fired(self, times: int = 1, timeout: float = 10.0) -> None:
        eventually(lambda: self.fired() >= times, timeout, f"fault {self._number} to strike", 0.01)

    def wait_waiting(self, count: int = 1, timeout: float = 10.0) -> None:
        eventually(lambda: self.waiting() >= count, timeout, f"fault {self._number} to hold up", 0.01)

    def _state(self) -> dict[str, int]:
        return self._proxy.ask(do="state", id=self._number)


class FaultProxy:
    """A running proxy at `url`. Without a certificate it listens without TLS."""

    def __init__(self, folder: Path, upstream: str, ca: Optional[Path] = None,
                 certificate: Optional[KeyPair] = None, client: Optional[KeyPair] = None,
                 is_bytes: bool = False) -> None:
        self.port, = free_ports(1)
        self.url = f"{'https' if certificate else 'http'}://127.0.0.1:{self.port}"
        control = folder / f"proxy-{self.port}.sock"
        command = [sys.executable, "-m", "support.plane.fault_proxy", "--port", str(self.port),
                   "--upstream", upstream, "--control", str(control)]
        if ca is not None:
            command += ["--ca", str(ca)]
        if certificate is not None:
            command += ["--certificate", str(certificate.certificate), "--key", str(certificate.key)]
        if client is not None:
            command += ["--client-certificate", str(client.certificate), "--client-key", str(client.key)]
        if is_bytes:
            command.append("--bytes")
        self.process = Process(command, folder / f"proxy-{self.port}.log", cwd=_TESTS)
        self._control = socket.socket(socket.AF_UNIX)
        self._lock = threading.Lock()
        eventually(lambda: self._connects(control), 15, f"the proxy; see {self.process.log}", 0.02)
        self._answers = self._control.makefile("r")

    def add(self, fault: Fault) -> ActiveFault:
        """From now on; see Fault. Faults strike in the order in which they were added."""
        return ActiveFault(self, self.ask(do="add", fault=fault.to_json()))

    def clear(self) -> None:
        """Releases all faults and accepts connections again."""
        self.ask(do="clear")
        self.accept()

    def drop(self) -> None:
        """Every open connection is reset, the idle ones too."""
        self.ask(do="drop")

    def refuse(self) -> None:
        """New connections are refused; those that are open stay, see drop()."""
        self.ask(do="refuse")

    def accept(self) -> None:
        self.ask(do="accept")

    def requests(self, method: str = "", path: str = "") -> list[dict[str, Any]]:
        """What has passed, finished exchanges first: time, method, target, status (0: no answer), faults."""
        return self.ask(do="requests", method=method, path=path)

    def stop(self) -> None:
        self._control.close()
        self.process.kill()

    def ask(self, **command: Any) -> Any:
        with self._lock:
            self._control.sendall(json.dumps(command).encode() + b"\n")
            line = self._answers.readline()
        assert line, f"the proxy ended: {self.process.output()}"
        answer = json.loads(line)
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer["answer"]

    def _connects(self, control: Path) -> bool:
        assert self.process.is_running(), f"the proxy ended: {self.process.output()}"
        try:
            self._control.connect(str(control))
            return True
        except (FileNotFoundError, ConnectionRefusedError):
            return False
