"""What a scheduler serves: the port from its log, health, and its metrics as numbers."""
import json
import re
from typing import Optional

import requests

from ..process.polling import eventually
from .rig import Scheduler

ANY_PORT = ("--server", "127.0.0.1:0")
_SAMPLE = re.compile(r'^([a-z_]+)(?:\{(.*)\})? (\S+)$')


class Served:
    """Of a scheduler started with ANY_PORT. Each request is on a connection of its own."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self.port: int = eventually(self._find_port, 10, "the served port in the log", 0.05)

    def get(self, path: str) -> requests.Response:
        return requests.get(f"http://127.0.0.1:{self.port}{path}", timeout=10,
                            proxies={"http": ""}, headers={"Connection": "close"})

    def is_ready(self) -> bool:
        return self.get("/readyz").status_code == 200

    def failing(self) -> list[str]:
        """Names of the readiness checks that fail."""
        return re.findall(r"^\[-\](\S+) failed", self.get("/readyz?verbose").text, re.M)

    def metric(self, name: str, **labels: str) -> float:
        """The sum of all series of that name which carry these labels; 0 without any."""
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        total = 0.0
        for line in self.get("/metrics").text.splitlines():
            match = _SAMPLE.match(line)
            if match and match[1] == name and all(label in (match[2] or "") for label in wanted):
                total += float(match[3])
        return total

    def _find_port(self) -> Optional[int]:
        for line in self._scheduler.output().splitlines():
            if '"health and metrics"' in line and '"serving"' in line:
                return int(json.loads(line)["port"])
        return None
