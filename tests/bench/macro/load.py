"""gang-load (tests/bench/load) as the benches use it: requests over keep-alive connections, pods seen by a watch."""
import json
import os
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, NamedTuple, Optional

from support.client.json_type import Json
from support.process.processes import dying_with_parent

ROOT = Path(__file__).resolve().parents[3]
CONNECTIONS = 16


class Step(NamedTuple):
    """One request. `when`: empty (in order, at once), `@N` (N microseconds after the start), or a pod's
    name (when that is seen bound)."""

    method: str
    path: str
    body: Json
    when: str = ""

    def line(self) -> str:
        body = json.dumps(self.body, separators=(",", ":")) if self.body else ""
        return f"{self.when}\t{self.method}\t{self.path}\t{body}\n"


class SeenPod(NamedTuple):
    seen: float   # seconds of time.monotonic()
    bound: float  # 0: never
    node: str


@dataclass(frozen=True)
class Outcome:
    """What one run of gang-load found."""

    raw: Json

    @property
    def pods(self) -> dict[str, SeenPod]:
        return {name: SeenPod(seen / 1e6, bound / 1e6, node)
                for name, seen, bound, node in self.raw.get("pods", [])}

    @property
    def bound(self) -> int:
        return self.raw["bound"]

    @property
    def binds_per_second(self) -> float:
        """From the first pod seen bound to the last; the first is the clock's start and does not count."""
        return (self.bound - 1) / ((self.raw["last_bound_us"] - self.raw["first_bound_us"]) / 1e6)

    @property
    def requests_per_second(self) -> float:
        return self.raw["requests"] / ((self.raw["last_us"] - self.raw["first_us"]) / 1e6)

    def check(self) -> "Outcome":
        """Raises when an answer was not 2xx."""
        assert not self.raw["refusal"], self.raw["refusal"]
        return self


def program() -> Path:
    return Path(os.environ.get("GANG_BENCH_PROGRAMS", ROOT / "build/bench")) / "gang-load"


class Load:
    """A gang-load that runs. With a watch it returns from the constructor when that is open."""

    def __init__(self, kubeconfig: Path, steps: Iterable[Step] = (), watch: str = "",
                 until_bound: int = 0, connections: int = CONNECTIONS, idle_watches: int = 0,
                 timeout: int = 180) -> None:
        command = [str(program()), "--kubeconfig", str(kubeconfig), "--connections", str(connections),
                   "--timeout", str(timeout)]
        if watch:
            command += ["--watch", watch, "--until-bound", str(until_bound), "--pods",
                        "--idle-watches", str(idle_watches)]
        self._child = subprocess.Popen(dying_with_parent(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
        script = "".join(step.line() for step in steps)
        self._writer = threading.Thread(target=self._write, args=(script,), daemon=True)
        self._writer.start()
        if watch:
            said = self._child.stdout.readline()
            if said.strip() != "watching":
                raise RuntimeError(f"gang-load: {self._child.stderr.read()}")

    def wait(self) -> Outcome:
        said = self._child.stdout.read()
        trouble = self._child.stderr.read()
        if self._child.wait() != 0:
            raise RuntimeError(trouble)
        return Outcome(json.loads(said))

    def kill(self) -> None:
        self._child.kill()
        self._child.wait()

    def _write(self, script: str) -> None:
        try:
            self._child.stdin.write(script)
            self._child.stdin.close()
        except BrokenPipeError:
            pass  # it has ended and says why by itself


def send(kubeconfig: Path, steps: Iterable[Step], connections: int = CONNECTIONS,
         timeout: int = 300) -> Outcome:
    """Sends all of it; raises when an answer was not 2xx."""
    return Load(kubeconfig, steps, connections=connections, timeout=timeout).wait().check()


def read_list(kubeconfig: Path, path: str, page: int = 500, timeout: Optional[float] = 300) -> Json:
    """Reads a list as bytes and throws it away: {bytes, pages, seconds}."""
    done = subprocess.run([str(program()), "--kubeconfig", str(kubeconfig), "--list", path,
                           "--page", str(page)], capture_output=True, text=True, timeout=timeout)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)
