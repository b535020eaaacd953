#!/usr/bin/env python3
"""Makes copies of sources in which every mutant of tests/sim/mutants waits for its switch: mutants_plant.py FOLDER.

tests/sim/mutants/README.md says how the tables are written. A row whose lines are not in its file exactly once fails the build: the
code there has changed, and the row has to follow it. CMakeLists.txt builds the copies; without a folder the tables are
only checked.
"""
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLES = "tests/sim/mutants"
NAMES = "mutant_names.hpp"
SWITCH = re.compile(r"\bMUTANT\((\w+)\)")


class Wrong(Exception):
    """What is wrong with a row, and where."""


@dataclass
class Place:
    """Some lines of a file: as they stand (context and `-`), and as they would be wrong (context and `+`)."""
    at: str  # where the table says so
    file: str
    lines: list[tuple[str, str]] = field(default_factory=list)  # mark, text

    def as_it_stands(self) -> list[str]:
        return [text.strip() for mark, text in self.lines if mark != "+"]

    def switches(self) -> set[str]:
        return {name for mark, text in self.lines if mark == "+" for name in SWITCH.findall(text)}


@dataclass
class Row:
    """Usually one mutant. Several share a row when they are wrong in the same line."""
    at: str
    mutants: dict[str, str] = field(default_factory=dict)  # name -> what it does wrong
    places: list[Place] = field(default_factory=list)

    def name(self) -> str:
        return ", ".join(self.mutants)

    def check(self) -> None:
        if not self.places or not all(self.mutants.values()):
            raise Wrong(f"{self.at}: {self.name()}: a row has `mutant:`, `wrong:` and at least one `file:`")
        for place in self.places:
            if not place.as_it_stands():
                raise Wrong(f"{place.at}: {self.name()}: no line of {place.file} says where this is")
            if not place.switches() or place.switches() - set(self.mutants):
                raise Wrong(f"{place.at}: {self.name()}: the `+` lines switch {sorted(place.switches()) or 'nothing'}")
        for name in set(self.mutants) - set().union(*(place.switches() for place in self.places)):
            raise Wrong(f"{self.at}: {name}: no `+` line says MUTANT({name})")


def read_table(path: Path) -> list[Row]:
    rows: list[Row] = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        at = f"{path.relative_to(ROOT)}:{number}"
        key, _, value = line.partition(": ")
        if key == "mutant":
            if not rows or rows[-1].places:
                rows.append(Row(at))
            rows[-1].mutants[value] = ""
        elif key == "wrong" and rows:
            rows[-1].mutants[list(rows[-1].mutants)[-1]] = value
        elif key == "file" and rows:
            rows[-1].places.append(Place(at, value))
        elif line[:2] in ("  ", "- ", "+ ") and rows and rows[-1].places:
            rows[-1].places[-1].lines.append((line[0], line[2:]))
        elif line and not line.startswith("#"):
            raise Wrong(f"{at}: cannot read: {line}")
    return rows


def read_tables() -> list[Row]:
    """Every row, checked in itself."""
    rows = [row for path in sorted((ROOT / TABLES).glob("*.txt")) for row in read_table(path)]
    seen: set[str] = set()
    for row in rows:
        row.check()
        for name in row.mutants:
            if name in seen:
                raise Wrong(f"{row.at}: {name}: is there twice")
            seen.add(name)
    return rows


def names() -> list[str]:
    return [name for row in read_tables() for name in row.mutants]


def find(row: Row, place: Place, lines: list[str]) -> int:
    """The index of the first line of the place."""
    wanted = place.as_it_stands()
    found = [index for index in range(len(lines)) if lines[index:index + len(wanted)] == wanted]
    if len(found) != 1:
        shown = "\n".join(f"    {text}" for text in wanted)
        raise Wrong(f"{place.at}: {row.name()}: {place.file} must have these lines exactly once, and has them "
                    f"{len(found)} times:\n{shown}")
    return found[0]


def planted(file: str, rows: list[Row]) -> str:
    """The text of the file with the switches of all rows."""
    original = (ROOT / file).read_text().splitlines()
    stripped = [line.strip() for line in original]
    before: list[list[str]] = [[] for _ in range(len(original) + 1)]  # what comes before each line
    instead: dict[int, list[str]] = {}
    owners: dict[int, str] = {}
    for row in rows:
        for place in (place for place in row.places if place.file == file):
            index, into = find(row, place, stripped), None
            for mark, text in place.lines:
                if mark == "+":
                    (before[index] if into is None else into).append(text)
                    continue
                into = None
                if mark == "-":
                    if index in owners:
                        raise Wrong(f"{place.at}: {row.name()}: {owners[index]} changes the same line; make it one row")
                    owners[index] = row.name()
                    into = instead[index] = []
                index += 1
    lines = [f"// Made of {file} by scripts/mutants_plant.py.", '#include "tests/sim/planted.hpp"']
    for index, line in enumerate(original):
        lines += before[index] + instead.get(index, [line])
    return "\n".join(lines + before[-1]) + "\n"


def copies(rows: list[Row]) -> dict[str, str]:
    """Path -> text of everything that is made."""
    problems, made = [], {}
    for file in sorted({place.file for row in rows for place in row.places}):
        if not (ROOT / file).is_file():
            problems += [f"{place.at}: {row.name()}: there is no {file}"
                         for row in rows for place in row.places if place.file == file]
            continue
        try:
            made[file] = planted(file, rows)
        except Wrong as wrong:
            problems.append(str(wrong))
    if problems:
        raise Wrong("\n".join(problems))
    every = " ".join(f"ROW({name})" for row in rows for name in row.mutants)
    made[NAMES] = f"// Made by scripts/mutants_plant.py.\n#pragma once\n#define MUTANT_NAMES(ROW) {every}\n"
    return made


def write(folder: Path, made: dict[str, str]) -> None:
    """What is the same keeps its time stamp; what is not made any more goes, for it would still be included."""
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if str(path.relative_to(folder)) not in made:
            path.unlink()
    for name, text in made.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def main() -> int:
    try:
        made = copies(read_tables())
    except Wrong as wrong:
        print(f"mutants_plant.py: a row of {TABLES} does not fit the code:\n{wrong}", file=sys.stderr)
        return 1
    if len(sys.argv) > 1:
        write(Path(sys.argv[1]), made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
