"""The Helm chart: rendered by a real helm, and put on a real API server as far as it grants rights."""
import base64
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import yaml

from ..client.api import Api
from ..client.json_type import Json
from ..process.programs import plane_version, programs

CHART = Path(__file__).resolve().parents[3] / "charts/gang-scheduler"
RELEASE = "gang-scheduler"
NAMESPACE = "gang-system"
SEAL_KEY_FILE = "/etc/gang-scheduler-seal/key"  # where the chart mounts its Secret
USER = f"system:serviceaccount:{NAMESPACE}:{RELEASE}"

_COLLECTIONS = {
    "ServiceAccount": "/api/v1/namespaces/{}/serviceaccounts",
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/rolebindings",
    "FlowSchema": "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
}


class Helm:
    """helm with its files in a folder of its own; `kubeconfig` for the verbs that need a cluster."""

    def __init__(self, program: Path, folder: Path, kubeconfig: Optional[Path] = None) -> None:
        self._program = program
        self._environment = {**os.environ, "HELM_CACHE_HOME": str(folder / "cache"),
                             "HELM_CONFIG_HOME": str(folder / "config"),
                             "HELM_DATA_HOME": str(folder / "data")}
        self._environment["KUBECONFIG"] = str(kubeconfig or folder / "none")

    def run(self, *arguments: str, fails: bool = False) -> str:
        """Its output; of a command that has to fail, what it said about it."""
        result = subprocess.run([str(self._program), *arguments], capture_output=True, text=True,
                                env=self._environment, timeout=60)
        assert (result.returncode != 0) == fails, result.stdout + result.stderr
        return result.stderr if fails else result.stdout

    def template(self, *arguments: str) -> list[Json]:
        text = self.run("template", RELEASE, str(CHART), "--namespace", NAMESPACE,
                        "--kube-version", plane_version(), *arguments)
        return [item for item in yaml.safe_load_all(text) if item]


def find(objects: list[Json], kind: str, name: str = "") -> Json:
    """The one object of the kind (and name)."""
    found = [item for item in objects
             if item["kind"] == kind and name in ("", item["metadata"]["name"])]
    assert len(found) == 1, f"{len(found)} of {kind} {name}"
    return found[0]


@dataclass(frozen=True)
class Rights:
    """What the chart grants and configures, as objects."""

    objects: list[Json]

    @staticmethod
    def render(*arguments: str) -> "Rights":
        with tempfile.TemporaryDirectory() as folder:
            return Rights(Helm(programs("helm") / "helm", Path(folder)).template(*arguments))

    @property
    def config(self) -> str:
        """The text of the configuration file."""
        return find(self.objects, "ConfigMap")["data"]["config.yaml"]

    @property
    def seal_key(self) -> str:
        """What the pods find in SEAL_KEY_FILE."""
        return base64.b64decode(find(self.objects, "Secret")["data"]["key"]).decode()

    def grant(self, api: Api) -> None:
        if api.find(f"/api/v1/namespaces/{NAMESPACE}") is None:
            api.post("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        for item in self.objects:
            collection = _COLLECTIONS.get(item["kind"])
            if collection is not None:
                api.post(collection.format(item["metadata"].get("namespace")), item)

    def rules(self) -> list[tuple[str, Json]]:
        """Each rule granted, with the namespace that it holds in; empty: everywhere."""
        return [(item["metadata"].get("namespace", ""), rule) for item in self.objects
                if item["kind"] in ("Role", "ClusterRole") for rule in item["rules"]]
