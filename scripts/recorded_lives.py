#!/usr/bin/env python3
"""The lives that seeds of the simulation have lived before, in tests/sim/lives: what `gang-sim --expect` compares.

    scripts/recorded_lives.py           runs them with build/release/gang-sim; fails when one lives another life
    scripts/recorded_lives.py --write   writes them anew

A change of what the scheduler decides changes lives. Who means it writes them anew in the same commit; who does not has
found a mistake.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests/sim/lives"
# File: the seeds, and in which worlds.
WORLDS = {
    "plain": ("1..60", []),
    "backfill": ("101..120", ["--backfill"]),
    "queues": ("201..220", ["--queues"]),
    "groups": ("301..330", ["--queues", "--groups"]),
    "cards": ("401..420", ["--cards"]),
    "volumes": ("501..520", ["--volumes"]),
    "quotas": ("601..620", ["--quotas"]),
    "autoscaler": ("701..720", ["--autoscaler"]),
    "everything": ("901..960", ["--everything"]),
}


def commands(program: str, folder: Path = FOLDER, jobs: int = 2) -> dict[str, list[str]]:
    """By name of the file: what compares its lives."""
    return {name: [program, *more, "--seeds", seeds, "--jobs", str(jobs), "--expect", str(folder / f"{name}.txt")]
            for name, (seeds, more) in WORLDS.items()}


def write(program: Path) -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, (seeds, more) in WORLDS.items():
            made = Path(scratch) / name
            subprocess.run([program, *more, "--seeds", seeds, "--jobs", "2", "--digests", made],
                           stdout=subprocess.DEVNULL, check=True)
            lines = sorted(made.read_text().splitlines(), key=lambda line: int(line.split()[0]))
            (FOLDER / f"{name}.txt").write_text("\n".join(lines) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/gang-sim")
    arguments = parser.parse_args()
    if arguments.write:
        write(arguments.program)
        return 0
    failed = [name for name, command in commands(str(arguments.program)).items() if subprocess.run(command).returncode]
    if failed:
        print(f"FAILED: other lives than recorded, or broken rules: {', '.join(failed)}. If what the scheduler decides was meant "
              "to change: scripts/recorded_lives.py --write")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
