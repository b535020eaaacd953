"""Bad input holds nothing, stops nobody else, and is said in the driver's condition."""
import copy

import pytest

from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.pods import node_of
from support.process.polling import eventually, stays
from support.kube.spark_application import Size, SparkApplication, sized

ABSURD = (
    ("spark.executor.instances", "-3"), ("spark.executor.instances", "99999999999999999999"),
    ("spark.executor.instances", "two"), ("spark.executor.memory", "-5g"),
    ("spark.executor.memory", "9999999999999999999g"), ("spark.executor.memory", "4Gi"),
    ("spark.executor.cores", "-1"), ("spark.executor.cores", "0.5"),
    ("spark.kubernetes.memoryOverheadFactor", "nan"),
    ("spark.kubernetes.memoryOverheadFactor", "1e300"),
)
REFUSALS = ("Misconfigured", "ExceedsCluster", "ConstraintsUnsatisfiable")


def good(cluster: Cluster) -> SparkApplication:
    """A gang that fits the cluster only if nothing is held by anybody else (two nodes of 4 cpu)."""
    return sized(Size(executors=7), cluster.default_namespace)


def assert_others_go_on(cluster: Cluster, bad: SparkApplication) -> None:
    other = cluster.submit(good(cluster))
    cluster.wait_finished(other)
    assert not cluster.is_bound(bad), f"bound: {cluster.message(bad)}"


def wait_refused(cluster: Cluster, application: SparkApplication, what: str = "") -> str:
    """Until the driver's condition ends with one of the codes for what can never run."""
    def refused() -> bool:
        return cluster.message(application).endswith(tuple(f"[{code}]" for code in REFUSALS))
    eventually(refused, 10, lambda: f"one of {REFUSALS} at "
               f"{what or application.driver_name}, now: {cluster.message(application)!r}")
    message = cluster.message(application)
    assert message.startswith(f"0/{cluster.node_count()} nodes"), message
    return message


@pytest.fixture
def ready(cluster: Cluster) -> Cluster:
    """Two nodes and a scheduler."""
    cluster.add_nodes(2)
    cluster.start_scheduler()
    return cluster


def test_a_driver_without_its_config_map(ready: Cluster) -> None:
    late = ready.submit(sized(Size(executors=2), ready.default_namespace), with_conf=False)
    ready.wait_code(late, "WaitingForSparkConf", timeout=20)
    assert_others_go_on(ready, late)
    late.submit_conf(ready.api)
    ready.wait_finished(late, timeout=45)  # it may be between two questions, 30 s apart at most


def test_a_config_map_that_comes_a_second_late_costs_about_a_second(ready: Cluster) -> None:
    late = ready.submit(sized(Size(executors=2), ready.default_namespace), with_conf=False)
    stays(lambda: not ready.is_bound(late), 1.0, "unbound without its conf")
    late.submit_conf(ready.api)
    ready.wait_finished(late, timeout=12)


@pytest.mark.parametrize("text", [
    "spark.executor.instances=\\u12", "\\uZZZZ=1\n",
], ids=["cut escape", "bad escape"])
def test_a_config_map_that_is_not_properties(ready: Cluster, text: str) -> None:
    bad = ready.submit(sized(Size(executors=2), ready.default_namespace).set_properties(text))
    wait_refused(ready, bad)
    assert_others_go_on(ready, bad)


def test_a_config_map_without_the_key(ready: Cluster) -> None:
    bad = sized(Size(executors=2), ready.default_namespace)
    bad.config_maps[0]["data"] = {"something.else": "x"}
    ready.submit(bad)
    eventually(lambda: ready.message(bad).startswith("0/2 nodes"), 10, "a condition")
    assert_others_go_on(ready, bad)


def test_absurd_sizes(ready: Cluster) -> None:
    bad = []
    for key, value in ABSURD:
        application = sized(Size(executors=2), ready.default_namespace)
        application.set_conf(**{key.replace(".", "__"): value})
        bad.append(ready.submit(application))
    other = ready.submit(good(ready))
    ready.wait_finished(other)
    for application, pair in zip(bad, ABSURD):
        wait_refused(ready, application, f"{pair[0]}={pair[1]}")
        assert not ready.is_bound(application), pair


def test_ten_thousand_executors(ready: Cluster) -> None:
    bad = sized(Size(executors=10_000), ready.default_namespace)
    ready.submit(bad)
    wait_refused(ready, bad)
    assert_others_go_on(ready, bad)


