"""`gang-scheduler demo --gpus`: nodes with cards, gangs that take them, a refusal that names a card, and metrics of GPUs."""
import os
import subprocess
from pathlib import Path

from support.process.programs import programs
from support.plane.rig import binary


def run(path: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(binary()), "demo", "--gpus"], capture_output=True, text=True, timeout=58,
                          env={**os.environ, "PATH": path})


def test_the_demo_shows_cards_and_a_real_prometheus() -> None:
    done = run(f"{programs('prometheus')}:{os.environ['PATH']}")
    assert done.returncode == 0, done.stdout + done.stderr
    text = done.stdout
    for number in range(1, 5):
        assert f"shares-exec-{number} is on node-1, card U" in text
    assert "whole-exec-1 is on node-2" in text and "whole-exec-2 is on node-2" in text
    assert "no single GPU with 6 free alnair/vgpu-memory, best has 4 on node-1/U1" in text
    assert "six is on node-1, card U" in text
    assert "fits, 6000 MiB of an A100, is on node-3" in text
    assert "large waits: " in text and "10000 MiB" in text
    assert "NOT SHOWN" not in text and "All of it as it should be." in text
    assert not done.stderr


def test_without_prometheus_the_demo_says_so(tmp_path: Path) -> None:
    done = run(str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "NOT SHOWN: GPUs by their metrics, for there is no program prometheus on the PATH" in done.stdout
    assert "six is on node-1, card U" in done.stdout


def test_the_gpu_demo_has_no_page() -> None:
    done = subprocess.run([str(binary()), "demo", "--gpus", "--ui"], capture_output=True, text=True, timeout=30)
    assert done.returncode == 2 and "--gpus has no page" in done.stderr
