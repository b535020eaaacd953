"""Which of the nodes that will do: kube-scheduler's scores against ours, in worlds where filters keep nobody out."""
from pathlib import Path
from typing import Optional

import yaml

from support.client.json_type import Json

from .judge import Judge
from .worlds import HOST, SPACES, ZONE, Dice, World, any_room, any_spread, any_term

# Of equal nodes kube-scheduler takes any. Ours was never taken in so many tries: it is not among the best.
TRIES = 30
MIB = 1024 * 1024
# Names, and sizes that are the same on every node that has them; below and above what counts.
IMAGES = {"registry.example/a:1": 20 * MIB, "registry.example:5000/b": 400 * MIB, "c:2": 900 * MIB, "d": 3000 * MIB}
STRATEGIES: dict[str, Json] = {
    "least": {"type": "LeastAllocated", "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}]},
    "most": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 3}, {"name": "memory", "weight": 1}]},
    "ratio": {"type": "RequestedToCapacityRatio", "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 2}],
              "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 2}, {"utilization": 50, "score": 10},
                                                     {"utilization": 100, "score": 0}]}},
    "alike": {"type": "LeastAllocated"}}
POD_AFFINITY: dict[str, Json] = {
    "least": {}, "most": {"hardPodAffinityWeight": 40}, "ratio": {"ignorePreferredTermsOfExistingPods": True},
    "alike": {}}
# Pods without spread constraints of their own go by what services select, which one profile alone does: kube-scheduler knows
# it as default constraints, ours as SelectorSpread.
ALIKE = "alike"
NO_DEFAULTS: Json = {"defaultingType": "List", "defaultConstraints": []}
OURS_ALIKE: Json = {"score": {"disabled": [{"name": "PodTopologySpread"}], "enabled": [{"name": "SelectorSpread", "weight": 2}]}}


def write_config(path: Path, prefix: str, kubeconfig: Optional[Path] = None) -> Path:
    """A profile for each strategy, called prefix-strategy; with a kubeconfig: for kube-scheduler itself."""
    is_ours = kubeconfig is None
    config: Json = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [
        {"schedulerName": f"{prefix}-{name}",
         "pluginConfig": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": strategy}},
                          {"name": "InterPodAffinity", "args": POD_AFFINITY[name]},
                          *([] if is_ours or name == ALIKE else [{"name": "PodTopologySpread", "args": NO_DEFAULTS}])],
         **({"plugins": OURS_ALIKE} if is_ours and name == ALIKE else {})}
        for name, strategy in STRATEGIES.items()]}
    if not is_ours:
        config.update(clientConnection={"kubeconfig": str(kubeconfig)}, leaderElection={"leaderElect": False})
    path.write_text(yaml.safe_dump(config))
    return path


def draw_choice(seed: int) -> World:
    dice = Dice(seed)
    world = World(nodes=[_node(dice, f"choice-{seed}-{i}") for i in range(dice.number(2, 5))])
    names = [node["metadata"]["name"] for node in world.nodes]
    for i in range(dice.number(0, 5)):
        pod = _pod(dice, f"there-{i}")
        pod["spec"].update(nodeName=dice.any(*names), schedulerName="somebody-else")
        world.pods.append(pod)
    world.probe = _pod(dice, "probe")
    if dice.percent(50):
        world.probe["spec"]["affinity"] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": dice.some(
            3, lambda: {"weight": dice.number(1, 100), "preference": {"matchExpressions": [
                {"key": dice.any("disk", "rank"), "operator": "In", "values": [dice.any("ssd", "hdd", "1", "2")]}]}})}}
    if dice.percent(40):
        world.probe["spec"]["tolerations"] = [{"key": dice.any("t", "u"), "operator": "Exists"}]
    _add_wishes(dice, world)
    _add_images(dice, world.probe["spec"])
    _add_service(world)
    return world


def _add_images(dice: Dice, spec: Json) -> None:
    if dice.percent(70):
        spec["containers"][0]["image"] = dice.any(*IMAGES)
    if dice.percent(30):
        spec["initContainers"] = [{"name": "first", "image": dice.any(*IMAGES, "none")}]
    if dice.percent(20):
        spec.setdefault("volumes", []).append({"name": "files", "image": {"reference": dice.any(*IMAGES)}})


def _add_service(world: World) -> None:
    """It selects the pods that are like the probe."""
    labels, space = world.probe["metadata"]["labels"], world.probe["metadata"]["namespace"]
    world.services.append({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "alike", "namespace": space},
                           "spec": {"selector": labels, "ports": [{"port": 80}]}})


def _add_wishes(dice: Dice, world: World) -> None:
    """What pods prefer of each other."""
    for node in world.nodes:
        if dice.percent(80):
            node["metadata"]["labels"][ZONE] = dice.any("a", "b", "c")
    for pod in world.pods + [world.probe]:
        pod["metadata"].update(
            namespace=dice.any(*SPACES), labels={"app": dice.any("a", "b"), "tier": dice.any("x", "y")})
        affinity = pod["spec"].setdefault("affinity", {})
        for kind in ("podAffinity", "podAntiAffinity"):
            if dice.percent(35):
                affinity[kind] = {"preferredDuringSchedulingIgnoredDuringExecution": dice.some(
                    2, lambda: {"weight": dice.number(1, 100), "podAffinityTerm": any_term(dice)})}
    for pod in world.pods:
        if dice.percent(25):
            pod["spec"]["affinity"].setdefault("podAffinity", {})[
                "requiredDuringSchedulingIgnoredDuringExecution"] = [any_term(dice)]
    if dice.percent(40):
        rules = dice.some(2, lambda: {**any_spread(dice), "whenUnsatisfiable": "ScheduleAnyway"})
        for rule in rules:
            rule.pop("minDomains", None)  # of those that must be kept
        world.probe["spec"]["topologySpreadConstraints"] = list({each["topologyKey"]: each for each in rules}.values())


def _node(dice: Dice, name: str) -> Json:
    room = {"cpu": dice.any("4", "6", "8", "16"), "memory": dice.any("8Gi", "12Gi", "16Gi", "32Gi"), "pods": "110"}
    node = any_room(name, {HOST: name, "disk": dice.any("ssd", "hdd"), "rank": dice.any("1", "2")}, room)
    if dice.percent(50):
        node["spec"]["taints"] = [{"key": key, "effect": "PreferNoSchedule"} for key in ("t", "u") if dice.percent(60)]
    node["status"]["images"] = [
        {"names": [f"{name}@sha256:{i:064}", name if ":" in name.split("/")[-1] else f"{name}:latest"], "sizeBytes": size}
        for i, (name, size) in enumerate(IMAGES.items()) if dice.percent(50)]
    return node


def _pod(dice: Dice, name: str) -> Json:
    requests = {"cpu": f"{dice.number(1, 15)}00m", "memory": f"{dice.number(1, 20)}00Mi"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "like-a"},
            "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0, "containers": [
                {"name": "main", "image": "none", "resources": {"requests": requests}}]}}


def differences(judge: Judge, world: World, pause: float) -> list[str]:
    """By strategy, where ours is not among theirs."""
    found = []
    for strategy in STRATEGIES:
        ours = judge.ask(world, f"ours-{strategy}", None, pause)
        theirs: set[str] = set()
        for _ in range(TRIES):
            theirs.add(judge.ask(world, f"theirs-{strategy}", None, pause).node)
            if ours.node in theirs:
                break
        judge.placed += 1 if ours.node else 0
        if ours.node not in theirs:
            found.append(f"{strategy}: ours {ours}, theirs {sorted(theirs)}")
    return found
