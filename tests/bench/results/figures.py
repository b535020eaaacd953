"""What a bench lane has measured: figures with all their runs, and the machine that they were measured on.

A lane is one JSON file: {"lane", "machine", "missing": [...], "figures": [...]}. A figure is {"id", "unit", "values"},
where a ratio also names its "numerator" and "denominator": the ids of two figures of the same runs.
"""
import json
import os
import platform
import re
import statistics
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable

from support.client.json_type import Json

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "build/bench-results"


@dataclass(frozen=True)
class Figure:
    """`values`: one per run, in order."""

    id: str
    unit: str
    values: tuple[float, ...]
    numerator: str = ""
    denominator: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def statistic(self, name: str) -> float:
        """min, median or max."""
        return {"min": min, "median": statistics.median, "max": max}[name](self.values)

    def as_json(self) -> Json:
        out: Json = {"id": self.id, "unit": self.unit, "values": [rounded(value) for value in self.values]}
        if self.numerator:
            out |= {"numerator": self.numerator, "denominator": self.denominator}
        return out


def rounded(value: float) -> float:
    """Four digits: more would be noise in a file that is kept."""
    return float(f"{value:.4g}")


@dataclass
class Lane:
    """The figures of one lane, added one by one."""

    name: str
    missing: list[str] = field(default_factory=list)  # what this machine could not measure, and why
    figures: dict[str, Figure] = field(default_factory=dict)
    has_failed: bool = False  # something broke; what was measured before is good

    def add(self, name: str, unit: str, values: Iterable[float]) -> None:
        assert name not in self.figures, name
        self.figures[name] = Figure(name, unit, tuple(values))

    def add_ratio(self, name: str, numerator: str, denominator: str) -> None:
        """Run by run: both figures come from the same minutes."""
        above, below = self.figures[numerator].values, self.figures[denominator].values
        assert len(above) == len(below), name
        values = tuple(a / b for a, b in zip(above, below))
        self.figures[name] = Figure(name, "ratio", values, numerator, denominator)

    def write(self, machine: Json) -> Path:
        FOLDER.mkdir(parents=True, exist_ok=True)
        path = FOLDER / f"{self.name}.json"
        path.write_text(json.dumps(self.as_json(machine), indent=1) + "\n")
        return path

    def as_json(self, machine: Json) -> Json:
        return {"lane": self.name, "machine": machine, "missing": self.missing,
                "figures": [figure.as_json() for figure in self.figures.values()]}


def read_figures(lane: Json) -> dict[str, Figure]:
    return {each["id"]: Figure(each["id"], each["unit"], tuple(each["values"]),
                               each.get("numerator", ""), each.get("denominator", ""))
            for each in lane["figures"]}


def machine() -> Json:
    """Hardware, versions, date and load, before a lane begins; nothing that names the machine or its owner."""
    info = Path("/proc/cpuinfo").read_text()
    memory = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[1])
    modules = (ROOT / "tests/plane/go.mod").read_text()
    return {
        "processor": re.search(r"model name\s*:\s*(.*)", info)[1],
        "cores": os.cpu_count(),
        "memory_gb": round(memory * 1024 / 1e9, 1),
        "kernel": platform.release().split("-")[0],
        "compiler": _first_line(["c++", "--version"]),
        "kubernetes": re.search(r"k8s.io/kubernetes v(\S+)", modules)[1],
        "etcd": re.search(r"go.etcd.io/etcd/server/v3 v(\S+)", modules)[1],
        "commit": _first_line(["git", "-C", str(ROOT), "describe", "--always", "--dirty"]),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "load_before": round(os.getloadavg()[0], 1)}


def _first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    except FileNotFoundError:
        return "unknown"
    return (done.stdout.splitlines() or ["unknown"])[0]
