"""Lives by seed on the real API server: two schedulers, faults, and tenants who forge all that they may.

`support/chaos` says what happens in a life and what must be true of it. The seed draws what is done, in which
order, and to whom as far as the same pods are there; how the processes' times fall stays chance, so what fails
once in a while may take a few tries to be seen again.

    CHAOS_MINUTES=n          so long the long variant draws new seeds (200 minutes)
    CHAOS_SEED=7, 7..20      these instead
    CHAOS_MISDEEDS=a,b       tenants do nothing but that (names in support/chaos/misdeeds*.py)
"""
import os
import random
import time
from typing import Any, Callable, Iterator

import pytest

from support.chaos.life import Outcome, live
from support.kube.cluster import Cluster
from support.plane.real_plane import RealPlane

real_only = pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")
# Each of them failed with a scheduler that believed what it found after a restart: holes held for a forged
# reservation or a crowned pod, slots lost to a disguised pod or with an annotation that was taken away.
SHORT_SEEDS, SHORT_STEPS = (53659, 55611, 56142), 7
MINUTES = float(os.environ.get("CHAOS_MINUTES", 200))
MISDEEDS = tuple(filter(None, os.environ.get("CHAOS_MISDEEDS", "").split(",")))
SEEDS = os.environ.get("CHAOS_SEED", "")
LIFE_SECONDS_MAX = 300


def seeds() -> Iterator[int]:
    """Those that were named, or new ones until the time is over."""
    if SEEDS:
        first, _, last = SEEDS.partition("..")
        yield from range(int(first), int(last or first) + 1)
        return
    end = time.monotonic() + 60 * MINUTES
    draw = random.Random()
    while time.monotonic() < end:
        yield draw.randrange(10 ** 6)


def live_once(plane: RealPlane, seed: int, **how: Any) -> Outcome:
    cluster = Cluster(plane)
    try:
        outcome = live(cluster, seed, **how)
    finally:
        cluster.close(judge=False)  # the life has been judged, by who knows of the tenants
    print(outcome, flush=True)
    return outcome


@real_only
@pytest.mark.bound(len(SHORT_SEEDS) * LIFE_SECONDS_MAX)
def test_short_lives(make_plane: Callable[..., RealPlane], rig_name: str) -> None:
    del rig_name  # only says in which half of the tests it runs
    plane = make_plane()
    for seed in SHORT_SEEDS:
        outcome = live_once(plane, seed, steps=SHORT_STEPS)
        assert not outcome.violations, outcome


@real_only
@pytest.mark.long
@pytest.mark.bound(int(60 * MINUTES) + 100 * LIFE_SECONDS_MAX)
def test_lives(make_plane: Callable[..., RealPlane], rig_name: str) -> None:
    """All of them are lived, also after one that failed."""
    del rig_name
    plane, failed, count = make_plane(), [], 0
    for seed in seeds():
        count += 1
        outcome = live_once(plane, seed, misdeeds=MISDEEDS)
        if outcome.violations:
            failed.append(outcome)
    assert not failed, f"{len(failed)} of {count} lives:\n" + "\n".join(map(str, failed))
