#!/usr/bin/env python3
"""`make bench`, `make bench-check`, `make bench-docs`: measures, compares, writes docs/evaluation/performance.md.

  run [--runs N] [LANE...]   lanes micro, scale, macro, asked; results in build/bench-results
  check [--prefix TEXT]      holds them against tests/bench/thresholds.json; exit code 1 beyond a limit
  docs                       docs/evaluation/performance.json and docs/evaluation/performance.md from them
  quick                      sizes of the scale lane that take seconds, and their check: a lane of `make test`
"""
import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Sequence

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/bench")]

from results import check, report  # noqa: E402: the path comes first
from results.figures import FOLDER, Lane, machine, read_figures  # noqa: E402
from support.client.json_type import Json  # noqa: E402

LANES = ("micro", "scale", "macro", "asked")
QUICK_SIZES = ((1_000, 10_000, 100), (10_000, 100_000, 1_000))


def measure(name: str, runs: int, is_quick: bool = False) -> Lane:
    if name == "micro":
        from results.micro import micro_lane
        return micro_lane(runs)
    if name == "scale":
        from results.scale import scale_lane
        return scale_lane(runs)
    # These need what the black-box tests need.
    if name == "asked":
        from results.asked import asked_lane
        return asked_lane(runs, is_quick)
    from results.macro import macro_lane
    return macro_lane(runs, is_quick)


def minutes_before(name: str) -> float:
    """How long a lane took here the last time, or else where the page of results was measured; 0: nobody knows."""
    for path in (FOLDER / f"{name}.json", report.DATA):
        if path.exists():
            read = json.loads(path.read_text())
            for lane in read.get("lanes", [read]):
                if lane["lane"] == name:
                    return float(lane["machine"]["minutes"])
    return 0


def run(lanes: Sequence[str], runs: int, is_quick: bool) -> int:
    has_failed, started = False, time.monotonic()
    expected = {name: 0 if is_quick else minutes_before(name) for name in lanes}
    for number, name in enumerate(lanes, 1):
        began, facts = time.monotonic(), machine()
        load = facts["load_before"]
        if load > 1:
            print(f"*** the machine is busy (load {load:.1f}): times mean little, ratios a little more", flush=True)
        passed = f", {(time.monotonic() - started) / 60:.0f} minutes so far" if number > 1 else ""
        left = sum(expected[later] for later in lanes[number - 1:])
        takes = f"; about {left:.0f} minutes are left, by what it took before" if left >= 1 else ""
        print(f"lane {name} ({number} of {len(lanes)}), {runs} runs{passed}{takes}", flush=True)
        lane = measure(name, runs, is_quick)
        minutes = round((time.monotonic() - began) / 60, 1)
        facts |= {"load_after": round(os.getloadavg()[0], 1), "minutes": minutes}
        where = "nothing written" if is_quick else str(lane.write(facts).relative_to(ROOT))
        print(f"{len(lane.figures)} figures, {where}, {minutes} minutes", flush=True)
        for missing in lane.missing:
            print(f"*** NOT MEASURED: {missing}", flush=True)
        has_failed = has_failed or lane.has_failed
    return 1 if has_failed else 0


def measured() -> list[Json]:
    return [json.loads(path.read_text()) for path in (FOLDER / f"{name}.json" for name in LANES) if path.exists()]


def compare(lanes: Sequence[Json], only: str = "") -> int:
    if not lanes:
        print("nothing was measured: run `make bench` first", file=sys.stderr)
        return 1
    figures, missing = {}, []
    for lane in lanes:
        figures.update(read_figures(lane))
        missing += [f"{lane['lane']}: {each}" for each in lane["missing"]]
    missing += [f"the lane {name}" for name in LANES if name not in [lane["lane"] for lane in lanes]]
    thresholds = [each for each in check.read_thresholds() if each.figure.startswith(only)]
    verdicts = check.judge(figures, missing if not only else [], thresholds)
    for verdict in verdicts:
        print(verdict.line())
    for each in [] if only else missing:
        print(f"*** NOT MEASURED: {each}")
    failed = [verdict for verdict in verdicts if verdict.problem]
    for verdict in failed:
        print(f"FAILED {verdict.threshold.name}: {verdict.threshold.reason}", file=sys.stderr)
    print(f"{sum(v.value is not None and not v.problem for v in verdicts)} hold, {len(failed)} failed, "
          f"{sum(v.value is None and not v.problem for v in verdicts)} not measured")
    return 1 if failed else 0


def quick() -> int:
    """A limit is broken if it is broken twice: a busy neighbour bends a curve, not two in a row."""
    from results.scale import scale_lane
    for _ in range(2):
        if compare([scale_lane(3, QUICK_SIZES).as_json(machine())], "scale.") == 0:
            return 0
    return 1


def docs() -> int:
    lanes = measured()
    if not lanes:
        print("nothing was measured: run `make bench` first", file=sys.stderr)
        return 1
    report.DATA.write_text(report.as_text({"lanes": lanes}))
    report.PAGE.write_text(report.render(report.read_data()))
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("lanes", nargs="*", default=LANES, metavar="LANE", help=", ".join(LANES))
    running.add_argument("--runs", type=int, default=5)
    running.add_argument("--quick", action="store_true", help="macro, asked: tiny sizes, to see that it works; writes nothing")
    running.add_argument("--programs", default="build/bench", help="the folder of gang-load and the others")
    checking = commands.add_parser("check")
    checking.add_argument("--prefix", default="", help="only thresholds of figures that begin so")
    commands.add_parser("docs")
    hurrying = commands.add_parser("quick")
    hurrying.add_argument("--programs", default="build/bench", help="the folder of gang-scale")
    arguments = parser.parse_args()
    if "programs" in arguments:
        os.environ["GANG_BENCH_PROGRAMS"] = str(ROOT / arguments.programs)
    if arguments.command == "run":
        unknown = set(arguments.lanes) - set(LANES)
        if unknown:
            parser.error(f"no such lane: {', '.join(sorted(unknown))}")
        return run(arguments.lanes, arguments.runs, arguments.quick)
    if arguments.command == "check":
        return compare(measured(), arguments.prefix)
    return docs() if arguments.command == "docs" else quick()


if __name__ == "__main__":
    sys.exit(main())
