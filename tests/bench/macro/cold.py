"""Starting on a cluster that is full already, and sitting on one where nothing happens."""
import os
import time
from dataclasses import dataclass

from . import objects
from .contenders import EXECUTORS, Contender, Ours
from .load import Load, read_list, send
from .planes import BenchPlane

SETTLE_SECONDS = 3.0
BIND_SECONDS_MAX = 300


@dataclass(frozen=True)
class Cold:
    """One start of one contender."""

    contender: str
    first_bind_s: float     # from the start of the process to the first bind: of a pod that was waiting
    list_s: float           # to read the same lists as bytes, page by page, right before
    cpu_s: float            # until then, and SETTLE_SECONDS more
    peak_rss_mb: float
    settled_rss_mb: float   # SETTLE_SECONDS later
    load1: float


@dataclass(frozen=True)
class Idle:
    """A while in which nothing happened."""

    seconds: float
    rss_mb: float
    cpu_percent: float      # of one core
    wakeups_per_s: float
    load1: float


def fill(plane: BenchPlane, pods: int, slim: bool) -> str:
    """Half of the pods run for others, half in gangs that our own scheduler has bound; the namespace."""
    namespace = plane.namespace()
    gangs = pods // 2 // (EXECUTORS + 1)
    others = []
    for number in range(pods - gangs * (EXECUTORS + 1)):
        pod = objects.pod(f"other-{number:06d}", "another-scheduler", slim=slim)
        pod["spec"]["nodeName"] = objects.node_name(number % plane.nodes)
        others.append(pod)
    send(plane.kubeconfig, objects.create(namespace, others), timeout=BIND_SECONDS_MAX)
    ours = Ours()
    steps = [step for number in range(gangs)
             for step in ours.gang_steps(namespace, f"gang-{number:05d}", slim)]
    send(plane.kubeconfig, steps, timeout=BIND_SECONDS_MAX)
    judge = Load(plane.kubeconfig, watch=objects.pods_path(namespace), timeout=BIND_SECONDS_MAX,
                 until_bound=gangs * (EXECUTORS + 1))
    ours.start(plane)
    try:
        judge.wait()
    finally:
        judge.kill()
        ours.stop()
    return namespace


def cold_start(plane: BenchPlane, contender: Contender) -> Cold:
    namespace = plane.namespace()
    plane.create(namespace, [objects.pod(f"{namespace}-first", contender.scheduler_name)])
    raw = sum(read_list(plane.kubeconfig, path)["seconds"] for path in (objects.NODES, "/api/v1/pods"))
    judge = Load(plane.kubeconfig, watch=objects.pods_path(namespace), until_bound=1)
    started = time.monotonic()
    contender.start(plane)
    try:
        bound = judge.wait().raw["first_bound_us"] / 1e6
        time.sleep(SETTLE_SECONDS)
        used = contender.usage()
    finally:
        judge.kill()
        contender.stop()
        plane.clear(namespace)
    return Cold(contender.name, bound - started, raw, used.cpu_s, used.peak_rss_mb, used.rss_mb,
                os.getloadavg()[0])


def idle(plane: BenchPlane, contender: Contender, seconds: float) -> Idle:
    contender.start(plane)
    try:
        contender.wait_ready()
        time.sleep(SETTLE_SECONDS)
        before, began = contender.usage(), time.monotonic()
        time.sleep(seconds)
        after, passed = contender.usage(), time.monotonic() - began
    finally:
        contender.stop()
    return Idle(passed, after.rss_mb, 100 * (after.cpu_s - before.cpu_s) / passed,
                (after.wakeups - before.wakeups) / passed, os.getloadavg()[0])
