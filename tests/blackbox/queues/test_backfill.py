"""Backfill through the API server: who passes whom, what is promised and shown, and what a restart learns again."""
import json
import time
from pathlib import Path
from typing import Optional

from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.pods import condition, node_of
from support.process.polling import eventually, next_second
from support.plane.rig import Scheduler

DURATION = "gang-scheduler/expected-duration"


class Backfill:
    """A cluster of one node of 8 CPUs, and a scheduler with backfill."""

    def __init__(self, cluster: Cluster, folder: Path, config: Json) -> None:
        self.cluster = cluster
        self.folder = folder
        self.socket = f"unix:{folder}/control"
        self.pods = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
        cluster.add_nodes(1, cpu="8")
        self.config = config
        self.scheduler = self.start()

    def start(self) -> Scheduler:
        path = self.folder / "config.yaml"
        path.write_text(json.dumps(self.config))
        return self.cluster.start_scheduler("--leader-elect=false", f"--config={path}", f"--control={self.socket}")

    def gang(self, name: str, executors: int, duration: Optional[str] = None) -> str:
        """A driver made by hand with executors, all of 1 cpu; its path."""
        annotations = {"gang-scheduler/executors": str(executors), "gang-scheduler/executor-cpu": "1",
                       "gang-scheduler/executor-memory": "64Mi"}
        if duration:
            annotations[DURATION] = duration
        self.cluster.api.post(self.pods, {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "annotations": annotations},
            "spec": {"schedulerName": "gang-scheduler", "restartPolicy": "Never", "containers": [
                {"name": "main", "image": "none", "resources": {"requests": {"cpu": "1", "memory": "64Mi"}}}]}})
        next_second()
        return f"{self.pods}/{name}"

    def is_bound(self, path: str) -> bool:
        return bool(node_of(self.cluster.api.get(path)))

    def wait_bound(self, path: str) -> None:
        eventually(lambda: self.is_bound(path), 10, lambda: f"{path} on a node: {self.message(path)}")

    def message(self, path: str) -> str:
        return condition(self.cluster.api.get(path), "PodScheduled").get("message", "")

    def delete(self, path: str) -> None:
        self.cluster.api.delete(f"{path}?gracePeriodSeconds=0")

    def shown(self, name: str) -> Json:
        def answer() -> Optional[Json]:
            result = self.cluster.rig.cli("gangs", f"--control={self.socket}", "-o", "json")
            gangs = json.loads(result.stdout)["gangs"] if result.returncode == 0 else []
            return next((gang for gang in gangs if gang["driver"] == name), None)
        return eventually(answer, 10, f"{name} among the gangs")

    def end(self, path: str, started: float, seconds: int) -> None:
        """Its containers have ended well, after so many seconds."""
        def text(at: float) -> str:
            return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
        state = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": text(started),
                                "finishedAt": text(started + seconds)}}
        self.cluster.api.patch(f"{path}/status", {"status": {"phase": "Succeeded", "containerStatuses": [
            {"name": "main", "image": "none", "imageID": "", "ready": False, "restartCount": 0, "state": state}]}})


def test_a_short_gang_passes_and_a_long_one_does_not(cluster: Cluster, tmp_path: Path) -> None:
    here = Backfill(cluster, tmp_path, {"backfill": {"mode": "easy", "maxBypass": 12}})
    first = here.gang("first", 3, "10m")
    here.wait_bound(first)
    head = here.gang("head", 7, "5m")
    slow = here.gang("slow", 1, "30m")
    unknown = here.gang("unknown", 1)
    quick = here.gang("quick", 1, "1m")
    here.wait_bound(quick)
    assert not any(map(here.is_bound, (head, slow, unknown)))
    shown = eventually(lambda: (gang := here.shown("head"))["passedBy"] == 1 and gang, 10, "that it was passed")
    away = shown["plannedStartMs"] / 1000 - time.time()
    assert 500 < away <= 600, shown
    assert shown["expectedStartMs"] == shown["plannedStartMs"]
    eventually(lambda: "expected to start about" in here.message(head)
               and "passed by 1 gang, 12 at most" in here.message(head), 75, lambda: here.message(head))
    why = cluster.rig.cli("why", "head", f"--control={here.socket}").stdout
    assert "Expected to start: in " in why and "Passed by 1 later gangs" in why, why
    assert "ETA" in cluster.rig.cli("gangs", f"--control={here.socket}", "-o", "wide").stdout
    here.delete(quick)
    here.delete(first)
    here.wait_bound(head)
    assert not here.is_bound(slow)


def test_off_is_off(cluster: Cluster, tmp_path: Path) -> None:
    here = Backfill(cluster, tmp_path, {})
    first = here.gang("first", 3, "10m")
    here.wait_bound(first)
    here.gang("head", 7, "5m")
    quick = here.gang("quick", 1, "1m")
    time.sleep(1)
    assert not here.is_bound(quick)
    shown = here.shown("head")
    assert shown["plannedStartMs"] == shown["expectedStartMs"] == shown["passedBy"] == 0


def test_run_times_are_learned_again_from_ended_drivers(cluster: Cluster, tmp_path: Path) -> None:
    here = Backfill(cluster, tmp_path, {"backfill": {"mode": "conservative"}})
    for number in range(5):
        path = here.gang(f"etl-{number}", 1)
        here.wait_bound(path)
        here.end(path, time.time(), 600 + 60 * number)
    here.scheduler.kill()
    here.scheduler = here.start()
    running = here.gang("etl-77", 7)
    here.wait_bound(running)
    here.gang("head", 7)
    shown = eventually(lambda: (gang := here.shown("head"))["expectedStartMs"] and gang, 10, "an expected start")
    assert 650 < shown["expectedStartMs"] / 1000 - time.time() < 730, shown
    assert 770 < shown["plannedStartMs"] / 1000 - time.time() < 850, shown
    assert shown["expectedStartSpreadMs"] >= 110_000


def test_a_duration_that_cannot_be_read_is_said(cluster: Cluster, tmp_path: Path) -> None:
    here = Backfill(cluster, tmp_path, {"backfill": {"mode": "easy"}})
    here.wait_bound(here.gang("bad", 1, "half an hour"))
    events = f"/api/v1/namespaces/{cluster.default_namespace}/events"
    eventually(lambda: any("is no duration such as 30m" in event.get("note", event.get("message", ""))
                           for event in cluster.api.get(events)["items"]), 10, "a warning")
