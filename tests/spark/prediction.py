"""`size` held against the executors that real Spark then made: the verdict on one application."""
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Optional

from cases import Case, random_case
from comparison import differences, foreseen, seen, seen_in_set
from installation import Spark, install
from support.client.api import Api, Json
from support.process.processes import scratch_folder
from support.plane.rig import EmbeddedRig, binary
from trial import Trial, make_classes, run
from workbench import Workbench, WorkbenchError

ATTEMPTS = 3
CASES_PER_JVM = 60  # a driver that has ended leaves a little of itself behind

# Drivers that die of what has nothing to do with size or place, so that nothing need be foreseen.
OTHER_DEATHS = ("could not be found", "No executor resource config", "shuffle")


@dataclass
class Verdict:
    """`kind` counts; `differences` fail."""

    kind: str
    differences: list[str] = field(default_factory=list)


def judge(trial: Trial, folder: Path) -> Verdict:
    """What `size` says of driver and config maps alone, against what came."""
    if not trial.driver:
        return Verdict("refused by spark-submit")
    trial.save(folder)
    report, problem = size_of(folder)
    shapes = report.get("executors", []) + report.get("foreignExecutors", [])
    real = [seen(pod, trial.claims) for pod in trial.executors] + [seen_in_set(each) for each in trial.sets]
    if not real:
        return _judge_none(trial, report, problem, shapes)
    if problem and not trial.executors:
        return Verdict("not derivable, and its set has no pods")  # nobody has tried to make one
    if problem:
        return Verdict("wrong", [f"called not derivable: {problem}"])
    if not shapes:
        return Verdict("wrong", ["foreseen no executors"])
    count = len(trial.executors) + sum(each["spec"]["replicas"] for each in trial.sets)
    found = [] if shapes[0]["count"] == count else [f"count: foreseen {shapes[0]['count']}, is {count}"]
    for each in real:
        found += differences(foreseen(shapes[0], in_set=bool(trial.sets)), each)
    return Verdict("wrong", sorted(set(found))) if found else Verdict("equal")


def _judge_none(trial: Trial, report: Json, problem: str, shapes: list[Json]) -> Verdict:
    """No executor came: that must have been said, or be the answer."""
    if problem:
        return Verdict("not derivable, and none came")
    if not shapes:
        return Verdict("equal")  # a driver that works alone
    if trial.died is not None:
        if report["notes"] or any(words in trial.died for words in OTHER_DEATHS):
            return Verdict("driver died, as noted")
        return Verdict("wrong", [f"the driver died, which nobody foresaw: {trial.died}"])
    if shapes[0]["max"] != shapes[0]["count"] and shapes[0]["count"] == 1:
        return Verdict("equal")  # dynamic allocation that starts with none: one is reserved
    return Verdict("wrong", [f"foreseen {shapes[0]['count']} executors, none came"])


def size_of(folder: Path) -> tuple[Json, str]:
    """The report of `size -o json` and the problem that it names."""
    result = subprocess.run([str(binary()), "size", "-f", str(folder / "driver.json"),
                             "-f", str(folder / "configmaps.json"), "-o", "json"],
                            capture_output=True, text=True, timeout=30)
    if not result.stdout:
        return {}, result.stderr
    report = json.loads(result.stdout)
    return report, report.get("problem", "")


class Campaign:
    """Many cases of one line on one API server; a new JVM whenever one is worn out."""

    def __init__(self, line: str, api: Api, folder: Path) -> None:
        self.line = line
        self.folder = folder
        self._api = api
        self._spark: Spark = install(line)
        self._bench: Optional[Workbench] = None
        self._done = 0
        make_classes(api)

    def run(self, seed: int) -> tuple[Case, Trial, Verdict]:
        case = random_case(self.line, seed)
        trial = self._try(case)
        return case, trial, judge(trial, self.folder / f"{self.line}-{seed}")

    def stop(self) -> None:
        if self._bench is not None:
            self._bench.stop()
            self._bench = None

    def _try(self, case: Case) -> Trial:
        for _ in range(ATTEMPTS - 1):
            try:
                return run(case, self._fresh(), self._api, self.folder)
            except WorkbenchError:
                self.stop()
        return run(case, self._fresh(), self._api, self.folder)

    def _fresh(self) -> Workbench:
        self._done += 1
        if self._bench is not None and (not self._bench.is_running() or self._done % CASES_PER_JVM == 0):
            self.stop()
        if self._bench is None:
            self._bench = Workbench(self._api, self._spark, self.folder)
        return self._bench


def campaign(line: str) -> Iterator[Campaign]:
    """With an API server of its own, inside the program under test."""
    rig = EmbeddedRig()
    made = Campaign(line, rig.api, scratch_folder(f"prediction-{line}"))
    try:
        yield made
    finally:
        made.stop()
        rig.stop()
