"""Queues of the configuration file, through the API server: who is bound, who waits, what is said and shown."""
import json
import time
from pathlib import Path
from typing import Optional

import pytest

from support.client.api import ApiError, Json
from support.kube.cluster import Cluster
from support.kube.pods import condition, node_of
from support.process.polling import eventually, next_second
from support.plane.rig import Scheduler
from support.plane.served import ANY_PORT, Served

QUEUE = "gang-scheduler/queue"


class Queues:
    """A cluster whose scheduler has this file."""

    def __init__(self, cluster: Cluster, folder: Path, config: Json, *flags: str) -> None:
        self.cluster = cluster
        self.folder = folder
        self.socket = f"unix:{folder}/control"
        self.flags = flags
        self.pods = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
        self.scheduler = self.start(config)

    def start(self, config: Json) -> Scheduler:
        path = self.folder / "config.yaml"
        path.write_text(json.dumps(config))
        return self.cluster.start_scheduler("--leader-elect=false", f"--config={path}",
                                            f"--control={self.socket}", *self.flags)

    def pod(self, name: str, queue: Optional[str] = None, executors: int = 0, cpu: str = "1",
            priority: Optional[int] = None, user: str = "default", **more: str) -> str:
        """A lone pod, or a driver made by hand with so many executors of 1 cpu; its path. `more`: annotations of ours."""
        annotations = {QUEUE: queue} if queue else {}
        annotations.update({"gang-scheduler/" + key.replace("_", "-"): value for key, value in more.items()})
        if executors:
            annotations.update({"gang-scheduler/executors": str(executors), "gang-scheduler/executor-cpu": "1",
                                "gang-scheduler/executor-memory": "64Mi"})
        spec: Json = {"schedulerName": "gang-scheduler", "restartPolicy": "Never", "serviceAccountName": user,
                      "containers": [{"name": "main", "image": "none",
                                      "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}}}]}
        if priority is not None:
            spec["priorityClassName"] = f"class-{priority}"
            self.make_class(priority)
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "annotations": annotations}, "spec": spec}
        eventually(lambda: self.is_taken(pod), 10, f"the API server to take {name}")
        return f"{self.pods}/{name}"

    def is_taken(self, pod: Json) -> bool:
        """Admission knows a new PriorityClass a moment after it was made."""
        try:
            self.cluster.api.post(self.pods, pod)
        except ApiError as error:
            if "no PriorityClass" not in str(error):
                raise
            return False
        return True

    def make_class(self, priority: int) -> None:
        classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
        if self.cluster.api.find(f"{classes}/class-{priority}") is None:
            self.cluster.api.post(classes, {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                                            "metadata": {"name": f"class-{priority}"}, "value": priority})

    def is_bound(self, path: str) -> bool:
        return bool(node_of(self.cluster.api.get(path)))

    def wait_bound(self, *paths: str) -> None:
        for path in paths:
            eventually(lambda path=path: self.is_bound(path), 10, f"{path} on a node: {self.message(path)}")

    def message(self, path: str) -> str:
        return condition(self.cluster.api.get(path), "PodScheduled").get("message", "")

    def wait_said(self, path: str, part: str) -> None:
        eventually(lambda: part in self.message(path), 10, lambda: f"{part!r} in {self.message(path)!r}")
        assert not self.is_bound(path)

    def delete(self, path: str) -> None:
        self.cluster.api.delete(f"{path}?gracePeriodSeconds=0")

    def shown(self) -> dict[str, Json]:
        """As soon as the daemon answers."""
        def answer() -> Optional[str]:
            result = self.cluster.rig.cli("queues", f"--control={self.socket}", "-o", "json")
            return result.stdout if result.returncode == 0 else None
        result = eventually(answer, 10, "an answer of the daemon")
        return {queue["name"]: queue for queue in json.loads(result)["queues"]}


def test_a_limit_holds_for_gangs_and_lone_pods(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(2, cpu="8")
    queues = Queues(cluster, tmp_path, {"queues": [{"name": "etl", "limit": {"cpu": 4}}, {"name": "ml"}]})
    first = queues.pod("first", "etl", executors=2)
    queues.wait_bound(first)
    next_second()
    second = queues.pod("second", "root.etl", executors=1)
    queues.wait_said(second, "queue root.etl has 3 cpu in use by 1 gang, its limit is 4, and it needs 2")
    queues.wait_said(second, "[WaitingForQuota]")
    found = condition(cluster.api.get(second), "PodScheduled")
    assert found["reason"] == "SchedulingSkipped", found
    next_second()
    behind = queues.pod("behind", "etl")
    never = queues.pod("never", "etl", executors=4)
    other = queues.pod("other", "ml", executors=3)
    silent = queues.pod("silent")
    queues.wait_bound(other, silent)
    queues.wait_said(never, "it needs 5 cpu, and queue root.etl has a limit of 4; needs 1 driver + 4 executors (5 cpu")
    queues.wait_said(behind, "[WaitingForQuota]")
    queues.delete(first)
    queues.wait_bound(second, behind)
    assert not queues.is_bound(never)


def test_users_of_a_fair_queue_take_turns(cluster: Cluster, tmp_path: Path) -> None:
    queues = Queues(cluster, tmp_path, {"queues": [{"name": "etl", "order": "fair"}]})
    of_ann = [queues.pod(f"ann-{i}", "etl", user="ann") for i in range(8)]
    next_second()
    of_bob = [queues.pod(f"bob-{i}", "etl", executors=1, user="bob") for i in range(2)]
    time.sleep(1)
    cluster.add_nodes(1, cpu="8")
    eventually(lambda: sum(map(queues.is_bound, of_ann)) == 4, 15, "four of Ann's pods beside Bob's two gangs of two")
    assert all(map(queues.is_bound, of_bob))
    assert queues.shown()["root.etl"]["order"] == "fair"


def test_two_queues_with_weights_share_what_there_is(cluster: Cluster, tmp_path: Path) -> None:
    queues = Queues(cluster, tmp_path, {"queues": [{"name": "a"}, {"name": "b", "weight": 3}]})
    of_a = [queues.pod(f"a-{i}", "a") for i in range(8)]
    of_b = [queues.pod(f"b-{i}", "b") for i in range(8)]
    time.sleep(1)
    cluster.add_nodes(1, cpu="8")
    eventually(lambda: sum(map(queues.is_bound, of_a + of_b)) == 8, 15, "eight pods on the node")
    assert [sum(map(queues.is_bound, paths)) for paths in (of_a, of_b)] == [2, 6]
    shown = queues.shown()
    assert shown["root.a"]["usage"]["cpuMilli"] == 2000 and shown["root.b"]["usage"]["cpuMilli"] == 6000
    assert shown["root.a"]["shareMillionths"] == shown["root.b"]["shareMillionths"] == 250_000
    assert shown["root"]["running"] == 8
    eventually(lambda: queues.shown()["root"]["waiting"] == 8, 5, "those that wait, at the next refresh")


def test_a_queue_by_priority(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(1, cpu="2")
    queues = Queues(cluster, tmp_path, {"queues": [{"name": "etl", "order": "priority"}]})
    running = queues.pod("running", "etl", executors=1)
    queues.wait_bound(running)
    low = queues.pod("low", "etl", executors=1)
    next_second()
    high = queues.pod("high", "etl", executors=1, priority=1000)
    queues.wait_said(high, "[WaitingForCapacity]")
    queues.delete(running)
    queues.wait_bound(high)
    assert not queues.is_bound(low)
    queues.delete(high)
    queues.wait_bound(low)


@pytest.mark.parametrize("strict", [False, True])
def test_who_is_overdue_is_passed_by_nobody_where_the_file_says_so(cluster: Cluster, tmp_path: Path, strict: bool) -> None:
    cluster.add_nodes(1, cpu="8")
    etl = {"name": "etl", "maxWait": "4s", "maxWaitStrict": strict}
    queues = Queues(cluster, tmp_path, {"backfill": {"mode": "easy"}, "queues": [etl, {"name": "ml"}]})
    large = queues.pod("large", "etl", executors=3, expected_duration="10m")
    queues.wait_bound(large)
    overdue = queues.pod("overdue", "etl", executors=7)
    part = (" and is passed by nobody: it starts at the latest when those overdue for longer have started and what runs now "
            "has ended" if strict else ", and goes before the others of its queue")
    queues.wait_said(overdue, f"; it has waited for longer than it is to{part}")
    why = cluster.rig.cli("why", "overdue", f"--control={queues.socket}").stdout
    assert " ".join(part.split()) in " ".join(why.split()), why
    # By its turn, for ml holds nothing, and by backfill.
    of_ml = queues.pod("of-ml", "ml", executors=1, expected_duration="1m")
    of_etl = queues.pod("of-etl", "etl", expected_duration="1m")
    if not strict:
        queues.wait_bound(of_ml, of_etl)
        return
    queues.wait_said(of_ml, "Waiting")
    time.sleep(3)
    assert not queues.is_bound(of_ml) and not queues.is_bound(of_etl)
    queues.delete(large)
    queues.wait_bound(overdue)
    assert not queues.is_bound(of_ml) and not queues.is_bound(of_etl)
    queues.delete(overdue)
    queues.wait_bound(of_ml, of_etl)


def test_who_may_not_use_a_queue_waits_and_can_mend_it(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(1, cpu="8")
    mine = cluster.default_namespace
    queues = Queues(cluster, tmp_path, {
        "queues": [{"name": "open", "namespaces": [mine]}, {"name": "closed", "users": ["nowhere/nobody"]},
                   {"name": f"{mine}"}],
        "placement": [{"annotation": QUEUE}, "namespace"]})
    unknown = queues.pod("unknown", "missing", executors=1)
    closed = queues.pod("closed", "closed")
    placed = queues.pod("placed")
    queues.wait_bound(placed)
    queues.wait_said(unknown, 'queue "missing" is not found')
    queues.wait_said(closed, f'queue "closed" is not open to service account {mine}/default')
    queues.wait_said(closed, "[Misconfigured]")
    assert queues.shown()[f"root.{mine}"]["running"] == 1
    for path in (unknown, closed):
        cluster.api.patch(path, {"metadata": {"annotations": {QUEUE: "open"}}})
    queues.wait_bound(unknown, closed)
    assert queues.shown()["root.open"]["usage"]["cpuMilli"] == 3000


def test_a_restart_counts_anew_and_a_queue_that_is_gone_is_lost(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(1, cpu="16")
    etl, ml = {"name": "etl", "limit": {"cpu": 4}}, {"name": "ml", "limit": {"cpu": 4}}
    queues = Queues(cluster, tmp_path, {"queues": [etl, ml]})
    gang = queues.pod("gang", "etl", executors=2)
    lone = queues.pod("lone", "ml", cpu="3")
    queues.wait_bound(gang, lone)
    before = queues.shown()
    queues.scheduler.kill()
    queues.start({"queues": [etl, ml]})
    eventually(lambda: queues.shown() == before, 10, lambda: f"{queues.shown()} as {before}")
    more = queues.pod("more", "etl", executors=1)
    queues.wait_said(more, "queue root.etl has 3 cpu in use by 1 gang, its limit is 4")
    over = queues.pod("over", "ml", cpu="2")
    queues.wait_said(over, "queue root.ml has 3 cpu in use by 1 gang")
    cluster.rig.stop_schedulers()
    queues.start({"queues": [ml]})
    queues.wait_said(more, 'queue "etl" is not found')
    shown = queues.shown()
    assert shown["root.lost"]["usage"]["cpuMilli"] == 3000 and shown["root.lost"]["running"] == 1
    assert queues.is_bound(gang)


def test_what_is_shown(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(1, cpu="8")
    queues = Queues(cluster, tmp_path, {"queues": [
        {"name": "etl", "limit": {"cpu": 3}, "guarantee": {"cpu": 2}, "maxGangs": 9},
        {"name": "ml.train", "userLimit": {"cpu": 1}}]}, *ANY_PORT)
    gang = queues.pod("gang", "etl", executors=1)
    queues.wait_bound(gang)
    waits = queues.pod("waits", "etl", executors=1)
    queues.wait_said(waits, "[WaitingForQuota]")
    cli = cluster.rig.cli
    table = cli("queues", f"--control={queues.socket}").stdout.splitlines()
    assert table[0].split()[:4] == ["QUEUE", "WEIGHT", "SHARE", "USAGE"]
    row = next(line for line in table if line.strip().startswith("etl"))
    assert "2 cpu" in row and "1/9" in row and row.endswith(f"{cluster.default_namespace}/waits")
    wide = cli("gangs", f"--control={queues.socket}", "-o", "wide").stdout.splitlines()
    assert wide[0].split()[-2:] == ["QUEUE", "NAME"] and any(line.split()[-2] == "root.etl" for line in wide[1:])
    plain = cli("gangs", f"--control={queues.socket}").stdout
    assert "QUEUE" not in plain
    why = cli("why", f"{cluster.default_namespace}/waits", f"--control={queues.socket}").stdout
    assert "Queue: root.etl\n" in why and "Reason: WaitingForQuota" in why
    served = Served(queues.scheduler)
    assert served.metric("gang_scheduler_queue_usage", queue="root.etl", resource="cpu") == 2
    assert served.metric("gang_scheduler_queue_limit", queue="root.etl", resource="cpu") == 3
    assert served.metric("gang_scheduler_queue_gangs", queue="root.etl", state="waiting") == 1
    alone = cli("queues", "--control=none", f"--config={tmp_path / 'config.yaml'}", "-o", "json")
    assert alone.returncode == 0, alone.stderr
    by_name = {queue["name"]: queue for queue in json.loads(alone.stdout)["queues"]}
    assert by_name["root.etl"]["usage"]["cpuMilli"] == 2000


def test_without_queues_there_is_one(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(1, cpu="3")
    queues = Queues(cluster, tmp_path, {})
    gang = queues.pod("gang", "anything", executors=1)
    queues.wait_bound(gang)
    waits = queues.pod("waits", executors=1)
    queues.wait_said(waits, "[WaitingForCapacity]")
    shown = queues.shown()
    assert list(shown) == ["root.default"]
    assert shown["root.default"]["usage"]["cpuMilli"] == 2000
    assert shown["root.default"]["running"] == 1 and shown["root.default"]["waiting"] == 1
    assert shown["root.default"]["head"] == f"{cluster.default_namespace}/waits"
