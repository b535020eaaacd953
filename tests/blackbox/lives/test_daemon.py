"""The daemon as a process: credentials, signals, replicas, and what it costs when idle."""
import os
import subprocess
import time
from pathlib import Path

import pytest

from support.plane.chart import NAMESPACE, RELEASE
from support.kube.cluster import Cluster
from support.process.polling import eventually
from support.plane.real_plane import RealPlane
from support.plane.rig import Rig, binary
from support.kube.spark_application import Size, sized

IDLE_RSS_MIB_MAX = 17  # some 14 of it pages of the program and of its libraries
IDLE_CPU_MAX = 0.005
IDLE_SECONDS = 8


def test_sigterm_ends_it_with_exit_code_0(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    scheduler = cluster.start_scheduler()
    cluster.wait_finished(cluster.submit(sized(Size(executors=1), cluster.default_namespace)))
    assert scheduler.terminate() == 0, scheduler.output()


def test_sigterm_while_it_cannot_reach_the_server(tmp_path: Path, rig: Rig) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(cluster_only("http://127.0.0.1:1"))
    scheduler = rig.start_scheduler(kubeconfig=kubeconfig)
    time.sleep(1.5)
    assert scheduler.is_running(), f"an absent server is no reason to end: {scheduler.output()}"
    assert scheduler.terminate() == 0, scheduler.output()


@pytest.mark.parametrize("content", [
    None, "", "not: [a, kubeconfig", "apiVersion: v1\nkind: Config\ncurrent-context: nowhere\n",
], ids=["absent", "empty", "no YAML", "no such context"])
def test_a_bad_kubeconfig_is_said_at_once(tmp_path: Path, content: str) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    if content is not None:
        kubeconfig.write_text(content)
    result = subprocess.run([str(binary()), "run", "--kubeconfig", str(kubeconfig), "--control", "none"],
                            capture_output=True, text=True, timeout=10)
    assert result.returncode not in (0, None) and result.returncode > 0
    assert str(kubeconfig) in result.stderr + result.stdout


def test_idle_it_costs_next_to_nothing(cluster: Cluster) -> None:
    cluster.add_nodes(3)
    scheduler = cluster.start_scheduler()
    cluster.wait_finished(cluster.submit(sized(Size(executors=2), cluster.default_namespace)))
    time.sleep(1)
    before = cpu_seconds(scheduler.process.pid)
    time.sleep(IDLE_SECONDS)
    share = (cpu_seconds(scheduler.process.pid) - before) / IDLE_SECONDS
    resident = resident_mib(scheduler.process.pid)
    assert share < IDLE_CPU_MAX, f"{share:.2%} of a core"
    if "debug" not in str(binary()):
        assert resident < IDLE_RSS_MIB_MAX, f"{resident:.1f} MB resident"


def test_a_second_replica_waits_and_takes_over(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    remove_lease(cluster)
    first = cluster.rig.start_scheduler(())
    cluster.wait_finished(cluster.submit(sized(Size(executors=2), cluster.default_namespace)))
    holder = lease_holder(cluster)
    second = cluster.rig.start_scheduler(())
    time.sleep(1.5)
    assert second.is_running() and lease_holder(cluster) == holder
    assert first.terminate() == 0, first.output()  # gives the lease back: nobody waits for its end
    cluster.wait_finished(cluster.submit(sized(Size(executors=2), cluster.default_namespace)))
    assert lease_holder(cluster) != holder
    second.stop()
    remove_lease(cluster)


# The embedded server asks nobody who he is. A token in the kubeconfig itself is what all other tests use.
@pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")
def test_a_service_account_with_its_token_in_a_file(cluster: Cluster) -> None:
    plane = cluster.rig
    assert isinstance(plane, RealPlane)
    path = plane.folder / "token"
    path.write_text(plane.service_account_token(NAMESPACE, RELEASE) + "\n")
    kubeconfig = plane.role_kubeconfig(token_file=path)
    cluster.add_nodes(1)
    remove_lease(cluster)
    first = plane.start_scheduler((), kubeconfig=kubeconfig)
    cluster.wait_finished(cluster.submit(sized(Size(executors=2), cluster.default_namespace)))
    second = plane.start_scheduler((), kubeconfig=kubeconfig)
    eventually(lambda: "standing by" in second.output(), 10, "a standby")
    assert first.terminate() == 0, first.output()
    cluster.wait_finished(cluster.submit(sized(Size(executors=2), cluster.default_namespace)))
    for scheduler in (first, second):
        text = scheduler.output().lower()
        assert "forbidden" not in text and "cannot be watched" not in text
    second.stop()
    remove_lease(cluster)


def cluster_only(server: str) -> str:
    """A kubeconfig of one server, without a user's credentials."""
    return ("apiVersion: v1\nkind: Config\ncurrent-context: c\n"
            f"clusters: [{{name: c, cluster: {{server: '{server}'}}}}]\n"
            "users: [{name: c, user: {}}]\ncontexts: [{name: c, context: {cluster: c, user: c}}]\n")


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid: int) -> float:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines()
                if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def leases(cluster: Cluster) -> list[dict]:
    return [lease for lease in cluster.api.items("/apis/coordination.k8s.io/v1/leases")
            if lease["metadata"]["name"] == "gang-scheduler"]


def lease_holder(cluster: Cluster) -> str:
    def holder() -> str:
        found = leases(cluster)
        return (found[0]["spec"].get("holderIdentity") or "") if found else ""
    return eventually(holder, 10, "a lease with a holder")


def remove_lease(cluster: Cluster) -> None:
    """A killed test leaves a lease that the next one would wait for."""
    for lease in leases(cluster):
        cluster.api.delete("/apis/coordination.k8s.io/v1/namespaces/"
                           f"{lease['metadata']['namespace']}/leases/gang-scheduler")
