#!/usr/bin/env python3
"""Builds targets of a preset, and says how far that is and how long it will take.

    scripts/build.py release gang-scheduler

On a terminal one line is written over and over; elsewhere there is one every ten seconds. What the compiler says is
passed on as it is.
"""
import os
import re
import subprocess
import sys
import time
from typing import Callable, TextIO

STEP = re.compile(r"\[(\d+)/(\d+)\] (.*)")
BETWEEN_LINES = 10  # seconds
STEPS_MIN = 4  # before them nobody can say how long the others take


class Progress:
    """Of steps of which so many are done: a line of words for each, where it is time for one."""

    def __init__(self, out: TextIO, now: Callable[[], float] = time.monotonic) -> None:
        self._out = out
        self._now = now
        self._start = now()
        self._said = self._start
        self._is_open = False  # a line that the next one is written over

    def step(self, done: int, total: int, what: str) -> None:
        now = self._now()
        passed = now - self._start
        text = f"[{done}/{total}] {100 * done // total} %, {duration(passed)}"
        if STEPS_MIN <= done < total and passed > 0:
            text += f", about {duration(passed / done * (total - done))} left"
        if self._out.isatty():
            self._out.write(f"\r\x1b[K{text}: {what}"[:os.get_terminal_size(self._out.fileno()).columns + 3])
            self._is_open = True
        elif now - self._said >= BETWEEN_LINES or done == total:
            self._out.write(f"{text}: {what}\n")
            self._said = now
        self._out.flush()

    def line(self, text: str) -> None:
        self.close()
        self._out.write(text)
        self._out.flush()

    def close(self) -> None:
        if self._is_open:
            self._out.write("\n")
            self._is_open = False


def duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def build(preset: str, targets: list[str]) -> int:
    configured = subprocess.run(["cmake", "--preset", preset], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if configured.returncode != 0:
        sys.stdout.write(configured.stdout)
        return configured.returncode
    command = ["cmake", "--build", "--preset", preset, *(["--target", *targets] if targets else [])]
    progress = Progress(sys.stdout)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          env={**os.environ, "NINJA_STATUS": "[%f/%t] "}) as builder:
        assert builder.stdout is not None
        for line in builder.stdout:
            found = STEP.fullmatch(line.rstrip("\n"))
            if found:
                progress.step(int(found[1]), int(found[2]), found[3])
            elif line != "ninja: no work to do.\n":
                progress.line(line)
    progress.close()
    return builder.returncode


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} PRESET [TARGET...]")
    try:
        sys.exit(build(sys.argv[1], sys.argv[2:]))
    except KeyboardInterrupt:
        sys.exit(130)
