"""The nodes that filters leave a pod, and the words for the others: as kube-scheduler of the same release has them.

LIKE_KUBE_SEED=n runs one seed alone, LIKE_KUBE_SEEDS=a..b those of a range.
"""
import json
import os
from typing import Callable, Iterator

import pytest
import yaml

from support.like_kube.judge import Judge, differences
from support.like_kube.worlds import draw
from support.real_plane import RealPlane

MakePlane = Callable[..., RealPlane]
PAUSES = (0.05, 0.3, 1.0)  # between a change and a question: both watch, and what they have not seen they do not know
CONFIG = {"apiVersion": "config.gang-scheduler/v1alpha1", "kind": "SchedulerConfiguration",
          "profiles": [{"schedulerName": "gang-scheduler", "gangs": False, "messages": "kube-scheduler"}]}


@pytest.fixture
def judge(make_plane: MakePlane) -> Iterator[Judge]:
    plane = make_plane(scheduler=True)
    path = plane.folder / "like.yaml"
    path.write_text(yaml.safe_dump(CONFIG))
    plane.start_scheduler(("--leader-elect=false", "--config", str(path)))
    yield Judge(plane.api)


def seeds(first: int, last: int) -> range:
    if "LIKE_KUBE_SEED" in os.environ:
        first = last = int(os.environ["LIKE_KUBE_SEED"])
    elif "LIKE_KUBE_SEEDS" in os.environ:
        first, last = map(int, os.environ["LIKE_KUBE_SEEDS"].split(".."))
    return range(first, last + 1)


def compare(judge: Judge, wanted: range) -> None:
    """A difference counts if it is there however long both had to see the world."""
    placed = 0
    wrong = []
    for seed in wanted:
        world = draw(seed)
        found: list[str] = []
        for pause in PAUSES:
            judge.build(world, pause)
            try:
                found = differences(judge, world, pause)
            finally:
                judge.clear()
            if not found:
                break
        if found:
            wrong.append(f"seed {seed}:\n  " + "\n  ".join(found))
            print(wrong[-1], json.dumps(world.probe["spec"], indent=1), flush=True)
        placed += judge.placed
        judge.placed = 0
    assert not wrong, f"{len(wrong)} of {len(wanted)} seeds: " + "\n".join(wrong)
    assert len(wanted) < 20 or placed > len(wanted) / 10, f"only {placed} of {len(wanted)} probes were placed at all"


@pytest.mark.bound(180)
def test_some_seeds(judge: Judge) -> None:
    compare(judge, seeds(1, 25))


@pytest.mark.long
@pytest.mark.bound(3600)
def test_five_hundred_seeds(judge: Judge) -> None:
    compare(judge, seeds(26, 525))
