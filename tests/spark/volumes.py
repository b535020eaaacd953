"""A pod's volumes as folders, and its paths and variables rewritten to them."""
import re
import threading
from pathlib import Path
from typing import Optional

from support.client.api import Api, Json
from support.kube.kubelet import RunningPod

RETRY_SECONDS = 0.2
ROLES = ("driver", "executor")
_REFERENCE = re.compile(r"\$\(([A-Za-z_][A-Za-z0-9_]*)\)")


class Layout:
    """Where the mounts of one pod's Spark container lie on this machine."""

    def __init__(self, api: Api, running: RunningPod, folder: Path) -> None:
        self._api = api
        self._running = running
        self._container = spark_container(running.pod)
        self._folder = folder
        self._mounts: dict[str, Path] = {}

    def make(self) -> bool:
        """Writes all volumes, waiting like a kubelet for ConfigMaps; False when the pod was ended."""
        spec = self._running.pod["spec"]
        for mount in self._container.get("volumeMounts", []):
            self._mounts[mount["mountPath"].rstrip("/")] = self._folder / mount["name"]
        for volume in spec.get("volumes", []):
            folder = self._folder / volume["name"]
            folder.mkdir(parents=True)
            source = volume.get("configMap")
            if source is not None and not self._write_config_map(source, folder):
                return False
        return True

    def rewrite(self, text: str) -> str:
        """The text with every mounted path replaced by the folder that stands for it."""
        for path in sorted(self._mounts, key=len, reverse=True):
            text = re.sub(re.escape(path) + r"(?=/|$|[,:;\s])", str(self._mounts[path]), text)
        return text

    def environment(self) -> dict[str, str]:
        """The container's variables: fields looked up, $(NAME) expanded, paths rewritten."""
        result: dict[str, str] = {}
        for entry in self._container.get("env", []):
            value = entry.get("value", "")
            if "valueFrom" in entry:
                value = self._field(entry["valueFrom"]["fieldRef"]["fieldPath"])
            value = _REFERENCE.sub(lambda found: result.get(found[1], found[0]), value)
            result[entry["name"]] = self.rewrite(value)
        return result

    def _field(self, path: str) -> str:
        metadata, spec = self._running.pod["metadata"], self._running.pod["spec"]
        values = {"status.podIP": self._running.address, "status.hostIP": "127.0.0.1",
                  "metadata.name": metadata["name"], "metadata.namespace": metadata["namespace"],
                  "metadata.uid": metadata["uid"], "spec.nodeName": spec.get("nodeName", "")}
        return values[path]

    def _write_config_map(self, source: dict, folder: Path) -> bool:
        path = f"/api/v1/namespaces/{self._running.namespace}/configmaps/{source['name']}"
        found = wait_for(lambda: self._api.find(path), self._running.stopped)
        if found is None:
            return False
        items = source.get("items") or [{"key": key, "path": key} for key in found.get("data", {})]
        for item in items:
            # spark.properties names the mounted executor pod template.
            (folder / item["path"]).write_text(self.rewrite(found["data"][item["key"]]))
        return True


def spark_container(pod: Json) -> Json:
    """The one that runs Spark: with a pod template it is not the first, and has any name."""
    return next(container for container in pod["spec"]["containers"]
                if (container.get("args") or [""])[0] in ROLES)


def wait_for(probe, stopped: threading.Event) -> Optional[dict]:
    """The first true answer of `probe`; None when the pod is ended before."""
    while not stopped.is_set():
        answer = probe()
        if answer:
            return answer
        stopped.wait(RETRY_SECONDS)
    return None
