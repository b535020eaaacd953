"""One line of Spark on one rig: what its tests do with applications, executors and nodes."""
import signal
from pathlib import Path

from installation import Spark
from process_runtime import ProcessRuntime
from submission import RESULT, Application, Submission
from support.client.api import STRATEGIC_PATCH, Json
from support.kube.cluster import Cluster
from support.kube.history import SLOT, slots_of
from support.kube.pods import annotation, condition, label, node_of, path_of
from support.process.polling import eventually
from support.process.processes import scratch_folder
from support.plane.rig import Rig

SUBMIT_SECONDS = 90
START_SECONDS = 90  # of a driver or an executor, until it works
JOB_SECONDS = 120
DECISION_SECONDS = 20


class Gate:
    """Holds the tasks of an application (see applications/pi.py) until it is opened."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder

    def at_work(self) -> set[str]:
        """Ids of the executors that have registered and were given a task."""
        return {path.name.removeprefix("executor-") for path in self.folder.glob("executor-*")}

    def open(self) -> None:
        (self.folder / "open").touch()


class Bench:
    """With the kubelet that runs Spark's processes."""

    def __init__(self, rig: Rig, spark: Spark) -> None:
        self.folder = scratch_folder("spark")
        self.runtime = ProcessRuntime(rig.api, spark, self.folder)
        self.cluster = Cluster(rig, self.runtime)
        self.history = self.cluster.history
        self.where = Submission(rig.api, spark, self.cluster.default_namespace, self.folder)

    def gate(self) -> Gate:
        return Gate(self.folder / "gate")

    # --- applications ------------------------------------------------------------------------------

    def wait_submitted(self, application: Application) -> str:
        """Until spark-submit has ended well; the path of the driver."""
        assert application.submitter.wait(SUBMIT_SECONDS) == 0, application.submitter.output()
        return path_of(application.driver(self.where.api))

    def wait_waiting(self, path: str, code: str) -> str:
        """Until the pod is said to lack room, with that code; the whole text. It has no node then."""
        def found() -> Json:
            return condition(self.history.pod(path) or {}, "PodScheduled")
        self.history.wait_for(lambda: found().get("message", "").endswith(f"[{code}]"), DECISION_SECONDS,
                              lambda: f"[{code}] at {path}, now: {found()}")
        assert (found()["status"], found()["reason"]) == ("False", "Unschedulable"), found()
        assert not self.history.first_bound(path)
        return found()["message"]

    def wait_result(self, application: Application) -> None:
        """Until the driver has succeeded; its output has the result."""
        path = path_of(application.driver(self.where.api))
        log = self.runtime.log(path.rsplit("/", 1)[1])
        self.history.wait_for(lambda: self.history.first_finished(path), JOB_SECONDS,
                              f"the end of {application.name}; see {log}")
        output = log.read_text(errors="replace")
        phase = self.where.api.get(path)["status"]["phase"]
        assert phase == "Succeeded" and RESULT in output, f"{phase}:\n{output[-5000:]}"

    def reserved(self, driver: str) -> dict[str, int]:
        """Slots per node, as the driver's newest state says."""
        return {slots.node: slots.count for slots in slots_of(self.history.pod(driver) or {"metadata": {}})}

    # --- executors ---------------------------------------------------------------------------------

    def executors(self) -> dict[str, Json]:
        """The newest state of each that ever was, those of the past included, by id."""
        return {label(seen.pod, "spark-exec-id"): seen.pod for seen in list(self.history.events)
                if label(seen.pod, "spark-role") == "executor"
                and seen.pod["metadata"]["namespace"] == self.where.namespace}

    def bound(self) -> dict[str, Json]:
        """Those that have, or had, a node."""
        return {number: pod for number, pod in self.executors().items() if node_of(pod)}

    def wait_bound(self, count: int) -> None:
        self.history.wait_for(lambda: len(self.bound()) >= count, START_SECONDS, lambda:
                              f"{count} executors with a node; now {sorted(self.bound())} "
                              f"of {sorted(self.executors())}")
        assert len(self.bound()) == count, sorted(self.bound())

    def wait_at_work(self, gate: Gate, ids: set[str]) -> None:
        eventually(lambda: gate.at_work() >= ids, START_SECONDS, lambda:
                   f"executors {sorted(ids)} to work; now {sorted(gate.at_work())}; see {self.folder}")

    def slot(self, executor: str) -> str:
        """What it was bound to, by the scheduler's annotation."""
        return annotation(self.executors()[executor], SLOT)

    def kill_executor(self, executor: str) -> None:
        """kill -9 of its process; its kubelet is well and says how it ended."""
        self._kill_process(self.executors()[executor])

    # --- nodes -------------------------------------------------------------------------------------

    def lose_power(self, node: str) -> list[str]:
        """Its processes are gone and its kubelet says nothing; Kubernetes notices, and its pods are to go.

        Paths of these pods: they stay as they are, for no kubelet ends them.
        """
        self.cluster.kubelet.silence(node)
        lost = [pod for pod in self.where.api.items(f"/api/v1/namespaces/{self.where.namespace}/pods")
                if node_of(pod) == node]
        for pod in lost:
            self._kill_process(pod)
        self.cluster.kubelet.report_node(node, ready=False)
        for pod in lost:
            self.where.api.delete(path_of(pod))
        return [path_of(pod) for pod in lost]

    def remove_node(self, node: str, pods: list[str]) -> None:
        """What a cloud does with a dead machine, and the pod garbage collector with the pods it had.

        Spark goes by the phase Failed: a running pod that vanishes it misses only at its next poll.
        """
        self.where.api.delete(f"/api/v1/nodes/{node}")
        for path in pods:
            self.where.api.patch(f"{path}/status", {"status": {"phase": "Failed", "conditions": [{
                "type": "DisruptionTarget", "status": "True", "reason": "DeletionByPodGC",
                "message": "PodGC: node no longer exists"}]}}, STRATEGIC_PATCH)
            self.where.api.delete(path, grace_seconds=0)

    def _kill_process(self, pod: Json) -> None:
        self.runtime.processes[pod["metadata"]["name"]].signal(signal.SIGKILL)
