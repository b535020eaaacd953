"""The nodes that filters leave a pod, the words for the others, and the node that scores choose: as kube-scheduler of the
same release has them.

LIKE_KUBE_SEEDS=a..b runs the seeds of a range instead.
"""
import json
import os
from typing import Callable, Iterator

import pytest
import yaml

from support.plane.controllers import KubeScheduler
from support.like_kube import choices, judge as judges
from support.like_kube.capacities import CapacityJudge, draw_capacities
from support.like_kube.judge import Judge
from support.like_kube.static_volumes import StaticJudge, draw_static
from support.like_kube.volumes import draw_volumes
from support.like_kube.worlds import World, draw
from support.process.programs import programs
from support.plane.real_plane import RealPlane

MakePlane = Callable[..., RealPlane]
PAUSES = (0.05, 0.3, 1.0)  # between a change and a question: both watch, and what they have not seen they do not know
CONFIG = {"apiVersion": "config.gang-scheduler/v1alpha1", "kind": "SchedulerConfiguration",
          "profiles": [{"schedulerName": "gang-scheduler", "gangs": False, "messages": "kube-scheduler"}]}


@pytest.fixture
def filter_judge(make_plane: MakePlane) -> Judge:
    plane = make_plane(scheduler=True)
    path = plane.folder / "like.yaml"
    path.write_text(yaml.safe_dump(CONFIG))
    plane.start_scheduler(("--leader-elect=false", "--config", str(path)))
    return Judge(plane.api)


@pytest.fixture
def score_judge(make_plane: MakePlane) -> Iterator[Judge]:
    plane = make_plane()
    ours = choices.write_config(plane.folder / "ours.yaml", "ours")
    theirs = choices.write_config(plane.folder / "theirs.yaml", "theirs", plane.kubeconfig)
    scheduler = KubeScheduler(
        programs("controllers") / "kube-scheduler", plane.folder, plane.kubeconfig, "--config", str(theirs))
    scheduler.wait_ready()
    plane.start_scheduler(("--leader-elect=false", "--config", str(ours)))
    yield Judge(plane.api)
    scheduler.kill()


@pytest.fixture
def static_judge(make_plane: MakePlane) -> StaticJudge:
    plane = make_plane(controllers=True, scheduler=True, node_grace_seconds=3600)
    plane.start_scheduler(("--leader-elect=false",))
    return StaticJudge(plane.api)


@pytest.fixture
def capacity_judge(make_plane: MakePlane) -> CapacityJudge:
    plane = make_plane(scheduler=True)
    path = plane.folder / "like.yaml"
    path.write_text(yaml.safe_dump(CONFIG))
    plane.start_scheduler(("--leader-elect=false", "--config", str(path)))
    return CapacityJudge(plane.api)


def wanted_seeds(first: int, last: int) -> tuple[int, int]:
    said = os.environ.get("LIKE_KUBE_SEEDS", f"{first}..{last}").split("..")
    return int(said[0]), int(said[1])


def compare_volumes(judge: StaticJudge, first: int, last: int) -> None:
    """A difference counts if it is there twice."""
    first, last = wanted_seeds(first, last)
    wrong = []
    for seed in range(first, last + 1):
        world = draw_static(seed)
        found = judge.differences(world) and judge.differences(world)
        if found:
            wrong.append(f"seed {seed}: " + "; ".join(found))
            print(wrong[-1], json.dumps([world.volumes, world.claims], indent=1), flush=True)
    assert not wrong, "\n".join(wrong)
    assert judge.placed > 0, "no pod was placed at all"


def compare_capacities(judge: CapacityJudge, first: int, last: int) -> None:
    """A difference counts if it is there however long both had to see the world."""
    first, last = wanted_seeds(first, last)
    wrong = []
    for seed in range(first, last + 1):
        world = draw_capacities(seed)
        found: list[str] = []
        for pause in PAUSES:
            found = judge.differences(world, pause)
            if not found:
                break
        if found:
            wrong.append(f"seed {seed}: " + "; ".join(found))
            print(wrong[-1], json.dumps([world.drivers, world.classes, world.capacities, world.claims], indent=1), flush=True)
    assert not wrong, "\n".join(wrong)
    assert judge.placed > 0 and judge.refused > 0, "only one answer was ever given"


def compare(judge: Judge, first: int, last: int, make: Callable[[int], World],
            differences: Callable[[Judge, World, float], list[str]]) -> None:
    """A difference counts if it is there however long both had to see the world."""
    first, last = wanted_seeds(first, last)
    wrong = []
    for seed in range(first, last + 1):
        world = make(seed)
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
    seeds = last - first + 1
    assert not wrong, f"{len(wrong)} of {seeds} seeds: " + "\n".join(wrong)
    assert seeds < 20 or judge.placed > seeds / 10, f"only {judge.placed} of {seeds} probes were placed at all"


@pytest.mark.bound(180)
def test_filters_of_some_seeds(filter_judge: Judge) -> None:
    compare(filter_judge, 1, 25, draw, judges.differences)


@pytest.mark.long
@pytest.mark.bound(3600)
def test_filters_of_five_hundred_seeds(filter_judge: Judge) -> None:
    compare(filter_judge, 26, 525, draw, judges.differences)


@pytest.mark.bound(180)
def test_volume_limits_of_some_seeds(filter_judge: Judge) -> None:
    compare(filter_judge, 1, 20, draw_volumes, judges.differences)


@pytest.mark.long
@pytest.mark.bound(3600)
def test_volume_limits_of_two_hundred_seeds(filter_judge: Judge) -> None:
    compare(filter_judge, 21, 220, draw_volumes, judges.differences)


@pytest.mark.bound(300)
def test_volumes_that_are_there_of_some_seeds(static_judge: StaticJudge) -> None:
    compare_volumes(static_judge, 1, 4)


@pytest.mark.long
@pytest.mark.bound(3600)
def test_volumes_that_are_there_of_forty_seeds(static_judge: StaticJudge) -> None:
    compare_volumes(static_judge, 5, 44)


@pytest.mark.bound(180)
def test_free_storage_of_some_seeds(capacity_judge: CapacityJudge) -> None:
    compare_capacities(capacity_judge, 1, 15)


@pytest.mark.long
@pytest.mark.bound(3600)
def test_free_storage_of_a_hundred_seeds(capacity_judge: CapacityJudge) -> None:
    compare_capacities(capacity_judge, 16, 115)


@pytest.mark.bound(180)
def test_scores_of_some_seeds(score_judge: Judge) -> None:
    compare(score_judge, 1, 15, choices.draw_choice, choices.differences)


@pytest.mark.long
@pytest.mark.bound(3600)
def test_scores_of_two_hundred_seeds(score_judge: Judge) -> None:
    compare(score_judge, 16, 215, choices.draw_choice, choices.differences)
