"""What kube-controller-manager's garbage collector does for the objects of a Spark application."""
import threading
from queue import Empty, SimpleQueue

import requests

from ..client.api import Api, ApiError, Json
from ..client.pod_watch import ObjectWatch

_KINDS = ("pods", "services", "configmaps")


class GarbageCollector:
    """Deletes what a deleted pod owned: the real rig runs no controller-manager."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._gone: "SimpleQueue[Json]" = SimpleQueue()
        self._stopped = threading.Event()
        self._watch = ObjectWatch(api, "/api/v1/pods", self._on_event)
        threading.Thread(target=self._run, daemon=True, name="garbage").start()

    def stop(self) -> None:
        self._stopped.set()
        self._watch.stop()

    def _on_event(self, kind: str, pod: Json) -> None:
        if kind == "DELETED" and pod["metadata"].get("labels", {}).get("spark-role") == "driver":
            self._gone.put(pod)

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._collect(self._gone.get(timeout=0.5))
            except (Empty, requests.RequestException, ApiError):
                continue

    def _collect(self, owner: Json) -> None:
        namespace, uid = owner["metadata"]["namespace"], owner["metadata"]["uid"]
        for kind in _KINDS:
            path = f"/api/v1/namespaces/{namespace}/{kind}"
            for item in self._api.items(path):
                owners = item["metadata"].get("ownerReferences", [])
                if any(reference["uid"] == uid for reference in owners):
                    self._api.delete(f"{path}/{item['metadata']['name']}")
