"""The end of a life: all is well again, so everybody has what it declared, and nothing is held for nobody."""
import time
from typing import Callable

from ..client.api import Json
from ..kube.history import RESERVATION, SLOT
from ..kube.pods import (Requests, add, amounts, annotation, effective_requests, is_finished, is_terminating, node_of,
                    path_of)
from .comings import end
from .judge import Violation
from .spark import CPU_MILLI, Application, hand_pod
from .troubles_nodes import cordon, remove_pods_of
from .world import CPUS, MEMORY, World

WHOLE_SECONDS = 45.0
PROBE_SECONDS = 25.0
LEADER_SECONDS = 60.0
RESTARTS_MAX = 6  # of these times, by changes of leader that nobody made but a machine that is too busy


def settle(world: World) -> list[Violation]:
    """Mends what is broken around the schedulers, then asks for what must be there."""
    world.tell("all faults end")
    _mend(world)
    violations = _missing(world)
    if not violations:
        _remove_who_waits(world)
        violations = _missing(world) or _held_for_nobody(world)  # who was admitted meanwhile must be whole, too
    if violations:
        _tell_who_has_what(world)
    return violations


def _mend(world: World) -> None:
    for proxy in world.proxies:
        proxy.clear()
    world.replicas.let_up()
    for path in world.foreign:
        world.api.delete(path, grace_seconds=0)
    for node in sorted(world.gone_nodes):
        remove_pods_of(world, node)
        world.add_node(node)
    world.gone_nodes.clear()
    for node in world.nodes:
        cordon(world.cluster, node, False)
    world.replicas.wait_leader(LEADER_SECONDS)
    for application in world.drivers.applications:
        if application.has_harmed_itself and not application.ended:
            world.tell(f"{application.name} has harmed itself: ended")
            end(world, application)
            world.api.delete(application.path, grace_seconds=0)
    for path in sorted(world.edited_executors):
        world.api.delete(path)
    for application in world.drivers.applications:
        application.asked = application.executors


def _missing(world: World) -> list[Violation]:
    """Each application that runs gets all its executors bound, whoever else waits."""
    def lacking() -> list[Application]:
        return [each for each in world.running() if sum(map(_has_room, world.drivers.living(each))) < each.executors]
    if _comes_true(world, lambda: not lacking(), WHOLE_SECONDS):
        world.tell(f"{len(world.running())} applications are whole")
        return []
    found = []
    for application in [each for each in lacking() if world.has_one_size or _has_room_for(world, each)]:
        living = world.drivers.living(application)
        unbound = [pod for pod in living if not node_of(pod)]
        said = [_message(pod) for pod in unbound[:2]]
        found.append(Violation("missing", time.monotonic(), f"{application.path} ({application.kind}): "
                               f"{len(living) - len(unbound)} of {application.executors} executors bound; "
                               f"the others: {said}"))
    return found


def _has_room_for(world: World, application: Application) -> bool:
    """Beside all bound pods, whatever is held for others."""
    return any(room["cpu"] >= application.cores * CPU_MILLI for room in _room(world).values())


def _comes_true(world: World, probe: Callable[[], bool], seconds: float) -> bool:
    """Within so many seconds of one leader's time; a machine that is too busy for a Lease of two seconds changes
    leaders by itself, and that starts the time anew."""
    leader, restarts, end = world.replicas.holder(), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            world.history.wait_for(probe, 1.0, "it")
            return True
        except AssertionError:
            pass
        now = world.replicas.holder()
        if now != leader and restarts < RESTARTS_MAX:
            leader, restarts, end = now, restarts + 1, time.monotonic() + seconds
            world.tell(f"the leader has changed by itself, to {now or 'nobody'}")
    return probe()


def _has_room(pod: Json) -> bool:
    return bool(node_of(pod)) and not is_terminating(pod)


def _held_for_nobody(world: World) -> list[Violation]:
    """A gang that is as large as all that is left is admitted."""
    room = _room(world)
    cpus = sum(each["cpu"] // 1000 for each in room.values())
    if cpus < 2:
        world.tell(f"no room for a probe: {room}")
        return []
    tenant = world.tenants[0]
    pod = hand_pod(f"probe-{world.next_number()}", 1, {
        "spark-role": "driver", "spark-app-selector": "probe", "executors": str(cpus - 1), "exec-cpu": "1",
        "exec-mem": "1"})
    made = world.api.post(tenant.pods, pod)
    world.probes[made["metadata"]["uid"]] = cpus - 1
    path = path_of(made)
    world.tell(f"probe of {cpus} cpu")
    if _comes_true(world, lambda: world.history.first_bound(path) is not None, PROBE_SECONDS):
        world.tell("the probe is admitted")
        return []
    held = world.history.pod(path)
    return [Violation("hole", time.monotonic(), f"a gang of {cpus} cpu was not admitted, although bound pods "
                      f"leave that much: {_message(held) if held else 'no pod'}")]


def _remove_who_waits(world: World) -> None:
    """So that nobody competes with the probe; and waits until the nodes have taken what is bound."""
    def waiting() -> list[Json]:
        return [pod for pod in _all_pods(world) if not node_of(pod) or is_terminating(pod)]
    for application in world.drivers.applications:
        pod = world.history.pod(application.path)
        if pod is None or not node_of(pod):
            application.ended = True
            world.api.delete(application.path, grace_seconds=0)
    for pod in [each for each in waiting() if not _is_wanted(world, each)]:
        world.api.delete(path_of(pod), grace_seconds=0)
    world.history.wait_for(lambda: not [pod for pod in waiting() if not _is_wanted(world, pod)], 20,
                           lambda: f"those who wait to go: {[path_of(pod) for pod in waiting()]}")


def _is_wanted(world: World, pod: Json) -> bool:
    """An executor of one that runs."""
    return any(path_of(pod) in application.made for application in world.running())


def _all_pods(world: World) -> list[Json]:
    return [pod for pod in world.history.living() if pod["metadata"]["namespace"] in world.cluster.namespaces]


def _room(world: World) -> dict[str, Requests]:
    """By node, what the bound pods leave."""
    room = {}
    for node in world.nodes:
        taken: Requests = {}
        for pod in _all_pods(world):
            if node_of(pod) == node and not is_finished(pod):
                taken = add(taken, effective_requests(pod))
        all_of_it = amounts({"cpu": str(CPUS), "memory": MEMORY})
        room[node] = {name: value - taken.get(name, 0) for name, value in all_of_it.items()}
    return room


def _tell_who_has_what(world: World) -> None:
    for application in world.running():
        driver = world.history.pod(application.path)
        executors = [f"{pod['metadata']['name'].rsplit('-', 1)[1]} on {node_of(pod) or 'no node'}: "
                     f"{annotation(pod, SLOT)!r}" for pod in world.drivers.living(application)]
        world.tell(f"{application.name} ({application.kind}) declared {application.executors} of {application.cores}, "
                   f"holds {annotation(driver, RESERVATION) if driver else 'nothing'}; executors {executors}")


def _message(pod: Json) -> str:
    found = [each for each in (pod.get("status") or {}).get("conditions") or [] if each["type"] == "PodScheduled"]
    return f"{pod['metadata']['name']}: {found[0].get('message', '') if found else 'nothing said'}"
