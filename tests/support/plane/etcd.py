"""etcd under the real API server."""
import base64
from pathlib import Path

import requests

from ..process.polling import eventually
from ..process.ports import free_ports
from ..process.processes import Daemon


class Etcd(Daemon):
    """One member on loopback without TLS; `url` is where clients go. Its data outlives kill()."""

    def __init__(self, program: Path, folder: Path) -> None:
        port, peer_port = free_ports(2)
        self.url, peer = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{peer_port}"
        super().__init__([
            str(program), "--data-dir", str(folder / "etcd"), "--unsafe-no-fsync",
            "--listen-client-urls", self.url, "--advertise-client-urls", self.url,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", f"default={peer}", "--log-level", "warn",
        ], folder / "etcd.log")

    def restart(self) -> None:
        """With the same data, on the same port; ready when it returns."""
        super().restart()
        eventually(self._is_ready, 30, f"etcd; see {self.log}", 0.05)

    def compact(self) -> int:
        """Forgets all history up to now; the revision.

        The API server still has its watch cache: watches from before get 410 once it has restarted.
        """
        key = base64.b64encode(b"compact_rev_key").decode()
        revision = self._ask("range", {"key": key})["header"]["revision"]
        self._ask("compaction", {"revision": revision, "physical": True})
        return int(revision)

    def _is_ready(self) -> bool:
        try:
            return requests.get(f"{self.url}/health", timeout=5, proxies={"http": ""}).ok
        except requests.RequestException:
            return False

    def _ask(self, what: str, body: dict[str, object]) -> dict[str, dict[str, str]]:
        answer = requests.post(f"{self.url}/v3/kv/{what}", json=body, timeout=10,
                               proxies={"http": ""})
        answer.raise_for_status()
        return answer.json()
