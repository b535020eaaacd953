"""A kubelet for several nodes: registers them, admits pods like a real one, runs them by a Runtime.

It is the referee of the tests: what does not fit a node's allocatable is rejected as a real kubelet
rejects it (phase Failed, reason OutOfcpu, OutOfmemory, ...), and every rejection is remembered.
"""
import itertools
import os
import threading
import time
from dataclasses import dataclass, field
from typing import Optional, Protocol

import requests as http

from ..client.api import STRATEGIC_PATCH, Api, ApiError, Json
from ..client.pod_watch import ObjectWatch
from .pods import (Requests, add, amounts, effective_requests, exceeding, have_port_in_common, is_finished,
                   is_terminating, node_of, path_of)

LEASE_RENEW_SECONDS = 2  # a kubelet's 10, but tests wait for what depends on it


@dataclass
class NodeSpec:
    """A node as the kubelet registers it."""

    name: str
    cpu: str = "4"
    memory: str = "8Gi"
    pods: int = 110
    labels: dict[str, str] = field(default_factory=dict)
    taints: list[Json] = field(default_factory=list)
    extended: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)

    @property
    def allocatable(self) -> dict[str, str]:
        return {"cpu": self.cpu, "memory": self.memory, "pods": str(self.pods), **self.extended}


class RunningPod:
    """A pod that the kubelet admitted, for its Runtime: runs in a thread of its own."""

    def __init__(self, pod: Json, address: str) -> None:
        self.pod = pod
        self.address = address
        self.stopped = threading.Event()  # set when the pod is to end: deleted, or the test is over
        self.gone = False                 # the object no longer exists: nothing may be written

    @property
    def namespace(self) -> str:
        return self.pod["metadata"]["namespace"]

    @property
    def name(self) -> str:
        return self.pod["metadata"]["name"]


class Runtime(Protocol):
    """How pods run."""

    def run(self, pod: RunningPod) -> int:
        """Returns the exit code when the work is done, or soon after `pod.stopped` is set."""


@dataclass(frozen=True)
class Rejection:
    """A pod that a node refused: the scheduler broke its promise."""

    node: str
    pod: str
    reason: str


