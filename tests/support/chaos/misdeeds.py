"""One tenant does one thing, drawn by weight."""
from random import Random
from typing import Callable, Collection

from . import misdeeds_pods as pods, misdeeds_texts as texts
from .tenant import Tenant
from .world import World

Misdeed = Callable[[World, Tenant, Random], str]
WEIGHTS: dict[Misdeed, int] = {
    texts.forge_reservation: 10, texts.remove_reservation: 4, texts.copy_reservation: 3,
    texts.restore_reservation: 3, texts.forge_slot: 6, pods.make_stranger: 4, pods.plant_stranger: 2,
    pods.disguise_lone_pod: 6, pods.crown_lone_pod: 3, pods.relabel_driver: 1, pods.relabel_executor: 2,
    pods.delete_conf: 1, pods.ungate_driver: 1, pods.delete_executor: 3, pods.delete_driver: 1}


def temper(random: Random, only: Collection[str] = ()) -> dict[Misdeed, int]:
    """What tenants are inclined to in one life: some misdeeds often, some never; or those of these names alone."""
    unknown = set(only) - {misdeed.__name__ for misdeed in WEIGHTS}
    assert not unknown, f"no such misdeed: {unknown}"
    if only:
        return {misdeed: 1 for misdeed in WEIGHTS if misdeed.__name__ in only}
    return {misdeed: weight * random.choice((0, 1, 1, 4)) for misdeed, weight in WEIGHTS.items()}


def misbehave(world: World, random: Random) -> None:
    """One tenant does one thing."""
    tenant = random.choice(world.tenants)
    inclined = {misdeed: weight for misdeed, weight in world.temper.items() if weight} or WEIGHTS
    misdeed = random.choices(list(inclined), list(inclined.values()))[0]
    done = misdeed(world, tenant, random)
    if done:
        world.tell(f"  {tenant.namespace}: {done}")
