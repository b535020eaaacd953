"""What external-provisioner does for claims of one provisioner, and the volume binder where no controller-manager runs.

With a controller-manager (RealPlane(controllers=True)) it acts as the real one: it waits until the controller-manager has
written annotation volume.kubernetes.io/storage-provisioner, makes the volume, and leaves the binding to the
controller-manager. Elsewhere it writes that annotation and the binding itself.

    a claim of our class, without a volume
      |- Immediate ------------------------------------------> after delay_seconds: volume --> Bound
      '- WaitForFirstConsumer --selected-node is written-----> after delay_seconds: volume --> Bound
                     '<-- selected-node is taken away, Event ProvisioningFailed: fail(), or no such node
"""
import heapq
import itertools
import threading
import time
import uuid
from typing import Any, Optional

import requests

from ..client.api import Api, ApiError, Json
from ..client.pod_watch import ObjectWatch
from ..process.polling import eventually
from ..plane.rig import Rig

SELECTED_NODE = "volume.kubernetes.io/selected-node"
STORAGE_PROVISIONER = ("volume.kubernetes.io/storage-provisioner", "volume.beta.kubernetes.io/storage-provisioner")
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
ZONE = "topology.kubernetes.io/zone"
HOSTNAME = "kubernetes.io/hostname"
DELAYED = "WaitForFirstConsumer"
SOURCES = ("csi", "local", "hostPath")

CLAIMS = "/api/v1/persistentvolumeclaims"
VOLUMES = "/api/v1/persistentvolumes"
CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
RETRY_SECONDS = 0.2
_EVER = 1 << 30


class CannotProvision(Exception):
    """The volume cannot be had on the selected node."""