class Kubelet:
    """All nodes of a test in one object."""

    _addresses = itertools.count(1)

    def __init__(self, api: Api, runtime: Runtime, renews_leases: bool = False) -> None:
        """renews_leases: a controller-manager runs, which takes a node without it for dead."""
        self.rejections: list[Rejection] = []
        self._api = api
        self._runtime = runtime
        self._lock = threading.Lock()
        self._nodes: dict[str, NodeSpec] = {}
        self._pods: dict[str, RunningPod] = {}  # by uid; those that take room
        self._seen: set[str] = set()
        self._renews_leases = renews_leases
        self._silent: set[str] = set()
        self._closing = False
        self._watch = ObjectWatch(api, "/api/v1/pods", self._on_event)
        self._stopped = threading.Event()
        if renews_leases:
            threading.Thread(target=self._renew_leases, daemon=True, name="leases").start()

    def add_node(self, spec: NodeSpec) -> None:
        """Registers a node and reports it Ready."""
        with self._lock:
            self._nodes[spec.name] = spec
        labels = {"kubernetes.io/hostname": spec.name, "kubernetes.io/os": "linux",
                  "kubernetes.io/arch": "amd64", **spec.labels}
        node: Json = {"apiVersion": "v1", "kind": "Node",
                      "metadata": {"name": spec.name, "labels": labels, "annotations": spec.annotations}, "spec": {}}
        if spec.taints:
            node["spec"]["taints"] = spec.taints
        self._api.post("/api/v1/nodes", node)
        if self._renews_leases:
            renew_lease(self._api, spec.name)
        self.report_node(spec.name, ready=True)

    def adopt_node(self, spec: NodeSpec) -> None:
        """Plays a node that somebody else has registered."""
        with self._lock:
            self._nodes[spec.name] = spec
        self.report_node(spec.name, ready=True)

    def report_node(self, name: str, ready: bool) -> None:
        """Writes the node's status."""
        resources = self._nodes[name].allocatable
        self._api.patch(f"/api/v1/nodes/{name}/status", {"status": {
            "capacity": resources, "allocatable": resources,
            "conditions": [{
                "type": "Ready", "status": "True" if ready else "False", "reason": "Test",
                "lastHeartbeatTime": _now(), "lastTransitionTime": _now()}],
        }}, STRATEGIC_PATCH)

    def silence(self, name: str) -> None:
        """The node is dead: its lease is renewed no more (a controller-manager will call it unreachable),
        nothing is said about its pods, and a pod that is deleted stays until somebody else ends it."""
        with self._lock:
            self._silent.add(name)
            for running in self._pods.values():
                if node_of(running.pod) == name:
                    running.gone = True

    def stop(self) -> None:
        """Ends all pods' work without a word to the API server."""
        self._closing = True
        self._stopped.set()
        self._watch.stop()
        with self._lock:
            for pod in self._pods.values():
                pod.gone = True
                pod.stopped.set()

    def check(self) -> None:
        """Raises when a node refused a pod, or the kubelet itself broke."""
        self._watch.check()
        assert not self.rejections, f"nodes refused pods: {self.rejections}"

    def _renew_leases(self) -> None:
        while not self._stopped.wait(LEASE_RENEW_SECONDS):
            for name in [name for name in self._nodes if name not in self._silent]:
                try:
                    renew_lease(self._api, name)
                except (http.RequestException, ApiError):
                    continue  # the next turn comes soon

    def _on_event(self, kind: str, pod: Json) -> None:
        uid, node = pod["metadata"]["uid"], node_of(pod)
        if node not in self._nodes:
            return
        running = self._pods.get(uid)
        if kind == "DELETED":
            self._release(uid, gone=True)
        elif node in self._silent:
            return
        elif running is not None:
            running.pod = pod
            if is_terminating(pod):
                running.stopped.set()
            elif is_finished(pod):  # somebody else said so
                self._release(uid, gone=True)
        elif is_terminating(pod):
            self._remove(pod)
        elif uid not in self._seen and not is_finished(pod):
            self._seen.add(uid)
            self._admit(pod, node)

    def _admit(self, pod: Json, node: str) -> None:
        # Extended resources that the node does not have are nobody's to count (removeMissingExtendedResources).
        listed = self._nodes[node].allocatable
        short = exceeding({name: amount for name, amount in effective_requests(pod).items() if "/" not in name or name in listed},
                          self._room(node))
        if short:
            self._reject(pod, node, f"OutOf{short[0]}", f"Node didn't have enough resource: {short[0]}")
            return
        with self._lock:
            is_taken = any(node_of(other.pod) == node and have_port_in_common(pod, other.pod)
                           for other in self._pods.values())
        if is_taken:
            self._reject(pod, node, "NodePorts", "Predicate NodePorts failed")
            return
        number = next(self._addresses)
        running = RunningPod(pod, f"127.{10 + os.getpid() % 200}.{number // 250}.{number % 250 + 2}")
        with self._lock:
            self._pods[pod["metadata"]["uid"]] = running
        threading.Thread(target=self._live, args=(running,), daemon=True, name=running.name).start()

    def _reject(self, pod: Json, node: str, reason: str, why: str) -> None:
        self.rejections.append(Rejection(node, path_of(pod), reason))
        self._report(pod, {"phase": "Failed", "reason": reason, "message": f"Pod was rejected: {why}"})

    def _room(self, node: str) -> Requests:
        room = amounts(self._nodes[node].allocatable)
        with self._lock:
            for running in self._pods.values():
                if node_of(running.pod) == node:
                    taken = effective_requests(running.pod)
                    room = add(room, {name: -value for name, value in taken.items()})
        return room

    def _live(self, running: RunningPod) -> None:
        uid = running.pod["metadata"]["uid"]
        try:
            exit_code = self._run(running)
            self._release(uid)
            if running.gone or self._closing:
                return
            if running.stopped.is_set():
                self._remove(running.pod)
            else:
                self._report(running.pod, _ended_status(running, exit_code))
        except http.RequestException:
            if not self._closing:
                raise
        finally:
            self._release(uid)

    def _run(self, running: RunningPod) -> int:
        """What was said to run does run, and takes its time to end, even if it is deleted in that moment."""
        if running.stopped.is_set():
            return 0
        self._report(running.pod, _running_status(running))
        return self._runtime.run(running)

    def _release(self, uid: str, gone: bool = False) -> None:
        with self._lock:
            running = self._pods.pop(uid, None)
        if running is not None and gone:
            running.gone = True
            running.stopped.set()

    def _remove(self, pod: Json) -> None:
        """The last step of a deletion: the object goes, if it is still the same one."""
        try:
            self._api.request("DELETE", path_of(pod), {
                "kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0,
                "preconditions": {"uid": pod["metadata"]["uid"]}})
        except ApiError as error:
            if error.status not in (404, 409):
                raise

    def _report(self, pod: Json, status: Json) -> Optional[Json]:
        body = {"metadata": {"uid": pod["metadata"]["uid"]}, "status": status}
        try:
            return self._api.patch(path_of(pod) + "/status", body, STRATEGIC_PATCH)
        except ApiError as error:
            if error.status not in (404, 409, 422):  # 422: the name has another uid by now
                raise
            return None


def renew_lease(api: Api, node: str) -> None:
    """What every kubelet does, to be known to be alive."""
    path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
    spec = {"holderIdentity": node, "leaseDurationSeconds": 40,
            "renewTime": time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())}
    try:
        api.patch(f"{path}/{node}", {"spec": spec})
    except ApiError as error:
        if error.status != 404:
            raise
        api.post(path, {"metadata": {"name": node}, "spec": spec})


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _container_statuses(pod: Json, ready: bool, state: Json) -> list[Json]:
    return [{"name": container["name"], "image": container.get("image", ""), "imageID": "",
             "ready": ready, "started": ready, "restartCount": 0, "state": state}
            for container in pod["spec"]["containers"]]


def _running_status(running: RunningPod) -> Json:
    return {"phase": "Running", "hostIP": "127.0.0.1", "podIP": running.address,
            "podIPs": [{"ip": running.address}], "startTime": _now(),
            "conditions": [{"type": kind, "status": "True", "lastTransitionTime": _now()}
                           for kind in ("Initialized", "ContainersReady", "Ready")],
            "containerStatuses": _container_statuses(running.pod, True,
                                                     {"running": {"startedAt": _now()}})}


def _ended_status(running: RunningPod, exit_code: int) -> Json:
    reason = "Completed" if exit_code == 0 else "Error"
    return {"phase": "Succeeded" if exit_code == 0 else "Failed",
            "conditions": [{"type": kind, "status": "False", "reason": "PodCompleted",
                            "lastTransitionTime": _now()} for kind in ("ContainersReady", "Ready")],
            "containerStatuses": _container_statuses(running.pod, False, {
                "terminated": {"exitCode": exit_code, "reason": reason, "finishedAt": _now()}})}
