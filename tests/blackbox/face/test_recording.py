"""A recording of the real program at work gives the same decisions again."""
import json
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.kube.cluster import Cluster
from support.process.polling import eventually
from support.plane.rig import binary
from support.kube.spark_application import SparkApplication, captured

CANARY = "canary-4b1d"
BURST = ("jvm-sized", "py-sized", "jvm-default", "batch-size", "cores-request", "jvm-sized")


def replay(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(binary()), "replay", *map(str, arguments)],
                          capture_output=True, text=True, timeout=60)


def submit_burst(cluster: Cluster) -> list[SparkApplication]:
    """More gangs than three nodes hold at once."""
    cluster.add_nodes(3)
    return [cluster.submit(captured(case, cluster.default_namespace)) for case in BURST]


def assert_same(file: Path) -> dict:
    """Replays it; what was compared."""
    done = replay("-o", "json", file)
    verdict = json.loads(done.stdout)
    assert done.returncode == 0 and verdict["same"], done.stdout
    return verdict


def recordings(folder: Path) -> list[Path]:
    return sorted(folder.glob("events-*.jsonl"))


@pytest.mark.bound(150)
def test_each_life_of_a_burst_is_lived_again(cluster: Cluster, tmp_path: Path) -> None:
    """Killed twice without warning in the middle: every file replays to the same decisions."""
    scheduler = cluster.start_scheduler(
        "--leader-elect=false", "--record", str(tmp_path), "--record-files", "8")
    applications = submit_burst(cluster)
    secretive = captured("jvm-sized", cluster.default_namespace)
    secretive.set_conf(spark__hadoop__fs__s3a__secret__key=CANARY)
    secretive.driver["metadata"]["annotations"] = {"vault.example/token": CANARY}
    secretive.driver["spec"]["containers"][0]["env"].append({"name": "TOKEN", "value": CANARY})
    applications.append(cluster.submit(secretive))
    for _ in range(2):
        time.sleep(2)
        scheduler.kill()
        scheduler.restart()
    cluster.wait_finished(*applications, timeout=90)
    scheduler.kill()
    files = recordings(tmp_path)
    assert len(files) == 3
    verdicts = [assert_same(file) for file in files]
    assert all(verdict["events"] > 20 and verdict["states"] for verdict in verdicts)
    binds = sum(file.read_text().count('{"bind":') for file in files)
    assert binds >= sum(application.executors + 1 for application in applications)
    assert any(secretive.driver_name in file.read_text() for file in files)
    assert not any(CANARY in file.read_text() for file in files)
    print(*verdicts, sep="\n")


def test_what_was_tampered_with_is_found(cluster: Cluster, tmp_path: Path) -> None:
    scheduler = cluster.start_scheduler("--leader-elect=false", "--record", str(tmp_path))
    cluster.add_nodes(3)
    application = cluster.submit(captured("jvm-sized", cluster.default_namespace))
    cluster.wait_finished(application)
    scheduler.stop()
    (file,) = recordings(tmp_path)
    assert_same(file)
    text = file.read_text()
    # The node that most of it ran on was smaller than the scheduler was told.
    (tmp_path / "changed").write_text(text.replace('"cpu":4000', '"cpu":400'))
    changed = replay(tmp_path / "changed")
    assert changed.returncode == 1
    assert "DIFFERS after event" in changed.stdout
    printed = replay("--print", file).stdout
    assert f"bind {application.namespace}/{application.driver_name} to node-" in printed


def test_an_abort_loses_nothing_of_the_recording(cluster: Cluster, tmp_path: Path) -> None:
    """As a broken invariant ends it: what no plan has followed yet is written as well."""
    cluster.add_nodes(1)
    scheduler = cluster.start_scheduler("--leader-elect=false", "--record", str(tmp_path))
    eventually(lambda: '"relistEnded"' in "".join(map(Path.read_text, recordings(tmp_path))),
               10, "the first list to be recorded")
    scheduler.process.signal(signal.SIGABRT)
    assert scheduler.process.wait(10) == -signal.SIGABRT
    assert_same(recordings(tmp_path)[0])


def test_a_full_disk_ends_the_recording_and_nothing_else(cluster: Cluster, tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: writing fails in the middle of a line."""
    folder = tmp_path / "recordings"
    scheduler = cluster.start_scheduler("--leader-elect=false", "--record", str(folder))
    eventually(lambda: recordings(folder), 10, "a recording")
    size_max = 100_000  # the log, which the limit is for as well, stays below
    resource.prlimit(scheduler.process.pid, resource.RLIMIT_FSIZE, (size_max, size_max))
    applications = submit_burst(cluster)
    cluster.wait_finished(*applications, timeout=50)
    assert scheduler.process.output().count("recording has ended, scheduling goes on") == 1
    (file,) = recordings(folder)
    assert file.stat().st_size <= size_max
    assert_same(file)
