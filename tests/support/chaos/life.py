"""One life: a world, the steps that the seed stands for, the settling, and the judgement."""
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Collection

from ..kube.cluster import Cluster
from ..kube.pods import amounts, path_of
from . import chronicle
from .judge import FOREIGN_SEEN_SECONDS, Declared, Facts, Judge, Violation
from .misdeeds import temper
from .plan import draw
from .settle import settle
from .spark import CPU_MILLI
from .world import CPUS, MEMORY, World

STEPS = 20
FIRST_APPLICATIONS = 6


@dataclass
class Outcome:
    """How it went; `story` is where it can be read. Told is the first violation of each rule by each pod."""

    seed: int
    violations: list[Violation] = field(default_factory=list)
    story: Path = Path()
    seconds: float = 0.0
    summary: str = ""

    def __str__(self) -> str:
        first = {(each.rule, each.text.split(": ")[0]): each for each in reversed(self.violations)}
        lines = [f"{each.rule}: {each.text[:400]}" for each in sorted(first.values(), key=lambda each: each.at)]
        return "\n  ".join([f"CHAOS_SEED={self.seed} ({self.summary}; {self.story})", *lines])


def live(cluster: Cluster, seed: int, steps: int = STEPS, misdeeds: Collection[str] = ()) -> Outcome:
    """The cluster must be new, and is to be closed without its own judgement: ours knows of the tenants.

    `misdeeds` names the only ones that tenants do; without it the seed draws their temper.
    """
    begin = time.monotonic()
    outcome = Outcome(seed)
    world = World(cluster, seed)
    world.temper = temper(Random(seed + 2), misdeeds)
    try:
        world.tell("tenants: " + ", ".join(f"{each.__name__} {weight}" for each, weight in world.temper.items()
                                           if weight))
        for _ in range(FIRST_APPLICATIONS):
            world.submit(world.random.choice(world.tenants))
        for tenant in world.tenants:
            world.add_lone_pod(tenant)
        world.history.wait_for(lambda: len(world.running()) >= 2, 60, "the first applications to run")
        for move in draw(seed, steps):
            time.sleep(move.pause_seconds)
            world.tell(move.step.__name__)
            move.step(world, Random(move.seed))
        outcome.violations += settle(world)
    except Exception as error:  # pylint: disable=broad-except  # the story is worth more than the trace alone
        world.tell(traceback.format_exc())
        outcome.violations.append(Violation("broken", time.monotonic(), repr(error)))
    finally:
        try:
            world.close()
        except AssertionError as error:
            outcome.violations.append(Violation("broken", time.monotonic(), repr(error)))
    outcome.violations += judge(world)
    outcome.seconds = time.monotonic() - begin
    outcome.summary = (f"{outcome.seconds:.0f} s, {len(world.drivers.applications)} applications, "
                       f"{len(world.wrote)} edits, {sum(each.starts for each in world.replicas.members)} starts")
    for each in outcome.violations:
        world.tell(f"VIOLATION {each.rule} at {each.at - world.begin:.2f}: {each.text}")
    outcome.story = chronicle.write(world, seed)
    return outcome


def judge(world: World) -> list[Violation]:
    """Of the history and of what the nodes refused."""
    applications = world.drivers.applications
    node = amounts({"cpu": str(CPUS), "memory": MEMORY, "pods": "110"})
    declared = {each.uid: Declared(each.executors, CPU_MILLI * each.cores, each.is_by_owner, each.has_harmed_itself)
                for each in applications}
    declared |= {uid: Declared(executors, CPU_MILLI, False) for uid, executors in world.probes.items()}
    facts = Facts(
        declared, wrote=world.wrote, strangers=set(world.strangers.values()),
        members={path: each.uid for each in applications if not each.is_by_owner for path in each.made},
        relabelled=world.edited_executors, allocatable={name: node for name in world.nodes})
    found = Judge(facts).read(list(world.history.events))
    return found + refusals(world)


def refusals(world: World) -> list[Violation]:
    """Of the kubelets, unless somebody else has just taken the room."""
    foreign = [(seen.at, seen.pod["spec"]["nodeName"]) for seen in list(world.history.events)
               if seen.pod["spec"].get("nodeName") and path_of(seen.pod) in world.not_ours]
    found = []
    for each in world.cluster.kubelet.rejections:
        first = world.history.first_bound(each.pod)
        at = first.at if first is not None else time.monotonic()
        if not any(node == each.node and abs(at - moment) < FOREIGN_SEEN_SECONDS for moment, node in foreign):
            found.append(Violation("refused", at, f"{each.pod} by {each.node}: {each.reason}"))
    return found
