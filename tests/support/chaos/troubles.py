"""What happens to the schedulers and to their way to the API server. Each trouble tells the story itself."""
import signal
import time
from random import Random

from ..plane.fault_proxy import Fault
from ..process.polling import eventually
from .comings import submit
from .misdeeds import misbehave
from .troubles_nodes import node_goes
from .world import World

LEADER_SECONDS = 60.0  # on a machine that is busy
WRITES = (("POST", "/binding$"), ("PATCH", "/status$"), ("", "/configmaps/"), ("PUT", "/leases/"))


def nobody_leads(world: World, random: Random) -> None:
    """Both end, tenants and others do what they like, both come back; tenants go on meanwhile."""
    hard = random.random() < 0.6
    world.tell(f"both schedulers {'are killed' if hard else 'get SIGTERM'}")
    world.replicas.hold_down()
    for member in world.replicas.members:
        member.process.signal(signal.SIGKILL if hard else signal.SIGTERM)
    eventually(lambda: not any(member.is_running() for member in world.replicas.members), 30,
               "both schedulers to end", 0.02)
    world.tell("nobody leads")
    for _ in range(random.choice((1, 2, 4, 8))):
        misbehave(world, random)
    if random.random() < 0.3:
        submit(world, random)
    if random.random() < 0.2:
        node_goes(world, random)
    world.replicas.let_up()
    _misbehave_until_led(world, random, random.choice((0, 2, 6)))


def leader_is_killed(world: World, random: Random) -> None:
    leader = world.replicas.wait_leader(LEADER_SECONDS)
    world.tell("the leader is killed")
    leader.kill()
    _misbehave_until_led(world, random, random.choice((0, 3, 6)))


def leader_is_terminated(world: World, random: Random) -> None:
    leader = world.replicas.wait_leader(LEADER_SECONDS)
    world.tell("the leader gets SIGTERM")
    leader.process.signal(signal.SIGTERM)
    _misbehave_until_led(world, random, random.choice((0, 3, 6)))


def tenants_misbehave(world: World, random: Random) -> None:
    for _ in range(random.choice((2, 4, 6))):
        misbehave(world, random)


def answers_are_lost(world: World, random: Random) -> None:
    method, path = random.choice(WRITES)
    applied, count = random.random() < 0.6, random.choice((1, 2, 4))
    world.tell(f"{count} of {method} {path} lost, {'applied' if applied else 'not applied'}")
    for proxy in world.proxies:
        proxy.add(Fault("reset", method=method, path=path, count=count, applied=applied))


def answers_are_late(world: World, random: Random) -> None:
    method, path = random.choice(WRITES[:3])
    seconds = random.uniform(0.2, 1.5)
    world.tell(f"some of {method} {path} late by {seconds:.1f} s")
    for proxy in world.proxies:
        proxy.add(Fault("delay", method=method, path=path, count=random.choice((1, 3, 6)), seconds=seconds,
                        applied=random.random() < 0.5))


def watches_lag(world: World, random: Random) -> None:
    """For a while, while tenants act."""
    seconds = random.uniform(0.3, 1.2)
    world.tell(f"watches lag by {seconds:.1f} s")
    faults = [proxy.add(Fault("lag", path="watch=", seconds=seconds)) for proxy in world.proxies]
    for _ in range(3):
        misbehave(world, random)
    time.sleep(random.uniform(0, 1))
    for fault in faults:
        fault.release()


def connections_drop(world: World, random: Random) -> None:
    world.tell("all connections drop")
    for proxy in world.proxies:
        if random.random() < 0.8:
            proxy.drop()


def unreachable(world: World, random: Random) -> None:
    """For one of the two, for up to one and a half lives of a Lease."""
    proxy = random.choice(world.proxies)
    seconds = random.uniform(0.3, 3.0)
    world.tell(f"one scheduler cannot reach the API server for {seconds:.1f} s")
    proxy.refuse()
    proxy.drop()
    misbehave(world, random)
    time.sleep(seconds)
    proxy.accept()


def _misbehave_until_led(world: World, random: Random, most: int) -> None:
    done = 0
    while world.replicas.leader() is None and done < most:
        misbehave(world, random)
        done += 1
        time.sleep(random.uniform(0, 0.3))
    world.replicas.wait_leader(LEADER_SECONDS)
    world.tell(f"{world.replicas.holder()} leads")
    for _ in range(random.choice((0, 0, 1, 3))):  # while its fence is under way
        misbehave(world, random)
