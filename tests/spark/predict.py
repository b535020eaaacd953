#!/usr/bin/python3
"""Runs cases of the generator by hand: predict.py LINE SEED [SEED ...] or predict.py LINE FIRST-LAST.

Prints one line a case and, of one that differs, conf, template and differences. --keep FOLDER saves what
the API server showed, as the fixtures are kept: FOLDER/<version>/case-<seed>.
"""
import argparse
import collections
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from installation import LINES, install  # noqa: E402
from prediction import campaign  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("line", choices=sorted(LINES))
    parser.add_argument("seeds", nargs="+")
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    kinds: collections.Counter[str] = collections.Counter()
    for running in campaign(arguments.line):
        for seed in (number for text in arguments.seeds for number in _numbers(text)):
            case, trial, verdict = running.run(seed)
            kinds[verdict.kind] += 1
            why = trial.refused or trial.died or ""
            print(f"{case.line} {seed}: {verdict.kind} {why[:120]}".rstrip(), flush=True)
            if verdict.differences:
                print(f"  {case.language} {case.conf}\n{case.template or ''}\n  " +
                      "\n  ".join(verdict.differences), flush=True)
            if arguments.keep:
                trial.save(arguments.keep / install(case.line).version / case.name)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    return 1 if kinds["wrong"] else 0


def _numbers(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


if __name__ == "__main__":
    sys.exit(main())
