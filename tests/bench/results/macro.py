"""The macro lane: whole processes on whole planes. Every rate is beside that of the raw binder in the same minutes.

Names: `WORKLOAD.PLANE.CONTENDER.QUANTITY`; a `ratio` names its two figures.
"""
import os
import shutil
import sys
import traceback
from typing import Callable, Optional, Sequence

import pytest

from macro import burst, cold, stream, writes
from macro.contenders import EXECUTORS, Contender, Default, DefaultGangs, Ours
from macro.planes import BenchPlane, embedded_plane, real_plane
from support.process.processes import remove_scratch_folders

from .figures import Lane

SHORT = {"gang-scheduler": "ours", "gang-scheduler as Spark": "ours_as_spark", "kube-scheduler": "kube",
         "kube-scheduler, own gangs": "kube_gangs", "kube-scheduler, stock": "kube_stock", "raw binder": "raw"}
PODS = 2000
GANGS = 180        # of 11 pods: 1,980
REPEATS = 3        # of a burst of ours, in one run
STOCK_GANGS = 45   # of kube-scheduler at 50 requests a second
STREAM_GANGS = 60
NODES = 500
IDLE_SECONDS = 15.0


def macro_lane(runs: int, is_quick: bool = False) -> Lane:
    """`is_quick`: sizes that only show that everything works; the figures mean nothing."""
    lane = Lane("macro")
    _part(lane, "embedded plane, bursts", _bursts_embedded, runs, is_quick)
    _part(lane, "embedded plane, cold start", _cold_embedded, runs, is_quick)
    _part(lane, "real plane, bursts", _bursts_real, runs, is_quick)
    _part(lane, "real plane, streams", _streams_real, runs, is_quick)
    _part(lane, "real plane, writes", _writes, runs, is_quick)
    _part(lane, "real plane, cold start", _cold_real, runs, is_quick)
    if not lane.has_failed:
        remove_scratch_folders()
    return lane


def _part(lane: Lane, what: str, measure: Callable[[Lane, int, bool], None], runs: int,
          is_quick: bool) -> None:
    """What cannot be run here is said, loudly, and is in the result."""
    print(f"  {what} (load {os.getloadavg()[0]:.1f})", flush=True)
    try:
        measure(lane, runs, is_quick)
    except pytest.fail.Exception as missing:
        lane.missing.append(f"{what}: {missing}")
        print(f"\n*** NOT MEASURED: {what}: {missing}\n", file=sys.stderr, flush=True)
        lane.has_failed = True
    except Exception as error:  # the other parts took minutes and are whole
        traceback.print_exc()
        lane.missing.append(f"{what}: {error}".splitlines()[0][:300])
        lane.has_failed = True


# --- bursts ----------------------------------------------------------------------------------------


def _bursts(lane: Lane, make: Callable[[], BenchPlane], runs: int, pods: int, gangs: int,
            contenders: Sequence[Contender]) -> None:
    """Each run has a plane of its own: an API server keeps the history of all pods that there were, and the more of
    that its garbage collector has to walk the slower it binds. In turn, so that a machine that becomes slower
    becomes so for all; we and the raw binder often, as what decides is how a burst of a second meets the collector.
    """
    raw, rounds = [], []
    for _ in range(runs):
        with _running(make()) as plane:
            where = plane.name
            burst.raw_burst(plane, pods)  # not counted: the plane is warm then
            anchors, lone, ours = [burst.raw_burst(plane, pods)], [], []
            for _ in range(REPEATS):
                lone.append(burst.lone_burst(plane, Ours(), pods))
                ours.append(burst.gang_burst(plane, Ours(), gangs))
                anchors.append(burst.raw_burst(plane, pods))
            others = [("gangs", burst.gang_burst(plane, each, gangs)) for each in contenders]
            raw.append(burst.together(anchors))
            rounds.append([("lone", burst.together(lone)), ("gangs", burst.together(ours)), *others])
    anchor = f"burst.{where}.raw.pods_per_s"
    lane.add(anchor, "pods/s", [each.pods_per_s for each in raw])
    lane.add(f"burst.{where}.raw.plane_cpu_per_1000", "CPU s",
             [each.plane_cpu_s * 1000 / each.pods for each in raw])
    for workload, found in [(row[0][0], [each[1] for each in row]) for row in zip(*rounds)]:
        name = f"{workload}.{where}.{SHORT[found[0].contender]}"
        lane.add(f"{name}.pods_per_s", "pods/s", [each.pods_per_s for each in found])
        lane.add(f"{name}.cpu_per_1000", "CPU s", [each.cpu_s_per_1000 for each in found])
        lane.add(f"{name}.peak_rss", "MB", [each.peak_rss_mb for each in found])
        lane.add(f"{name}.first_bind", "s", [each.first_bound_s for each in found])
        lane.add(f"{name}.plane_cpu_per_1000", "CPU s",
                 [each.plane_cpu_s * 1000 / each.pods for each in found])
        lane.add_ratio(f"{name}.of_raw", f"{name}.pods_per_s", anchor)
    lane.add(f"burst.{where}.load", "load", [each[1].load1 for row in rounds for each in row])


def _bursts_embedded(lane: Lane, runs: int, is_quick: bool) -> None:
    # So fast a plane needs more pods, or it would be over before it is measured.
    _bursts(lane, lambda: embedded_plane(NODES), runs, 200 if is_quick else 4 * PODS,
            5 if is_quick else 4 * GANGS, [])


def _bursts_real(lane: Lane, runs: int, is_quick: bool) -> None:
    _bursts(lane, lambda: real_plane(NODES, gangs=True), runs, 200 if is_quick else PODS,
            5 if is_quick else GANGS, [Default(), DefaultGangs()])
    for quantity in ("pods_per_s", "cpu_per_1000", "peak_rss"):
        for other in ("kube_gangs", "kube"):
            lane.add_ratio(f"gangs.real.ours.{quantity}.of_{other}", f"gangs.real.ours.{quantity}",
                           f"gangs.real.{other}.{quantity}")


