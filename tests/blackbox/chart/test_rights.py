"""The chart's rights against the API server's audit log: each is used. That none is missing is judged when a rig of any
test goes down (conftest.py).

Every scheduler of the real rig runs with a token of the chart's ServiceAccount (support/plane/real_plane.py).
"""
import subprocess
from typing import Iterator

import pytest

from support.client.api import Api, Json
from support.plane.audit import is_forbidden, lacking
from support.plane.chart import NAMESPACE, USER
from support.kube.cluster import Cluster
from support.plane.fault_proxy import Fault
from support.kube.pod_groups import (ANNOTATION, COSCHEDULING, KUBE_BATCH, LABEL, VOLCANO, add_group, define_kinds,
                                wait_served)
from support.kube.pods import node_of
from support.process.polling import eventually
from support.kube.provisioner import CLASSES, VOLUMES, ZONE, Provisioner, claim
from support.plane.real_plane import RealPlane
from support.plane.rig import binary
from support.kube.spark_application import Size, sized

LEASE = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/gang-scheduler"
NATIVE_GROUPS = (("scheduling.k8s.io", "podgroups"), ("scheduling.k8s.io", "podgroups/status"))
real = pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")


@pytest.fixture
def plane(cluster: Cluster) -> RealPlane:
    found = cluster.rig
    assert isinstance(found, RealPlane) and found.chart is not None
    return found


def mount_a_volume(cluster: Cluster) -> None:
    """One pod has a volume made, by a driver that says what it has left; the next one finds it there."""
    for node in cluster.api.items("/api/v1/nodes"):
        cluster.api.patch(f"/api/v1/nodes/{node['metadata']['name']}", {"metadata": {"labels": {ZONE: "a"}}})
    namespace = f"/api/v1/namespaces/{cluster.default_namespace}"
    provisioner = Provisioner(cluster.rig)
    storage_class = provisioner.add_class()
    drivers = "/apis/storage.k8s.io/v1/csidrivers"
    cluster.api.post(drivers, {"metadata": {"name": provisioner.name}, "spec": {"storageCapacity": True}})
    cluster.api.post(f"/apis/storage.k8s.io/v1/namespaces/{cluster.default_namespace}/csistoragecapacities", {
        "metadata": {"name": "all"}, "storageClassName": storage_class, "nodeTopology": {}, "capacity": "10Gi"})
    cluster.api.post(f"{namespace}/persistentvolumeclaims", claim("data", storage_class))
    for name in ("first", "second"):
        cluster.api.post(f"{namespace}/pods", {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"schedulerName": "gang-scheduler", "containers": [{"name": "main", "image": "none"}],
                     "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}})
        eventually(lambda: node_of(cluster.api.get(f"{namespace}/pods/{name}")), 20, f"{name} on a node")
    provisioner.stop()
    provisioner.check()
    cluster.api.delete(f"{drivers}/{provisioner.name}")
    claim_a_volume(cluster)


def claim_a_volume(cluster: Cluster) -> None:
    """One that is there becomes a claim's. Nobody here binds them."""
    namespace = f"/api/v1/namespaces/{cluster.default_namespace}"
    cluster.api.post(CLASSES, {"metadata": {"name": "there"}, "provisioner": "kubernetes.io/no-provisioner",
                               "volumeBindingMode": "WaitForFirstConsumer"})
    cluster.api.post(VOLUMES, {"metadata": {"name": "there"}, "spec": {
        "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "there",
        "hostPath": {"path": "/there"}}})
    cluster.api.patch(f"{VOLUMES}/there/status", {"status": {"phase": "Available"}})
    cluster.api.post(f"{namespace}/persistentvolumeclaims", claim("there", "there"))
    cluster.api.post(f"{namespace}/pods", {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "there"},
        "spec": {"schedulerName": "gang-scheduler", "containers": [{"name": "main", "image": "none"}],
                 "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "there"}}]}})
    eventually(lambda: cluster.api.get(f"{VOLUMES}/there")["spec"].get("claimRef"), 20, "the volume's claim")
    cluster.api.delete(f"{namespace}/pods/there", 0)
    cluster.api.patch(f"{VOLUMES}/there", {"metadata": {"finalizers": None}})
    for path in (f"{VOLUMES}/there", f"{CLASSES}/there"):
        cluster.api.delete(path)


def name_groups(cluster: Cluster) -> None:
    """Of each kind of group that a custom resource defines one is read, and its status written. Kubernetes' own are not
    served on this plane (test_pod_groups.py has one that does)."""
    define_kinds(cluster)
    define_kinds(cluster, "kube_batch_groups.yaml")
    for api_version in (COSCHEDULING, VOLCANO, *KUBE_BATCH):
        more = {} if api_version == COSCHEDULING else {"priorityClassName": "system-cluster-critical"}
        group = add_group(cluster, {"minMember": 2, **more}, api_version)
        cluster.api.post(f"/api/v1/namespaces/{cluster.default_namespace}/pods", {
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": group, **({"labels": {LABEL: group}} if api_version == COSCHEDULING else
                                           {"annotations": {ANNOTATION: group}})},
            "spec": {"schedulerName": "gang-scheduler", "containers": [{"name": "main", "image": "none"}]}})


def mean_a_team(cluster: Cluster) -> None:
    """Affinity by labels of namespaces: these are listed and watched."""
    cluster.api.post(f"/api/v1/namespaces/{cluster.default_namespace}/pods", {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "apart"},
        "spec": {"schedulerName": "gang-scheduler", "containers": [{"name": "main", "image": "none"}],
                 "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{
                     "topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "a"}},
                     "namespaceSelector": {"matchLabels": {"team": "x"}}}]}}}})


