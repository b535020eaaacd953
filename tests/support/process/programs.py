"""Programs of other people that the tests use: see tests/plane."""
import functools
import os
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BUILD_SECONDS_MAX = 1500
PLANES = ("1.37", "1.36")  # versions of Kubernetes that the real rig may have; the first unless somebody asks
_PLANE_GROUPS = ("server", "controllers", "kubectl")  # each version has its own


def plane_version() -> str:
    """Which of PLANES the real rig has: that of the variable GANG_PLANE, which pytest's --plane sets."""
    version = os.environ.get("GANG_PLANE", PLANES[0])
    assert version in PLANES, f"GANG_PLANE is {version}: {' or '.join(PLANES)}"
    return version


def programs(group: str) -> Path:
    """The folder of a group (server, controllers, kubectl, promlint, helm, karpenter, prometheus), made when needed; else the
    test fails."""
    remaining = signal.alarm(0)  # building once is no part of a test's time
    try:
        folder, missing = _build(group, plane_version())
    finally:
        signal.alarm(remaining)
    if missing:
        pytest.fail(f"cannot run here: {group} of tests/plane: {missing}", pytrace=False)
    return folder


@functools.lru_cache(maxsize=None)
def _build(group: str, version: str) -> tuple[Path, str]:
    """The folder, or what is missing, in a line: Go, or a way to its modules or to Debian's packages."""
    plane = ["--plane", version] if version != PLANES[0] and group in _PLANE_GROUPS else []
    command = [f"{group}.sh"] if group in ("prometheus", "karpenter") else ["build.sh", *plane, group]
    result = subprocess.run([str(ROOT / "tests/plane" / command[0]), *command[1:]], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, timeout=BUILD_SECONDS_MAX)
    if result.returncode != 0:
        said = result.stderr.strip().splitlines()
        return Path(), said[-1] if said else f"exit code {result.returncode}"
    return Path(result.stdout.strip().splitlines()[-1]), ""
