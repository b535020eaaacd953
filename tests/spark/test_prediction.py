"""Random applications through real spark-submit and a real driver: `size` foresees every executor."""
import collections
from typing import Iterator

import pytest

from installation import LINES, Unavailable, require_java
from prediction import Campaign, campaign

QUICK_LINE = "4.1"
QUICK = range(1000, 1005)
LONG = range(2000, 2200)
COUNTED_MIN = 100  # of the long ones, those that have executors to compare


@pytest.fixture
def running(request: pytest.FixtureRequest) -> Iterator[Campaign]:
    try:
        require_java()
        yield from campaign(request.param)
    except Unavailable as reason:
        pytest.fail(f"cannot run here: {reason}", pytrace=False)


@pytest.mark.bound(240)
@pytest.mark.parametrize("running", [QUICK_LINE], indirect=True)
def test_five_random_applications_get_what_was_foreseen(running: Campaign) -> None:
    assert hold(running, QUICK)["equal"] > 0


@pytest.mark.long
@pytest.mark.bound(3600)
@pytest.mark.parametrize("running", sorted(LINES), indirect=True)
def test_random_applications_of_every_line_get_what_was_foreseen(running: Campaign) -> None:
    assert hold(running, LONG)["equal"] >= COUNTED_MIN


def hold(running: Campaign, seeds: range) -> "collections.Counter[str]":
    """Runs them all, then fails with everything that differed and how to see it again."""
    kinds: collections.Counter[str] = collections.Counter()
    wrong = []
    for seed in seeds:
        _, _, verdict = running.run(seed)
        kinds[verdict.kind] += 1
        if verdict.differences:
            wrong.append(f"tests/spark/predict.py {running.line} {seed}\n    " +
                         "\n    ".join(verdict.differences))
    print(f"{running.line}: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    assert not wrong, "differs from what real Spark made; each can be repeated by:\n" + "\n".join(wrong)
    return kinds
