"""Many short tests on one cluster of a rig: pods made by hand, one scheduler behind a fault proxy.

Between tests the stage is cleared; the referee and the history judge all of it when it is closed.
"""
import copy
import itertools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from ..client.api import Api, Json
from .cluster import Cluster
from ..plane.fault_proxy import FaultProxy
from .history import slots_of
from .kubelet import NodeSpec
from .pods import annotation, condition, is_finished, node_of
from ..process.polling import eventually
from ..plane.rig import Rig, Scheduler

WAIT_SECONDS = 15.0


@dataclass
class Gang:
    """A driver that was made by hand, and how its executors are."""

    path: str
    name: str
    application: str
    executors: int
    cpu: str = "1"
    memory: str = "1Gi"
    made: list[str] = field(default_factory=list)  # paths of its executors


class Stage:
    """See above. Names in it are new in every test."""

    def __init__(self, rig: Rig, config: str, folder: Path) -> None:
        self.cluster = Cluster(rig)
        self.api: Api = self.cluster.api
        self.history = self.cluster.history
        self.namespace = self.cluster.default_namespace
        self.proxy: FaultProxy = rig.start_proxy()
        self._numbers = itertools.count(1)
        self._nodes: list[str] = []
        path = folder / "config.yaml"
        path.write_text(config)
        self.scheduler: Scheduler = rig.start_scheduler(
            ("--leader-elect=false", "--config", str(path)), rig.proxied_kubeconfig(self.proxy))

    def clear(self) -> None:
        """No pod, no node, no fault; judges what the nodes refused so far."""
        self.proxy.clear()
        pods = f"/api/v1/namespaces/{self.namespace}/pods"
        for pod in self.api.items(pods):
            self.api.delete(f"{pods}/{pod['metadata']['name']}", grace_seconds=0)
        for name in self._nodes:
            self.api.delete(f"/api/v1/nodes/{name}")
        self._nodes.clear()
        while not self._is_seen_empty():
            pass
        self.cluster.kubelet.check()

    def _is_seen_empty(self) -> bool:
        """Whether the scheduler knows by now that no node is left: what it says of a pod tells."""
        probe = self.pod("probe")
        self.history.wait_for(lambda: self.is_bound(probe) or self.message(probe), WAIT_SECONDS,
                              "a word about a pod without nodes")
        seen = self.message(probe).startswith("0/0 nodes")
        self.api.delete(probe, grace_seconds=0)
        return seen

    def close(self, judge: bool) -> None:
        self.cluster.rig.stop_proxies()
        self.cluster.close(judge)

    # --- making ------------------------------------------------------------------------------------

    def node(self, cpu: str = "4", memory: str = "8Gi", labels: Optional[dict[str, str]] = None,
             taints: Optional[list[Json]] = None) -> str:
        name = f"n{next(self._numbers)}-{self.namespace}"
        self.cluster.kubelet.add_node(NodeSpec(name, cpu, memory, 110, labels or {}, taints or []))
        self._nodes.append(name)
        return name

    def pod(self, name: str, cpu: str = "1", memory: str = "1Gi", labels: Optional[dict[str, str]] = None,
            annotations: Optional[dict[str, str]] = None, **spec: object) -> str:
        """A pod of ours; its path. `owner` names a pod of its namespace by path."""
        metadata: Json = {"name": f"{name}-{next(self._numbers)}", "labels": labels or {},
                          "annotations": annotations or {}}
        owner = spec.pop("owner", None)
        if owner:
            found = self.api.get(str(owner))["metadata"]
            metadata["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", "name": found["name"],
                                            "uid": found["uid"], "controller": True}]
        container: Json = {"name": "main", "image": "none",
                           "resources": {"requests": {"cpu": cpu, "memory": memory}}}
        path = f"/api/v1/namespaces/{self.namespace}/pods"
        self.api.post(path, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {
            "schedulerName": "gang-scheduler", "restartPolicy": "Never",
            "containers": [copy.deepcopy(container)], **spec}})
        return f"{path}/{metadata['name']}"

    def gang(self, executors: int, cpu: str = "1", memory: str = "1Gi",
             labels: Optional[dict[str, str]] = None, annotations: Optional[dict[str, str]] = None,
             requests: Optional[tuple[str, str]] = None, name: str = "app", **spec: object) -> Gang:
        """A driver as large as its executors unless `requests` differ, with the labels of
        kubernetes-gang-scheduler, or with these annotations instead."""
        application = f"{name}-{next(self._numbers)}"
        said = {"spark-role": "driver", "spark-app-selector": application}
        if annotations is None or labels is not None:
            said |= {"driver-cpu": cpu, "driver-mem": memory.removesuffix("Gi"),
                     "executors": str(executors), "exec-cpu": cpu, "exec-mem": memory.removesuffix("Gi")}
        asked = requests or (cpu, memory)
        path = self.pod(f"{application}-driver", *asked, {**said, **(labels or {})}, annotations, **spec)
        return Gang(path, path.rsplit("/", 1)[1], application, executors, cpu, memory)

    def executor(self, gang: Gang, cpu: str = "", **spec: object) -> str:
        """One more of this gang's executors, known by its application alone."""
        path = self.pod(f"{gang.application}-exec", cpu or gang.cpu, gang.memory,
                        {"spark-role": "executor", "spark-app-selector": gang.application}, **spec)
        gang.made.append(path)
        return path

    def executors(self, gang: Gang, count: Optional[int] = None) -> list[str]:
        return [self.executor(gang) for _ in range(gang.executors if count is None else count)]

    def finish(self, *paths: str) -> None:
        """The pods succeed, once their kubelet has said that they run (later it would take it back)."""
        for path in paths:
            self.history.wait_for(lambda: self._phase(path) == "Running", WAIT_SECONDS, f"{path} to run")
            self.api.patch(f"{path}/status", {"status": {"phase": "Succeeded"}})

    def finish_gang(self, gang: Gang) -> None:
        self.finish(*gang.made, gang.path)

    def cordon(self, node: str) -> None:
        self.api.patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": True}})

    # --- seeing ------------------------------------------------------------------------------------

    def node_of(self, path: str) -> str:
        found = self.history.first_bound(path)
        return node_of(found.pod) if found else ""

    def is_bound(self, path: str) -> bool:
        return bool(self.node_of(path))

    def wait_bound(self, *paths: str) -> None:
        for path in paths:
            self.history.wait_for(lambda: self.is_bound(path), WAIT_SECONDS, lambda:
                                  f"{path} to be bound ({self.message(path)})")

    def wait_running(self, *paths: str) -> None:
        for path in paths:
            self.history.wait_for(lambda: self._phase(path) == "Running", WAIT_SECONDS, lambda:
                                  f"{path} to run ({self.message(path)})")

    def wait_whole(self, gang: Gang) -> None:
        """The driver, then all its executors, which are made now unless there are some."""
        self.wait_bound(gang.path)
        if not gang.made:
            self.executors(gang)
        self.wait_bound(*gang.made)

    def _phase(self, path: str) -> str:
        pod = self.history.pod(path)
        return (pod.get("status") or {}).get("phase", "") if pod else ""

    def message(self, path: str) -> str:
        pod = self.history.pod(path)
        return condition(pod, "PodScheduled").get("message", "") if pod else "(no pod)"

    def reason(self, path: str) -> str:
        pod = self.history.pod(path)
        return condition(pod, "PodScheduled").get("reason", "") if pod else ""

    def wait_code(self, path: str, *codes: str) -> str:
        """Until the condition ends with one of the codes; its text. The pod is not bound then."""
        endings = tuple(f"[{code}]" for code in codes)
        def is_said() -> bool:
            said = self.message(path)
            # Before the scheduler has seen the first node, and that it is ready, every gang is too large.
            is_early = said.startswith("0/0 ") or " not ready [" in said
            return said.endswith(endings) and not (is_early and said.endswith("[ExceedsCluster]"))
        self.history.wait_for(is_said, WAIT_SECONDS, lambda:
                              f"{endings} at {path}, now: {self.message(path)!r}")
        assert not self.is_bound(path)
        return self.message(path)

    def wait_event(self, path: str, reason: str, part: str, kind: str = "Warning") -> str:
        """Until such an Event is at the pod; its text."""
        name = path.rsplit("/", 1)[1]

        def found() -> str:
            for event in self.api.items(f"/apis/events.k8s.io/v1/namespaces/{self.namespace}/events"):
                if (event["regarding"]["name"] == name and event["reason"] == reason
                        and event["type"] == kind and part in event.get("note", "")):
                    return event["note"]
            return ""
        return eventually(found, WAIT_SECONDS, f"an event {reason} with {part!r} at {name}")

    def slots(self, gang: Gang) -> list[tuple[str, int, dict[str, int]]]:
        """(node, count, requests) of the reservation."""
        return [(slots.node, slots.count, slots.requests) for slots in slots_of(self.api.get(gang.path))]

    def slot_mark(self, path: str) -> str:
        return annotation(self.api.get(path), "gang-scheduler/slot")

    def live(self, path: str) -> bool:
        pod = self.history.pod(path)
        return pod is not None and not is_finished(pod) and "deletionTimestamp" not in pod["metadata"]
