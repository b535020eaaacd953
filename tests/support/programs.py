"""Programs of other people that the tests use: see tests/plane."""
import functools
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD_SECONDS_MAX = 1500


def programs(group: str) -> Path:
    """The folder of a group (server, controllers, kubectl, promlint, helm, karpenter, prometheus), made when needed; else the
    test fails."""
    remaining = signal.alarm(0)  # building once is no part of a test's time
    try:
        folder, missing = _build(group)
    finally:
        signal.alarm(remaining)
    if missing:
        pytest.fail(f"cannot run here: {group} of tests/plane: {missing}", pytrace=False)
    return folder


@functools.lru_cache(maxsize=None)
def _build(group: str) -> tuple[Path, str]:
    """The folder, or what is missing, in a line: Go, or a way to its modules or to Debian's packages."""
    command = [f"{group}.sh"] if group in ("prometheus", "karpenter") else ["build.sh", group]
    result = subprocess.run([str(ROOT / "tests/plane" / command[0]), *command[1:]], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, timeout=BUILD_SECONDS_MAX)
    if result.returncode != 0:
        said = result.stderr.strip().splitlines()
        return Path(), said[-1] if said else f"exit code {result.returncode}"
    return Path(result.stdout.strip().splitlines()[-1]), ""
