"""Gangs that arrive one by one, by chance (Poisson, a fixed seed), on a plane with room for all of them."""
import os
import random
from dataclasses import dataclass

from . import objects
from .contenders import EXECUTORS, Contender, Ours
from .load import Load, Outcome, SeenPod, Step
from .planes import BenchPlane

GANGS_PER_SECOND = 10.0


@dataclass(frozen=True)
class Stream:
    """One run of one contender. Times in ms, one for each gang."""

    contender: str
    gangs: int
    waits_ms: list[float]  # from its last pod seen to its last pod bound
    whole_ms: list[float]  # from its first pod seen to its last pod bound
    cpu_s: float           # of the scheduler, from the first arrival to the last pod bound
    load1: float


def arrivals(gangs: int, seed: int) -> list[int]:
    """Microseconds after the start."""
    chance = random.Random(seed)
    now, out = 0.0, []
    for _ in range(gangs):
        now += chance.expovariate(GANGS_PER_SECOND)
        out.append(int(now * 1e6))
    return out


def stream(plane: BenchPlane, contender: Contender, gangs: int, seed: int, as_spark: bool = False) -> Stream:
    """`as_spark`: the executors are created when the driver is seen bound; else with it."""
    namespace = plane.namespace()
    names = [f"{namespace}-{number:04d}" for number in range(gangs)]
    steps: list[Step] = []
    for name, at in zip(names, arrivals(gangs, seed)):
        members = contender.gang_steps(namespace, name)
        later = f"{name}-driver" if as_spark else f"@{at}"
        steps += [step._replace(when=later if _is_executor(step) else f"@{at}") for step in members]
    contender.start(plane)
    try:
        contender.wait_ready()
        before = contender.usage().cpu_s
        outcome = Load(plane.kubeconfig, steps, watch=objects.pods_path(namespace),
                       until_bound=gangs * (EXECUTORS + 1)).wait().check()
        used = contender.usage().cpu_s - before
    finally:
        contender.stop()
        plane.clear(namespace)
    return Stream(contender.name + (" as Spark" if as_spark else ""), gangs,
                  *_times(outcome, names), used, os.getloadavg()[0])


def _is_executor(step: Step) -> bool:
    return "-exec-" in step.body["metadata"]["name"]


def _times(outcome: Outcome, names: list[str]) -> tuple[list[float], list[float]]:
    members: dict[str, list[SeenPod]] = {name: [] for name in names}
    for pod, seen in outcome.pods.items():
        members["-".join(pod.split("-")[:3])].append(seen)
    waits, whole = [], []
    for pods in members.values():
        end = max(pod.bound for pod in pods)
        waits.append((end - max(pod.seen for pod in pods)) * 1e3)
        whole.append((end - min(pod.seen for pod in pods)) * 1e3)
    return waits, whole


def quantile(values: list[float], share: float) -> float:
    """Nearest rank."""
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]