class Provisioner:
    """Serves the claims of all classes with its `name` from the moment it is made until stop().

    source              what the volumes are: csi, local or hostPath
    topology            the node label that says from where a volume can be reached: ZONE or HOSTNAME
    immediate_topology  its value for volumes of Immediate claims; empty: they can be reached from everywhere
    delay_seconds       from the moment that a claim can be served; may be changed at any time
    """

    def __init__(self, rig: Rig, name: str = "", source: str = "csi", topology: str = ZONE,
                 immediate_topology: str = "", delay_seconds: float = 0.0) -> None:
        assert source in SOURCES, source
        self.name = name or f"disks-{uuid.uuid4().hex[:6]}.example.com"
        self.source = source
        self.topology = topology
        self.immediate_topology = immediate_topology
        self.delay_seconds = delay_seconds
        self.volumes: list[str] = []             # names, in the order in which they were made
        self.failures: list[tuple[str, str]] = []  # claim as namespace/name, node
        self._rig = rig
        self._api: Api = rig.api
        self._binds = not rig.has_controllers
        self._failing: dict[str, int] = {}       # node -> how often yet
        self._silent = False
        self._classes: list[str] = []
        self._served: dict[str, str] = {}        # claim's path -> its volume
        self._due: list[tuple[float, int, str]] = []  # a heap: when, a number, the claim's path
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._stopping = False
        self._error: Optional[BaseException] = None
        self._watches = (ObjectWatch(self._api, CLAIMS, self._on_event), ObjectWatch(self._api, CLASSES, self._on_class))
        self._worker = threading.Thread(target=self._run, daemon=True, name=f"provisioner {self.name}")
        self._worker.start()

    def add_class(self, name: str = "", mode: str = DELAYED, **more: Any) -> str:
        """A StorageClass of this provisioner, removed by stop(); its name."""
        name = name or f"class-{uuid.uuid4().hex[:6]}"
        self._api.post(CLASSES, {"metadata": {"name": name}, "provisioner": self.name, "volumeBindingMode": mode, **more})
        self._classes.append(name)
        return name

    def fail(self, node: str, times: int = _EVER) -> None:
        """So often no volume can be had on that node: the claim loses its selected node, as for ResourceExhausted."""
        self._failing[node] = times

    def silence(self) -> None:
        """From now on nothing happens, as if no provisioner ran."""
        self._silent = True

    def resume(self) -> None:
        """Ends silence(); the claims that came meanwhile are served."""
        self._silent = False
        self._look_at_all()

    def wait_bound(self, namespace: str, name: str, timeout: float = 20.0) -> Json:
        """Until the claim and its volume are Bound; the volume."""
        path = _path(namespace, name)

        def bound_volume() -> Optional[Json]:
            self.check()
            claim = self._api.get(path)
            if claim["status"].get("phase") != "Bound":
                return None
            volume = self._api.get(f"{VOLUMES}/{claim['spec']['volumeName']}")
            return volume if volume["status"].get("phase") == "Bound" else None

        found = eventually(bound_volume, timeout, lambda: f"{path} to be bound, now: {self._api.find(path)}")
        assert found is not None
        return found

    def check(self) -> None:
        """Raises what ended its work, if anything did."""
        for watch in self._watches:
            watch.check()
        if self._error is not None:
            raise AssertionError(f"provisioner {self.name} ended: {self._error!r}")

    def stop(self) -> None:
        """Ends its work, and removes its classes, its volumes and the claims that it served."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        for watch in self._watches:
            watch.stop()
        self._worker.join(10)
        if not self._rig.is_running():
            return
        for name in self._classes:
            self._api.delete(f"{CLASSES}/{name}")
        for path in (*self._served, *(f"{VOLUMES}/{name}" for name in self.volumes)):
            self._remove(path)

    def _on_event(self, kind: str, claim: Json) -> None:
        metadata = claim["metadata"]
        path = _path(metadata["namespace"], metadata["name"])
        if kind == "DELETED":
            self._reclaim(self._served.pop(path, ""))
        elif self._is_open(claim):
            self._look_at(path, self.delay_seconds)

    def _on_class(self, kind: str, storage_class: Json) -> None:
        """A claim may be older than its class."""
        if kind == "ADDED" and storage_class["provisioner"] == self.name:
            self._look_at_all()

    def _look_at_all(self) -> None:
        for claim in self._api.items(CLAIMS):
            self._on_event("MODIFIED", claim)

    def _look_at(self, path: str, after_seconds: float) -> None:
        with self._changed:
            heapq.heappush(self._due, (time.monotonic() + after_seconds, next(self._numbers), path))
            self._changed.notify()

    def _run(self) -> None:
        while True:
            path = self._next()
            if path is None:
                return
            try:
                self._serve(path)
            except (requests.RequestException, ApiError) as error:
                if isinstance(error, ApiError) and error.status not in (404, 409, 500, 503, 504):
                    self._error = error
                    return
                self._look_at(path, RETRY_SECONDS)  # somebody else wrote it too, or the server is away for a moment
            except BaseException as error:  # kept for check(): a thread has nobody to tell
                self._error = error
                return

    def _next(self) -> Optional[str]:
        """Waits for the next claim that is due; nothing when stop() was called."""
        with self._changed:
            while not self._stopping:
                wait = self._due[0][0] - time.monotonic() if self._due else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self._due)[2]
                self._changed.wait(wait)
        return None

    def _serve(self, path: str) -> None:
        claim = self._api.find(path)
        storage_class = self._class_to_serve(claim) if claim is not None else None
        if claim is None or storage_class is None:
            return
        node = claim["metadata"].get("annotations", {}).get(SELECTED_NODE, "")
        try:
            place = self._place(node)
        except CannotProvision as reason:
            self._give_back(path, claim, node, str(reason))
            return
        if self._binds:
            self._api.patch(path, _annotated(claim, {key: self.name for key in STORAGE_PROVISIONER}))
        volume = self._make_volume(path, claim, storage_class, place)
        if self._binds:
            self._bind(path, claim, volume)

    def _is_open(self, claim: Json) -> bool:
        """It has no volume, or we were interrupted while we bound it to ours."""
        metadata, volume = claim["metadata"], claim["spec"].get("volumeName", "")
        is_half_bound = self._binds and volume == _volume_name(claim) and claim["status"].get("phase") != "Bound"
        return "deletionTimestamp" not in metadata and (not volume or is_half_bound)

    def _class_to_serve(self, claim: Json) -> Optional[Json]:
        """The claim's class, when it is ours and the time has come."""
        annotations = claim["metadata"].get("annotations", {})
        class_name = claim["spec"].get("storageClassName", "")
        is_ours_to_serve = class_name and self._is_open(claim) and not self._silent
        storage_class = self._api.find(f"{CLASSES}/{class_name}") if is_ours_to_serve else None
        if storage_class is None or storage_class["provisioner"] != self.name:
            return None
        is_asked = self._binds or self.name in (annotations.get(key) for key in STORAGE_PROVISIONER)
        is_delayed = storage_class["volumeBindingMode"] == DELAYED
        return storage_class if is_asked and (annotations.get(SELECTED_NODE) or not is_delayed) else None

    def _place(self, node: str) -> str:
        """The value of the topology label that the volume gets."""
        if not node:
            return self.immediate_topology
        found = self._api.find(f"/api/v1/nodes/{node}")
        if found is None:
            raise CannotProvision(f'node "{node}" not found')
        if self._failing.get(node, 0) > 0:
            self._failing[node] -= 1
            raise CannotProvision(f"rpc error: code = ResourceExhausted desc = no room for a volume on {node}")
        value = found["metadata"].get("labels", {}).get(self.topology, "")
        if not value:
            raise CannotProvision(f"node {node} has no label {self.topology}")
        return value

    def _give_back(self, path: str, claim: Json, node: str, reason: str) -> None:
        self._tell(claim, "Warning", "ProvisioningFailed", f'failed to provision volume with StorageClass '
                   f'"{claim["spec"]["storageClassName"]}": {reason}')
        self._api.patch(path, _annotated(claim, {SELECTED_NODE: None}))
        self.failures.append((f"{claim['metadata']['namespace']}/{claim['metadata']['name']}", node))

    def _make_volume(self, path: str, claim: Json, storage_class: Json, place: str) -> Json:
        metadata, wish = claim["metadata"], claim["spec"]
        name = _volume_name(claim)
        self._served[path] = name
        present = self._api.find(f"{VOLUMES}/{name}")
        if present is not None:  # the answer was lost when it was made
            self._note(name)
            return present
        spec: Json = {
            "accessModes": wish["accessModes"], "capacity": {"storage": wish["resources"]["requests"]["storage"]},
            "storageClassName": wish["storageClassName"], "volumeMode": wish["volumeMode"],
            "persistentVolumeReclaimPolicy": storage_class["reclaimPolicy"],
            "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": metadata["namespace"],
                         "name": metadata["name"], "uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]},
            self.source: {"driver": self.name, "volumeHandle": name} if self.source == "csi" else {"path": f"/volumes/{name}"}}
        if storage_class.get("mountOptions"):
            spec["mountOptions"] = storage_class["mountOptions"]
        if place:
            spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                {"key": self.topology, "operator": "In", "values": [place]}]}]}}
        made = self._api.post(VOLUMES, {"metadata": {"name": name, "annotations": {PROVISIONED_BY: self.name}}, "spec": spec})
        self._note(name)
        self._tell(claim, "Normal", "ProvisioningSucceeded", f"Successfully provisioned volume {name}")
        return made

    def _note(self, volume: str) -> None:
        if volume not in self.volumes:
            self.volumes.append(volume)

    def _bind(self, path: str, claim: Json, volume: Json) -> None:
        """What the controller-manager writes, in its order: the volume first, since it names the claim already."""
        name = volume["metadata"]["name"]
        self._api.patch(f"{VOLUMES}/{name}/status", {"status": {"phase": "Bound"}})
        self._api.patch(path, {**_annotated(claim, {BIND_COMPLETED: "yes", BOUND_BY_CONTROLLER: "yes"}),
                               "spec": {"volumeName": name}})
        self._api.patch(f"{path}/status", {"status": {
            "phase": "Bound", "accessModes": volume["spec"]["accessModes"], "capacity": volume["spec"]["capacity"]}})

    def _reclaim(self, volume: str) -> None:
        """What becomes of the volume of a claim that is gone."""
        found = self._api.find(f"{VOLUMES}/{volume}") if volume else None
        if found is None:
            return
        if found["spec"]["persistentVolumeReclaimPolicy"] == "Delete":
            self._remove(f"{VOLUMES}/{volume}")
        elif self._binds:
            self._api.patch(f"{VOLUMES}/{volume}/status", {"status": {"phase": "Released"}})

    def _remove(self, path: str) -> None:
        """Also where no controller-manager takes the protecting finalizer away."""
        try:
            self._api.patch(path, {"metadata": {"finalizers": None}})
        except ApiError as error:
            if error.status != 404:
                raise
        self._api.delete(path)

    def _tell(self, claim: Json, kind: str, reason: str, message: str) -> None:
        metadata = claim["metadata"]
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self._api.post(f"/api/v1/namespaces/{metadata['namespace']}/events", {
            "metadata": {"name": f"{metadata['name']}.{time.time_ns():x}"}, "type": kind, "reason": reason, "message": message,
            "involvedObject": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": metadata["namespace"],
                               "name": metadata["name"], "uid": metadata["uid"]},
            "source": {"component": self.name}, "count": 1, "firstTimestamp": now, "lastTimestamp": now})


def claim(name: str, storage_class: str, storage: str = "1Gi") -> Json:
    """One that a single node may write to."""
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": {
        "accessModes": ["ReadWriteOnce"], "storageClassName": storage_class, "resources": {"requests": {"storage": storage}}}}


def topology_of(volume: Json) -> tuple[str, list[str]]:
    """The label and the values by which nodes reach the volume."""
    expression, = volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"][0]["matchExpressions"]
    return expression["key"], expression["values"]


def _path(namespace: str, name: str) -> str:
    return f"/api/v1/namespaces/{namespace}/persistentvolumeclaims/{name}"


def _volume_name(claim: Json) -> str:
    """One claim, one volume: however often it is tried."""
    return f"pvc-{claim['metadata']['uid']}"


def _annotated(claim: Json, annotations: dict[str, Optional[str]]) -> Json:
    """A patch for this claim alone, not for another of its name."""
    return {"metadata": {"uid": claim["metadata"]["uid"], "annotations": annotations}}
