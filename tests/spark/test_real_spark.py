"""Real spark-submit in cluster mode, driver and executors as processes, to the printed result.

`make test` runs each scenario on both rigs, each line on both rigs, and each line through all scenarios,
but not every combination of the three; `make test-long` runs those that are left.
"""
import dataclasses
import time
from pathlib import Path
from typing import Callable, Iterator

import pytest

from bench import DECISION_SECONDS, START_SECONDS, Bench
from installation import WHOLE_LIFE, Spark, Unavailable, compile_application, install, require_java
from submission import Submission, submit_jvm, submit_python
from support.client.api import Json
from support.kube.extended import Extended
from support.kube.pod_groups import VOLCANO, define_kinds
from support.kube.pods import condition, node_of, path_of
from support.process.polling import eventually
from support.process.processes import scratch_folder
from support.plane.real_plane import RealPlane
from support.plane.rig import SCHEDULER_NAME, Rig


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest) -> Spark:
    try:
        require_java()
        return install(request.param)
    except Unavailable as reason:
        pytest.fail(f"cannot run here: {reason}", pytrace=False)


@pytest.fixture(scope="session")
def jar(spark: Spark) -> Path:
    return compile_application(spark, scratch_folder("jar"))


@pytest.fixture
def bench(rig: Rig, spark: Spark, request: pytest.FixtureRequest) -> Iterator[Bench]:
    made = Bench(rig, spark)
    yield made
    report = getattr(request.node, "call_report", None)
    made.cluster.close(judge=report is not None and report.passed)


def runs(*default: str) -> pytest.MarkDecorator:
    """On both rigs with every line; what is not named ("rig line") is for `make test-long`."""
    return pytest.mark.parametrize("rig_name,spark", [
        pytest.param(rig, line, marks=[] if f"{rig} {line}" in default else [pytest.mark.long])
        for rig in ("embedded", "real") for line in WHOLE_LIFE], indirect=True, scope="session")


def run_one_after_the_other(bench: Bench, where: Submission, jar: Path) -> None:
    """A Python and a JVM application, where there is room for one."""
    first = submit_python(where, "python-pi")
    first_driver = bench.wait_submitted(first)
    second = submit_jvm(where, "jvm-pi", jar)
    second_driver = bench.wait_submitted(second)
    bench.wait_result(first)
    bench.wait_result(second)
    ended = bench.history.first_finished(first_driver)
    bound = bench.history.first_bound(second_driver)
    assert ended is not None and bound is not None and ended.at <= bound.at
    assert executors_of(bench, first_driver) == executors_of(bench, second_driver) == 2


@runs("embedded 3.5")
@pytest.mark.bound(300)
def test_two_applications_that_do_not_fit_together(bench: Bench, jar: Path) -> None:
    """A Python and a JVM application on a node that holds one: both finish, one after the other."""
    bench.cluster.add_nodes(1)
    bench.cluster.start_scheduler()
    run_one_after_the_other(bench, bench.where, jar)


@pytest.mark.parametrize("spark", ["3.5"], indirect=True, scope="session")
@pytest.mark.bound(300)
def test_two_applications_by_kube_scheduler(make_plane: Callable[..., RealPlane], spark: Spark, jar: Path) -> None:
    """The same, placed by kube-scheduler, whose extender we are; nothing in them names us."""
    plane = make_plane()
    extended = Extended(plane)
    bench = Bench(plane, spark)
    where = dataclasses.replace(bench.where, scheduler_name=extended.name)
    bench.cluster.add_nodes(1)
    run_one_after_the_other(bench, where, jar)
    extended.stop()
    bench.cluster.close()


@pytest.mark.parametrize("rig_name,spark", [("embedded", "4.3"), ("real", "4.3")], indirect=True, scope="session")
@pytest.mark.bound(300)
def test_with_volcanos_feature_step(bench: Bench) -> None:
    """Spark makes a PodGroup and names it on the driver. The conf says how large the gang is, and the whole of it waits.

    What becomes of it is in the group's status, as Volcano would write it.
    """
    define_kinds(bench.cluster)
    bench.cluster.add_nodes(1, cpu="2")
    bench.cluster.start_scheduler()
    template = bench.where.folder / "pod-group.yaml"
    template.write_text(f"apiVersion: {VOLCANO}\nkind: PodGroup\n"
                        "spec: {minMember: 1, minResources: {cpu: '3', memory: 3Gi}, queue: default}\n")
    step = "org.apache.spark.deploy.k8s.features.VolcanoFeatureStep"
    application = submit_python(bench.where, "volcano-pi", conf={
        "spark.kubernetes.driver.pod.featureSteps": step,
        "spark.kubernetes.executor.pod.featureSteps": step,
        "spark.kubernetes.scheduler.volcano.podGroupTemplateFile": str(template)})
    driver = bench.wait_submitted(application)
    groups = bench.where.api.items(f"/apis/{VOLCANO}/namespaces/{bench.where.namespace}/podgroups")
    assert [group["spec"]["queue"] for group in groups] == ["default"]
    named = bench.where.api.get(driver)["metadata"]["annotations"]["scheduling.k8s.io/group-name"]
    assert named == groups[0]["metadata"]["name"]
    bench.wait_waiting(driver, "ExceedsCluster")
    assert not [seen.pod for seen in bench.history.events if node_of(seen.pod)]
    group = f"/apis/{VOLCANO}/namespaces/{bench.where.namespace}/podgroups/{named}"

    def wait_status(phase: str, condition_type: str, **counts: int) -> Json:
        def find() -> bool:
            status = bench.where.api.get(group).get("status") or {}
            return (status.get("phase") == phase and condition({"status": status}, condition_type).get("status") == "True"
                    and all(status.get(key, 0) == count for key, count in counts.items()))
        eventually(find, 60, lambda: f"{phase} {condition_type} {counts}, status {bench.where.api.get(group).get('status')}")
        return condition(bench.where.api.get(group), condition_type)
    waits = wait_status("Inqueue", "Unschedulable")
    assert waits["reason"] == "NotEnoughResources"
    assert waits["message"].startswith("3/3 tasks in gang unschedulable: "), waits
    bench.cluster.add_nodes(1, cpu="2")
    wait_status("Running", "Scheduled")
    bench.wait_result(application)
    assert executors_of(bench, driver) == 2
    wait_status("Completed", "Scheduled", running=0, succeeded=1)


