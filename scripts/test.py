#!/usr/bin/env python3
"""Runs the lanes of `make test` (or, with --long, those of `make test-long`) and adds up their results.

What comes from registries (tests/plane with its Go, Spark) is made beside the compiler; a lane whose share of it
cannot be had fails with one line that says why. Nothing is skipped: a test that says so has failed.
The last line is `N passed, N failed`; the exit code is 1 when anything failed.
"""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = "/usr/bin/python3"  # Debian's, which sees Debian's packages
NEW_SEEDS = 10
LANES = ("layers", "unit", "sim", "bench", "demo", "blackbox", "spark")
LONG_LANES = ("sanitizers", "seeds", "bench", "mutants", "random", "blackbox", "spark", "older")
OLDER = "1.36"  # of Kubernetes: the second version of the real rig, for tests that speak most with the API server
OLDER_PATHS = {
    "blackbox": ["tests/blackbox/wire", "tests/blackbox/gangs/test_pod_groups.py",
                 "tests/blackbox/gangs/test_native_groups.py", "tests/blackbox/gangs/test_pod_group_status.py",
                 "tests/blackbox/queues/test_native_preemption.py", "tests/blackbox/chart/test_rights.py",
                 "--ignore", "tests/blackbox/wire/test_two_rigs.py"],  # the embedded server answers as the newer one
    "spark": ["tests/spark"]}
DISK_GB = 5  # of a checkout where nothing has been built: both builds (3.5), and what the compiler writes meanwhile


class Tally:
    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0
        self.lines: list[str] = []

    def cannot_run(self, lane: str, reason: str) -> None:
        print(f"FAILED: {lane} cannot run: {reason}", flush=True)
        self.add(lane, 0, 1, 0, f"(cannot run: {reason})")

    def add(self, lane: str, passed: int, failed: int, seconds: float, note: str = "") -> None:
        self.passed += passed
        self.failed += failed
        self.lines.append(f"{lane:<18} {passed:>4} passed {failed:>3} failed {seconds:>5.0f} s {note}".rstrip())


def run(command: list[str], **options) -> subprocess.CompletedProcess:
    print("+ " + " ".join(command), flush=True)
    return subprocess.run(command, cwd=ROOT, **options)


class Supply:
    """What lanes need from registries, made in the background from the first moment; nicely, as lanes run beside it."""

    COMMANDS = {"plane": ["tests/plane/build.sh"], "older": ["tests/plane/build.sh", "--plane", OLDER],
                "prometheus": ["tests/plane/prometheus.sh"], "spark": [PYTHON, "tests/spark/installation.py"]}

    def __init__(self, wanted: dict[str, list[str]]) -> None:
        """`wanted`: which of COMMANDS, with which arguments."""
        self._missing: dict[str, str] = {}
        self._makers = {}
        for name, arguments in wanted.items():
            command = ["nice", "-n", "5", *self.COMMANDS[name], *arguments]
            print("+ " + " ".join(command) + " &", flush=True)
            log = tempfile.TemporaryFile("w+")
            self._makers[name] = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log,
                                                  stderr=subprocess.STDOUT, start_new_session=True), log

    def missing(self, name: str) -> str:
        """Waits for it; then empty, or why it cannot be had."""
        if name not in self._missing:
            maker, log = self._makers[name]
            start = time.monotonic()
            code = maker.wait()
            log.seek(0)
            said = log.read().strip()
            print(f"{said}\n{name}: waited for {time.monotonic() - start:.0f} s", flush=True)
            self._missing[name] = "" if code == 0 else (said.splitlines() or [f"exit code {code}"])[-1]
        return self._missing[name]

    def stop(self) -> None:
        for maker, _ in self._makers.values():
            if maker.poll() is None:
                os.killpg(maker.pid, signal.SIGTERM)


def command_lane(tally: Tally, lane: str, command: list[str]) -> bool:
    start = time.monotonic()
    passed = run(command).returncode == 0
    tally.add(lane, int(passed), int(not passed), time.monotonic() - start)
    return passed


def build(tally: Tally, preset: str, *targets: str) -> bool:
    """`targets`: all of them when none is named."""
    start = time.monotonic()
    done = run(["scripts/build.py", preset, *targets]).returncode == 0
    if not done:
        tally.add(f"build {preset}", 0, 1, time.monotonic() - start)
    return done


