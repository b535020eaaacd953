"""Pods that exist already, bound as fast as each contender can; and the raw binder in the same minutes."""
import os
import time
from dataclasses import dataclass
from statistics import fmean
from typing import Sequence

from . import objects
from .contenders import EXECUTORS, Contender
from .lease import Lease
from .load import CONNECTIONS, Load, Step, send
from .planes import BenchPlane
from .process import Usage, usage


@dataclass(frozen=True)
class Burst:
    """One run of one contender."""

    contender: str
    pods: int
    pods_per_s: float      # from the first pod seen bound to the last
    first_bound_s: float   # from the Lease handed over (the raw binder: 0) to the first pod seen bound
    cpu_s: float           # from the start of the process to the last pod bound
    peak_rss_mb: float
    plane_cpu_s: float     # of the API server (and etcd), from then to the last pod bound
    load1: float

    @property
    def cpu_s_per_1000(self) -> float:
        return self.cpu_s * 1000 / self.pods


def together(bursts: Sequence[Burst]) -> Burst:
    """As one: all pods in all the time; what is not a rate or a sum is the mean."""
    pods = sum(each.pods for each in bursts)
    return Burst(bursts[0].contender, pods, pods / sum(each.pods / each.pods_per_s for each in bursts),
                 fmean(each.first_bound_s for each in bursts), sum(each.cpu_s for each in bursts),
                 fmean(each.peak_rss_mb for each in bursts), sum(each.plane_cpu_s for each in bursts),
                 max(each.load1 for each in bursts))


def raw_burst(plane: BenchPlane, pods: int, connections: int = CONNECTIONS) -> Burst:
    namespace = plane.namespace()
    names = [f"{namespace}-{number:05d}" for number in range(pods)]
    plane.create(namespace, [objects.pod(name, "nobody") for name in names])
    plane.collect_garbage()
    before = _plane_cpu(plane)
    bound = plane.raw_bind(namespace, names, connections)
    after = _plane_cpu(plane)
    plane.clear(namespace)
    return Burst("raw binder", pods, bound.binds_per_second, 0, bound.raw["cpu_s"], 0, after - before,
                 os.getloadavg()[0])


def lone_burst(plane: BenchPlane, contender: Contender, pods: int) -> Burst:
    """Pods that are no part of a gang."""
    namespace = plane.namespace()
    return _burst(plane, contender, namespace, objects.create(namespace, [
        objects.pod(f"{namespace}-{number:05d}", contender.scheduler_name) for number in range(pods)]), pods)


def gang_burst(plane: BenchPlane, contender: Contender, gangs: int) -> Burst:
    """Gangs of one driver and EXECUTORS executors, all of whose pods exist already."""
    namespace = plane.namespace()
    steps = [step for number in range(gangs)
             for step in contender.gang_steps(namespace, f"{namespace}-{number:04d}")]
    return _burst(plane, contender, namespace, steps, gangs * (EXECUTORS + 1))


def _burst(plane: BenchPlane, contender: Contender, namespace: str, steps: Sequence[Step],
           pods: int) -> Burst:
    """Of a contender that has read everything and waits for its Lease, as the raw binder has read everything."""
    send(plane.kubeconfig, steps)
    judge = Load(plane.kubeconfig, watch=objects.pods_path(namespace), until_bound=pods)
    election = Lease(plane)
    contender.start(plane, election)
    try:
        contender.wait_ready()
        plane.collect_garbage()
        before = _plane_cpu(plane)
        began = time.monotonic()
        election.hand_over()
        bound = judge.wait()
        used: Usage = contender.usage()
        after = _plane_cpu(plane)
    finally:
        judge.kill()
        contender.stop()
        plane.clear(namespace)
    return Burst(contender.name, pods, bound.binds_per_second,
                 bound.raw["first_bound_us"] / 1e6 - began, used.cpu_s, used.peak_rss_mb,
                 after - before, os.getloadavg()[0])


def _plane_cpu(plane: BenchPlane) -> float:
    return sum(usage(process.pid).cpu_s for process in plane.servers())
