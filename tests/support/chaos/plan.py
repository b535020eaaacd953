"""What a seed stands for: the steps of a life, each with a seed of its own, so that all lives are drawn beforehand."""
from dataclasses import dataclass
from random import Random
from typing import Callable

from . import comings, troubles, troubles_nodes
from .world import World

Step = Callable[[World, Random], None]
WEIGHTS: dict[Step, int] = {
    troubles.nobody_leads: 10, troubles.leader_is_killed: 4, troubles.leader_is_terminated: 3,
    troubles.tenants_misbehave: 8, troubles.answers_are_lost: 3, troubles.answers_are_late: 2,
    troubles.watches_lag: 2, troubles.connections_drop: 1, troubles.unreachable: 2, troubles_nodes.node_is_cordoned: 2,
    troubles_nodes.node_goes: 1, troubles_nodes.node_comes_back: 2, troubles_nodes.foreign_pod_comes: 2,
    troubles_nodes.foreign_pod_leaves: 2, comings.submit: 5, comings.lone_pods_come: 3, comings.application_ends: 2,
    comings.executors_are_asked_for: 4}
PAUSES = (0, 0.1, 0.3, 0.8, 1.5)  # seconds


@dataclass(frozen=True)
class Move:
    """One step and the pause before it."""

    step: Step
    seed: int
    pause_seconds: float


def draw(seed: int, steps: int) -> list[Move]:
    """At least once nobody leads, in every life."""
    random = Random(seed)
    drawn = random.choices(list(WEIGHTS), list(WEIGHTS.values()), k=steps)
    if troubles.nobody_leads not in drawn:
        drawn[steps // 2] = troubles.nobody_leads
    return [Move(step, random.randrange(10 ** 9), random.choice(PAUSES)) for step in drawn]
