"""Rules between pods, and gangs in one zone: pods are placed by the chart's scheduler, judged by what the API server shows."""
from collections import Counter
from typing import Optional

from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.pods import condition, node_of
from support.process.polling import eventually
from support.kube.spark_application import Size, SparkApplication, captured, sized

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
APP = {"matchLabels": {"app": "a"}}


def add_zones(cluster: Cluster, *zones: str, **more: object) -> dict[str, str]:
    """One node for each; the zone by node."""
    return {cluster.add_nodes(1, labels={ZONE: zone}, **more)[0]: zone for zone in zones}


def apart(key: str) -> Json:
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": key, "labelSelector": APP}]}}}


def together(key: str) -> Json:
    return {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": key, "labelSelector": APP}]}}}


def evenly(key: str) -> Json:
    return {"topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": APP}]}


def create(cluster: Cluster, name: str, spec: Json, labels: Optional[Json] = None,
           scheduler: str = "gang-scheduler") -> str:
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    cluster.api.post(path, {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "a"} if labels is None else labels},
        "spec": {"schedulerName": scheduler, "restartPolicy": "Never", "containers": [
            {"name": "main", "image": "none", "resources": {"requests": {"cpu": "100m"}}}], **spec}})
    return f"{path}/{name}"


def node(cluster: Cluster, path: str) -> str:
    return node_of(cluster.api.get(path))


def told(cluster: Cluster, path: str) -> str:
    return condition(cluster.api.get(path), "PodScheduled").get("message", "")


def wait_bound(cluster: Cluster, *paths: str) -> list[str]:
    eventually(lambda: all(node(cluster, path) for path in paths), 10,
               lambda: f"binds; told: {[told(cluster, path) for path in paths]}")
    return [node(cluster, path) for path in paths]


def wait_told(cluster: Cluster, path: str, *parts: str) -> None:
    eventually(lambda: all(part in told(cluster, path) for part in parts), 10,
               lambda: f"{parts}, told: {told(cluster, path)!r}")
    assert not node(cluster, path)


def test_three_that_keep_apart_on_two_nodes(cluster: Cluster) -> None:
    cluster.add_nodes(2, labels={ZONE: "a"})
    cluster.start_scheduler()
    first, second, third = (create(cluster, f"p{i}", apart(HOST)) for i in range(3))
    eventually(lambda: sum(bool(node(cluster, path)) for path in (first, second, third)) == 2, 10, "two binds")
    waits = next(path for path in (first, second, third) if not node(cluster, path))
    wait_told(cluster, waits, "2 node(s) didn't match pod anti-affinity rules", "[PodRulesNotMet]")
    other = create(cluster, "other", {}, labels={})
    wait_bound(cluster, other)
    left = next(path for path in (first, second, third) if path != waits)
    freed = node(cluster, left)
    cluster.api.request("DELETE", left, {"gracePeriodSeconds": 0})
    assert wait_bound(cluster, waits) == [freed]


def test_pods_that_ran_before_count_whoever_bound_them(cluster: Cluster) -> None:
    """Their labels are listed when a rule names one for the first time; their own anti-affinity needs no list."""
    zones = add_zones(cluster, "a", "b")
    in_a, in_b = sorted(zones, key=lambda name: zones[name])
    create(cluster, "there", {"nodeName": in_a}, scheduler="default-scheduler")
    create(cluster, "guard", {"nodeName": in_b, **apart(ZONE)}, labels={"app": "guard"}, scheduler="default-scheduler")
    cluster.start_scheduler()
    plain = create(cluster, "plain", {})
    assert wait_bound(cluster, plain) == [in_a]
    near = create(cluster, "near", together(ZONE), labels={"app": "b"})
    assert wait_bound(cluster, near) == [in_a]
    far = create(cluster, "far", apart(ZONE), labels={"app": "b"})
    assert wait_bound(cluster, far) == [in_b]


def test_spread_over_three_zones(cluster: Cluster) -> None:
    zones = add_zones(cluster, "a", "b", "c")
    cluster.add_nodes(1)  # without a zone: never spread to
    cluster.start_scheduler()
    pods = [create(cluster, f"p{i}", evenly(ZONE)) for i in range(7)]
    counts = Counter(zones[name] for name in wait_bound(cluster, *pods))
    assert sorted(counts.values()) == [2, 2, 3]


def test_a_captured_template_that_spreads_its_executors(cluster: Cluster) -> None:
    """Spark's executor template asks for a node type and for a spread over zones: no slot is held where executors may not go."""
    fitting = {cluster.add_nodes(1, labels={ZONE: zone, "node.kubernetes.io/instance-type": "m5.8xlarge"})[0]: zone
               for zone in ("a", "b")}
    cluster.add_nodes(1, labels={ZONE: "c"})
    cluster.start_scheduler()
    application = cluster.submit(captured("template-affinity", cluster.default_namespace))
    cluster.wait_finished(application)
    used = Counter(fitting[node_of(seen.pod)] for name, seen in last_states(cluster, application).items() if "-exec-" in name)
    assert sum(used.values()) == application.executors
    assert max(used.values()) - min(used.get(zone, 0) for zone in "ab") <= 2


def last_states(cluster: Cluster, application: SparkApplication) -> dict:
    """By name, the application's pods as they were when they were on a node."""
    prefix = application.driver_name.rsplit("-driver", 1)[0]
    return {seen.pod["metadata"]["name"]: seen for seen in cluster.history.events
            if node_of(seen.pod) and seen.pod["metadata"]["name"].startswith(prefix)}


def test_a_gang_in_one_zone(cluster: Cluster) -> None:
    zones = add_zones(cluster, "a", "a", "b", "b", cpu="3")
    cluster.start_scheduler()

    def gang(executors: int) -> SparkApplication:
        application = sized(Size(executors=executors, cores=1), cluster.default_namespace)
        application.driver["metadata"].setdefault("annotations", {})["gang-scheduler/topology-key"] = ZONE
        return application

    too_large = cluster.submit(gang(7))
    cluster.wait_code(too_large, "ExceedsCluster")
    assert f"in one {ZONE} even if they were empty" in cluster.message(too_large)
    both = [cluster.submit(gang(3)) for _ in range(2)]
    cluster.wait_finished(*both)
    for application in both:
        used = {zones[node_of(seen.pod)] for seen in last_states(cluster, application).values()}
        assert len(used) == 1, used
