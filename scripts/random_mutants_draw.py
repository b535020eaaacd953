"""Every mutant of the sources, and which of them are known to change nothing; for random_mutants.py."""
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENTS = ROOT / "tests/sim/equivalent_mutants.txt"
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
