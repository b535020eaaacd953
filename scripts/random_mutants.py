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
import re
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENTS = ROOT / "tests/sim/equivalent_mutants.txt"
SHARE, DOUBT = 0.95, 0.01
FOLDERS = ("core", "gang", "k8s/protocol")  # and their rooms
NOT_MUTATED = ("gang/sim/", "gang/app/")
# Lines where a mutant says nothing of the tests: checks of what the compiler or an assertion knows to be true, hints
# of a size, and the weights of the work budget, which are measured times.
LEFT_OUT_LINES = re.compile(r"^\s*#|static_assert|ENSURE\(|\breserve\(|\bwork_\w+|^\s*template\b")

COMPARISONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
SWAPS = {"+": "-", "-": "+", "+=": "-=", "-=": "+=", "&&": "||", "||": "&&", "true": "false", "false": "true",
         "++": "--", "--": "++", "std::min": "std::max", "std::max": "std::min"}
OPERATOR = re.compile(
    r"(?<= )(?:<=|>=|==|!=|<|>|\+=|-=|&&|\|\||\+|-)(?=[ \n])"  # binary ones stand between spaces here
    r"|!(?=[\w(*:])|\+\+|--|\bstd::m(?:in|ax)(?=\()|\b(?:true|false)\b"
    r"|(?<![\w.'])\d[\d']*(?![\w.']| =)")  # not a bit field's width
# Calls and assignments (a declaration has a space between two names), and leaving early.
STATEMENT = re.compile(r"(?:(?:\+\+|--)?\*?[\w:]+(?:[\w:.\[\]*]|->|\([^;{}]*?\)|\[[^;{}]*?\])*"
                       r"(?:\([^;{}]*\)|(?: [-+|&]?= |\+\+|--)[^;{}]*|(?<=\w))|return\b[^;{}]*|continue|break);")
LEAVING = re.compile(r"(return|continue|break)\b")


@dataclass(frozen=True)
class Mutant:
    path: str
    start: int
    end: int
    to: str
    line: int
    before: str  # the lines it is in, as one
    after: str
    above: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}\n    - {self.before}\n    + {self.after}"


def squeeze(text: str) -> str:
    return " ".join(text.split())


def mask(text: str) -> str:
    """The text with comments, literals and skipped lines blank, and every other character in its place."""
    def blank(found: re.Match) -> str:
        return re.sub(r"[^\n]", " ", found[0])
    masked = re.sub(r"//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|(?<!\d)'(?:\\.|[^'\\])+'",
                    blank, text, flags=re.DOTALL)
    return "\n".join(" " * len(line) if LEFT_OUT_LINES.search(line) else line for line in masked.split("\n"))


def opener(masked: str, position: int) -> str:
    """What stands before the brace that is open at the position."""
    depth = 0
    for at in range(position - 1, -1, -1):
        if masked[at] == "}":
            depth += 1
        elif masked[at] == "{":
            if depth == 0:
                begin = max(masked.rfind(mark, 0, at) for mark in ";{}")
                return masked[begin + 1:at].strip()
            depth -= 1
    return ""


def may_be_left_out(masked: str, begin: int, statement: str) -> bool:
    """A function's last return may not, for what then happens is not defined."""
    before = masked[:begin].rstrip()
    if before.endswith(")"):  # of `if (...) return;`, or else the call goes on from the line above
        line = before[before.rfind("\n") + 1:].strip()
        return line.startswith(("if (", "for (", "while (", "} else if ("))
    if before.endswith("else"):
        return True
    if not before.endswith((";", "{", "}", ":")):
        return False
    if not statement.startswith("return "):
        return True
    return before.endswith("{") and opener(masked, begin).startswith(("if ", "else", "for ", "while "))


def mutants_of(path: str, text: str) -> list[Mutant]:
    masked = mask(text)

    def mutant(start: int, end: int, to: str) -> Mutant:
        first = text.rfind("\n", 0, start) + 1
        last = text.find("\n", end)
        above = text[text.rfind("\n", 0, max(first - 1, 0)) + 1:max(first - 1, 0)]
        return Mutant(path, start, end, to, text.count("\n", 0, start) + 1, squeeze(text[first:last]),
                      squeeze(text[first:start] + to + text[end:last]), squeeze(above))

    found = []
    for site in OPERATOR.finditer(masked):
        operator = site[0]
        if "\"" in (text[:site.start()].rstrip()[-1:], text[site.end():].lstrip()[:1]):
            continue  # joins texts
        if operator in COMPARISONS:
            others = COMPARISONS[operator]
        elif operator == "!":
            others = ("",)
        elif operator in SWAPS:
            others = (SWAPS[operator],)
        else:
            others = (str(int(operator.replace("'", "")) + 1),)
        found += [mutant(*site.span(), to) for to in others]
    for site in re.finditer(r"(?<=[\s])" + STATEMENT.pattern, masked):
        if may_be_left_out(masked, site.start(), site[0]):
            found.append(mutant(*site.span(), "{}"))
    return found


def sources() -> list[str]:
    files = {str(path.relative_to(ROOT)) for folder in FOLDERS for path in (ROOT / folder).rglob("*.[ch]pp")}
    return sorted(path for path in files if not path.startswith(NOT_MUTATED))


@dataclass(frozen=True)
class Equivalent:
    path: str
    above: str  # empty: whatever stands there
    before: str
    after: str  # *: whatever it becomes

    def says(self, mutant: Mutant) -> bool:
        return (self.path == mutant.path and self.before == mutant.before and self.after in ("*", mutant.after)
                and self.above in ("", mutant.above))


