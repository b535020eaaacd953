"""Affinity and queues by labels of namespaces, as they are and as they become; judged by what the API server shows."""
import uuid
from pathlib import Path

from support.client.api import Json
from support.kube.cluster import Cluster
from support.plane.rig import Scheduler
from test_pod_rules import HOST, create, wait_bound, wait_told

TEAM = "example.com/team"


def label(cluster: Cluster, namespace: str, team: str) -> None:
    cluster.api.patch(f"/api/v1/namespaces/{namespace}", {"metadata": {"labels": {TEAM: team}}})


def term_of(team: str) -> Json:
    return {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": "a"}},
            "namespaceSelector": {"matchLabels": {TEAM: team}}}


def apart_from(team: str) -> Json:
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term_of(team)]}}}


def wait_known(cluster: Cluster, team: str) -> None:
    """Until the scheduler has seen that a namespace with a pod is the team's: its watch of namespaces is another one than that
    of pods. A pod that wants to be beside a pod of that team waits for it."""
    beside = {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term_of(team)]}}}
    name = f"beside-{team}-{uuid.uuid4().hex[:8]}"
    wait_bound(cluster, create(cluster, name, beside, labels={}))


def in_namespace(cluster: Cluster, namespace: str, name: str, spec: Json) -> str:
    before, cluster.default_namespace = cluster.default_namespace, namespace
    try:
        return create(cluster, name, spec)
    finally:
        cluster.default_namespace = before


def test_anti_affinity_to_a_team_follows_the_label(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    other = cluster.namespace()
    cluster.start_scheduler()
    wait_bound(cluster, in_namespace(cluster, other, "there", {}))
    wait_bound(cluster, create(cluster, "before", apart_from("x"), labels={}))
    label(cluster, other, "x")
    wait_known(cluster, "x")
    second = create(cluster, "second", apart_from("x"), labels={})
    wait_told(cluster, second, "1 node(s) didn't match pod anti-affinity rules", "[PodRulesNotMet]")
    label(cluster, other, "y")
    wait_bound(cluster, second)

    # What runs keeps others away as well: of its team, whenever that becomes theirs.
    wait_bound(cluster, in_namespace(cluster, other, "free", {}))
    label(cluster, other, "x")
    wait_known(cluster, "x")
    kept_off = in_namespace(cluster, other, "kept-off", {})
    wait_told(cluster, kept_off, "1 node(s) didn't satisfy existing pods anti-affinity rules")
    label(cluster, other, "z")
    wait_bound(cluster, kept_off)


def test_a_namespaces_label_says_the_queue(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_nodes(1, cpu="4")
    space = cluster.default_namespace
    label(cluster, space, "etl")
    path = tmp_path / "config.yaml"

    def start(placement: str) -> Scheduler:
        path.write_text("queues: [{name: etl, limit: {cpu: 1}}, {name: ml, limit: {cpu: 2}}]\n"
                        f"placement: {placement}\n")
        return cluster.start_scheduler("--leader-elect=false", f"--config={path}")

    scheduler = start(f"[{{namespaceLabel: {TEAM}}}, {{fixed: ml}}]")
    one_cpu = {"containers": [{"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}]}
    wait_bound(cluster, create(cluster, "first", one_cpu))
    second = create(cluster, "second", one_cpu)
    wait_told(cluster, second, "queue root.etl has 1 cpu in use by 1 gang, its limit is 1")
    label(cluster, space, "ml")
    wait_bound(cluster, second)

    # After kill -9 what runs is counted where the label says now.
    scheduler.kill()
    scheduler = start(f"[{{namespaceLabel: {TEAM}}}, {{fixed: etl}}]")
    third = create(cluster, "third", one_cpu)
    wait_told(cluster, third, "queue root.ml has 2 cpu in use by 2 gangs, its limit is 2")
    label(cluster, space, "nobody")  # the next rule has the word
    wait_bound(cluster, third)
    assert "labels of namespaces are not known" not in scheduler.output()
