"""What a scheduler writes for each pod that it binds, from the API server's audit log."""
import time
from collections import Counter
from typing import Callable

from support.plane.real_plane import RealPlane

from . import objects
from .contenders import EXECUTORS, Contender, Ours
from .load import Load, send
from .planes import BenchPlane

WRITES = ("create", "update", "patch", "delete")
CORES = 64  # of each node, see objects.node()


def roomy(plane: BenchPlane, contender: Contender, gangs: int) -> dict[str, float]:
    """There is room for all gangs at once. Writes per bound pod, by verb and resource."""
    assert gangs * (EXECUTORS + 1) <= plane.nodes * CORES
    return _per_pod(plane, contender, gangs, lambda namespace, names: None)


def crowded(plane: BenchPlane, contender: Contender) -> dict[str, float]:
    """Twice as many gangs as there is room for; the first half ends when all of it is bound."""
    fitting = plane.nodes * CORES // (EXECUTORS + 1)

    def end_first_half(namespace: str, names: list[str]) -> None:
        deadline = time.monotonic() + 120
        while True:
            pods = plane.rig.api.items(objects.pods_path(namespace))
            bound = [pod["metadata"]["name"] for pod in pods if pod["spec"].get("nodeName")]
            if len(bound) >= fitting * (EXECUTORS + 1):
                break
            assert time.monotonic() < deadline, f"{contender.name}: only {len(bound)} bound"
            time.sleep(0.5)
        time.sleep(1)  # those that wait are told so: this, too, is a write
        send(plane.kubeconfig, objects.removals(namespace, bound))

    return _per_pod(plane, contender, 2 * fitting, end_first_half)


def _per_pod(plane: BenchPlane, contender: Contender, gangs: int,
             meanwhile: Callable[[str, list[str]], None]) -> dict[str, float]:
    namespace = plane.namespace()
    names = [f"{namespace}-{number:04d}" for number in range(gangs)]
    steps = []
    for name in names:
        for step in contender.gang_steps(namespace, name):
            executor = isinstance(contender, Ours) and "-exec-" in step.body["metadata"]["name"]
            steps.append(step._replace(when=f"{name}-driver" if executor else ""))
    contender.start(plane)
    try:
        contender.wait_ready()
        before = _counted(plane)
        judge = Load(plane.kubeconfig, steps, watch=objects.pods_path(namespace),
                     until_bound=gangs * (EXECUTORS + 1))
        meanwhile(namespace, names)
        judge.wait().check()
        time.sleep(3)  # events are written late
        after = _counted(plane)
    finally:
        contender.stop()
        plane.clear(namespace)
    pods = gangs * (EXECUTORS + 1)
    return {what: count / pods for what, count in sorted((after - before).items())}


def _counted(plane: BenchPlane) -> "Counter[str]":
    """Writes so far of everybody but the bench itself, whether or not they succeeded."""
    assert isinstance(plane.rig, RealPlane)
    counted: Counter[str] = Counter()
    for event in plane.rig.servers[0].audited():
        agent = event.get("userAgent", "")
        if event["verb"] not in WRITES or not agent.startswith(("gang-scheduler/", "kube-scheduler/")):
            continue
        reference = event["objectRef"]
        resource = "/".join(filter(None, (reference["resource"], reference.get("subresource"))))
        counted[f"{event['verb']} {resource}"] += 1
    return counted
