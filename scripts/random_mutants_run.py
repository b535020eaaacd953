"""A copy of the sources where mutants of random_mutants.py are built and run."""
import os
import re
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import recorded_lives
from random_mutants_draw import ROOT, Mutant, mask, sources
from random_mutants_plant import Planted, plant


@dataclass
class Step:
    """One run of a test program, of those that every mutant goes through until one notices it."""
    name: str
    command: list[str]
    cpu_seconds: float = 300.0
    reached: bytes = b""  # by the number of a mutant: whether the program comes by it
    is_record: bool = False  # it compares with what was before, and asks no rule first


def steps(seeds: int) -> list[Step]:
    """What takes long is by itself, for a mutant that something cheaper notices never gets there."""
    slow = "S20*,S21*,S23*,random*,equal*"
    found = []
    for program, folder, more in (("test_core", "core", []), ("test_protocol", "k8s/protocol", []),
                                  ("test_gang", "gang", ["tests/scenarios"])):
        rooms = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "tests" / folder).iterdir())
                 if path.is_dir() and any(path.rglob("*_test.cpp"))] + more
        parts = {room: f"-sf=*/{room}/*" for room in rooms}
        parts["all others"] = "-sfe=" + ",".join(f"*/{room}/*" for room in rooms)
        for part, files in parts.items():
            found.append(Step(f"{program}, {part}", [f"./{program}", "-aa=1", "-nv", files, f"-tce={slow}"]))
    found.append(Step("test_gang, by chance", ["./test_gang", "-aa=1", "-nv", f"-tc={slow}"]))
    few = max(seeds // 10, 1)
    for first, last in ((1, few), (few + 1, seeds)):
        found.append(Step(f"gang-sim --seeds {first}..{last}",
                          ["./gang-sim", "--seeds", f"{first}..{last}", "--jobs", "1"]))
    for name, command in recorded_lives.commands("./gang-sim", jobs=1).items():
        found.append(Step(f"recorded lives, {name}", command, is_record=True))
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
        """Builds all programs with these mutants, but for those that cannot be planted together, or do not compile."""
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
        """The mutants of lines where the compiler sees an error, or else of lines, or of files, that it mentions."""
        for kind, whole_files in (("error:", False), ("", False), ("", True)):
            found = [re.search(r"([^\s:]+):(\d+)[:,]", line) for line in said.splitlines() if kind in line]
            lines = {(os.path.relpath(self.build / one[1], self.folder), int(one[2])) for one in found if one}
            wrong = {number for number, one in planted.items() for path, line in lines if path == mutants[number].path
                     and (whole_files or one.first_line <= line <= one.last_line)}
            if wrong:
                return wrong
        return set()

    def run(self, step: Step, **environment: str) -> bool:
        return self.run_and_hear(step, **environment)[0]

    def run_and_hear(self, step: Step, **environment: str) -> tuple[bool, str]:
        """A mutant may loop or eat memory: limits are in CPU time, for the machine may be busy."""
        limits = ["prlimit", f"--cpu={int(step.cpu_seconds * 3 + 10)}", f"--as={4 << 30}", "--core=0"]
        try:
            done = subprocess.run(limits + step.command, cwd=self.build, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, errors="replace", timeout=1800,
                                  env=dict(os.environ, GANG_SEED="1", **environment))
            return done.returncode == 0, done.stdout
        except subprocess.TimeoutExpired:
            return False, ""

    def failed_by(self, step: Step, **environment: str) -> str:
        """Empty: it has not failed. Of a life that is recorded it is said whether more than the record was against it."""
        is_fine, said = self.run_and_hear(step, **environment)
        if is_fine:
            return ""
        is_other_life = step.is_record and "lives another life" in said and "FAILED seed" not in said
        return f"{step.name}, by the record alone" if is_other_life else step.name

    def measure(self) -> None:
        """Runs every step without a mutant. Afterwards the cheapest is the first, and records come last."""
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
        self.steps.sort(key=lambda step: (step.is_record, step.cpu_seconds))
        for step in self.steps:
            print(f"    {step.cpu_seconds:6.2f} s, comes by {sum(step.reached):3}: {step.name}", flush=True)

    def is_reached(self, number: int, step: Step | None = None) -> bool:
        return any(one.reached[number:number + 1] == b"\1" for one in ([step] if step else self.steps))

    def noticed_by(self, number: int) -> str:
        """Empty: by nothing."""
        for step in self.steps:
            if self.is_reached(number, step):
                if by := self.failed_by(step, GANG_CHOSEN_MUTANT=str(number)):
                    return by
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
                for by in pool.map(self.failed_by, some):
                    if by:
                        return by
        return ""
