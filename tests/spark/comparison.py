"""What scheduling sees of an executor: as `size` foresees it, and as the API server shows the real one."""
import json
import re
from typing import Any, Optional

from support.client.api import Json
from support.kube.pods import amounts, effective_requests

DEFAULT_TOLERATIONS = [
    {"effect": "NoExecute", "key": f"node.kubernetes.io/{state}", "operator": "Exists", "tolerationSeconds": 300}
    for state in ("not-ready", "unreachable")]
NAMED_BY_SET = "(the set's)"  # what the conf calls such a claim is gone
EVERYWHERE = ("emptyDir", "configMap", "secret", "projected", "downwardAPI", "hostPath", "nfs")


def foreseen(shape: Json, in_set: bool = False) -> dict[str, Any]:
    """From one of the executors in the output of `size -o json`."""
    return {
        "requests": {name: value for name, value in amounts(shape["requests"]).items() if value},
        "nodeSelector": shape["nodeSelector"],
        "tolerations": _tolerations(shape["tolerations"]),
        "affinity": shape["affinity"],
        "topologySpreadConstraints": shape["topologySpreadConstraints"],
        "schedulerName": shape["schedulerName"],
        "priorityClassName": shape.get("priorityClassName", ""),
        "preemptionPolicy": shape.get("preemptionPolicy", ""),
        "runtimeClassName": shape.get("runtimeClassName", ""),
        "hostPorts": sorted(map(_port, shape.get("hostPorts", []))),
        "volumes": _in_order([_foreseen_volume(volume, in_set) for volume in shape.get("volumes", [])]),
        "schedulingGates": shape.get("schedulingGates", []),
        "labels": shape.get("labels", {}),
        "nodeName": shape.get("nodeName", ""),
    }


def seen_in_set(owner: Json) -> dict[str, Any]:
    """From a StatefulSet or Deployment: its template, and its claims, whose pods get volumes of them."""
    result = seen(owner["spec"]["template"], [])
    for claim in owner["spec"].get("volumeClaimTemplates") or []:
        described = _described_claim(claim["metadata"]["name"], NAMED_BY_SET, claim["spec"])
        result["volumes"] = sorted([*result["volumes"], json.dumps(described, sort_keys=True)])
    return result


def seen(pod: Json, claims: list[Json]) -> dict[str, Any]:
    """From an executor, or from the pod template of a set of them."""
    spec = pod["spec"]
    requests = {name: value for name, value in _requests(pod).items() if value and name != "pods"}
    labels = dict(pod["metadata"].get("labels") or {})
    labels.pop("spark-app-name", None)  # the application's code may choose it
    identity = labels.pop("spark-exec-id", "")
    preemption = spec.get("preemptionPolicy", "")
    return {
        "requests": requests,
        "nodeSelector": spec.get("nodeSelector") or {},
        "tolerations": _tolerations([each for each in spec.get("tolerations") or []
                                     if each not in DEFAULT_TOLERATIONS]),
        "affinity": spec.get("affinity") or {},
        "topologySpreadConstraints": spec.get("topologySpreadConstraints") or [],
        "schedulerName": spec.get("schedulerName", "default-scheduler"),
        "priorityClassName": spec.get("priorityClassName", ""),
        # Admission fills in what is usual.
        "preemptionPolicy": "" if preemption == "PreemptLowerPriority" else preemption,
        "runtimeClassName": spec.get("runtimeClassName", ""),
        "hostPorts": sorted(_port(port) for container in _long_running(spec)
                            for port in container.get("ports") or [] if port.get("hostPort")),
        "volumes": _in_order(_volumes(pod, identity, claims)),
        "schedulingGates": spec.get("schedulingGates") or [],
        "labels": labels,
        "nodeName": spec.get("nodeName", ""),
    }


def differences(ours: dict[str, Any], real: dict[str, Any]) -> list[str]:
    return [f"{name}: foreseen {ours[name]}, is {real[name]}" for name in real if ours[name] != real[name]]


def _requests(pod: Json) -> dict[str, int]:
    for container in pod["spec"]["containers"] + pod["spec"].get("initContainers", []):
        resources = container.setdefault("resources", {})
        # As the API server does when a pod is created; a set's template keeps its limits alone.
        resources["requests"] = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return effective_requests(pod)


def _tolerations(given: list[Json]) -> list[Json]:
    return [{"operator": "Equal", **{key: value for key, value in each.items() if value != ""}} for each in given]


def _long_running(spec: Json) -> list[Json]:
    return spec["containers"] + [container for container in spec.get("initContainers") or []
                                 if container.get("restartPolicy") == "Always"]


def _in_order(volumes: list[Json]) -> list[str]:
    return sorted(json.dumps(volume, sort_keys=True) for volume in volumes)


def _port(port: Json) -> str:
    return f"{port.get('hostIP', '')}:{port['hostPort']}/{port.get('protocol', 'TCP')}"


def _volumes(pod: Json, identity: str, claims: list[Json]) -> list[Any]:
    """Those that may bind a pod to some of the nodes."""
    result: list[Any] = []
    for volume in pod["spec"].get("volumes") or []:
        kind = next(key for key in volume if key != "name")
        if kind in EVERYWHERE:
            continue
        if kind == "persistentVolumeClaim":
            result.append(_claim(volume["name"], volume[kind]["claimName"], pod, identity, claims))
        else:
            result.append({"name": volume["name"], kind: volume[kind]})
    return result


def _claim(volume: str, name: str, pod: Json, identity: str, claims: list[Json]) -> Json:
    made = next((claim for claim in claims if claim["metadata"]["name"] == name), None)
    template = name
    if identity:
        template = re.sub(rf"^{re.escape(pod['metadata']['name'])}-pvc-\d+$", "OnDemand", template)
        template = re.sub(rf"^(scratch\d*)-{identity}$", r"\1-SPARK_EXECUTOR_ID", template)
    return _described_claim(volume, template, made["spec"] if made else None)


def _described_claim(volume: str, template: str, spec: Optional[Json]) -> Json:
    described: Json = {"name": volume, "claimName": template}
    if spec is not None:
        described["storageClassName"] = spec["storageClassName"]
        described["storage"] = amounts(spec["resources"]["requests"])["storage"]
        described["accessModes"] = spec["accessModes"]
    return described


def _foreseen_volume(volume: Json, in_set: bool) -> Json:
    if "persistentVolumeClaim" not in volume:
        return volume
    claim = volume["persistentVolumeClaim"]
    name = NAMED_BY_SET if in_set and "spec" in claim else claim["claimName"]
    return _described_claim(volume["name"], name, claim.get("spec"))
