"""A large cluster: how soon a new scheduler is ready, what it takes of memory, and that it misses nothing."""
import threading
import time
from pathlib import Path
from typing import Callable

import pytest

from support.kube.cluster import Cluster
from support.process.polling import eventually
from support.plane.real_plane import RealPlane
from support.plane.served import ANY_PORT, Served

NODES, PODS, CHANGED, WRITERS = 1_000, 20_000, 5_000, 8
REQUEST_MILLI = 10


def in_parallel(work: Callable[[int], None], count: int) -> None:
    threads = [threading.Thread(target=lambda first=first: [work(i) for i in range(first, count, WRITERS)])
               for first in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def node(number: int) -> dict:
    room = {"cpu": "8", "memory": "32Gi", "pods": "110"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"crowd-{number:04}"},
            "status": {"capacity": room, "allocatable": room,
                       "conditions": [{"type": "Ready", "status": "True"}]}}


def pod(number: int) -> dict:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"crowd-{number}"},
            "spec": {"nodeName": f"crowd-{number % NODES:04}", "terminationGracePeriodSeconds": 0,
                     "containers": [{"name": "main", "image": "none", "resources": {
                         "requests": {"cpu": f"{REQUEST_MILLI}m"}}}]}}


def peak_mib(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmHWM:")).split()[1]) / 1024


def server_seconds(cluster: Cluster) -> float:
    """What the API server alone takes to hand out the same lists, as one client reads them."""
    begin = time.monotonic()
    for path in ("/api/v1/nodes", "/api/v1/pods"):
        token = None
        while token != "":
            page = cluster.api.get(path, params={"limit": "500", **({"continue": token} if token else {})})
            token = page["metadata"].get("continue", "")
    return time.monotonic() - begin


@pytest.mark.long
@pytest.mark.bound(900)
@pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")
def test_a_thousand_nodes_and_twenty_thousand_pods(cluster: Cluster, tmp_path: Path) -> None:
    in_parallel(lambda i: cluster.api.post("/api/v1/nodes", node(i)), NODES)
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    in_parallel(lambda i: cluster.api.post(path, pod(i)), PODS)
    alone = min(server_seconds(cluster) for _ in range(2))

    begin = time.monotonic()
    scheduler = cluster.start_scheduler("--leader-elect=false", *ANY_PORT, "--control", f"unix:{tmp_path}/control")
    served = Served(scheduler)
    eventually(served.is_ready, 60, "a scheduler that is ready", 0.02)
    ready = time.monotonic() - begin
    pid = scheduler.process.pid
    print(f"{NODES} nodes, {PODS} pods: ready after {ready:.2f} s (the lists alone, read by Python: "
          f"{alone:.2f} s), at most {peak_mib(pid):.1f} MiB")

    # While it stands still its watches fall behind, and the versions they were at are compacted away.
    scheduler.process.pause()
    in_parallel(lambda i: cluster.api.delete(f"{path}/crowd-{i}", grace_seconds=0), CHANGED)
    assert isinstance(cluster.rig, RealPlane)
    cluster.rig.etcd.compact()
    scheduler.process.resume()
    eventually(served.is_ready, 30, "a scheduler that is ready again", 0.1)

    def agrees() -> bool:
        return cluster.rig.cli("ledger", "--control", f"unix:{tmp_path}/control", timeout=60).returncode == 0
    eventually(agrees, 30, "a ledger that agrees with the API server")
    print(f"after {CHANGED} deletes behind its back: at most {peak_mib(pid):.1f} MiB")
