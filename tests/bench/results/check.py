"""Holds figures against thresholds.json."""
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Optional, Sequence

from support.client.json_type import Json

from .figures import Figure

THRESHOLDS = Path(__file__).resolve().parents[1] / "thresholds.json"


@dataclass(frozen=True)
class Threshold:
    """The median of `figure`, or of `figure` over the one named by `over`, is not beyond `limit` and the margin."""

    figure: str
    over: str            # empty: none
    limit: float
    is_upper: bool
    allowed: float       # the limit with the margin
    goal: Optional[float]
    reason: str

    def value(self, figures: Mapping[str, Figure]) -> Optional[float]:
        """None: not measured."""
        if self.figure not in figures or (self.over and self.over not in figures):
            return None
        value = figures[self.figure].median
        return value / figures[self.over].median if self.over else value

    def holds(self, value: float) -> bool:
        return value <= self.allowed if self.is_upper else value >= self.allowed

    def reaches_goal(self, value: float) -> bool:
        goal = self.limit if self.goal is None else self.goal
        return value <= goal if self.is_upper else value >= goal

    @property
    def name(self) -> str:
        return f"{self.figure} / {self.over}" if self.over else self.figure


@dataclass(frozen=True)
class Verdict:
    threshold: Threshold
    value: Optional[float]
    problem: str  # empty: it holds, or could not be measured

    def line(self) -> str:
        limit = f"{'at most' if self.threshold.is_upper else 'at least'} {self.threshold.allowed:.4g}"
        if self.value is None:
            return f"{'FAILED ' if self.problem else 'skipped'} {self.threshold.name}: {self.problem or 'not measured'}"
        return f"{'FAILED ' if self.problem else 'ok     '} {self.threshold.name}: {self.value:.4g}, {limit}"


def read_thresholds(path: Path = THRESHOLDS) -> list[Threshold]:
    return [_threshold(entry) for entry in json.loads(path.read_text())["thresholds"]]


def _threshold(entry: Json) -> Threshold:
    unknown = set(entry) - {"figure", "over", "at_most", "at_least", "margin", "absolute", "goal", "reason"}
    assert not unknown, f"{entry['figure']}: {unknown}"
    assert ("at_most" in entry) != ("at_least" in entry), f"{entry['figure']}: one limit"
    assert entry["reason"], f"{entry['figure']}: a reason"
    is_upper = "at_most" in entry
    limit = float(entry["at_most"] if is_upper else entry["at_least"])
    margin = entry["margin"] * (1 if entry.get("absolute") else abs(limit))
    return Threshold(entry["figure"], entry.get("over", ""), limit, is_upper,
                     limit + margin if is_upper else limit - margin, entry.get("goal"), entry["reason"])


def judge(figures: Mapping[str, Figure], missing: Sequence[str],
          thresholds: Sequence[Threshold]) -> list[Verdict]:
    """A figure that no bench gives any more is a failure too, unless something could not be measured here."""
    verdicts = []
    for threshold in thresholds:
        value = threshold.value(figures)
        if value is None:
            problem = "" if missing else "no bench gives this figure"
        else:
            problem = "" if threshold.holds(value) else "beyond its limit"
        verdicts.append(Verdict(threshold, value, problem))
    return verdicts
