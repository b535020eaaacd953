"""What a pod asks of a node: an implementation of its own, so that it can judge the scheduler's."""
from fractions import Fraction
from typing import Mapping

from ..client.api import Json

Requests = dict[str, int]  # cpu in thousandths, everything else in whole units

_SUFFIXES = {
    "": 1, "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "k": 10**3,
    "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18, "Ki": 2**10, "Mi": 2**20,
    "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60,
}


def quantity(text: object) -> Fraction:
    """The exact value of a Kubernetes quantity."""
    string = str(text)
    number = string.rstrip("numkKMGTPEi")
    return Fraction(number) * _SUFFIXES[string[len(number):]]


def amounts(resources: Mapping[str, object]) -> Requests:
    """Rounded up, as the scheduler must."""
    return {name: -int(-quantity(value) * (1000 if name == "cpu" else 1) // 1)
            for name, value in resources.items()}


def add(left: Requests, right: Requests) -> Requests:
    return {name: left.get(name, 0) + right.get(name, 0) for name in {**left, **right}}


def scale(requests: Requests, factor: int) -> Requests:
    return {name: value * factor for name, value in requests.items()}


def effective_requests(pod: Json) -> Requests:
    """Containers and sidecars together, or the largest init container, or the pod's own; overhead; one pod."""
    spec = pod["spec"]
    total = _sum_of(spec["containers"])
    sidecars: Requests = {}
    largest: Requests = {}
    for container in spec.get("initContainers", []):
        asked = _of(container)
        if container.get("restartPolicy") == "Always":
            sidecars = add(sidecars, asked)
            asked = sidecars
        else:
            asked = add(sidecars, asked)
        largest = {name: max(largest.get(name, 0), asked.get(name, 0))
                   for name in {**largest, **asked}}
    total = add(total, sidecars)
    total = {name: max(total.get(name, 0), largest.get(name, 0)) for name in {**total, **largest}}
    total.update(_pod_level(spec))
    return add(add(total, amounts(spec.get("overhead") or {})), {"pods": 1})


def exceeding(asked: Requests, room: Requests) -> list[str]:
    """Names of the resources that `asked` has more of than `room`; pods, cpu, memory first."""
    order = {"pods": 0, "cpu": 1, "memory": 2}
    return sorted((name for name, value in asked.items() if value > room.get(name, 0)),
                  key=lambda name: (order.get(name, 3), name))


def host_ports(pod: Json) -> list[tuple[int, str, str]]:
    """(port, protocol, address) of each port of the node that the pod takes, sidecars' too."""
    sidecars = [each for each in pod["spec"].get("initContainers", []) if each.get("restartPolicy") == "Always"]
    return [(port["hostPort"], port.get("protocol", "TCP"), port.get("hostIP") or "0.0.0.0")
            for container in pod["spec"]["containers"] + sidecars
            for port in container.get("ports") or [] if port.get("hostPort")]


def have_port_in_common(one: Json, other: Json) -> bool:
    return any(mine[:2] == theirs[:2] and (mine[2] == theirs[2] or "0.0.0.0" in (mine[2], theirs[2]))
               for mine in host_ports(one) for theirs in host_ports(other))


def is_finished(pod: Json) -> bool:
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def is_terminating(pod: Json) -> bool:
    return "deletionTimestamp" in pod["metadata"]


def node_of(pod: Json) -> str:
    """Empty while the pod is not bound."""
    return pod["spec"].get("nodeName") or ""


def label(pod: Json, key: str) -> str:
    return (pod["metadata"].get("labels") or {}).get(key, "")


def annotation(pod: Json, key: str) -> str:
    return (pod["metadata"].get("annotations") or {}).get(key, "")


def condition(pod: Json, kind: str) -> Json:
    """The condition of that type, or an empty one."""
    return next((entry for entry in pod.get("status", {}).get("conditions") or []
                 if entry["type"] == kind), {})


def path_of(pod: Json) -> str:
    """Of the pod in the API."""
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"


def _pod_level(spec: Json) -> Requests:
    """spec.resources stands in for the sum, as far as it goes."""
    resources = spec.get("resources") or {}
    return amounts({**(resources.get("limits") or {}), **(resources.get("requests") or {})})


def _of(container: Json) -> Requests:
    return amounts((container.get("resources") or {}).get("requests") or {})


def _sum_of(containers: list[Json]) -> Requests:
    total: Requests = {}
    for container in containers:
        total = add(total, _of(container))
    return total
