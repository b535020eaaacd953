"""Karpenter beside a real API server. Its provider makes node objects without machines; `play` is their kubelet."""
import threading
from pathlib import Path

import yaml

from ..client.api import ApiError, Json
from .cluster import Cluster
from .kubelet import NodeSpec
from .pods import condition
from ..process.polling import eventually
from ..process.ports import free_ports
from ..process.processes import Daemon



class Karpenter:
    """One NodePool of nodes with 4 cpus. `consolidate_after`: how soon nodes that look empty are removed."""

    def __init__(self, program: Path, cluster: Cluster, folder: Path, consolidate_after: str = "1s") -> None:
        self.cluster = cluster
        self.made: list[str] = []  # nodes, as they came
        self._define(program.parent / "crds")
        self._add_pool(consolidate_after)
        metrics, health = free_ports(2)
        self.daemon = Daemon(["env", "SYSTEM_NAMESPACE=default", f"KUBECONFIG={cluster.rig.kubeconfig}",
                              "DISABLE_LEADER_ELECTION=true", f"METRICS_PORT={metrics}", f"HEALTH_PROBE_PORT={health}",
                              "FEATURE_GATES=CapacityBuffer=true", "BATCH_IDLE_DURATION=500ms",
                              "BATCH_MAX_DURATION=2s", str(program)], folder / "karpenter.log")
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._play, daemon=True, name="nodes")
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()
        self.daemon.kill()

    def nodes(self) -> list[Json]:
        return self.cluster.api.items("/api/v1/nodes")

    def _define(self, folder: Path) -> None:
        collection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        for file in sorted(folder.glob("*.yaml")):
            for body in yaml.safe_load_all(file.read_text()):
                self.cluster.api.post(collection, body)
                path = f"{collection}/{body['metadata']['name']}"
                eventually(lambda path=path: condition(self.cluster.api.get(path), "Established").get("status") == "True",
                           20, f"{path} established")

    def _add_pool(self, consolidate_after: str) -> None:
        self._post("/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses", {
            "apiVersion": "karpenter.kwok.sh/v1alpha1", "kind": "KWOKNodeClass", "metadata": {"name": "default"}})
        self._post("/apis/karpenter.sh/v1/nodepools", {
            "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"},
            "spec": {"disruption": {"consolidationPolicy": "WhenEmpty",
                                    "consolidateAfter": consolidate_after, "budgets": [{"nodes": "100%"}]},
                     "template": {"spec": {
                         "nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
                         "expireAfter": "Never",
                         "requirements": [
                             {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
                             {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
                             {"key": "karpenter.kwok.sh/instance-cpu", "operator": "In", "values": ["4"]}]}}}})

    def _post(self, path: str, body: Json) -> None:
        def is_posted() -> bool:
            try:
                self.cluster.api.post(path, body)
            except ApiError as error:
                assert error.status in (404, 429), error  # its storage is being made
                return False
            return True
        eventually(is_posted, 20, f"POST {path}")

    def _play(self) -> None:
        """New nodes become Ready, and their pods run."""
        while not self._stopped.wait(0.1):
            for node in self.nodes():
                name = node["metadata"]["name"]
                if name in self.made:
                    continue
                amounts = node["status"].get("allocatable", {})
                if "cpu" not in amounts:
                    continue
                self.made.append(name)
                self.cluster.kubelet.adopt_node(NodeSpec(
                    name, amounts["cpu"], amounts["memory"], int(amounts.get("pods", "110")),
                    extended={key: value for key, value in amounts.items() if key not in ("cpu", "memory", "pods")}))
