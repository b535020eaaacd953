"""Programs that the tests have from other people's Go modules: see tests/plane."""
import functools
import signal
import subprocess
from pathlib import Path

from .availability import unavailable

ROOT = Path(__file__).resolve().parents[2]
BUILD_SECONDS_MAX = 1500


def programs(group: str) -> Path:
    """The folder of a group (server, controllers, helm, promlint), built when needed; else the test is skipped."""
    remaining = signal.alarm(0)  # building once is no part of a test's time
    try:
        folder, missing = _build(group)
    finally:
        signal.alarm(remaining)
    if missing:
        unavailable(f"{group} of tests/plane: {missing}")
    return folder


@functools.lru_cache(maxsize=None)
def _build(group: str) -> tuple[Path, str]:
    """The folder, or what is missing: no Go, or no way to its modules."""
    result = subprocess.run([str(ROOT / "tests/plane/build.sh"), group], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, timeout=BUILD_SECONDS_MAX)
    if result.returncode != 0:
        return Path(), result.stderr.strip()[-1000:] or f"exit code {result.returncode}"
    return Path(result.stdout.strip().splitlines()[-1]), ""
