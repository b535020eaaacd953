"""The status of PodGroup objects, as those who defined the kinds show it."""
from pathlib import Path
from typing import Callable, Iterator

import pytest

from support.client.api import Json
from support.plane.chart import Rights
from support.kube.cluster import Cluster
from support.kube.pod_groups import (ANNOTATION, COSCHEDULING, KUBE_BATCH, LABEL, VOLCANO, add_group, define_kinds, group_path,
                                status_of, wait_phase)
from support.kube.pods import condition, node_of
from support.process.polling import eventually
from support.plane.real_plane import RealPlane
from support.plane.served import ANY_PORT, Served
from support.kube.spark_application import Size, sized

STATUSES = "gang_scheduler_pod_group_statuses_total"


@pytest.fixture
def own(make_plane: Callable[..., RealPlane]) -> Iterator[Cluster]:
    """A plane of its own."""
    plane = make_plane()
    plane.use_chart(Rights.render())
    cluster = Cluster(plane)
    yield cluster
    cluster.close()


@pytest.fixture(autouse=True)
def kinds(request: pytest.FixtureRequest) -> None:
    if "cluster" in request.fixturenames:
        define_kinds(request.getfixturevalue("cluster"))


def create(cluster: Cluster, name: str, **more: Json) -> str:
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    cluster.api.post(path, {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **more},
        "spec": {"schedulerName": "gang-scheduler", "restartPolicy": "Never", "containers": [
            {"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}]}})
    return f"{path}/{name}"


def wait_bound(cluster: Cluster, paths: list[str]) -> None:
    eventually(lambda: all(node_of(cluster.api.get(path)) for path in paths), 40, f"{paths} bound")


def end(cluster: Cluster, paths: list[str], phase: str = "Succeeded") -> None:
    for path in paths:
        cluster.api.patch(f"{path}/status", {"status": {"phase": phase}})


def test_coscheduling_from_the_first_pod_to_the_end(cluster: Cluster) -> None:
    """COS-8: Also when another scheduler goes on in the middle."""
    cluster.add_nodes(1)
    scheduler = cluster.start_scheduler()
    group = add_group(cluster, {"minMember": 2})
    made = cluster.api.post(f"/api/v1/namespaces/{cluster.default_namespace}/configmaps", {"metadata": {"name": "train"}})
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "train", "uid": made["metadata"]["uid"]}

    def member(name: str) -> str:
        return create(cluster, name, labels={LABEL: group}, ownerReferences=[owner])
    pods = [member(f"{group}-0")]
    wait_phase(cluster, group, "Pending")
    pods.append(member(f"{group}-1"))
    running = wait_phase(cluster, group, "Running")
    assert running["running"] == 2
    assert running["occupiedBy"] == f"{cluster.default_namespace}/train"
    scheduler.kill()
    cluster.start_scheduler()
    end(cluster, pods)
    assert wait_phase(cluster, group, "Finished")["succeeded"] == 2


def test_volcano_says_why_a_group_waits(cluster: Cluster) -> None:
    """COS-8."""
    cluster.add_nodes(1, cpu="2")
    cluster.start_scheduler()
    group = add_group(cluster, {"minMember": 3}, VOLCANO)
    pods = [create(cluster, f"{group}-{i}", annotations={ANNOTATION: group}) for i in range(2)]

    def unschedulable(reason: str, text: str) -> bool:
        found = condition({"status": status_of(cluster, group, VOLCANO)}, "Unschedulable")
        return found.get("status") == "True" and found["reason"] == reason and text in found["message"]
    eventually(lambda: unschedulable("NotEnoughTasks", "has 2 of the 3 pods it needs"), 40, "too few pods")
    pods.append(create(cluster, f"{group}-2", annotations={ANNOTATION: group}))
    eventually(lambda: unschedulable("NotEnoughResources", "/3 tasks in gang unschedulable: "), 40,
               lambda: f"no room, status {status_of(cluster, group, VOLCANO)}")
    wait_phase(cluster, group, "Inqueue", VOLCANO)
    cluster.add_nodes(1, cpu="2")
    status = wait_phase(cluster, group, "Running", VOLCANO)
    assert condition({"status": status}, "Scheduled")["status"] == "True"
    assert not condition({"status": status}, "Unschedulable")
    end(cluster, pods)
    wait_phase(cluster, group, "Completed", VOLCANO)


def test_a_spark_drivers_own_group(cluster: Cluster) -> None:
    """As Spark's step for Volcano, or an operator, makes it: the application is the gang, and its group shows that."""
    cluster.add_nodes(1, cpu="2", memory="64Gi")
    cluster.start_scheduler()
    application = sized(Size(executors=2), cluster.default_namespace)
    application.work_seconds = 5
    group = add_group(cluster, {"minMember": 1, "minResources": {"cpu": "3", "memory": "3Gi"}}, VOLCANO)
    for pod in (application.driver, application.executor_pattern):
        pod["metadata"].setdefault("annotations", {})[ANNOTATION] = group
    cluster.submit(application)
    found = wait_phase(cluster, group, "Inqueue", VOLCANO)
    eventually(lambda: condition({"status": status_of(cluster, group, VOLCANO)}, "Unschedulable").get("status") == "True",
               40, lambda: f"it says why it waits: {found}")
    said = condition({"status": status_of(cluster, group, VOLCANO)}, "Unschedulable")
    assert said["reason"] == "NotEnoughResources"
    assert said["message"].startswith("3/3 tasks in gang unschedulable: 0/1 nodes"), said
    cluster.add_nodes(1, cpu="2", memory="64Gi")
    status = wait_phase(cluster, group, "Running", VOLCANO)
    assert condition({"status": status}, "Scheduled")["status"] == "True"
    assert not condition({"status": status}, "Unschedulable")
    cluster.wait_finished(application)
    status = wait_phase(cluster, group, "Completed", VOLCANO)
    eventually(lambda: status_of(cluster, group, VOLCANO).get("succeeded") == 1, 40,
               lambda: f"the driver counted: {status_of(cluster, group, VOLCANO)}")


def test_the_queue_of_a_spark_drivers_own_group(cluster: Cluster, tmp_path: Path) -> None:
    """The object names it, as a template of Spark's step for Volcano does; and names another one while the driver waits."""
    cluster.add_nodes(1, cpu="8", memory="64Gi")
    config = tmp_path / "queues.yaml"
    config.write_text("queues: [{name: analytics, limit: {cpu: 2}}, {name: large}]\n")
    cluster.start_scheduler("--config", str(config))
    application = sized(Size(executors=2), cluster.default_namespace)
    application.work_seconds = 5
    group = add_group(cluster, {"minMember": 1, "queue": "analytics"}, VOLCANO)
    for pod in (application.driver, application.executor_pattern):
        pod["metadata"].setdefault("annotations", {})[ANNOTATION] = group
    driver = cluster.submit(application).driver_path

    def told() -> str:
        return str(condition(cluster.api.get(driver), "PodScheduled").get("message", ""))
    eventually(lambda: "[ExceedsQuota]" in told(), 40, lambda: f"it needs more than the queue may have: {told()}")
    assert "queue root.analytics" in told()
    cluster.api.patch(group_path(cluster, group, VOLCANO), {"spec": {"queue": "large"}})
    wait_phase(cluster, group, "Running", VOLCANO, seconds=90)
    cluster.wait_finished(application)


def test_who_else_writes_the_status_is_left_alone(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    served = Served(cluster.start_scheduler(*ANY_PORT))
    group = add_group(cluster, {"minMember": 2})
    cluster.api.patch(f"{group_path(cluster, group)}/status", {"status": {"phase": "Pending", "running": 0}},
                      fieldManager="controller")
    pods = [create(cluster, f"{group}-{i}", labels={LABEL: group}) for i in range(2)]
    wait_bound(cluster, pods)
    eventually(lambda: served.metric(STATUSES, outcome="others") == 1, 40, "left alone")
    assert status_of(cluster, group)["phase"] == "Pending"
    end(cluster, pods)
    other = add_group(cluster, {"minMember": 2})
    create(cluster, f"{other}-0", labels={LABEL: other})
    wait_phase(cluster, other, "Pending")
    assert status_of(cluster, group)["phase"] == "Pending"
    assert served.metric(STATUSES, outcome="others") == 1


def test_a_group_that_makes_no_sense_is_told_on_its_object(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    cluster.start_scheduler()
    group = add_group(cluster, {"minMember": 1_000_000_000}, VOLCANO)
    create(cluster, f"{group}-0", annotations={ANNOTATION: group})
    other = create(cluster, f"{group}-other")
    events = f"/apis/events.k8s.io/v1/namespaces/{cluster.default_namespace}/events"

    def told() -> bool:
        return any(event["regarding"].get("kind") == "PodGroup" and event["regarding"]["name"] == group and
                   event["type"] == "Warning" and "its minimum of 1000000000 pods" in event["note"]
                   for event in cluster.api.items(events))
    eventually(told, 40, "an event on the PodGroup")
    status = wait_phase(cluster, group, "Pending", VOLCANO)
    assert "its minimum of 1000000000 pods" in condition({"status": status}, "Unschedulable")["message"]
    wait_bound(cluster, [other])


def test_kube_batch(own: Cluster) -> None:
    own.add_nodes(1)
    define_kinds(own, "kube_batch_groups.yaml")
    own.start_scheduler()
    for api_version in KUBE_BATCH:
        group = add_group(own, {"minMember": 1}, api_version)
        create(own, f"{group}-0", annotations={ANNOTATION: group})
        wait_phase(own, group, "Running", api_version)


def test_a_definition_that_vanishes(own: Cluster) -> None:
    """COS-16: Members wait and are told; what runs stays, and other pods start."""
    own.add_nodes(1)
    define_kinds(own)
    own.start_scheduler()
    running = add_group(own, {"minMember": 1})
    runs = create(own, f"{running}-0", labels={LABEL: running})
    wait_phase(own, running, "Running")
    group = add_group(own, {"minMember": 2})
    waits = create(own, f"{group}-0", labels={LABEL: group})
    wait_phase(own, group, "Pending")
    own.api.delete("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/podgroups.scheduling.x-k8s.io")
    eventually(lambda: "PodGroup not found" in condition(own.api.get(waits), "PodScheduled").get("message", ""), 55,
               "members are told")
    wait_bound(own, [create(own, "other")])
    assert node_of(own.api.get(runs))
    assert COSCHEDULING not in str(own.api.get("/apis"))
