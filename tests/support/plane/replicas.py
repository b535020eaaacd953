"""Two schedulers with leader election, kept running as a Deployment keeps them, and their Lease."""
import json
import random
import subprocess
import threading
import time
from pathlib import Path
from typing import Optional, Sequence

from ..client.api import Api, Json
from ..process.polling import eventually
from ..process.processes import Daemon
from .rig import ROOT, Rig, binary

LEASE_SECONDS = 2.0
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/gang-scheduler"
RESTART_SECONDS = 0.3
CONFIG = """
leaderElection:
  leaseNamespace: kube-system
  leaseDuration: 2s
  renewDeadline: 1s
  retryPeriod: 300ms
control:
  listen: none
server:
  listen: none
"""


class Replica(Daemon):
    """One process after another of the same replica."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        super().__init__(command, log)
        self.starts = 1

    def lines(self, message: str) -> list[Json]:
        """What it has logged under this message, over all its lives."""
        found = []
        for line in self.log.read_text(errors="replace").splitlines():
            if line.startswith("{") and f'"msg":"{message}"' in line:
                found.append(json.loads(line))
        return found

    def is_called(self, identity: str) -> bool:
        return any(line["identity"] == identity for line in self.lines("starting"))


class Replicas:
    """`count` replicas. One that ends is started again by a thread, unless it is held down.

    `more_config` is added to their configuration file, as text.
    """

    def __init__(self, rig: Rig, kubeconfigs: Optional[Sequence[Path]] = None, count: int = 2,
                 clock_rates: Sequence[float] = (1, 1), more_config: str = "") -> None:
        self.api: Api = rig.api
        self.api.delete(LEASE)
        config = rig.folder / "replicas.yaml"
        config.write_text(CONFIG + more_config)
        self.members: list[Replica] = []
        self._rates = clock_rates
        self._closing = threading.Event()
        self._started = threading.Event()
        self._is_held_down = False
        self._restarting = threading.Lock()
        self._commands = []
        for number in range(count):
            kubeconfig = kubeconfigs[number] if kubeconfigs else rig.kubeconfig
            command = [str(binary()), "run", "--kubeconfig", str(kubeconfig), "--config", str(config)]
            if clock_rates[number] != 1:
                command = ["env", f"LD_PRELOAD={clock_library(rig.folder)}",
                           f"CLOCK_RATE={clock_rates[number]}", *command]
            log = rig.folder / f"replica-{number}-{time.time():.0f}-{random.getrandbits(32):x}.log"
            self._commands.append((command, log))
        # The thread that starts a process must live as long as it (see Process).
        self._keeper = threading.Thread(target=self._keep, daemon=True, name="replicas")
        self._keeper.start()
        assert self._started.wait(30)

    def holder(self) -> str:
        """Who holds the Lease, empty if nobody."""
        lease = self.api.find(LEASE)
        return (lease["spec"].get("holderIdentity") or "") if lease else ""

    def leader(self) -> Optional[Replica]:
        """The running replica that holds the Lease."""
        holder = self.holder()
        return next((each for each in self.members if holder and each.is_running()
                     and each.is_called(holder)), None)

    def wait_leader(self, timeout: float = 15.0) -> Replica:
        leader = eventually(self.leader, timeout, "a replica to lead", 0.02)
        assert leader is not None
        return leader

    def wait_standby(self, timeout: float = 15.0) -> None:
        """Until every replica that does not lead has seen who does."""
        def all_know() -> bool:
            holder = self.holder()
            return bool(holder) and all(
                each.is_called(holder) or (each.is_running() and any(
                    line.get("holder") == holder for line in self._standing_by(each)))
                for each in self.members)
        eventually(all_know, timeout, lambda: f"a standby: {[each.output()[-800:] for each in self.members]}",
                   0.05)

    def hold_down(self) -> None:
        """Whoever ends from now on stays ended, until let_up()."""
        with self._restarting:
            self._is_held_down = True

    def let_up(self) -> None:
        self._is_held_down = False

    def stop(self) -> None:
        self._closing.set()
        self._keeper.join(30)

    def _standing_by(self, replica: Replica) -> list[Json]:
        text = replica.log.read_text(errors="replace")
        current = text[text.rfind('"msg":"starting"'):]
        return [json.loads(line) for line in current.splitlines()
                if line.startswith("{") and "standing by" in line]

    def _keep(self) -> None:
        for command, log in self._commands:
            self.members.append(Replica(command, log))
        self._started.set()
        ended: dict[Replica, float] = {}
        while not self._closing.wait(0.02):
            with self._restarting:
                self._restart_ended(ended)
        for member in self.members:
            member.resume()
            member.stop()

    def _restart_ended(self, ended: dict[Replica, float]) -> None:
        """`ended` says since when."""
        for member in self.members:
            if member.is_running():
                ended.pop(member, None)
            elif (time.monotonic() - ended.setdefault(member, time.monotonic()) > RESTART_SECONDS
                  and not self._is_held_down):
                member.restart()
                member.starts += 1


def clock_library(folder: Path) -> Path:
    """Built on first use."""
    library = folder / "clock_rate.so"
    if not library.exists():
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-Wall", "-Werror", "-o", str(library),
                        str(ROOT / "tests/support/process/clock_rate.c"), "-ldl"], check=True)
    return library
