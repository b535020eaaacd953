"""What a standby costs beside the replica that leads: memory and time of the processor, at rest."""
import os
import threading
import time
from pathlib import Path
from typing import Iterator

import pytest

from support.kube.cluster import Cluster
from support.process.polling import eventually
from support.plane.replicas import Replica, Replicas

SECONDS = 10


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid: int, field: str = "VmRSS") -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{field}:")).split()[1]) / 1024


@pytest.fixture
def replicas(cluster: Cluster) -> Iterator[Replicas]:
    made = Replicas(cluster.rig)
    yield made
    made.stop()


def create_pods(cluster: Cluster, count: int) -> None:
    """Pods of another scheduler; nothing runs them."""
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"

    def create(numbers: range) -> None:
        for number in numbers:
            cluster.api.post(path, {
                "apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"crowd-{number}"},
                "spec": {"schedulerName": "somebody-else", "containers": [{
                    "name": "main", "image": "none", "resources": {"requests": {"cpu": "10m"}}}]}})
    threads = [threading.Thread(target=create, args=(range(first, count, 8),)) for first in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.long
@pytest.mark.bound(900)
@pytest.mark.parametrize("pods", [0, 20_000])
@pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")
def test_a_standby_is_as_cheap_as_an_idle_leader(cluster: Cluster, replicas: Replicas, pods: int) -> None:
    cluster.add_nodes(3)
    leader = replicas.wait_leader()
    create_pods(cluster, pods)
    replicas.wait_standby()
    standby = next(each for each in replicas.members if each is not leader)
    time.sleep(5)
    costs = {}
    pids: dict[str, Replica] = {"leader": leader, "standby": standby}
    before = {name: cpu_seconds(each.process.pid) for name, each in pids.items()}
    time.sleep(SECONDS)
    for name, each in pids.items():
        share = (cpu_seconds(each.process.pid) - before[name]) / SECONDS
        costs[name] = (share, resident_mib(each.process.pid))
        print(f"{pods} pods, {name}: {share:.2%} of a core, {costs[name][1]:.1f} MiB resident, at most "
              f"{resident_mib(each.process.pid, 'VmHWM'):.1f}")
    eventually(lambda: replicas.leader() is leader, 5, "the same replica to lead all the time")
    assert costs["standby"][0] <= costs["leader"][0] + 0.005
    assert costs["standby"][1] <= costs["leader"][1] * 1.1 + 2
