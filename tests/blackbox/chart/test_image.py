"""The root of the image, without a container engine: the program runs there, as the chart runs it, with nothing else."""
import os
import subprocess
from pathlib import Path

import pytest

from support.chart import SEAL_KEY_FILE, Helm, Rights
from support.rig import ROOT, binary


@pytest.fixture
def image(tmp_path: Path) -> Path:
    folder = tmp_path / "image"
    subprocess.run([str(ROOT / "scripts/image/collect.sh"), str(binary()), str(folder)], check=True, timeout=30)
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_mode & 0o001 == 0:
            path.chmod(path.stat().st_mode | 0o011)  # pytest's folders are closed to other users
        if path.name.startswith("pytest-of-"):
            break
    return folder


def run(image: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """As root by chroot, which also works where no user namespaces are allowed; else in one of them."""
    enter = ["/usr/sbin/chroot", "--userspec=65532:65532", str(image)] if os.geteuid() == 0 else [
        "/usr/bin/unshare", "--map-user=65532", "--map-group=65532", f"--root={image}", "--wd=/"]
    return subprocess.run([*enter, "/usr/bin/gang-scheduler", *arguments],
                          capture_output=True, text=True, timeout=20, env={})


def test_the_program_runs_with_what_is_there(image: Path, helm: Path, tmp_path: Path) -> None:
    version = run(image, "version")
    assert version.returncode == 0 and version.stdout.startswith("gang-scheduler "), version
    chart = Rights(Helm(helm, tmp_path / "helm").template())
    (image / "config.yaml").write_text(chart.config)
    key = image / SEAL_KEY_FILE.lstrip("/")
    key.parent.mkdir(parents=True, exist_ok=True)
    key.write_text(chart.seal_key)
    checked = run(image, "check-config", "/config.yaml")
    assert checked.returncode == 0, checked
    # As in a pod, but for the missing service account: it says so and ends.
    started = run(image, "run", "--config=/config.yaml")
    assert started.returncode == 1 and "gang-scheduler run: " in started.stderr, started


def test_licences_travel_along(image: Path) -> None:
    folder = image / "usr/share/doc"
    packages = {path.parent.name for path in folder.glob("*/copyright") if path.stat().st_size > 500}
    assert {"gang-scheduler", "libc6", "libssl3", "libstdc++6", "libgcc-s1", "libboost1.81-dev", "rapidjson-dev",
            "libfmt-dev", "libyaml-cpp-dev"} <= packages, packages
    libraries = [path for path in image.rglob("*.so*") if path.is_file()]
    assert len(libraries) >= 5
    assert "spark.executor" not in (folder / "gang-scheduler/copyright").read_text()
    manual = (image / "usr/share/man/man1/gang-scheduler.1").read_text()
    assert manual.startswith(".TH GANG") and "check\\-config" in manual


def test_there_is_nothing_else(image: Path) -> None:
    programs = [path for path in image.rglob("*") if path.is_file() and ".so" not in path.name]
    programs = [path for path in programs if path.name != "copyright"]
    assert sorted(path.name for path in programs) == ["gang-scheduler", "gang-scheduler.1", "group", "passwd"]
    size = sum(path.stat().st_size for path in image.rglob("*") if path.is_file())
    assert size < 40e6, f"{size / 1e6:.0f} MB"
