#!/usr/bin/env python3
"""Builds the fuzz targets and runs each for some seconds, all cores at work; prints a line for each.

What a target learns stays in build/fuzz/corpus/TARGET and is where the next run begins; inputs that break it are
in build/fuzz/crashes. Exit code 1: there is one. See tests/fuzz/README.md.
"""
import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/fuzz"
INPUT_BYTES_MAX = 16 * 1024
INPUT_SECONDS_MAX = 10  # a parser that takes longer for 16 KiB is broken


@dataclass
class Result:
    target: str
    exit_code: int
    executions: int
    features: int
    corpus: int
    output: str
    crashes: list[Path]


def first_number(pattern: str, text: str) -> int:
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def crashes_of(target: str) -> set[Path]:
    return set((BUILD / "crashes").glob(f"{target}-*"))


def run(target: str, seconds: int) -> Result:
    learned = BUILD / "corpus" / target
    learned.mkdir(parents=True, exist_ok=True)
    before = crashes_of(target)
    command = [str(BUILD / target), str(learned), str(ROOT / "tests/fuzz/corpus" / target),
               f"-max_total_time={seconds}", f"-max_len={INPUT_BYTES_MAX}", f"-timeout={INPUT_SECONDS_MAX}",
               "-rss_limit_mb=2048", "-print_final_stats=1",
               f"-artifact_prefix={BUILD}/crashes/{target}-", f"-dict={ROOT}/tests/fuzz/words.dict"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=BUILD)
    return Result(target, done.returncode,
                  first_number(r"stat::number_of_executed_units: (\d+)", done.stderr),
                  first_number(r"\bft: (\d+)", done.stderr), first_number(r"\bcorp: (\d+)", done.stderr),
                  done.stderr, sorted(crashes_of(target) - before))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default 60)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at a time")
    parser.add_argument("--no-build", action="store_true", help="run what is built already")
    parser.add_argument("targets", nargs="*", help="only these, e.g. pod_fuzz")
    arguments = parser.parse_args()
    if not arguments.no_build:
        for command in (["cmake", "--preset", "fuzz"], ["cmake", "--build", "--preset", "fuzz"]):
            if subprocess.run(command, cwd=ROOT).returncode != 0:
                return 1
    targets = arguments.targets or sorted(path.stem for path in (ROOT / "tests/fuzz").rglob("*_fuzz.cpp"))
    (BUILD / "crashes").mkdir(parents=True, exist_ok=True)
    failed = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for result in pool.map(lambda target: run(target, arguments.seconds), targets):
            verdict = "ok" if result.exit_code == 0 else "FAILED"
            print(f"{result.target:<24} {result.executions:>10} executions {result.features:>7} features "
                  f"{result.corpus:>6} inputs  {verdict}", flush=True)
            if result.exit_code != 0:
                failed += 1
                print(result.output[-6000:])
                print(*(f"  {path.relative_to(ROOT)}" for path in result.crashes), sep="\n", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
