"""The configuration file is another one while the scheduler runs: what holds at once, what is refused, what is said."""
import json
import signal
from pathlib import Path
from typing import Optional

from support.client.api import Json
from support.kube.cluster import Cluster
from support.process.polling import eventually, next_second
from support.plane.rig import Scheduler
from support.plane.served import ANY_PORT, Served
from test_queues import Queues


class Mount:
    """A ConfigMap as the kubelet mounts it: the folder's `..data` is a link that moves, no file is ever written again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "mounted"
        self.folder.mkdir()
        self.times = 0
        self.path = self.folder / "config.yaml"

    def write(self, text: str) -> None:
        self.times += 1
        name = f"..{self.times}"
        (self.folder / name).mkdir()
        (self.folder / name / "config.yaml").write_text(text)
        link = self.folder / "..data_tmp"
        link.symlink_to(name)
        link.rename(self.folder / "..data")
        if not self.path.is_symlink():
            self.path.symlink_to("..data/config.yaml")


class Reloaded(Queues):
    """Queues whose file is a mount."""

    def start(self, config: Json) -> Scheduler:
        self.mount = Mount(self.folder)
        self.mount.write(json.dumps(config))
        scheduler = self.cluster.start_scheduler("--leader-elect=false", f"--config={self.mount.path}",
                                                 f"--control={self.socket}", *ANY_PORT, *self.flags)
        self.served = Served(scheduler)
        return scheduler

    def write(self, config: Json) -> None:
        self.mount.write(json.dumps(config))

    def reloads(self, outcome: str) -> float:
        return self.served.metric("gang_scheduler_config_reloads_total", outcome=outcome)

    def wait_reloads(self, outcome: str, times: int) -> None:
        eventually(lambda: self.reloads(outcome) == times, 10, f"{times} reloads {outcome}")


def etl(limit: int, **more: Json) -> Json:
    return {"queues": [{"name": "etl", "limit": {"cpu": limit}, **more}, {"name": "ml"}]}


def test_a_limit_is_raised_and_lowered_while_gangs_run(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(2, cpu="8")
    queues = Reloaded(cluster, tmp_path, etl(3))
    first = queues.pod("first", "etl", executors=2)
    queues.wait_bound(first)
    next_second()
    second = queues.pod("second", "etl", executors=2)
    queues.wait_said(second, "queue root.etl has 3 cpu in use by 1 gang, its limit is 3, and it needs 3")
    hash_before = queues.served.metric("gang_scheduler_config_hash")
    queues.write(etl(6))
    queues.wait_bound(second)
    queues.wait_reloads("applied", 1)
    assert queues.served.metric("gang_scheduler_config_hash") != hash_before
    assert queues.shown()["root.etl"]["running"] == 2
    queues.write(etl(1))
    queues.wait_reloads("applied", 2)
    third = queues.pod("third", "etl")
    queues.wait_said(third, "its limit is 1")
    assert queues.is_bound(first) and queues.is_bound(second)
    # What runs is not touched: its executors come and are bound.
    queues.write({"queues": [{"name": "ml"}]})
    eventually(lambda: queues.shown().get("root.lost", {}).get("running") == 2, 10, "what runs is counted as lost")
    queues.wait_said(third, 'queue "etl" is not found [Misconfigured]')
    queues.write(etl(7))
    queues.wait_bound(third)


def test_a_bad_file_keeps_the_old_and_says_where(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(1, cpu="8")
    queues = Reloaded(cluster, tmp_path, etl(2))
    queues.mount.write("queues:\n  - name: etl\n    limit: {cpu: -4}\n")
    queues.wait_reloads("refused", 1)
    log = queues.scheduler.output()
    assert "config.yaml:3:18" in log and "configuration refused, the one before holds" in log, log
    assert queues.served.metric("gang_scheduler_config_last_reload_successful") == 0
    waits = queues.pod("waits", "etl", executors=2)
    queues.wait_said(waits, "queue root.etl has a limit of 2")
    queues.write(etl(4))
    queues.wait_bound(waits)
    eventually(lambda: queues.served.metric("gang_scheduler_config_last_reload_successful") == 1, 10, "the metric")


def test_keys_for_a_new_process_are_named(cluster: Cluster, tmp_path: Path) -> None:
    queues = Reloaded(cluster, tmp_path, etl(2))
    queues.write({**etl(3), "leaderElection": {"leaseName": "another"}, "logging": {"level": "debug"}})
    queues.wait_reloads("applied", 1)
    restart = [json.loads(line) for line in queues.scheduler.output().splitlines() if "after a restart" in line]
    assert [line["key"] for line in restart] == ["leaderElection"], restart


def test_sighup_reads_a_plain_file_again(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(1, cpu="8")
    path = tmp_path / "plain.yaml"
    path.write_text(json.dumps(etl(1)))
    scheduler = cluster.start_scheduler("--leader-elect=false", f"--config={path}", *ANY_PORT)
    served = Served(scheduler)
    scheduler.process.signal(signal.SIGHUP)
    outcome = "gang_scheduler_config_reloads_total"
    eventually(lambda: served.metric(outcome, outcome="unchanged") == 1, 10, "it was read again")
    path.write_text(json.dumps(etl(2)))
    eventually(lambda: served.metric(outcome, outcome="applied") == 1, 10, "what was written in place is seen")
    path.unlink()
    eventually(lambda: served.metric(outcome, outcome="refused") >= 1, 10, "that it is gone is said")


def test_a_stopped_queue_lets_nobody_in(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(1, cpu="8")
    queues = Reloaded(cluster, tmp_path, etl(6))
    runs = queues.pod("runs", "etl", executors=1)
    queues.wait_bound(runs)
    queues.write(etl(6, state="stopped"))
    queues.wait_reloads("applied", 1)
    waits = queues.pod("waits", "etl", executors=1)
    other = queues.pod("other", "ml", executors=1)
    queues.wait_bound(other)
    queues.wait_said(waits, "queue root.etl is stopped (state: stopped)")
    queues.wait_said(waits, "[QueueStopped]")
    queues.write(etl(6, state="running"))
    queues.wait_bound(waits)


def annotate(cluster: Cluster, path: str, **annotations: Optional[str]) -> None:
    named = {f"gang-scheduler/{key}": value for key, value in annotations.items()}
    cluster.api.patch(path, {"metadata": {"annotations": named}})


def test_hold_release_and_move(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(1, cpu="8")
    queues = Reloaded(cluster, tmp_path, {"queues": [{"name": "etl", "maxGangs": 1}, {"name": "ml"}]})
    runs = queues.pod("runs", "etl")
    queues.wait_bound(runs)
    waits = queues.pod("waits", "etl", executors=1)
    queues.wait_said(waits, "[WaitingForQuota]")
    annotate(cluster, waits, hold="true")
    queues.wait_said(waits, "annotation gang-scheduler/hold says that it waits")
    queues.wait_said(waits, "[Held]")
    annotate(cluster, waits, queue="ml")
    next_second()
    assert not queues.is_bound(waits)
    assert queues.served.metric("gang_scheduler_pending_gangs", code="Held") == 1
    annotate(cluster, waits, hold=None)
    queues.wait_bound(waits)
    assert queues.shown()["root.ml"]["running"] == 1
    annotate(cluster, runs, queue="ml")
    next_second()
    assert queues.shown()["root.etl"]["running"] == 1