@pytest.fixture
def queue_objects(cluster: Cluster) -> Iterator[None]:
    """The kinds are there before a scheduler looks for them; other tests' clusters have none."""
    define_kinds(cluster, "queue_objects.yaml")
    groups = (VOLCANO, *KUBE_BATCH)
    for api_version in groups:
        wait_served(cluster, f"/apis/{api_version}/queues")
    yield
    for api_version in groups:
        cluster.api.delete("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/queues."
                           f"{api_version.split('/')[0]}")


@real
@pytest.mark.usefixtures("queue_objects")
def test_every_right_granted_is_used(cluster: Cluster, plane: RealPlane) -> None:
    cluster.api.delete(LEASE)
    cluster.add_nodes(2)
    proxy = plane.start_proxy()
    # The answer of one bind is lost: its pod is read to settle it.
    lost = proxy.add(Fault("reset", method="POST", path="/binding$", applied=True, count=1))
    scheduler = plane.start_scheduler((), kubeconfig=plane.proxied_kubeconfig(proxy))
    waiting = cluster.submit(sized(Size(executors=50), cluster.default_namespace))
    cluster.wait_code(waiting, "ExceedsCluster")
    cluster.wait_finished(cluster.submit(sized(Size(executors=2), cluster.default_namespace)))
    assert lost.fired() == 1
    mount_a_volume(cluster)
    name_groups(cluster)
    mean_a_team(cluster)
    cluster.api.post(f"/apis/{VOLCANO}/queues",
                     {"apiVersion": VOLCANO, "kind": "Queue", "metadata": {"name": "etl"}, "spec": {}})
    standby = plane.start_scheduler(())
    granted = {right for right in expand(plane) if right[1:3] not in NATIVE_GROUPS}
    eventually(lambda: not unused(plane, granted), 20, lambda: f"the use of {unused(plane, granted)}", 0.5)
    assert standby.terminate() == 0, standby.output()
    assert scheduler.terminate() == 0, scheduler.output()


@real
def test_the_lease_and_the_binds_go_before_tenants(cluster: Cluster, plane: RealPlane) -> None:
    """The API server says by which FlowSchema it has let a request in."""
    schemas = {item["metadata"]["uid"]: item["spec"]["priorityLevelConfiguration"]["name"] for item
               in cluster.api.items("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas")}
    scheduler = Api(plane.role_kubeconfig())
    tenant = Api(plane.token_kubeconfig("default", "tenant", is_admin=True))

    def level(api: Api, path: str) -> str:
        return schemas[api.request("GET", path).headers["X-Kubernetes-PF-FlowSchema-UID"]]
    cluster.api.delete(LEASE)
    cluster.api.post(LEASE.rsplit("/", 1)[0], {"metadata": {"name": "gang-scheduler"}})
    assert level(scheduler, LEASE) == "leader-election"
    assert level(scheduler, "/api/v1/pods?limit=1") == "workload-high"
    assert level(tenant, "/api/v1/pods?limit=1") not in ("leader-election", "workload-high")
    cluster.api.delete(LEASE)


