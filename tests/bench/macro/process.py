"""What a process has used, from /proc."""
import os
from dataclasses import asdict, dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Usage:
    cpu_s: float         # user and system, all threads
    rss_mb: float        # now, MB of 1,000,000 bytes
    peak_rss_mb: float   # so far
    wakeups: int         # times that a thread gave up the processor by itself, so far

    def as_json(self) -> dict[str, float]:
        return asdict(self)


def usage(pid: int) -> Usage:
    root = Path(f"/proc/{pid}")
    fields = root.joinpath("stat").read_text().rpartition(")")[2].split()
    status = _status(root / "status")
    wakeups = sum(int(_status(task / "status")["voluntary_ctxt_switches"])
                  for task in root.joinpath("task").iterdir())
    return Usage(cpu_s=(int(fields[11]) + int(fields[12])) / _TICKS,
                 rss_mb=_bytes(status["VmRSS"]) / 1e6, peak_rss_mb=_bytes(status["VmHWM"]) / 1e6,
                 wakeups=wakeups)


def _status(path: Path) -> dict[str, str]:
    return dict(line.split(":", 1) for line in path.read_text().splitlines())


def _bytes(text: str) -> int:
    return int(text.split()[0]) * 1024
