#!/usr/bin/env python3
"""Switches on each mutant of tests/sim/mutants and fails when one is not noticed as tests/sim/mutants.txt says.

Also fails when the shipped program has anything of a mutant in it, and when the copies with no mutant switched on live
other lives than the sources. Needs build/release with its target `mutants`.
"""
import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mutants_plant

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests/sim/mutants.txt"
SIMULATION = ROOT / "build/release/gang-sim-mutated"
ELSEWHERE = ("story", "worlds", "unit")  # what notices them is no world of the simulation's


def cases() -> list[list[str]]:
    lines = CASES.read_text().splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def in_the_binary() -> list[str]:
    """What the shipped program knows of mutants; nothing, if all is well."""
    program = ROOT / "build/release/gang-scheduler"
    symbols = subprocess.run(["nm", "-C", program], capture_output=True, text=True, check=True).stdout
    found = [line for line in symbols.splitlines() if "mutant" in line.lower()]
    content = program.read_bytes()
    return found + [name for name, *_ in cases() if name != "none" and name.encode() + b"\0" in content]


def not_in_both() -> list[str]:
    """A name without a mutant would pass for noticed: its program refuses to run."""
    listed, planted = {case[0] for case in cases()} - {"none"}, set(mutants_plant.names())
    return sorted(listed ^ planted)


def survives(case: list[str]) -> str:
    """The mutant's name if a test program says that all is well with it."""
    name, kind, what = case[0], case[1], case[-1]
    program = (case[2] if kind == "unit" else "test_gang") + "_mutated"
    only = {"story": "scenarios: every story*", "worlds": "S20*", "unit": what}[kind]
    environment = dict(os.environ, GANG_MUTANT=name, GANG_SEED="1", GANG_WORLDS=what if kind == "worlds" else "1")
    result = subprocess.run([ROOT / "build/release" / program, f"-tc={only}", "-aa=1"], env=environment,
                            capture_output=True, text=True, cwd=ROOT)
    print(f"{name:<32}{kind:>6} {what}: {'SURVIVES' if result.returncode == 0 else 'noticed'}", flush=True)
    return name if result.returncode == 0 else ""


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    left = in_the_binary()
    for line in left:
        print(f"FAILED build/release/gang-scheduler has {line}")
    halves = not_in_both()
    for name in halves:
        print(f"FAILED {name} is in only one of tests/sim/mutants.txt and the tables of tests/sim/mutants")
    lives = subprocess.run([sys.executable, ROOT / "scripts/recorded_lives.py", "--program", SIMULATION]).returncode
    simulated = subprocess.run([SIMULATION, "--mutants", CASES, "--jobs", "2"]).returncode
    others = [case for case in cases() if case[1] in ELSEWHERE]
    with ThreadPoolExecutor(2) as pool:
        survivors = [name for name in pool.map(survives, others) if name]
    for name in (case[0] for case in cases() if case[1] == "open"):
        print(f"open: {name}")
    return 1 if left or halves or lives or simulated or survivors else 0


if __name__ == "__main__":
    sys.exit(main())