def read_equivalents() -> list[Equivalent]:
    entries = []
    path = above = before = ""
    for line in EQUIVALENTS.read_text().splitlines():
        mark, text = line[:2], squeeze(line[2:])
        if mark == "@ ":
            above = text
        elif mark == "- ":
            before = text
        elif mark == "+ ":
            entries.append(Equivalent(path, above, before, text))
        elif mark == "= ":
            above = ""
        elif line and not line.startswith("#"):
            path = line.strip()
    return entries


def least_noticed(count: int) -> int:
    """The most that a true share of SHARE misses by chance in less than DOUBT of all samples."""
    at_most = 0.0
    for noticed in range(count + 1):
        at_most += math.comb(count, noticed) * SHARE ** noticed * (1 - SHARE) ** (count - noticed)
        if at_most > DOUBT:
            return noticed
    return count


class Tree:
    """A copy of the sources with a build folder of its own, where mutants are tried one after another."""
    def __init__(self, folder: Path, seeds: int, jobs: int) -> None:
        self.folder = folder
        self.build = folder / "build/mutants"
        self.jobs = jobs
        slow = "S20*,S21*,S23*,random*,equal*"
        self.steps = {  # in the order of what each costs
            "test_core": ["./test_core", "-aa=1", "-nv"],
            "test_protocol": ["./test_protocol", "-aa=1", "-nv"],
            "test_gang": ["./test_gang", "-aa=1", "-nv", f"-tce={slow}"],
            f"gang-sim --seeds 1..{seeds}": ["./gang-sim", "--seeds", f"1..{seeds}", "--jobs", str(jobs)],
            "test_gang, by chance": ["./test_gang", "-aa=1", "-nv", f"-tc={slow}"],
        }
        self.cpu_seconds: dict[str, float] = {}

    def refresh(self) -> None:
        """What is the same keeps its time stamp, so that it is not built again."""
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                                capture_output=True, text=True, check=True).stdout.split("\0")
        wanted = {name for name in listed if name and (ROOT / name).is_file()}
        for name in wanted:
            copy = self.folder / name
            content = (ROOT / name).read_bytes()
            if not copy.exists() or copy.read_bytes() != content:
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
        for folder in ("core", "config", "gang", "k8s", "tests"):
            for copy in (self.folder / folder).rglob("*.[ch]pp"):
                if str(copy.relative_to(self.folder)) not in wanted:
                    copy.unlink()

    def make(self, program: str, quiet: bool) -> bool:
        output = subprocess.DEVNULL if quiet else None
        return subprocess.run(["cmake", "--build", str(self.build), "--target", program, "--parallel", str(self.jobs)],
                              stdout=output, stderr=output).returncode == 0

    def run(self, name: str) -> bool:
        """A mutant may loop or eat memory: limits are in CPU time, for the machine may be busy."""
        seconds = self.cpu_seconds.get(name, 300.0) * 3 + 10
        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            return subprocess.run(self.steps[name], cwd=self.build, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, preexec_fn=limit, timeout=1200,
                                  env=dict(os.environ, GANG_SEED="1")).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def prepare(self) -> None:
        self.refresh()
        subprocess.run(["cmake", "--preset", "mutants"], cwd=self.folder, stdout=subprocess.DEVNULL, check=True)
        for name, command in self.steps.items():
            if not self.make(Path(command[0]).name, quiet=False):
                sys.exit(f"cannot build {command[0]}")
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            if not self.run(name):
                sys.exit(f"{name} fails without any mutant")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.cpu_seconds[name] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def names_for(self, path: str) -> list[str]:
        skipped = {"core": (), "k8s": ("test_core", "test_gang", "test_gang, by chance")}.get(
            path.split("/")[0], ("test_core", "test_protocol"))
        return [name for name in self.steps if name not in skipped]

    def noticed_by(self, mutant: Mutant) -> str | None:
        """Empty: by nothing. None: it does not compile."""
        source = self.folder / mutant.path
        original = source.read_text()
        source.write_text(original[:mutant.start] + mutant.to + original[mutant.end:])
        try:
            for name in self.names_for(mutant.path):
                if not self.make(Path(self.steps[name][0]).name, quiet=True):
                    return None
                if not self.run(name):
                    return name
            return ""
        finally:
            source.write_text(original)


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
        drawn = random.Random(arguments.seed).sample(pool, min(len(pool), 2 * arguments.count + 20))
    print(f"seed {arguments.seed}: {arguments.count} of {len(everything)} mutants, of which {len(left_out)} are known "
          "to be equivalent", flush=True)
    if arguments.list:
        print("\n".join(str(mutant) for mutant in drawn))
        return 1 if gone else 0

    tree = Tree(ROOT / "build/mutants/tree", arguments.sim_seeds, arguments.jobs)
    tree.prepare()
    tried = survivors = broken = 0
    for mutant in drawn:
        if tried == arguments.count:
            break
        begin = time.monotonic()
        by = tree.noticed_by(mutant)
        if by is None:
            broken += 1
            continue
        tried += 1
        survivors += not by
        print(f"{tried:>4} {mutant}\n    {'noticed by ' + by if by else 'SURVIVED'}, {time.monotonic() - begin:.0f} s",
              flush=True)
    noticed = tried - survivors
    least = 0 if arguments.only else least_noticed(tried)
    print(f"seed {arguments.seed}: {noticed} of {tried} noticed, {100 * noticed / max(tried, 1):.1f} %, "
          f"at least {least} wanted; {broken} more did not compile")
    return 1 if gone or noticed < least else 0


if __name__ == "__main__":
    sys.exit(main())