@pytest.mark.parametrize("uri, more, is_wrong", [
    ("/api/v1/pods", {"responseStatus": {"code": 403}}, True),
    ("/api/v1/pods", {"annotations": {"authorization.k8s.io/decision": "forbid"}}, True),
    ("/api/v1/pods", {"responseStatus": {"code": 409}}, False),
    ("/api/v1/pods", {"responseStatus": {"code": 403}, "annotations": {"authorization.k8s.io/decision": "allow"}}, False),
    ("/api/v1/namespaces/a/services/gang-scheduler:http/proxy/api/v1/gangs", {"responseStatus": {"code": 403}}, False),
])
def test_what_counts_as_a_missing_right(uri: str, more: Json, is_wrong: bool) -> None:
    found = lacking([{"verb": "list", "requestURI": uri, **more}])
    assert found == ([("list", uri)] if is_wrong else [])


def expand(plane: RealPlane) -> Iterator[tuple[str, str, str, str, str]]:
    """Each right as (namespace, group, resource, verb, name); empty: any."""
    assert plane.chart is not None
    for namespace, rule in plane.chart.rules():
        assert "*" not in str(rule), rule
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                for verb in rule["verbs"]:
                    for name in rule.get("resourceNames", [""]):
                        yield namespace, group, resource, verb, name


def unused(plane: RealPlane, granted: set[tuple[str, str, str, str, str]]) -> list[tuple[str, ...]]:
    """What no request so far needed."""
    used = set()
    for server in plane.servers:
        for event in server.audited(USER):
            what = event.get("objectRef")
            if what is None or is_forbidden(event):
                continue
            resource = "/".join(filter(None, (what["resource"], what.get("subresource"))))
            for namespace in ("", what.get("namespace", "")):
                for name in ("", what.get("name", "")):
                    used.add((namespace, what.get("apiGroup", ""), resource, event["verb"], name))
    return sorted(granted - used)


@real
def test_who_may_read_one_namespace_asks_about_its_pods(cluster: Cluster, plane: RealPlane) -> None:
    space = cluster.default_namespace
    rights = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{space}"
    cluster.api.post(f"{rights}/roles", {
        "metadata": {"name": "reader"}, "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]})
    cluster.api.post(f"{rights}/rolebindings", {
        "metadata": {"name": "reader"}, "subjects": [{"kind": "User", "name": "reader"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}})
    kubeconfig = plane.write_kubeconfig("reader", client=plane.client_certificate("reader", "readers"))
    cluster.api.post(f"/api/v1/namespaces/{space}/pods", {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "lonely"},
        "spec": {"schedulerName": "gang-scheduler", "containers": [{"name": "main", "image": "none"}]}})

    def ask(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([str(binary()), *arguments, "--control", "none", "--kubeconfig", str(kubeconfig)],
                              capture_output=True, text=True, timeout=20)

    # The right reaches the API server's authorizer by a watch.
    eventually(lambda: ask("why", f"{space}/lonely").returncode == 3, 10, lambda: ask("why", f"{space}/lonely").stderr)
    assert ask("why", "lonely", "-n", space).returncode == 3
    life = ask("timeline", f"{space}/lonely")
    assert life.returncode == 0 and "pod created" in life.stdout, life  # who may not read Events is told the rest
    assert "timeline: without events: " in life.stderr and "(403)" in life.stderr, life
    for arguments in (("gangs",), ("why", "lonely"), ("timeline", "lonely")):
        refused = ask(*arguments)
        assert refused.returncode == 1 and "forbidden" in refused.stderr, refused
        assert refused.stderr.strip().endswith("(403); try -n NAMESPACE"), refused.stderr
