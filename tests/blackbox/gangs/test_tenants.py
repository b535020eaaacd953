"""What tenants write into annotations while nobody leads gives them no room, and takes none from their gangs.

On the real rig the scheduler has the chart's key, on the embedded one it has none.
"""
from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.history import slots_of
from support.kube.pods import condition, node_of
from support.process.polling import eventually
from support.kube.spark_application import Size, SparkApplication, sized

EXECUTORS = 3


def held(cluster: Cluster, application: SparkApplication) -> int:
    """Slots that the driver's reservation names."""
    return sum(slots.count for slots in slots_of(cluster.driver(application)))


def start(cluster: Cluster) -> SparkApplication:
    """Three nodes of 4 cpu, and an application that asks for its executors one by one."""
    cluster.add_nodes(3)
    cluster.start_scheduler()
    application = sized(Size(executors=EXECUTORS), cluster.default_namespace)
    application.batch_size, application.batch_seconds, application.work_seconds = 1, 2.0, 4.0
    cluster.submit(application)
    cluster.wait_bound(application)
    assert held(cluster, application) == EXECUTORS
    return application


def annotate(cluster: Cluster, application: SparkApplication, **texts: "str | None") -> None:
    annotations = {f"gang-scheduler/{name}": text for name, text in texts.items()}
    cluster.api.patch(application.driver_path, {"metadata": {"annotations": annotations}})


def test_an_edited_reservation_holds_no_more_than_declared(cluster: Cluster) -> None:
    greedy = start(cluster)
    cluster.rig.stop_schedulers()
    driver = cluster.driver(greedy)
    used = {node_of(driver), *(slots.node for slots in slots_of(driver))}
    free = next(name for name in (node["metadata"]["name"] for node in cluster.api.items("/api/v1/nodes"))
                if name not in used)
    text = driver["metadata"]["annotations"]["gang-scheduler/reservation"]
    annotate(cluster, greedy, reservation=f"{text},{free}:4")
    cluster.start_scheduler()
    eventually(lambda: held(cluster, greedy) == EXECUTORS, 20, "the reservation to be as declared")
    beside = cluster.submit(sized(Size(executors=6), cluster.default_namespace))
    cluster.wait_finished(beside)
    cluster.wait_finished(greedy)


def test_a_removed_reservation_comes_back(cluster: Cluster) -> None:
    careless = start(cluster)
    cluster.rig.stop_schedulers()
    annotate(cluster, careless, reservation=None, seal=None)
    rival = cluster.submit(sized(Size(executors=10), cluster.default_namespace))
    cluster.start_scheduler()
    eventually(lambda: held(cluster, careless) == EXECUTORS, 20, "the slots to be made anew")
    cluster.wait_finished(careless)
    assert cluster.is_whole(careless)
    cluster.wait_finished(rival)


def cordon(cluster: Cluster, is_cordoned: bool) -> None:
    for node in cluster.api.items("/api/v1/nodes"):
        cluster.api.patch("/api/v1/nodes/" + node["metadata"]["name"], {"spec": {"unschedulable": is_cordoned}})


def test_a_removed_reservation_comes_back_after_news_that_say_nothing(cluster: Cluster) -> None:
    """They give the driver a new version, and the reservation is written in that one."""
    careless = start(cluster)
    cluster.rig.stop_schedulers()
    annotate(cluster, careless, reservation=None, seal=None)
    cordon(cluster, True)  # so that there is no room for slots yet
    cluster.start_scheduler()

    def waits(pod: Json) -> bool:
        return not node_of(pod) and bool(condition(pod, "PodScheduled").get("message"))
    pods = f"/api/v1/namespaces/{careless.namespace}/pods"
    eventually(lambda: any(waits(pod) for pod in cluster.api.items(pods)), 40, "an executor to be told why it waits")
    cluster.api.patch(careless.driver_path + "/status", {"status": {"message": "nothing that a scheduler reads"}})
    cordon(cluster, False)
    eventually(lambda: held(cluster, careless) == EXECUTORS, 40, "the slots to be made anew")
    cluster.wait_finished(careless)
    assert cluster.is_whole(careless)


def test_a_stranger_takes_no_slot_of_a_gang(cluster: Cluster) -> None:
    victim = start(cluster)
    driver = cluster.driver(victim)
    stranger = victim.executor(999, driver)
    stranger["metadata"].pop("ownerReferences")
    stranger["metadata"].setdefault("annotations", {})["gang-scheduler/slot"] = driver["metadata"]["uid"] + "/0"
    path = f"/api/v1/namespaces/{victim.namespace}/pods"
    cluster.api.post(path, stranger)
    own = f"{path}/{stranger['metadata']['name']}"
    eventually(lambda: bool(node_of(cluster.api.get(own))), 15, "the stranger to be placed")
    cluster.rig.stop_schedulers()
    cluster.start_scheduler()
    cluster.wait_finished(victim)
    assert cluster.is_whole(victim)
