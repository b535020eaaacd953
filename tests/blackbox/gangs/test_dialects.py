"""Gangs in the words of other schedulers, unchanged but for schedulerName: YuniKorn, Kueue, Armada, Volcano."""
import itertools
import json
from typing import Optional

from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.pods import condition, node_of
from support.process.polling import eventually
from support.kube.spark_application import Size, SparkApplication, sized

YUNIKORN = "yunikorn.apache.org/"
_names = (f"d{i}" for i in itertools.count())


def task_groups(workers: int, launcher: str = "launcher") -> str:
    """As YuniKorn's user guide has them."""
    return json.dumps([
        {"name": launcher, "minMember": 1, "minResource": {"cpu": "1", "memory": "1Gi"}},
        {"name": "workers", "minMember": workers, "minResource": {"cpu": "1", "memory": "1Gi"},
         "nodeSelector": {}, "tolerations": [], "affinity": {}}])


def create(cluster: Cluster, labels: Optional[Json] = None, annotations: Optional[Json] = None,
           gated: bool = False) -> str:
    name = next(_names)
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    more: Json = {"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]} if gated else {}
    cluster.api.post(path, {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "labels": labels or {}, "annotations": annotations or {}},
        "spec": {"schedulerName": "gang-scheduler", "restartPolicy": "Never", "containers": [
            {"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}], **more}})
    return f"{path}/{name}"


def task(cluster: Cluster, application: str, group: str, said: Optional[str] = None, parameters: str = "") -> str:
    annotations = {YUNIKORN + "task-group-name": group}
    if said is not None:
        annotations[YUNIKORN + "task-groups"] = said
    if parameters:
        annotations[YUNIKORN + "schedulingPolicyParameters"] = parameters
    return create(cluster, {"applicationId": application, "queue": "root.sandbox"}, annotations)


def told(cluster: Cluster, path: str) -> str:
    return condition(cluster.api.get(path), "PodScheduled").get("message", "")


def bound(cluster: Cluster, paths: list[str]) -> int:
    return sum(1 for path in paths if node_of(cluster.api.get(path)))


def wait_bound(cluster: Cluster, paths: list[str], count: int) -> None:
    eventually(lambda: bound(cluster, paths) == count, 30,
               lambda: f"{count} bound, told {[told(cluster, path) for path in paths]}")


def wait_told(cluster: Cluster, paths: list[str], text: str) -> None:
    eventually(lambda: any(text in told(cluster, path) for path in paths), 30,
               lambda: f"{text!r}, told {[told(cluster, path) for path in paths]}")


def notes(cluster: Cluster, path: str) -> list[str]:
    name = path.rsplit("/", 1)[1]
    folder = f"/apis/events.k8s.io/v1/namespaces/{cluster.default_namespace}/events"
    return [event.get("note", "") for event in cluster.api.items(folder)
            if event.get("regarding", {}).get("name") == name]


def with_task_groups(application: SparkApplication, executors: int, parameters: str = "") -> SparkApplication:
    """What spark.kubernetes.driver.annotation... and ...executor.annotation... make of it."""
    annotations = application.driver["metadata"].setdefault("annotations", {})
    annotations[YUNIKORN + "task-group-name"] = "spark-driver"
    annotations[YUNIKORN + "task-groups"] = json.dumps([
        {"name": "spark-driver", "minMember": 1, "minResource": {"cpu": 1, "memory": "1408Mi"}},
        {"name": "spark-executor", "minMember": executors, "minResource": {"cpu": "1", "memory": "1408Mi"}}])
    if parameters:
        annotations[YUNIKORN + "schedulingPolicyParameters"] = parameters
    pattern = application.executor_pattern["metadata"].setdefault("annotations", {})
    pattern[YUNIKORN + "task-group-name"] = "spark-executor"
    return application


def test_a_yunikorn_gang_of_twenty_on_eight_cpus_waits_whole(cluster: Cluster) -> None:
    nodes = cluster.add_nodes(2, cpu="4", memory="64Gi")
    cluster.start_scheduler()
    pods = [task(cluster, "app-20", "workers") for _ in range(3)]
    wait_told(cluster, pods, "no pod of it bears the annotation yunikorn.apache.org/task-groups")
    pods.append(task(cluster, "app-20", "launcher", task_groups(19)))
    wait_told(cluster, pods, "has 4 of the 20 pods it needs")
    pods += [task(cluster, "app-20", "workers") for _ in range(16)]
    wait_told(cluster, pods, "needs 20 pods (20 cpu")
    assert bound(cluster, pods) == 0 and len(nodes) == 2
    cluster.add_nodes(3, cpu="4", memory="64Gi")
    wait_bound(cluster, pods, 20)


def test_soft_starts_pod_by_pod_after_its_timeout(cluster: Cluster) -> None:
    cluster.add_nodes(1, cpu="2", memory="64Gi")
    cluster.start_scheduler()
    pods = [task(cluster, "soft", "launcher", task_groups(2),
                 "placeholderTimeoutInSeconds=5 gangSchedulingStyle=Soft")]
    pods += [task(cluster, "soft", "workers") for _ in range(2)]
    wait_told(cluster, pods, "needs 3 pods (3 cpu")
    assert bound(cluster, pods) == 0
    wait_bound(cluster, pods, 2)
    eventually(lambda: any("gangSchedulingStyle is Soft" in note for path in pods for note in notes(cluster, path)), 10,
               "the Warning")


def test_a_spark_application_with_yunikorns_annotations(cluster: Cluster) -> None:
    cluster.add_nodes(1, cpu="3", memory="64Gi")
    cluster.start_scheduler()
    waits = with_task_groups(sized(Size(executors=2), cluster.default_namespace), 3,
                             "placeholderTimeoutInSeconds=30 gangSchedulingStyle=Hard")
    cluster.submit(waits)
    wait_told(cluster, [waits.driver_path], "needs 1 driver + 3 executors (4 cpu")
    cluster.add_nodes(1, cpu="4", memory="64Gi")
    cluster.wait_finished(waits)
    said = notes(cluster, waits.driver_path)
    assert any("makes it 3 executors to reserve, the Spark conf 2" in note for note in said), said
    assert any("annotation yunikorn.apache.org/task-groups" in note for note in said if "3 executors" in note), said


def test_lists_that_make_no_sense_park_their_pods_alone(cluster: Cluster) -> None:
    cluster.add_nodes(1, cpu="8", memory="64Gi")
    cluster.start_scheduler()
    wrong = {
        "two task groups have the name": json.dumps([{"name": "launcher", "minMember": n} for n in (1, 2)]),
        'minMember of task group "launcher" is 0': '[{"name": "launcher", "minMember": 0}]',
        "gang.maxGangSize allows": '[{"name": "launcher", "minMember": 1000000000}]',
        "expected a JSON list": '{"name": "launcher"}',
        "it is no JSON": "[" * 100_000,
        "is not in the list of": '[{"name": "other", "minMember": 1}]',
        "more than 100 task groups": json.dumps([{"name": f"g{i}", "minMember": 1} for i in range(2_000)]),
    }
    pods = {text: task(cluster, f"wrong-{i}", "launcher", said) for i, (text, said) in enumerate(wrong.items())}
    other = create(cluster)
    wait_bound(cluster, [other], 1)
    for text, path in pods.items():
        wait_told(cluster, [path], text)
        assert "[Misconfigured]" in told(cluster, path)
    assert bound(cluster, list(pods.values())) == 0


def test_kueues_group_starts_when_its_gates_are_gone(cluster: Cluster) -> None:
    cluster.add_nodes(1, cpu="3", memory="64Gi")
    cluster.start_scheduler()
    pods = [create(cluster, {"kueue.x-k8s.io/pod-group-name": "g", "kueue.x-k8s.io/queue-name": "team"},
                   {"kueue.x-k8s.io/pod-group-total-count": "3"}, gated=True) for _ in range(3)]
    for path in pods[:2]:
        cluster.api.patch(path, {"spec": {"schedulingGates": None}})
    wait_told(cluster, pods[:2], "has 2 of the 3 pods it needs")
    assert bound(cluster, pods) == 0
    cluster.api.patch(pods[2], {"spec": {"schedulingGates": None}})
    wait_bound(cluster, pods, 3)


def test_armadas_gang_is_whole_or_not_at_all(cluster: Cluster) -> None:
    cluster.add_nodes(1, cpu="2", memory="64Gi")
    cluster.start_scheduler()
    annotations = {"armadaproject.io/gangId": "a", "armadaproject.io/gangCardinality": "3"}
    pods = [create(cluster, annotations=annotations) for _ in range(3)]
    wait_told(cluster, pods, "needs 3 pods (3 cpu")
    assert bound(cluster, pods) == 0


def test_what_volcanos_feature_step_makes_of_a_driver(cluster: Cluster) -> None:
    """The application is the gang, also where its PodGroup is of no kind that is there: nobody is warned of that."""
    cluster.add_nodes(1, cpu="3", memory="64Gi")
    cluster.start_scheduler()
    application = sized(Size(executors=2), cluster.default_namespace)
    group = f"{application.application_id}-podgroup"
    for pod in (application.driver, application.executor_pattern):
        pod["metadata"].setdefault("annotations", {})["scheduling.k8s.io/group-name"] = group
    cluster.submit(application)
    cluster.wait_finished(application)
    said = notes(cluster, application.driver_path)
    assert not any("group-name" in note for note in said), said