@runs("embedded 4.1", "real 3.5", "embedded 4.3")
@pytest.mark.bound(300)
def test_a_static_gang_waits_for_a_node_and_outlives_it(bench: Bench) -> None:
    """It waits as a whole for the node that it lacks. Later that node dies with both executors."""
    safe, = bench.cluster.add_nodes(1, cpu="1", labels={"pool": "safe"})
    bench.cluster.start_scheduler()
    gate = bench.gate()
    application = submit_python(bench.where, "static-pi", gate.folder, {
        "spark.kubernetes.driver.node.selector.pool": "safe"})
    driver = bench.wait_submitted(application)
    assert bench.wait_waiting(driver, "ExceedsCluster").startswith("0/1 nodes")
    joined_at = time.monotonic()
    mortal, = bench.cluster.add_nodes(1, cpu="2")
    bench.wait_at_work(gate, {"1", "2"})
    assert not [seen.pod for seen in bench.history.events if node_of(seen.pod) and seen.at < joined_at]
    assert bench.reserved(driver) == {mortal: 2}
    assert {node_of(pod) for pod in bench.bound().values()} == {mortal}

    spare, = bench.cluster.add_nodes(1, cpu="2")
    lost = bench.lose_power(mortal)
    bench.remove_node(mortal, lost)
    bench.history.wait_for(lambda: bench.reserved(driver) == {spare: 2}, DECISION_SECONDS, lambda:
                           f"the slots to move, now {bench.reserved(driver)}")
    bench.wait_bound(4)
    replacements = set(bench.bound()) - {"1", "2"}
    assert {node_of(bench.bound()[each]) for each in replacements} == {spare}
    bench.wait_at_work(gate, replacements)
    gate.open()
    bench.wait_result(application)
    assert node_of(bench.where.api.get(driver)) == safe


@runs("embedded 3.5", "real 4.1", "real 4.3")
@pytest.mark.bound(300)
def test_dynamic_allocation_grows_and_a_killed_executor_is_replaced_in_its_slot(bench: Bench) -> None:
    """The initial executors are the gang; those asked for under load wait for a node of their own.

    What a killed executor leaves is kept for its replacement, though somebody else waits for room.
    """
    full, = bench.cluster.add_nodes(1, cpu="3")
    bench.cluster.start_scheduler()
    gate = bench.gate()
    application = submit_python(bench.where, "growing-pi", gate.folder, {
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.shuffleTracking.enabled": "true",
        "spark.dynamicAllocation.initialExecutors": "2",
        "spark.dynamicAllocation.maxExecutors": "4"})
    driver = bench.wait_submitted(application)
    bench.wait_at_work(gate, {"1", "2"})
    bench.history.wait_for(lambda: len(bench.executors()) == 4, START_SECONDS, "executors beyond the gang")
    for each in set(bench.executors()) - {"1", "2"}:
        bench.wait_waiting(path_of(bench.executors()[each]), "WaitingForCapacity")
    assert bench.reserved(driver) == {full: 2}
    bench.cluster.add_nodes(1, cpu="2")
    bench.wait_bound(4)

    rival = lone_pod(bench, "rival")
    bench.wait_waiting(rival, "WaitingForCapacity")
    before = set(bench.bound())
    bench.kill_executor("1")
    bench.wait_bound(5)
    replacement, = set(bench.bound()) - before
    assert bench.slot(replacement) == bench.slot("1")
    assert node_of(bench.bound()[replacement]) == full
    assert not bench.history.first_bound(rival)
    bench.where.api.delete(rival)
    bench.wait_at_work(gate, {*before, replacement})
    gate.open()
    bench.wait_result(application)


def lone_pod(bench: Bench, name: str) -> str:
    """A pod of ours that belongs to no gang and is as large as a small executor; its path."""
    pods = f"/api/v1/namespaces/{bench.where.namespace}/pods"
    bench.where.api.post(pods, {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {"schedulerName": SCHEDULER_NAME, "restartPolicy": "Never", "containers": [{
            "name": "main", "image": "none", "resources": {"requests": {"cpu": "1", "memory": "64Mi"}}}]}})
    return f"{pods}/{name}"


def executors_of(bench: Bench, driver: str) -> int:
    """Those of this driver that were bound at any time."""
    uid = bench.where.api.get(driver)["metadata"]["uid"]
    return len({path_of(seen.pod) for seen in bench.history.events if node_of(seen.pod)
                and any(owner["uid"] == uid for owner in seen.pod["metadata"].get("ownerReferences", []))})
