"""Rules of tests/k8s/README.md that only a whole program on a whole server can show."""
import json
import time
from pathlib import Path
from typing import Callable

import pytest

from support.plane.chart import NAMESPACE, RELEASE
from support.kube.cluster import Cluster
from support.plane.fault_proxy import Fault
from support.process.polling import eventually
from support.plane.real_plane import RealPlane
from support.plane.rig import Rig
from support.kube.spark_application import Size, sized

PODS_LIST = dict(method="GET", path=r"/api/v1/pods\?limit=")


def lease_place(rig: Rig, name: str) -> tuple[str, str]:
    """Namespace and name: the chart's rights are for one Lease only."""
    return (NAMESPACE, RELEASE) if isinstance(rig, RealPlane) and rig.chart else ("default", name)


def lease_path(rig: Rig, name: str) -> str:
    namespace, lease = lease_place(rig, name)
    return f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{lease}"


def lease_config(rig: Rig, name: str) -> Path:
    """A short lease, everything logged."""
    path = rig.folder / f"{name}.yaml"
    namespace, lease = lease_place(rig, name)
    path.write_text(json.dumps({
        "apiVersion": "config.gang-scheduler/v1alpha1", "kind": "SchedulerConfiguration",
        "leaderElection": {"leaseName": lease, "leaseNamespace": namespace, "leaseDuration": "4s",
                           "renewDeadline": "3s", "retryPeriod": "300ms"},
        "logging": {"level": "debug", "format": "json"}}))
    return path


def renewals(rig: Rig, name: str) -> str:
    """Text that changes with each renewal."""
    lease = rig.api.find(lease_path(rig, name))
    return lease["spec"].get("renewTime", "") if lease else ""


def test_b1_a_list_that_is_held_back_does_not_delay_the_lease(cluster: Cluster) -> None:
    rig = cluster.rig
    proxy = rig.start_proxy()
    held = proxy.add(Fault("hold", **PODS_LIST))
    cluster.add_nodes(1)
    config = lease_config(rig, "held-list")
    scheduler = rig.start_scheduler(("--config", str(config)), kubeconfig=rig.proxied_kubeconfig(proxy))
    held.wait_waiting()
    seen: set[str] = set()

    def renewed() -> bool:
        seen.add(renewals(rig, "held-list"))
        return len(seen) >= 8

    eventually(renewed, 20, "renewals while the list is held back", 0.05)
    assert "lease lost" not in scheduler.output()
    held.release()
    cluster.wait_finished(cluster.submit(sized(Size(executors=1), cluster.default_namespace)))
    rig.api.delete(lease_path(rig, "held-list"))


@pytest.mark.long
@pytest.mark.bound(150)
@pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")
def test_b2_a_half_open_watch_is_found_within_a_minute(cluster: Cluster) -> None:
    """Its proxy acknowledges every packet, so the kernel has nothing to complain of."""
    rig = cluster.rig
    proxy = rig.start_proxy()
    cluster.add_nodes(1)
    rig.start_scheduler(kubeconfig=rig.proxied_kubeconfig(proxy))
    cluster.wait_finished(cluster.submit(sized(Size(executors=1), cluster.default_namespace)))
    stuck = proxy.add(Fault("half_open", method="GET", path=r"/api/v1/pods\?watch=true", count=1))
    stuck.wait_fired()
    begun = time.monotonic()
    application = cluster.submit(sized(Size(executors=1), cluster.default_namespace))
    cluster.wait_bound(application, timeout=70)
    assert time.monotonic() - begun < 60
    cluster.wait_finished(application)


@pytest.mark.long
@pytest.mark.bound(300)
def test_d3_api_servers_that_restart_all_the_time(make_plane: Callable[..., RealPlane]) -> None:
    """Nothing is bound twice or beyond capacity, no pod is forgotten, lists stay few.

    The scheduler's server restarts; kubelets, drivers and referee use another one over the same etcd.
    """
    plane = make_plane(api_servers=2, audit=True)
    cluster = Cluster(plane)
    cluster.add_nodes(4)
    theirs = plane.servers[1]
    plane.start_scheduler(kubeconfig=plane.write_kubeconfig(
        "second", client=plane.client_certificate("second", "system:masters"), server=theirs.url))
    restarts = 4
    applications = []
    for _ in range(restarts):
        applications += [cluster.submit(sized(Size(executors=2), cluster.default_namespace)) for _ in range(5)]
        time.sleep(2)
        theirs.kill()
        theirs.restart()
        plane.wait_ready()
    cluster.wait_finished(*applications, timeout=120)
    lists = [event for event in theirs.audited("second") if event["verb"] == "list"
             and event["objectRef"].get("resource") == "pods"]
    assert 1 <= len(lists) <= 2 * (restarts + 1), f"{len(lists)} lists of pods"
    cluster.close(judge=True)


@pytest.mark.long
@pytest.mark.bound(240)
def test_d4_compaction_under_load_costs_no_lease_and_no_pod(make_plane: Callable[..., RealPlane]) -> None:
    plane = make_plane()
    cluster = Cluster(plane)
    cluster.add_nodes(4)
    config = lease_config(plane, "compacted")
    scheduler = plane.start_scheduler(("--config", str(config)))
    applications = []
    for _ in range(15):
        applications += [cluster.submit(sized(Size(executors=2), cluster.default_namespace)) for _ in range(3)]
        plane.etcd.compact()
        time.sleep(0.5)
    cluster.wait_finished(*applications, timeout=120)
    assert "lease lost" not in scheduler.output()
    assert scheduler.is_running()
    cluster.close(judge=True)


# The embedded server asks nobody who he is.
@pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")
def test_c10_no_word_of_a_credential_in_anything_it_says(cluster: Cluster) -> None:
    """Everything is logged while requests fail in every way; then token, key and CA are looked for."""
    plane = cluster.rig
    assert isinstance(plane, RealPlane)
    proxy = plane.start_proxy()
    kubeconfig = plane.role_kubeconfig(proxy.url) if plane.chart else plane.proxied_kubeconfig(proxy)
    for fault in (Fault("answer", status=401, count=3, path="/pods"), Fault("reset", count=6, skip=4),
                  Fault("answer", status=500, body="boom", count=4, skip=8), Fault("cut", count=2, skip=3)):
        proxy.add(fault)
    cluster.add_nodes(1)
    config = lease_config(plane, "canary")
    scheduler = plane.start_scheduler(("--config", str(config)), kubeconfig=kubeconfig)
    application = cluster.submit(sized(Size(executors=1), cluster.default_namespace))
    cluster.wait_finished(application)
    said = scheduler.process.output(10_000_000)
    said += json.dumps(cluster.api.get(f"/api/v1/namespaces/{cluster.default_namespace}/pods"))
    said += json.dumps(cluster.api.get(
        f"/apis/events.k8s.io/v1/namespaces/{cluster.default_namespace}/events"))
    text = kubeconfig.read_text()
    secrets = [word for word in text.split() if len(word) > 60]
    assert len(secrets) >= 2, "the kubeconfig has a token and a CA"
    for secret in secrets:
        for part in (secret, secret[:40], secret[-40:]):
            assert part not in said
    assert "Bearer" not in said
    plane.api.delete(lease_path(plane, "canary"))
