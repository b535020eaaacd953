"""How scripts/random_mutants_plant.py puts mutants behind switches."""
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def script(name: str) -> Any:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        spec = importlib.util.spec_from_file_location(name, ROOT / f"scripts/{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.pop(0)


planter = script("random_mutants_plant")
drawer = script("random_mutants_draw")


def planted(text: str, before: str, to: str) -> str:
    """The text with the mutant that makes the first `before` in it `to`."""
    mutant = next(one for one in drawer.mutants_of("a.cpp", text)
                  if one.to == to and text[one.start:one.end] == before)
    return planter.plant(text, drawer.mask(text, "_"), {7: mutant})[0].removeprefix(
        '#include "tests/sim/chosen_mutant.hpp"\n#line 1\n')


def switched(mutated: str, original: str, kind: str = "") -> str:
    return f"(mutants::is_on(7) ? {kind}({mutated}) : {kind}({original}))"


digit, one_less = "c >= '0' && c != 'x'", "c < '0' && c != 'x'"


@pytest.mark.parametrize("line, before, to, wanted", [
    ("    if (a < b) return;", "<", "<=", f"    if ({switched('a <= b', 'a < b', 'bool')}) return;"),
    ("    return x.y(1, 2) == c::d && !e;", "==", "!=",
     f"    return {switched('x.y(1, 2) != c::d && !e', 'x.y(1, 2) == c::d && !e', 'bool')};"),
    ("    const int a = f(b - 1, {c}) + d;", "-", "+",
     f"    const int a = f({switched('b + 1', 'b - 1')}, {{c}}) + d;"),
    ("    const int a = b <= c ? d : e;", "<=", ">",
     f"    const int a = {switched('b > c', 'b <= c', 'bool')} ? d : e;"),
    ("    const int a = b ? c + d : e;", "+", "-", f"    const int a = b ? {switched('c - d', 'c + d')} : e;"),
    ("    a = b >= c;", ">=", "<", f"    a = {switched('b < c', 'b >= c', 'bool')};"),
    ("    if (a) b += c;", "+=", "-=", f"    if (a) {switched('b -= c', 'b += c')};"),
    ("    a += b ? c : d;", "+=", "-=", f"    {switched('a -= b ? c : d', 'a += b ? c : d')};"),
    ("    for (int i = 0; i < n; ++i) {", "++", "--", f"    for (int i = 0; i < n; {switched('--i', '++i')}) {{"),
    ("    } else ++a->b;", "++", "--", f"    }} else {switched('--a->b', '++a->b')};"),
    ("    if (!a) b();", "!", "", f"    if ({switched('a', '!a', 'bool')}) b();"),
    ("    a = std::min(b, c) / d;", "std::min", "std::max",
     f"    a = {switched('std::max(b, c) / d', 'std::min(b, c) / d')};"),
    ("    return c >= '0' && c != 'x';", ">=", "<",
     f"    return {switched(one_less, digit, 'bool')};"),
    ("    std::int64_t count = 12'000;", "12'000", "12001",
     "    std::int64_t count = (mutants::is_on(7) ? 12001 : 12'000);"),
    ("    bool a = true;", "true", "false", "    bool a = (mutants::is_on(7) ? false : true);"),
    ("    a();\n    b.c(d, e);", "b.c(d, e);", "{}", "    a();\n    { if (!mutants::is_on(7)) b.c(d, e); }"),
    ("    if (a) continue;", "continue;", "{}", "    if (a) { if (!mutants::is_on(7)) continue; }"),
])
def test_what_is_behind_the_switch(line: str, before: str, to: str, wanted: str) -> None:
    assert planted(f"void f() {{\n{line}\n}}\n", before, to) == f"void f() {{\n{wanted}\n}}\n"


def test_an_expression_of_several_lines_keeps_their_number_and_loses_comments_in_its_copy() -> None:
    text = "bool f() {\n    return a ||  // first: \"why\"\n           b(\"//\");\n}\n"
    copy = "a &&" + 15 * " " + "b(\"//\")"
    assert planted(text, "||", "&&") == (
        "bool f() {\n    return (mutants::is_on(7) ? bool(" + copy + ") : bool(a ||  // first: \"why\"\n"
        "           b(\"//\")));\n}\n")


def test_the_end_of_a_block_ends_what_comes_before() -> None:
    text = "void f() {\n    if (a) {\n        b();\n    }\n    ++c;\n}\n"
    assert planted(text, "++", "--").splitlines()[4] == f"    {switched('--c', '++c')};"


def test_a_lambda_is_a_part_of_the_expression() -> None:
    text = "void f() {\n    x = any(a, [&](int b) { return b; }) && c;\n}\n"
    whole = "any(a, [&](int b) { return b; })"
    assert planted(text, "&&", "||").splitlines()[1] == f"    x = {switched(f'{whole} || c', f'{whole} && c', 'bool')};"


def test_in_a_constexpr_function_the_switch_is_off_for_the_compiler() -> None:
    body = "    if (a) {\n        return 1;\n    }\n"
    assert "is_on_at_run_time(7)" in planted(f"constexpr int f(int a) {{\n{body}}}\n", "1", "2")
    assert "is_on_at_run_time(7)" in planted("struct A {\n    int a = 1;\n};\n", "1", "2")
    assert "is_on(7)" in planted("int f() {\n    if constexpr (a) {\n        return 1;\n    }\n}\n", "1", "2")


def test_of_two_in_the_same_code_one_is_planted() -> None:
    text = "void f() {\n    if (a < b) c();\n    if (d < e) c();\n}\n"
    masked = drawer.mask(text, "_")
    mutants = {number: one for number, one in enumerate(drawer.mutants_of("a.cpp", text), 1)
               if text[one.start:one.end] == "<"}
    assert len(mutants) == 4
    out, those = planter.plant(text, masked, mutants)
    assert len(those) == 2 and [one.first_line for one in those] == [2, 3]
    assert out.count("mutants::is_on") == 2


def test_every_mutant_of_every_source_is_planted_on_lines_of_its_own_file() -> None:
    for path in drawer.sources()[::20]:
        text = (ROOT / path).read_text()
        masked = drawer.mask(text, "_")
        for mutant in drawer.mutants_of(path, text)[::7]:
            out, those = planter.plant(text, masked, {7: mutant})
            assert len(those) == 1 and out.count("\n") == text.count("\n") + 2, mutant
            assert those[0].first_line <= mutant.line <= those[0].last_line, mutant


def test_a_planted_program_is_wrong_only_when_it_is_told_to_be(tmp_path: Path) -> None:
    text = ("#include <cstdio>\nint main() {\n    int count = 3;\n    for (int i = 0; i < 4; ++i) count += i;\n"
            "    std::printf(\"%d\", count);\n}\n")
    masked = drawer.mask(text, "_")
    mutants = dict(enumerate((one for one in drawer.mutants_of("a.cpp", text) if one.to in ("4", "-=")), 1))
    (tmp_path / "a.cpp").write_text(planter.plant(text, masked, mutants)[0])
    subprocess.run(["g++", "-std=c++20", f"-I{ROOT}", "a.cpp", "-o", "a"], cwd=tmp_path, check=True)
    said = [subprocess.run(["./a"], cwd=tmp_path, env={"GANG_CHOSEN_MUTANT": number, "GANG_REACHED_MUTANTS": "reached"},
                           capture_output=True, text=True, check=True).stdout for number in ("0", "1", "2")]
    assert said == ["9", "10", "-3"]
    assert (tmp_path / "reached").read_bytes()[:4] == b"\0\1\1\0"
