"""Objects that the scenarios send."""
from typing import Any, Optional

from support.client.api import Json


def config_map(name: str, labels: Optional[dict[str, str]] = None, **more: Any) -> Json:
    metadata: Json = {"name": name}
    if labels:
        metadata["labels"] = labels
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **more}


def pod(name: str, spec: Optional[Json] = None, **metadata: Any) -> Json:
    """One that no scheduler takes, unless `spec` names another."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata}, "spec": {
        "schedulerName": "nobody", "restartPolicy": "Never",
        "containers": [{"name": "main", "image": "image:1",
                        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}}],
        **(spec or {})}}


def binding(name: str, node: str, **metadata: Any) -> Json:
    return {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name, **metadata},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node}}


def lease(name: str, holder: str = "a", **spec: Any) -> Json:
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name},
            "spec": {"holderIdentity": holder, "leaseDurationSeconds": 15,
                     "acquireTime": "2026-01-02T03:04:05.000006Z",
                     "renewTime": "2026-01-02T03:04:05.000006Z", "leaseTransitions": 1, **spec}}