def test_two_drivers_that_claim_one_application(ready: Cluster) -> None:
    """Each driver is a gang of its own, whatever its labels say."""
    first = sized(Size(executors=2), ready.default_namespace)
    first.work_seconds = 4
    ready.submit(first)
    ready.wait_bound(first)
    second = copy.deepcopy(first)
    second.driver["metadata"]["name"] += "-again"
    second.driver["metadata"].pop("uid")
    ready.spark.know(second)
    second.submit(ready.api, with_conf=False)
    other = ready.submit(good(ready))
    ready.wait_finished(first)
    ready.api.delete(second.driver_path, grace_seconds=0)
    ready.wait_finished(other, timeout=30)


def test_a_pod_of_another_tenant_with_copied_labels(ready: Cluster) -> None:
    """It carries the victim's labels, and even names its driver as owner; the slot is not its."""
    victim = good(ready)  # fills the cluster: what the impostor gets is the victim's
    victim.batch_size, victim.batch_seconds, victim.work_seconds = 5, 5.0, 2.0
    ready.submit(victim)
    driver = ready.wait_bound(victim)
    impostor = victim.executor(6, driver)
    impostor["metadata"]["name"] = "impostor"
    impostor["metadata"]["namespace"] = ready.namespace()
    impostor["metadata"].pop("ownerReferences")  # an owner of another namespace is not allowed
    path = f"/api/v1/namespaces/{impostor['metadata']['namespace']}/pods"
    ready.api.post(path, impostor)
    ready.wait_finished(victim, timeout=30)
    first = ready.history.first_bound(f"{path}/impostor")
    ended = ready.history.first_finished(victim.driver_path)
    assert ended is not None and (first is None or first.at >= ended.at)


def test_a_stray_executor_of_the_same_namespace(ready: Cluster) -> None:
    """Same namespace and labels, but owned by nobody: the gang's own executors come first."""
    victim = good(ready)
    victim.work_seconds = 2.0
    ready.submit(victim)
    driver = ready.wait_bound(victim)
    stray = victim.executor(999, driver)
    stray["metadata"].pop("ownerReferences")
    stray["metadata"]["labels"]["spark-app-selector"] = "spark-of-nobody"
    ready.api.post(f"/api/v1/namespaces/{victim.namespace}/pods", stray)
    ready.wait_finished(victim)


def test_a_reservation_forged_on_a_pending_driver(ready: Cluster) -> None:
    """A tenant's annotation on an unbound driver holds nothing and is replaced at the binding."""
    forger = sized(Size(executors=20), ready.default_namespace)
    nodes = ready.api.items("/api/v1/nodes")
    forged = ("v1 generation=1 epoch=99 queue=default profile=gang-scheduler anchor=;shape profile=0 "
              "max=100 cpu=1000 memory=1073741824 nodes="
              + ",".join(f"{node['metadata']['name']}:50" for node in nodes))
    forger.driver["metadata"]["annotations"] = {"gang-scheduler/reservation": forged}
    ready.submit(forger)
    wait_refused(ready, forger)
    assert_others_go_on(ready, forger)

    modest = sized(Size(executors=2), ready.default_namespace)
    modest.driver["metadata"]["annotations"] = {"gang-scheduler/reservation": forged,
                                                "gang-scheduler/queue": "x" * 300}
    ready.submit(modest)
    ready.wait_finished(modest)


def test_the_scheduler_restarts_among_forged_annotations(ready: Cluster) -> None:
    """Text that is no reservation, on a running driver: the restarted scheduler goes on."""
    victim = sized(Size(executors=1), ready.default_namespace)
    victim.work_seconds = 60
    ready.submit(victim)
    eventually(lambda: ready.is_whole(victim), 15, "the executor")
    ready.rig.stop_schedulers()
    annotations: Json = {"gang-scheduler/reservation": "v1;;=shape nodes=\u0001:-5,%zz"}
    ready.api.patch(victim.driver_path, {"metadata": {"annotations": annotations}})
    ready.start_scheduler()
    small = ready.submit(sized(Size(executors=3), ready.default_namespace))
    ready.wait_finished(small)
    assert node_of(ready.driver(victim))


def test_a_gated_driver_waits_for_its_gate(ready: Cluster) -> None:
    gated = sized(Size(executors=1), ready.default_namespace)
    gated.driver["spec"]["schedulingGates"] = [{"name": "tests/hold"}]
    ready.submit(gated)
    assert_others_go_on(ready, gated)
    ready.api.patch(gated.driver_path, {"spec": {"schedulingGates": None}})
    ready.wait_finished(gated)
