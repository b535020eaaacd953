"""What an application lives through after it is admitted, on both rigs."""
import copy

from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.history import slots_of
from support.kube.kubelet import NodeSpec
from support.kube.pods import condition, node_of, path_of
from support.process.polling import eventually
from support.plane.rig import SCHEDULER_NAME
from support.kube.spark_application import Size, SparkApplication, sized


def events_on(cluster: Cluster, application: SparkApplication, reason: str) -> list[str]:
    """Notes of the driver's Events with this reason."""
    path = f"/apis/events.k8s.io/v1/namespaces/{application.namespace}/events"
    return [event.get("note", "") for event in cluster.api.items(path)
            if event["reason"] == reason
            and event["regarding"]["name"] == application.driver_name]


def mutated(application: SparkApplication, cpu: str) -> SparkApplication:
    """As if a webhook changed its executors: the conf knows nothing of it."""
    requests = application.executor_pattern["spec"]["containers"][0]["resources"]["requests"]
    requests["cpu"] = cpu
    return application


def reserved_cpu(cluster: Cluster, application: SparkApplication) -> set[int]:
    return {slots.requests["cpu"] for slots in slots_of(cluster.driver(application))}


def test_executors_larger_than_predicted_extend_the_reservation(cluster: Cluster) -> None:
    cluster.add_nodes(2)
    cluster.start_scheduler()
    application = mutated(sized(Size(executors=3), cluster.default_namespace), "1500m")
    application.work_seconds = 20
    cluster.submit(application)
    eventually(lambda: cluster.is_whole(application), 20, "three running executors")
    assert reserved_cpu(cluster, application) == {1500}
    eventually(lambda: events_on(cluster, application, "ShapeCorrected"), 10, "the event")
    note, = events_on(cluster, application, "ShapeCorrected")
    assert note.startswith("predicted 1 cpu, 1408Mi memory for each executor, executors request "
                           "1500m cpu, 1408Mi memory; room for all 3"), note


def test_executors_larger_than_predicted_without_room_run_as_far_as_they_fit(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    cluster.start_scheduler()
    application = mutated(sized(Size(executors=3), cluster.default_namespace), "1500m")
    application.work_seconds = 2
    cluster.submit(application)
    eventually(lambda: len(cluster.bound_executors(application)) == 2, 20, "two executors")
    eventually(lambda: events_on(cluster, application, "ShapeCorrected"), 10, "the event")
    assert "room for 2 of 3" in events_on(cluster, application, "ShapeCorrected")[0]

    def waiting() -> list[Json]:
        return [pod for pod in cluster.executors(application) if not node_of(pod)]
    eventually(lambda: waiting() and "1500m cpu" in
               condition(waiting()[0], "PodScheduled").get("message", ""), 10, "its condition")
    later = cluster.submit(sized(Size(executors=1), cluster.default_namespace))
    cluster.add_nodes(1)
    cluster.wait_finished(application, later, timeout=40)
    assert cluster.is_whole(application)


def test_smaller_executors_give_room_to_the_next(cluster: Cluster) -> None:
    cluster.add_nodes(1, memory="16Gi")
    cluster.start_scheduler()
    application = mutated(sized(Size(executors=3), cluster.default_namespace), "250m")
    application.work_seconds = 60
    cluster.submit(application)
    cluster.wait_bound(application)
    following = cluster.submit(sized(Size(executors=1), cluster.default_namespace))
    cluster.wait_finished(following)
    assert reserved_cpu(cluster, application) == {250}


def test_elastic_executors_hold_up_no_gang(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    cluster.start_scheduler()
    application = sized(Size(executors=1, cores=3), cluster.default_namespace)
    application.work_seconds = 60
    application.set_conf(spark__dynamicAllocation__enabled="true",
                         spark__dynamicAllocation__maxExecutors="9")
    cluster.submit(application)
    eventually(lambda: cluster.is_whole(application), 20, "the reserved executor")
    application.executors = 2  # it wants more than there is
    eventually(lambda: len(cluster.executors(application)) == 2, 20, "one that does not fit")
    cluster.add_nodes(1, cpu="2")
    following = cluster.submit(sized(Size(executors=1), cluster.default_namespace))
    cluster.wait_finished(following)
    cluster.add_nodes(1, cpu="3")
    eventually(lambda: len(cluster.bound_executors(application)) == 2, 20, "room for it")


def test_a_driver_recreated_under_its_name_is_another_gang(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    cluster.start_scheduler()
    first = sized(Size(executors=3), cluster.default_namespace)
    first.work_seconds = 60
    cluster.submit(first)
    eventually(lambda: cluster.is_whole(first), 20, "three running executors")
    before = cluster.driver(first)
    again = copy.deepcopy(first)
    again.work_seconds, again.running_max, again.finished = 0.6, 0, False
    for executor in cluster.executors(first):
        cluster.api.delete(path_of(executor), grace_seconds=0)
    cluster.api.delete(first.driver_path, grace_seconds=0)
    eventually(lambda: cluster.api.find(first.driver_path) is None, 10, "the old driver to go")
    for each in again.config_maps:
        name = each["metadata"]["name"]
        path = f"/api/v1/namespaces/{again.namespace}/configmaps/{name}"
        if cluster.api.find(path):
            cluster.api.delete(path, grace_seconds=0)
        eventually(lambda path=path: cluster.api.find(path) is None, 10, "its conf to go")
    cluster.submit(again)
    eventually(lambda: node_of(cluster.driver(again)), 20, "the new driver to be bound")
    assert cluster.driver(again)["metadata"]["uid"] != before["metadata"]["uid"]
    eventually(lambda: cluster.is_whole(again), 20, "its executors")


def client_executor(cluster: Cluster, number: int, cpu: str) -> str:
    """An executor of client mode without the driver's pod name: nobody owns it."""
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    pod: Json = {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": f"notebook-exec-{number}", "labels": {
            "spark-role": "executor", "spark-app-selector": "spark-application-1",
            "spark-exec-id": str(number), "spark-exec-resourceprofile-id": "0"}},
        "spec": {"schedulerName": SCHEDULER_NAME, "restartPolicy": "Never", "containers": [{
            "name": "spark-kubernetes-executor", "image": "none", "args": ["executor"],
            "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}}}]}}
    cluster.api.post(path, pod)
    return f"{path}/notebook-exec-{number}"


def test_client_mode_takes_what_is_free_and_holds_up_nobody(cluster: Cluster) -> None:
    node, = cluster.add_nodes(1)
    cluster.foreign_pod("notebook", "500m", node)
    cluster.start_scheduler()
    executors = [client_executor(cluster, number, "1500m")
                 for number in range(4)]

    def bound() -> list[str]:
        return [path for path in executors if node_of(cluster.api.get(path))]
    eventually(lambda: len(bound()) == 2, 15, "two of the four")
    cluster.kubelet.add_node(NodeSpec("late", "1", "8Gi"))
    lone = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    cluster.api.post(lone, {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "small"},
        "spec": {"schedulerName": SCHEDULER_NAME, "restartPolicy": "Never", "containers": [{
            "name": "main", "image": "none",
            "resources": {"requests": {"cpu": "1", "memory": "64Mi"}}}]}})
    eventually(lambda: node_of(cluster.api.get(f"{lone}/small")) == "late", 15, "a pod behind them")
    assert len(bound()) == 2
