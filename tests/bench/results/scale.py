"""The scale generator's lane: time and heap by kind of event at growing sizes, and how the time grows.

Figures: `scale.OPERATION.NODES` (ns), `scale.bytes.THING.NODES`, `scale.heap_mb.NODES`, and
`scale.exponent.OPERATION`: b of time = a * nodes^b, by least squares over the sizes.
"""
import json
import math
import os
import subprocess
import time
from typing import Optional, Sequence

from support.client.json_type import Json

from .figures import ROOT, Lane

# nodes, pods, gangs that wait
SIZES = ((1_000, 10_000, 100), (10_000, 100_000, 1_000), (100_000, 1_000_000, 10_000))
LIFE_SECONDS_MAX = 400
SIZE_SECONDS = 60  # no further run of a size begins after so long


def scale_lane(runs: int, sizes: Sequence[tuple[int, int, int]] = SIZES,
               seconds_max: int = LIFE_SECONDS_MAX) -> Lane:
    """A life that takes longer than `seconds_max` is left out, and said to be missing; so are further runs of a
    size that has taken long already."""
    lane = Lane("scale")
    lives: dict[int, list[Json]] = {}
    for size in sizes:
        began = time.monotonic()
        for run in range(runs):
            if run > 0 and time.monotonic() - began > SIZE_SECONDS:
                lane.missing.append(f"{size[0]} nodes: only {run} of {runs} runs, to save time")
                break
            life = _life(size, seconds_max)
            if life is None:
                lane.missing.append(f"{size[0]} nodes with {size[1]} pods: not done in {seconds_max} s")
                lives.pop(size[0], None)
                break
            lives.setdefault(size[0], []).append(life)
    for nodes, found in lives.items():
        for operation in found[0]["time"]:
            if not operation.startswith("("):
                lane.add(f"scale.{slug(operation)}.{nodes}", "ns",
                         [life["time"][operation]["ns"] for life in found])
        for thing in found[0]["bytes"]:
            lane.add(f"scale.bytes.{slug(thing)}.{nodes}", "bytes",
                     [life["bytes"][thing] for life in found])
        lane.add(f"scale.heap_mb.{nodes}", "MB", [life["heap_mb"] for life in found])
    add_exponents(lane, list(lives))
    return lane


def add_exponents(lane: Lane, sizes: Sequence[int]) -> None:
    """For every operation that was measured at all of at least two sizes."""
    if len(sizes) < 2:
        return
    suffix = f".{sizes[0]}"
    for name in [name for name in lane.figures if name.endswith(suffix) and lane.figures[name].unit == "ns"]:
        stem = name.removesuffix(suffix)
        rows = [lane.figures[f"{stem}.{size}"].values for size in sizes]
        lane.add(f"scale.exponent.{stem.removeprefix('scale.')}", "exponent",
                 [exponent(sizes, values) for values in zip(*rows)])


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The slope of the least squares line through (log size, log value)."""
    xs, ys = [math.log(size) for size in sizes], [math.log(value) for value in values]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


def slug(text: str) -> str:
    return text.replace(",", "").replace(" ", "_")


def _life(size: tuple[int, int, int], seconds_max: int) -> Optional[Json]:
    program = os.environ.get("GANG_BENCH_PROGRAMS", str(ROOT / "build/bench")) + "/gang-scale"
    try:
        done = subprocess.run([program, *map(str, size)], capture_output=True, text=True,
                              timeout=seconds_max)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)
