#!/usr/bin/env python3
"""Draws mutants by chance, and counts how many the unit tests and the simulation notice.

A mutant is one operator of the sources changed, or one statement left out. Each is built in a copy of the tree
(build/mutants/tree; the checkout is never written to) and run against the test programs until one notices it, by a
failure, a crash, or far more CPU time than the sources need. The same seed draws the same mutants of the same sources.
tests/sim/equivalent_mutants.txt says which change nothing that can be seen, and why: they are not drawn.

The exit code is 1 when so few are noticed that a true share of 95 % would yield that less than once in a hundred
samples, or when an entry of that list is no part of the sources any more.
"""
import argparse
import datetime
import math
import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from random_mutants_draw import EQUIVALENTS, ROOT, Mutant, mutants_of, read_equivalents, sources
from random_mutants_run import Tree

SHARE, DOUBT = 0.95, 0.01
ALONE_AT_MOST = 12  # so many whose code others have are sooner built one by one than together


def least_noticed(count: int) -> int:
    """The most that a true share of SHARE misses by chance in less than DOUBT of all samples."""
    at_most = 0.0
    for noticed in range(count + 1):
        at_most += math.comb(count, noticed) * SHARE ** noticed * (1 - SHARE) ** (count - noticed)
        if at_most > DOUBT:
            return noticed
    return count


def try_all(tree: Tree, drawn: list[Mutant]) -> dict[int, str | None]:
    """By number from 1: what noticed it. Empty: nothing; None: it does not compile."""
    results: dict[int, str | None] = {}

    def tell(number: int, by: str | None) -> None:
        results[number] = by
        said = "does not compile" if by is None else f"noticed by {by}" if by else "SURVIVED"
        if by == "" and not tree.is_reached(number):
            said += ", and no test comes by it"
        print(f"{number:>4} {drawn[number - 1]}\n    {said}", flush=True)

    tree.prepare()
    left = dict(enumerate(drawn, 1))
    alone: set[int] = set()
    while left:
        begin = time.monotonic()
        planted = tree.plant(left)
        tree.measure()
        print(f"{len(planted)} planted, {time.monotonic() - begin:.0f} s", flush=True)
        with ThreadPoolExecutor(tree.jobs) as pool:
            for number, by in zip(sorted(planted), pool.map(tree.noticed_by, sorted(planted))):
                if not by and planted[number].may_be_constant and not tree.is_reached(number):
                    alone.add(number)  # the compiler may have run that code
                else:
                    tell(number, by)
        left = {number: mutant for number, mutant in left.items() if number not in {*planted, *tree.unplantable}}
        if len(left) <= ALONE_AT_MOST:
            break
    for number in sorted({*alone, *left, *tree.unplantable}):
        tell(number, tree.noticed_alone(drawn[number - 1]))
    return results


def show_rooms(tried: dict[Mutant, str]) -> None:
    rooms: dict[str, list[bool]] = {}
    for mutant, by in tried.items():
        rooms.setdefault("/".join(mutant.path.split("/")[:2]), []).append(bool(by))
    for room, noticed in sorted(rooms.items()):
        print(f"{room:<24}{sum(noticed):>4} of {len(noticed)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")), help="the date")
    parser.add_argument("--count", type=int, default=20, help="mutants that compile (20)")
    parser.add_argument("--sim-seeds", type=int, default=60, help="seeds of gang-sim for each (60)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--list", action="store_true", help="only say which are drawn, some of which may not compile")
    parser.add_argument("--no-headers", action="store_true", help="none whose build is half of everything")
    parser.add_argument("--only", help="try all of one FILE or FILE:LINE instead")
    arguments = parser.parse_args()

    everything = [mutant for path in sources() for mutant in mutants_of(path, (ROOT / path).read_text())]
    equivalents = read_equivalents()
    known = {entry: [mutant for mutant in everything if entry.says(mutant)] for entry in equivalents}
    gone = [entry for entry, those in known.items() if not those]
    for entry in gone:
        print(f"FAILED {EQUIVALENTS.relative_to(ROOT)}: no such mutant: {entry}")
    left_out = {mutant for those in known.values() for mutant in those}
    pool = [mutant for mutant in everything if mutant not in left_out
            and not (arguments.no_headers and mutant.path.endswith(".hpp"))]
    if arguments.only:
        drawn = [mutant for mutant in pool if arguments.only in (mutant.path, f"{mutant.path}:{mutant.line}")]
        arguments.count = len(drawn)
    else:
        some_more = arguments.count + arguments.count // 10 + 5  # some do not compile
        drawn = random.Random(arguments.seed).sample(pool, min(len(pool), some_more))
    print(f"seed {arguments.seed}: {arguments.count} of {len(everything)} mutants, of which {len(left_out)} are known "
          "to be equivalent", flush=True)
    if arguments.list:
        print("\n".join(str(mutant) for mutant in drawn))
        return 1 if gone else 0

    tree = Tree(ROOT / "build/mutants/tree", arguments.sim_seeds, arguments.jobs)
    results = try_all(tree, drawn)
    compiled = [number for number, by in sorted(results.items()) if by is not None][:arguments.count]
    show_rooms({drawn[number - 1]: results[number] for number in compiled})
    noticed = sum(bool(results[number]) for number in compiled)
    by_records = sum((results[number] or "").endswith("by the record alone") for number in compiled)
    tried, broken = len(compiled), len(results) - sum(by is not None for by in results.values())
    least = 0 if arguments.only else least_noticed(tried)
    print(f"seed {arguments.seed}: {noticed} of {tried} noticed, {100 * noticed / max(tried, 1):.1f} %, "
          f"at least {least} wanted, {by_records} of them by recorded lives alone; {broken} more did not compile")
    return 1 if gone or noticed < least else 0


if __name__ == "__main__":
    sys.exit(main())