class BuildBeside:
    """What other lanes need is built while the tests in the `with` run: these wait more than they work, and what they
    leave of the processor is enough. What goes wrong is said by who builds it next, in the foreground."""

    COMMANDS = ("cmake --preset debug > /dev/null", "cmake --build --preset debug",
                "cmake --build build/release --target gang-sim gang-scale")

    def __enter__(self) -> None:
        command = " && ".join(f"nice -n 19 {one}" for one in self.COMMANDS)
        print(f"+ ({command}) &", flush=True)
        self._build = subprocess.Popen(["sh", "-c", command], cwd=ROOT, stdin=subprocess.DEVNULL, start_new_session=True,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __exit__(self, kind: object, *_: object) -> None:
        start = time.monotonic()
        if kind is not None:
            os.killpg(self._build.pid, signal.SIGTERM)
        self._build.wait()
        print(f"build beside the tests: waited for {time.monotonic() - start:.0f} s", flush=True)


def warn_of_small_disk() -> None:
    free = shutil.disk_usage(ROOT).free / 1e9
    if free < DISK_GB and not (ROOT / "build/debug/gang-scheduler").exists():
        print(f"WARNING: {free:.1f} GB are free in {ROOT}, and the builds write about {DISK_GB} GB", flush=True)


def unit_lane(tally: Tally, preset: str = "debug") -> None:
    """`debug-all` is the same with the checks of UBSan that cost most to compile."""
    if not build(tally, preset):
        return
    programs = sorted(path for path in (ROOT / "build" / preset).glob("test_*") if path.is_file())
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for outcome in pool.map(unit_program, programs):
            tally.add(*outcome)


def seeds_lane(tally: Tally) -> None:
    """Randomised unit tests with numbers that no run has drawn before; `make test` draws the same each time."""
    if not build(tally, "debug"):
        return
    first = int(time.time())
    for seed in range(first, first + NEW_SEEDS):
        name, passed, failed, seconds = unit_program(ROOT / "build/debug/test_core", seed)
        tally.add(f"{name} {seed}", passed, failed, seconds, f"GANG_SEED={seed}" if failed else "")


def unit_program(program: Path, seed: int = 1) -> tuple[str, int, int, float]:
    """Its name, how many cases passed and failed, and the seconds it took."""
    start = time.monotonic()
    result = run([str(program.relative_to(ROOT))], capture_output=True, text=True,
                 env={"GANG_SEED": str(seed), **os.environ})
    found = re.search(r"test cases:\s*\d+ \|\s*(\d+) passed \|\s*(\d+) failed", result.stdout)
    passed, failed = (int(found[1]), int(found[2])) if found else (0, 1)
    if result.returncode != 0:
        failed = max(failed, 1)  # a sanitizer's report after the last test is a failure too
        print(result.stdout[-20000:] + result.stderr[-20000:])
    return program.name, passed, failed, time.monotonic() - start


def pytest_lane(tally: Tally, folder: str, long: bool, supply: Supply) -> None:
    """Both rigs at the same time, and the tests that have planes of their own: they wait more than they work."""
    lane = Path(folder).name
    missing = supply.missing("plane") or supply.missing("spark" if lane == "spark" else "prometheus")
    if missing:
        return tally.cannot_run(lane, missing)
    marker = "long" if long else "not long"
    with ThreadPoolExecutor() as pool:
        for part in pool.map(lambda rig: pytest_part(f"{lane} {rig}", [folder, "--part", rig, "-m", marker]),
                             ("embedded", "real", "own")):
            tally.add(*part)


def older_lane(tally: Tally, supply: Supply) -> None:
    """What `make test` runs of OLDER_PATHS on the real rig, on its older version."""
    missing = [supply.missing(name) for name in ("plane", "older", "prometheus", "spark")]
    if any(missing):
        return tally.cannot_run("older", next(filter(None, missing)))
    for name, paths in OLDER_PATHS.items():
        tally.add(*pytest_part(f"{name} {OLDER}", [*paths, "--part", "real", "--plane", OLDER, "-m", "not long"]))


def pytest_part(name: str, arguments: list[str]) -> tuple[str, int, int, float, str]:
    """As unit_program(), and what was skipped."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        result = run([PYTHON, "-m", "pytest", *arguments, "-q", "-rs", "--tb=short", f"--junitxml={report}"],
                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(result.stdout, flush=True)
        passed = failed = skipped = 0
        if report.exists():
            for suite in ElementTree.parse(report).getroot().iter("testsuite"):
                total, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
                failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
                passed = total - failed - skipped
    no_tests_collected = 5
    if result.returncode not in (0, no_tests_collected):
        failed = max(failed, 1)
    note = f"({skipped} SKIPPED, see above)" if skipped else ""
    return name, passed, failed + skipped, time.monotonic() - start, note


def bench_lane(tally: Tally) -> None:
    """What the benches compute, and the limits that hold on a busy machine too: bytes, and growth of CPU time."""
    command_lane(tally, "bench tests", [PYTHON, "-m", "pytest", "tests/bench", "-q", "--tb=short"])
    if command_lane(tally, "build bench", ["cmake", "--build", "build/release", "--target", "gang-scale"]):
        command_lane(tally, "bench limits", [PYTHON, "scripts/bench.py", "quick", "--programs", "build/release"])


def macro_smoke_lane(tally: Tally, supply: Supply) -> None:
    """Every workload of `make bench` on whole planes, at sizes that measure nothing."""
    if supply.missing("plane"):
        return tally.cannot_run("bench macro", supply.missing("plane"))
    if command_lane(tally, "build bench", ["cmake", "--build", "build/release", "--target", "gang-load"]):
        command_lane(tally, "bench macro", [PYTHON, "scripts/bench.py", "run", "--quick", "--runs", "1",
                                            "--programs", "build/release", "macro", "asked"])


def read_digests(path: Path) -> dict[str, str]:
    return dict(line.split() for line in path.read_text().splitlines()) if path.exists() else {}


def sim_lane(tally: Tally) -> None:
    """Every seed of the release build, some of them under sanitizers, and both must have lived the same life; others
    with cards, with volumes, with groups in queues, with backfill in queues, with quotas, with an autoscaler, with groups
    and an autoscaler, with all of these at once; and those that are recorded must live as they did."""
    if not (build(tally, "debug") and build(tally, "release", "gang-sim")):
        return
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        released, sanitized = Path(scratch) / "release", Path(scratch) / "debug"
        runs = [run([f"build/{preset}/gang-sim", "--seeds", seeds, "--jobs", "2", "--digests", str(digests), *more])
                for preset, seeds, digests, more in (("release", "1..200", released, ["--all-faults"]),
                                                     ("debug", "1..12", sanitized, []))]
        for seeds, *what in (("1..100", "--cards"), ("1..100", "--volumes"), ("101..200", "--queues", "--groups"),
                             ("1..100", "--queues", "--backfill"), ("1..100", "--quotas"), ("1..100", "--autoscaler"), ("1..100", "--groups", "--autoscaler"),
                             ("101..150", "--queues", "--quotas", "--autoscaler", "--backfill"),
                             ("801..900", "--everything")):
            runs.append(run(["build/release/gang-sim", *what, "--seeds", seeds, "--jobs", "2"]))
        runs.append(run([PYTHON, "scripts/recorded_lives.py"]))
        all_seeds, again = read_digests(released), read_digests(sanitized)
        differing = [seed for seed, digest in again.items() if all_seeds.get(seed) != digest]
    for seed in differing:
        print(f"FAILED: seed {seed} lives another life in the debug build than in the release build")
    is_fine = all(done.returncode == 0 for done in runs) and again and not differing
    tally.add("sim", len(all_seeds) + len(again), 0 if is_fine else max(len(differing), 1),
              time.monotonic() - start)


def needs(lanes: list[str], long: bool) -> dict[str, list[str]]:
    """What of Supply these lanes ask for."""
    needed: dict[str, list[str]] = {}
    if {"blackbox", "spark", "older", *(["bench"] if long else [])} & set(lanes):
        needed["plane"] = []
    if "older" in lanes:
        needed["older"] = []
    if {"blackbox", "older"} & set(lanes):
        needed["prometheus"] = []
    if {"spark", "older"} & set(lanes):
        needed["spark"] = [] if long else ["--quick"]
    return needed


def run_lanes(tally: Tally, wanted: list[str], long: bool, supply: Supply) -> None:
    """Those that need the release build alone come first where both are needed: the other one is made meanwhile."""
    if "layers" in wanted:
        command_lane(tally, "layers", [PYTHON, "scripts/check_layers.py"])
        command_lane(tally, "lines of mutants", [PYTHON, "scripts/mutants_plant.py"])
        command_lane(tally, "scripts and links", [PYTHON, "-m", "pytest", "tests/sim", "tests/docs", "-q", "--tb=short"])
    if {"demo", "blackbox", "spark", "older"} & set(wanted) and build(tally, "release", "gang-scheduler"):
        needs_both = not long and {"unit", "sim"} & set(wanted)
        with BuildBeside() if needs_both else nullcontext():
            plane_lanes(tally, wanted, long, supply)
    if "unit" in wanted:
        unit_lane(tally)
    if "sanitizers" in wanted:
        unit_lane(tally, "debug-all")
    if "sim" in wanted:
        sim_lane(tally)
    if "seeds" in wanted:
        seeds_lane(tally)
    if "random" in wanted:
        command_lane(tally, "random mutants", [PYTHON, "scripts/random_mutants.py"])
    if "bench" in wanted and build(tally, "release", "gang-scheduler"):
        macro_smoke_lane(tally, supply) if long else bench_lane(tally)
    if "mutants" in wanted and build(tally, "release", "gang-scheduler", "mutants"):
        command_lane(tally, "mutants", [PYTHON, "scripts/mutants.py"])


def plane_lanes(tally: Tally, wanted: list[str], long: bool, supply: Supply) -> None:
    """With the release build, on whole planes."""
    if "demo" in wanted:
        command_lane(tally, "demo", ["build/release/gang-scheduler", "demo"])
    for folder in ("blackbox", "spark"):
        if folder in wanted:
            pytest_lane(tally, f"tests/{folder}", long, supply)
    if "older" in wanted:
        older_lane(tally, supply)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="the long variants instead")
    parser.add_argument("lanes", nargs="*", help=f"only these: {' '.join(LANES)}; of the long ones {' '.join(LONG_LANES)}")
    arguments = parser.parse_args()
    wanted = arguments.lanes or list(LANES)
    tally = Tally()
    warn_of_small_disk()
    if arguments.long:
        wanted = [lane for lane in arguments.lanes or LONG_LANES if lane in LONG_LANES]
    supply = Supply(needs(wanted, arguments.long))
    try:
        run_lanes(tally, wanted, arguments.long, supply)
    finally:
        supply.stop()
    print("\n" + "\n".join(tally.lines))
    print(f"{tally.passed} passed, {tally.failed} failed", flush=True)
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