def _streams_real(lane: Lane, runs: int, is_quick: bool) -> None:
    with _running(real_plane(NODES, gangs=True)) as plane:
        stock = burst.gang_burst(plane, Default(stock=True), 5 if is_quick else STOCK_GANGS)
        lane.add("gangs.real.kube_stock.pods_per_s", "pods/s", [stock.pods_per_s])
        _streams(lane, plane, runs, 5 if is_quick else STREAM_GANGS)


# --- gangs that arrive by chance -------------------------------------------------------------------


def _streams(lane: Lane, plane: BenchPlane, runs: int, gangs: int) -> None:
    found: dict[str, list[stream.Stream]] = {}
    for run in range(runs):
        for contender, as_spark in ((Ours(), False), (Default(), False), (DefaultGangs(), False), (Ours(), True)):
            done = stream.stream(plane, contender, gangs, seed=run + 1, as_spark=as_spark)
            found.setdefault(SHORT[done.contender], []).append(done)
    for short, each in found.items():
        name = f"stream.{plane.name}.{short}"
        for label, share in (("p50", 0.5), ("p99", 0.99)):
            lane.add(f"{name}.wait_{label}", "ms", [stream.quantile(run.waits_ms, share) for run in each])
            lane.add(f"{name}.whole_{label}", "ms", [stream.quantile(run.whole_ms, share) for run in each])
        lane.add(f"{name}.cpu_per_1000", "CPU s",
                 [run.cpu_s * 1000 / (gangs * (EXECUTORS + 1)) for run in each])
    for label in ("p50", "p99"):
        lane.add_ratio(f"stream.{plane.name}.ours.wait_{label}.of_kube_gangs",
                       f"stream.{plane.name}.ours.wait_{label}",
                       f"stream.{plane.name}.kube_gangs.wait_{label}")


# --- writes ----------------------------------------------------------------------------------------


def _writes(lane: Lane, runs: int, is_quick: bool) -> None:
    """Counts, not times: one run of each says it."""
    with _running(real_plane(8, audit=True, gangs=True)) as plane:
        for contender in (Ours(), Default(), DefaultGangs()):
            for workload, counted in (
                    ("roomy", writes.roomy(plane, contender, 5 if is_quick else 40)),
                    ("crowded", writes.crowded(plane, contender))):
                name = f"writes.{workload}.{SHORT[contender.name]}"
                lane.add(f"{name}.all", "writes/pod", [sum(counted.values())])
                for what, each in counted.items():
                    lane.add(f"{name}.{what.replace(' ', '_')}", "writes/pod", [each])


# --- starting, and doing nothing -------------------------------------------------------------------


def _cold_embedded(lane: Lane, runs: int, is_quick: bool) -> None:
    nodes, pods = (100, 1_000) if is_quick else (5_000, 150_000)
    with _running(embedded_plane(nodes)) as plane:
        _add_idle(lane, "idle.nodes_only", cold.idle(plane, Ours(), 1 if is_quick else IDLE_SECONDS))
        cold.fill(plane, pods, slim=True)
        _add_cold(lane, plane, runs, [Ours()])
        _add_idle(lane, "idle.full", cold.idle(plane, Ours(), 1 if is_quick else IDLE_SECONDS))


def _cold_real(lane: Lane, runs: int, is_quick: bool) -> None:
    nodes, pods = (20, 200) if is_quick else (1_000, 20_000)
    with _running(real_plane(nodes)) as plane:
        cold.fill(plane, pods, slim=False)
        _add_cold(lane, plane, runs, [Ours(), Default()])
        for quantity in ("cpu", "peak_rss", "settled_rss", "first_bind"):
            lane.add_ratio(f"cold.real.ours.{quantity}.of_kube", f"cold.real.ours.{quantity}",
                           f"cold.real.kube.{quantity}")


def _add_cold(lane: Lane, plane: BenchPlane, runs: int, contenders: Sequence[Contender]) -> None:
    found: dict[str, list[cold.Cold]] = {}
    for _ in range(runs):
        for contender in contenders:
            found.setdefault(SHORT[contender.name], []).append(cold.cold_start(plane, contender))
    for short, each in found.items():
        name = f"cold.{plane.name}.{short}"
        lane.add(f"{name}.first_bind", "s", [run.first_bind_s for run in each])
        lane.add(f"{name}.list", "s", [run.list_s for run in each])
        lane.add(f"{name}.cpu", "CPU s", [run.cpu_s for run in each])
        lane.add(f"{name}.peak_rss", "MB", [run.peak_rss_mb for run in each])
        lane.add(f"{name}.settled_rss", "MB", [run.settled_rss_mb for run in each])
        lane.add_ratio(f"{name}.first_bind.of_list", f"{name}.first_bind", f"{name}.list")


def _add_idle(lane: Lane, name: str, found: cold.Idle) -> None:
    lane.add(f"{name}.rss", "MB", [found.rss_mb])
    lane.add(f"{name}.cpu", "% of a core", [found.cpu_percent])
    lane.add(f"{name}.wakeups", "1/s", [found.wakeups_per_s])


class _running:
    """The plane ends with the block, whatever happens; its files stay for whoever looks why."""

    def __init__(self, plane: BenchPlane) -> None:
        self._plane = plane

    def __enter__(self) -> BenchPlane:
        return self._plane

    def __exit__(self, problem: Optional[type], *_: object) -> None:
        self._plane.stop()
        if problem is None:
            shutil.rmtree(self._plane.rig.folder, ignore_errors=True)
