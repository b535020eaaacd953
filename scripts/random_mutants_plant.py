"""Plants many mutants of random_mutants.py into one text, each behind a switch (tests/sim/chosen_mutant.hpp).

    if (a < b && c)   ->   if ((mutants::is_on(7) ? bool(a <= b && c) : bool(a < b && c)))
    count = 3;        ->   count = (mutants::is_on(7) ? 4 : 3);
    changed();        ->   { if (!mutants::is_on(7)) changed(); }

Lines keep their numbers. This goes by brackets and separators, not by a grammar: where it is wrong, or where the
compiler needs a constant, the text does not compile, and whoever builds it leaves out the mutants of the lines that
the compiler names.
"""
import re
from dataclasses import dataclass
from typing import Protocol

PAIRS = {")": "(", "]": "[", "}": "{"}
CONTROL = re.compile(r"\b(if|if constexpr|for|while|switch)\s*$")
KEYWORD = re.compile(r"\b(return|else|do|throw|case)$")
LOGIC = {"", "&&", "||", "<", "<=", ">", ">=", "==", "!="}  # what makes a truth value: operands of ?: must be alike


class Mutant(Protocol):
    start: int
    end: int
    to: str


@dataclass(frozen=True)
class Planted:
    number: int
    first_line: int
    last_line: int
    may_be_constant: bool  # the compiler may run this code itself, where no mutant is on


def partner(masked: str, at: int, step: int) -> int:
    """The index of the bracket that belongs to the one at the index; -1 or the length: there is none."""
    depth = 0
    while 0 <= at < len(masked):
        if masked[at] in "([{":
            depth += 1
        elif masked[at] in ")]}":
            depth -= 1
        if depth == 0:
            return at
        at += step
    return at


def begin_of(masked: str, at: int) -> int:
    """Where the expression that goes on at the index begins: behind a separator, an assignment or a keyword."""
    while at > 0:
        mark, before = masked[at - 1], masked[at - 2:at - 1]
        if mark in PAIRS:
            opened = partner(masked, at - 1, -1)
            ends_block = mark == "}" and masked[at:masked.find("\n", at)].strip() == ""
            if ends_block or mark == ")" and CONTROL.search(masked, max(opened - 20, 0), max(opened, 0)):
                return at
            at = opened
        elif mark in "([{,;?":
            return at
        elif mark == ":":
            if before != ":":
                return at
            at -= 2
        elif mark == "=":
            if before not in ("=", "<", ">", "!"):
                return at
            at -= 2
        elif KEYWORD.search(masked, max(at - 8, 0), at):
            return at
        else:
            at -= 1
    return 0


def end_of(masked: str, at: int, assigns: bool) -> int:
    """What is assigned has its own choices in it, for ?: binds closer than an assignment."""
    choices = 0
    while at < len(masked):
        if masked[at] in "([{":
            at = partner(masked, at, 1) + 1
        elif masked.startswith("::", at):
            at += 2
        elif assigns and masked[at] == "?":
            choices += 1
            at += 1
        elif choices > 0 and masked[at] == ":":
            choices -= 1
            at += 1
        elif masked[at] in ")]},;?:":
            return at
        else:
            at += 1
    return at


def extent(masked: str, mutant: Mutant) -> tuple[int, int]:
    """What is written twice, or has the switch before it."""
    if mutant.to in ("{}", "true", "false") or mutant.to.isdigit():
        return mutant.start, mutant.end
    begin = begin_of(masked, mutant.start)
    end = end_of(masked, mutant.end, assigns=mutant.to in ("+=", "-="))
    part = masked[begin:end]
    return begin + len(part) - len(part.lstrip()), begin + len(part.rstrip())


def heads(masked: str, position: int) -> list[str]:
    """What stands before the position in its statement, and before each brace that is open there."""
    found, depth, end = [], 0, position
    at = position - 1
    while at >= 0:
        mark = masked[at]
        if depth == 0 and end is not None and mark in ";{}":
            found.append(masked[at + 1:end])
            end = None
        if mark == "}":
            depth += 1
        elif mark == "{":
            if depth == 0:
                end = at
            else:
                depth -= 1
        at -= 1
    return found + ([masked[:end]] if end is not None else [])


def may_be_constant(masked: str, position: int) -> bool:
    """In what is constexpr, or what a member is from the beginning."""
    around = heads(masked, position)
    return (any(re.search(r"(?<!if )\b(constexpr|consteval)\b", head) for head in around)
            or len(around) > 1 and re.search(r"\b(struct|class|union)\b", around[1]) is not None)


def one_line(text: str) -> str:
    """Without comments."""
    return re.sub(r"(\"(?:\\.|[^\"\\\n])*\")|//[^\n]*|/\*.*?\*/", lambda found: found[1] or " ", text,
                  flags=re.DOTALL).replace("\n", " ")


def behind_switch(text: str, masked: str, number: int, mutant: Mutant) -> str:
    begin, end = extent(masked, mutant)
    original = text[begin:end]
    switch = f"mutants::is_on{'_at_run_time' if may_be_constant(masked, begin) else ''}({number})"
    if mutant.to == "{}":
        return f"{{ if (!{switch}) {original} }}"
    mutated = one_line(text[begin:mutant.start]) + mutant.to + one_line(text[mutant.end:end])
    if (begin, end) == (mutant.start, mutant.end):
        return f"({switch} ? {mutated} : {original})"
    kind = "bool" if mutant.to in LOGIC else ""
    return f"({switch} ? {kind}({mutated}) : {kind}({original}))"


def plant(text: str, masked: str, numbered: dict[int, Mutant]) -> tuple[str, list[Planted]]:
    """The text with these mutants, but for those whose code another one before them in it has already."""
    planted, parts, done = [], ['#include "tests/sim/chosen_mutant.hpp"\n#line 1\n'], 0
    for number, mutant in sorted(numbered.items(), key=lambda item: (extent(masked, item[1]), item[0])):
        begin, end = extent(masked, mutant)
        if begin < done:
            continue
        parts += [text[done:begin], behind_switch(text, masked, number, mutant)]
        done = end
        planted.append(Planted(number, text.count("\n", 0, begin) + 1, text.count("\n", 0, end) + 1,
                               may_be_constant(masked, begin)))
    return "".join(parts) + text[done:], planted
