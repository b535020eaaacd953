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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from random_mutants_plant import Planted, plant

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENTS = ROOT / "tests/sim/equivalent_mutants.txt"
SHARE, DOUBT = 0.95, 0.01
ALONE_AT_MOST = 12  # so many whose code others have are sooner built one by one than together
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


def mask(text: str, literal: str = " ") -> str:
    """The text with comments, literals and skipped lines blank, and every other character in its place."""
    def blank(found: re.Match) -> str:
        return re.sub(r"[^\n]", " " if found[0].startswith("/") else literal, found[0])
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


@dataclass
class Step:
    """One run of a test program, of those that every mutant goes through until one notices it."""
    name: str
    command: list[str]
    cpu_seconds: float = 300.0
    reached: bytes = b""  # by the number of a mutant: whether the program comes by it


def steps(seeds: int) -> list[Step]:
    """What takes long is by itself, for a mutant that something cheaper notices never gets there."""
    slow = "S20*,S21*,S23*,random*,equal*"
    found = []
    for program, folders in (("test_core", ["core"]), ("test_protocol", ["k8s/protocol"]), ("test_gang", ["gang", "scenarios"])):
        rooms = sorted({str(path.relative_to(ROOT)) for folder in folders for path in (ROOT / "tests" / folder).iterdir()
                        if any(path.rglob("*_test.cpp")) and path.is_dir()} | {"tests/scenarios"} & {f"tests/{folders[-1]}"})
        parts = {room: f"-sf=*/{room}/*" for room in rooms}
        parts["all others"] = "-sfe=" + ",".join(f"*/{room}/*" for room in rooms)
        for part, files in parts.items():
            found.append(Step(f"{program}, {part}", [f"./{program}", "-aa=1", "-nv", files, f"-tce={slow}"]))
    found.append(Step("test_gang, by chance", ["./test_gang", "-aa=1", "-nv", f"-tc={slow}"]))
    few = max(seeds // 10, 1)
    for first, last in ((1, few), (few + 1, seeds)):
        found.append(Step(f"gang-sim --seeds {first}..{last}",
                          ["./gang-sim", "--seeds", f"{first}..{last}", "--jobs", "1"]))
    return found


class Tree:
    """A copy of the sources with a build folder of its own, where mutants are planted and switched on."""
    def __init__(self, folder: Path, seeds: int, jobs: int) -> None:
        self.folder = folder
        self.build = folder / "build/mutants"
        self.jobs = jobs
        self.steps = steps(seeds)
        self.changed: set[str] = set()  # files that are not as they stand in the checkout
        self.unplantable: set[int] = set()  # numbers of mutants
        self.planted_texts: dict[str, str] = {}

    def refresh(self) -> None:
        """What is the same keeps its time stamp, so that it is not built again."""
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                                capture_output=True, text=True, check=True).stdout.split("\0")
        wanted = {name for name in listed if name and (ROOT / name).is_file()}
        sources_now = set(sources())
        for name in wanted:
            if name in sources_now and (self.folder / name).exists():
                self.changed.add(name)  # write() compares it
                continue
            self.put(name, (ROOT / name).read_bytes())
        for folder in ("core", "config", "gang", "k8s", "tests"):
            for copy in (self.folder / folder).rglob("*.[ch]pp"):
                if str(copy.relative_to(self.folder)) not in wanted:
                    copy.unlink()

    def prepare(self) -> None:
        self.refresh()
        subprocess.run(["cmake", "--preset", "mutants"], cwd=self.folder, stdout=subprocess.DEVNULL, check=True)

    def put(self, name: str, content: bytes) -> None:
        copy = self.folder / name
        if not copy.exists() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)

    def write(self, texts: dict[str, str]) -> None:
        """These files are so from now on, and all others as they stand in the checkout."""
        for name in self.changed - set(texts):
            self.put(name, (ROOT / name).read_bytes())
        for name, text in texts.items():
            self.put(name, text.encode())
        self.changed = set(texts)

    def make(self, *targets: str) -> str | None:
        """What the compiler says if it fails. It goes on after an error."""
        done = subprocess.run(["cmake", "--build", str(self.build), "--parallel", str(self.jobs), "--target", *targets,
                               "--", "-k", "0"], capture_output=True, text=True)
        return done.stdout + done.stderr if done.returncode else None

    def plant(self, mutants: dict[int, Mutant]) -> dict[int, Planted]:
        """Builds all programs with these mutants, but for those that cannot be planted together or do not compile so."""
        by_file: dict[str, dict[int, Mutant]] = {}
        for number, mutant in mutants.items():
            by_file.setdefault(mutant.path, {})[number] = mutant
        programs = sorted({step.command[0][2:] for step in self.steps})
        for targets in (["core", "gang", "k8s_protocol"], programs):  # the tests need not be compiled more than once
            while True:
                made = {}
                for path, numbered in by_file.items():
                    text = (ROOT / path).read_text()
                    made[path] = plant(text, mask(text, "_"), numbered)
                self.planted_texts = {path: text for path, (text, _) in made.items()}
                self.write(self.planted_texts)
                said = self.make(*targets)
                planted = {one.number: one for _, those in made.values() for one in those}
                if said is None:
                    break
                wrong = self.named_in(said, mutants, planted)
                if not wrong:
                    sys.exit(f"cannot build {' '.join(targets)}:\n{said[-5000:]}")
                print(f"    {len(wrong)} cannot be planted", flush=True)
                self.unplantable |= wrong
                for number in wrong:
                    del by_file[mutants[number].path][number]
        return planted

    def named_in(self, said: str, mutants: dict[int, Mutant], planted: dict[int, Planted]) -> set[int]:
        """The mutants of the lines where the compiler sees an error, or else of lines, or else of files, that it mentions."""
        for kind, whole_files in (("error:", False), ("", False), ("", True)):
            found = [re.search(r"([^\s:]+):(\d+)[:,]", line) for line in said.splitlines() if kind in line]
            lines = {(os.path.relpath(self.build / one[1], self.folder), int(one[2])) for one in found if one}
            wrong = {number for number, one in planted.items() for path, line in lines if path == mutants[number].path
                     and (whole_files or one.first_line <= line <= one.last_line)}
            if wrong:
                return wrong
        return set()

    def run(self, step: Step, **environment: str) -> bool:
        """A mutant may loop or eat memory: limits are in CPU time, for the machine may be busy."""
        limits = ["prlimit", f"--cpu={int(step.cpu_seconds * 3 + 10)}", f"--as={4 << 30}", "--core=0"]
        try:
            return subprocess.run(limits + step.command, cwd=self.build, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, timeout=1800,
                                  env=dict(os.environ, GANG_SEED="1", **environment)).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def measure(self) -> None:
        """Runs every step without a mutant. Afterwards the cheapest is the first."""
        file = self.build / "reached"
        for step in self.steps:
            file.unlink(missing_ok=True)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            step.cpu_seconds = 300.0
            if not self.run(step, GANG_REACHED_MUTANTS=str(file)):
                sys.exit(f"{step.name} fails without any mutant")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            step.cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            step.reached = file.read_bytes() if file.exists() else b""
        self.steps.sort(key=lambda step: step.cpu_seconds)

    def is_reached(self, number: int, step: Step | None = None) -> bool:
        return any(one.reached[number:number + 1] == b"\1" for one in ([step] if step else self.steps))

    def noticed_by(self, number: int) -> str:
        """Empty: by nothing."""
        for step in self.steps:
            if self.is_reached(number, step) and not self.run(step, GANG_CHOSEN_MUTANT=str(number)):
                return step.name
        return ""

    def noticed_alone(self, mutant: Mutant) -> str | None:
        """Of a mutant that is built by itself, among planted ones that are off. None: it does not compile."""
        text = (ROOT / mutant.path).read_text()
        self.write({**self.planted_texts, mutant.path: text[:mutant.start] + mutant.to + text[mutant.end:]})
        programs = {"core": ("test_core", "test_gang", "gang-sim"), "gang": ("test_gang", "gang-sim"),
                    "k8s": ("test_protocol", "gang-sim")}[mutant.path.split("/")[0]]
        if self.make(*programs) is not None:
            return None
        mine = [step for step in self.steps if step.command[0][2:] in programs]
        with ThreadPoolExecutor(self.jobs) as pool:
            for at in range(0, len(mine), self.jobs):
                some = mine[at:at + self.jobs]
                for step, is_fine in zip(some, pool.map(self.run, some)):
                    if not is_fine:
                        return step.name
        return ""


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
    tried, broken = len(compiled), len(results) - sum(by is not None for by in results.values())
    least = 0 if arguments.only else least_noticed(tried)
    print(f"seed {arguments.seed}: {noticed} of {tried} noticed, {100 * noticed / max(tried, 1):.1f} %, "
          f"at least {least} wanted; {broken} more did not compile")
    return 1 if gone or noticed < least else 0


if __name__ == "__main__":
    sys.exit(main())
