"""Real spark-submit in cluster mode, driver and executors as processes, to the printed result."""
import signal
import time
from pathlib import Path
from typing import Iterator

import pytest

from installation import (LONG_ONLY, VERSIONS, Spark, Unavailable, compile_application, install,
                          require_java)
from process_runtime import ProcessRuntime
from submission import RESULT, Application, Submission, submit_jvm, submit_python
from support.availability import unavailable
from support.cluster import Cluster
from support.history import slots_of
from support.pods import condition, node_of, path_of
from support.polling import eventually
from support.processes import scratch_folder
from support.rig import Rig

SUBMIT_SECONDS = 60
JOB_SECONDS = 90


class Bench:
    """One line of Spark on one rig, with the kubelet that runs its processes."""

    def __init__(self, rig: Rig, spark: Spark, jar: Path) -> None:
        self.folder = scratch_folder("spark")
        self.runtime = ProcessRuntime(rig.api, spark, self.folder)
        self.cluster = Cluster(rig, self.runtime)
        self.jar = jar
        self.where = Submission(rig.api, spark, self.cluster.default_namespace, self.folder)

    def wait_submitted(self, application: Application) -> str:
        """Until spark-submit has ended well; the path of the driver."""
        assert application.submitter.wait(SUBMIT_SECONDS) == 0, application.submitter.output()
        return path_of(application.driver(self.where.api))

    def wait_result(self, application: Application) -> None:
        """Until the driver has succeeded; its output has the result."""
        path = path_of(application.driver(self.where.api))
        log = self.runtime.log(path.rsplit("/", 1)[1])
        self.cluster.history.wait_for(lambda: self.cluster.history.first_finished(path), JOB_SECONDS,
                                      f"the end of {application.name}; see {log}")
        output = log.read_text(errors="replace")
        phase = self.where.api.get(path)["status"]["phase"]
        assert phase == "Succeeded" and RESULT in output, f"{phase}:\n{output[-5000:]}"


LINES = [pytest.param(line, marks=[pytest.mark.long] if line in LONG_ONLY else [])
         for line in VERSIONS]


@pytest.fixture(scope="session", params=LINES)
def spark(request: pytest.FixtureRequest) -> Spark:
    try:
        require_java()
        return install(request.param)
    except Unavailable as reason:
        unavailable(str(reason))


@pytest.fixture(scope="session")
def jar(spark: Spark) -> Path:
    return compile_application(spark, scratch_folder("jar"))


@pytest.fixture
def bench(rig: Rig, spark: Spark, jar: Path, request: pytest.FixtureRequest) -> Iterator[Bench]:
    made = Bench(rig, spark, jar)
    yield made
    report = getattr(request.node, "call_report", None)
    made.cluster.close(judge=report is not None and report.passed)


@pytest.mark.bound(240)
def test_two_applications_that_do_not_fit_together(bench: Bench) -> None:
    """A Python and a JVM application on a node that holds one: both finish, one after the other."""
    bench.cluster.add_nodes(1)
    bench.cluster.start_scheduler()
    first = submit_python(bench.where, "python-pi")
    first_driver = bench.wait_submitted(first)
    second = submit_jvm(bench.where, "jvm-pi", bench.jar)
    second_driver = bench.wait_submitted(second)
    bench.wait_result(first)
    bench.wait_result(second)
    ended = bench.cluster.history.first_finished(first_driver)
    bound = bench.cluster.history.first_bound(second_driver)
    assert ended is not None and bound is not None and ended.at <= bound.at
    assert executors_seen(bench, "python-pi") == executors_seen(bench, "jvm-pi") == 2


@pytest.mark.long
@pytest.mark.bound(240)
def test_a_killed_executor_is_replaced_in_its_slot(bench: Bench) -> None:
    bench.cluster.add_nodes(1, cpu="3")
    bench.cluster.start_scheduler()
    application = submit_python(bench.where, "holding-pi", hold_seconds=30)
    bench.wait_submitted(application)
    eventually(lambda: executors_seen(bench, "holding-pi") == 2, 60, "two executors")
    time.sleep(10)  # let them register: Spark counts a failure before that differently
    name = next(name for name in bench.runtime.processes if name.endswith("-exec-1"))
    bench.runtime.processes[name].signal(signal.SIGKILL)
    eventually(lambda: executors_seen(bench, "holding-pi") == 3, 30, "the replacement to be bound")
    bench.wait_result(application)


@pytest.mark.long
@pytest.mark.bound(240)
def test_dynamic_allocation_grows_beyond_the_gang(bench: Bench) -> None:
    """The initial executors are the gang; those asked for under load wait for a node of their own."""
    bench.cluster.add_nodes(1, cpu="3")
    bench.cluster.start_scheduler()
    application = submit_python(bench.where, "growing-pi", task_seconds=3, conf={
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.shuffleTracking.enabled": "true",
        "spark.dynamicAllocation.initialExecutors": "2",
        "spark.dynamicAllocation.maxExecutors": "4"})
    driver = bench.wait_submitted(application)
    eventually(lambda: len(executors_without_node(bench)) == 2, 60, "executors beyond the gang")
    assert sum(slots.count for slots in slots_of(bench.where.api.get(driver))) == 2
    eventually(lambda: all(condition(pod, "PodScheduled").get("message", "")
                           .endswith("[WaitingForCapacity]")
                           for pod in executors_without_node(bench)), 10, "them to be told why")
    bench.cluster.add_nodes(1, cpu="2")
    eventually(lambda: executors_seen(bench, "growing-pi") == 4, 20, "four bound executors")
    bench.wait_result(application)


def executors_without_node(bench: Bench) -> list[dict]:
    return [pod for pod in bench.where.api.items(f"/api/v1/namespaces/{bench.where.namespace}/pods",
                                                 labelSelector="spark-role=executor")
            if not node_of(pod)]


def executors_seen(bench: Bench, application: str) -> int:
    """Executors of the application that were bound at any time."""
    return len({path_of(seen.pod) for seen in bench.cluster.history.events
                if seen.pod["metadata"]["labels"].get("spark-app-name") in (application, "pi")
                and seen.pod["metadata"]["labels"].get("spark-role") == "executor"
                and owner_name(seen.pod).startswith(f"{application}-") and node_of(seen.pod)})


def owner_name(pod: dict) -> str:
    return pod["metadata"]["ownerReferences"][0]["name"]
