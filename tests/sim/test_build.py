"""What scripts/build.py says of how far a build is."""
import io
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import build  # noqa: E402: the path comes first


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_the_time_left_goes_by_the_rate_so_far() -> None:
    clock, out = Clock(), io.StringIO()
    progress = build.Progress(out, clock)
    for done in range(1, 101):
        clock.seconds += 3
        progress.step(done, 100, "Building x.o")
    lines = out.getvalue().splitlines()
    assert lines[0] == "[4/100] 4 %, 12 s, about 5 min left: Building x.o"
    assert "[8/100] 8 %, 24 s, about 5 min left: Building x.o" in lines
    assert lines[-1] == "[100/100] 100 %, 5 min: Building x.o"
    assert 20 < len(lines) < 40, "one every ten seconds"


def test_what_the_compiler_says_is_passed_on() -> None:
    out = io.StringIO()
    progress = build.Progress(out, Clock())
    progress.line("a.cpp:1:1: error: expected unqualified-id\n")
    assert out.getvalue() == "a.cpp:1:1: error: expected unqualified-id\n"


def test_a_preset_that_does_not_exist_is_an_error() -> None:
    result = subprocess.run([str(ROOT / "scripts/build.py"), "no-such"], capture_output=True, text=True, cwd=ROOT)
    assert result.returncode != 0 and "no-such" in result.stdout, result
