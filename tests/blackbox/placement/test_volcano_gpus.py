"""Shared GPUs in the words of Volcano, HAMi and KAI: what is served gets its cards, the rest is refused by name."""
import itertools
import re
from typing import Optional

import pytest

from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.device_plugin import OURS, TIMESTAMP, annotation
from support.kube.pods import condition, node_of
from support.process.polling import eventually
from support.process.ports import free_ports
from support.kube.spark_application import Size, sized
from support.kube.volcano_plugins import (IDS, INDEX, PHASE, PREDICATE_TIME, TIME, TO_ALLOCATE, SharePlugin, V, VgpuCard, VgpuPlugin,
                                     offered, register)

_serials = itertools.count(1)


def start(cluster: Cluster) -> None:
    cluster.start_scheduler("--leader-elect=false")


def add_node(cluster: Cluster, *cards: VgpuCard) -> tuple[str, list[str]]:
    """A node of HAMi's device plugin for Volcano; its name, and the ids of the cards."""
    known = {f"GPU-v{next(_serials):04}": card for card in cards}
    node, = cluster.add_nodes(1, cpu="16", memory="32Gi", extended=offered(known), annotations=register(known))
    return node, list(known)


def create(cluster: Cluster, name: str, annotations: Optional[dict[str, str]] = None, claims: Optional[list[Json]] = None,
           containers: int = 1, **limits: int) -> str:
    """A pod whose containers ask for that of volcano.sh, or of the prefix that a name has; its path."""
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    asked = {(key if "/" in key else V + key.replace("_", "-")): str(amount) for key, amount in limits.items()}
    spec: Json = {"schedulerName": "gang-scheduler", "restartPolicy": "Never", "containers": [
        {"name": f"cuda-{i}", "image": "nvidia/cuda:12.0-base", "command": ["sleep", "600"], "resources": {"limits": asked}}
        for i in range(containers)]}
    if claims is not None:
        spec["resourceClaims"] = claims
    cluster.api.post(path, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "annotations": annotations or {}},
                            "spec": spec})
    return f"{path}/{name}"


def told(cluster: Cluster, path: str) -> str:
    return condition(cluster.api.get(path), "PodScheduled").get("message", "")


def card(cluster: Cluster, path: str) -> str:
    eventually(lambda: node_of(cluster.api.get(path)), 10, lambda: f"{path} on a node: {told(cluster, path)}")
    return annotation(cluster.api.get(path), OURS)


def waits(cluster: Cluster, path: str, *saying: str) -> None:
    eventually(lambda: all(each in told(cluster, path) for each in saying), 15,
               lambda: f"{saying!r}, now {told(cluster, path)!r}")
    assert not node_of(cluster.api.get(path))


def warnings(cluster: Cluster, path: str) -> list[str]:
    name = path.rsplit("/", 1)[-1]
    return [each["message"] for each in cluster.api.items(f"/api/v1/namespaces/{cluster.default_namespace}/events")
            if each["involvedObject"]["name"] == name and each["type"] == "Warning"]


def test_a_vgpu_pod_gets_the_card_that_its_device_plugin_hands_out(cluster: Cluster) -> None:
    node, (first, second) = add_node(cluster, VgpuCard(16000), VgpuCard(8000))
    plugin = VgpuPlugin(cluster.api, node)
    start(cluster)
    small = create(cluster, "small", vgpu_number=1, vgpu_memory=6000, vgpu_cores=30)
    assert card(cluster, small) == f"{second}:6000"  # the fullest card that has room stays the fullest
    pod = cluster.api.get(small)
    assert annotation(pod, IDS) == annotation(pod, TO_ALLOCATE) == f"{second},NVIDIA,6000,30:"
    assert annotation(pod, PHASE) == "allocating" and re.fullmatch(r"\d{19}", annotation(pod, TIME))
    assert not annotation(pod, TIMESTAMP)
    large = create(cluster, "large", vgpu_number=1, vgpu_memory=9000)
    assert card(cluster, large) == f"{first}:9000"
    # Both ask the kubelet for one device: the plugin serves the first that was bound.
    assert plugin.allocate(1) == ("small", [(second, 6000, 30)])
    assert plugin.allocate(1) == ("large", [(first, 9000, 0)])
    waiting = create(cluster, "waiting", vgpu_number=1, vgpu_memory=7500)
    waits(cluster, waiting, f"no single GPU with 7500 free {V}vgpu-memory, best has 7000 on {node}/{first}")
    cluster.api.delete(large)
    assert card(cluster, waiting) == f"{first}:7500"


def test_several_cards_a_share_of_a_card_and_one_alone(cluster: Cluster) -> None:
    node, (first, second) = add_node(cluster, VgpuCard(16000), VgpuCard(8000))
    start(cluster)
    both = create(cluster, "both", vgpu_number=2, vgpu_memory_percentage=25)
    assert card(cluster, both) == f"{first}:4000,{second}:2000"
    assert VgpuPlugin(cluster.api, node).allocate(2) == ("both", [(first, 4000, 0), (second, 2000, 0)])
    three = create(cluster, "three", vgpu_number=3, vgpu_memory=1)
    waits(cluster, three, f"no 3 GPUs with 1 free {V}vgpu-memory each")
    alone = create(cluster, "alone", vgpu_number=1, vgpu_memory=100, vgpu_cores=100)
    waits(cluster, alone, f"no single GPU with 100 free {V}vgpu-memory and 100 free {V}vgpu-cores")
    cluster.api.delete(both)
    only = card(cluster, alone)
    assert only == f"{second}:100"
    beside = create(cluster, "beside", vgpu_number=1, vgpu_memory=100)
    assert card(cluster, beside) == f"{first}:100"
    whole = create(cluster, "whole", vgpu_number=1)
    waits(cluster, whole, f"no single GPU with 100 % of its {V}vgpu-memory free")


def test_a_restarted_scheduler_knows_the_cards(cluster: Cluster) -> None:
    node, (first,) = add_node(cluster, VgpuCard(16000))
    start(cluster)
    assert card(cluster, create(cluster, "ten", vgpu_number=1, vgpu_memory=10000)) == f"{first}:10000"
    VgpuPlugin(cluster.api, node).allocate(1)
    cluster.rig.stop_schedulers()
    start(cluster)
    assert card(cluster, create(cluster, "five", vgpu_number=1, vgpu_memory=5000)) == f"{first}:5000"
    waits(cluster, create(cluster, "two", vgpu_number=1, vgpu_memory=2000), f"best has 1000 on {node}/{first}")


def test_nodes_and_why_name_cards(cluster: Cluster) -> None:
    node, (first, second) = add_node(cluster, VgpuCard(16000), VgpuCard(8000))
    control = f"127.0.0.1:{free_ports(1)[0]}"
    cluster.start_scheduler("--leader-elect=false", "--control", control)
    card(cluster, create(cluster, "ten", vgpu_number=1, vgpu_memory=10000))
    waiting = create(cluster, "nine", vgpu_number=1, vgpu_memory=9000)
    waits(cluster, waiting, f"best has 8000 on {node}/{second}")
    for where in (control, "none"):  # asked of the daemon, and of the API server alone
        cards = cluster.rig.cli("nodes", "--cards", "--control", where)
        assert cards.returncode == 0, cards.stderr
        rows = [line.split() for line in cards.stdout.splitlines()]
        for uuid, units, free in ((first, "16000", "6000"), (second, "8000", "8000")):
            row, = [each for each in rows if uuid in each]
            assert {node, V + "vgpu-memory", units, free} <= set(row), cards.stdout
        why = cluster.rig.cli("why", "nine", "-n", cluster.default_namespace, "--control", where)
        assert f"no single GPU with 9000 free {V}vgpu-memory, best has 8000 on {node}/{second}" in why.stdout, why


def test_executors_of_a_gang_are_packed_card_by_card(cluster: Cluster) -> None:
    node, (first, second) = add_node(cluster, VgpuCard(8000), VgpuCard(8000))
    start(cluster)
    application = sized(Size(executors=4), cluster.default_namespace)
    application.set_conf(**{
        "spark__executor__resource__vgpu-number__amount": "1", "spark__executor__resource__vgpu-number__vendor": "volcano.sh",
        "spark__executor__resource__vgpu-memory__amount": "3000", "spark__executor__resource__vgpu-memory__vendor": "volcano.sh"})
    application.executor_pattern["spec"]["containers"][0]["resources"]["limits"].update(
        {V + "vgpu-number": "1", V + "vgpu-memory": "3000"})
    taken = create(cluster, "taken", vgpu_number=1, vgpu_memory=3000)
    held = card(cluster, taken)
    cluster.submit(application)
    eventually(lambda: f"1 + 3 fit, no single GPU with 3000 free {V}vgpu-memory, best has 2000" in cluster.message(application),
               10, lambda: f"the refusal, now {cluster.message(application)!r}")
    assert not cluster.is_bound(application)
    assert held == f"{first}:3000"
    cluster.api.delete(taken)
    cluster.wait_finished(application)
    seen = {annotation(each.pod, "gang-scheduler/slot") and annotation(each.pod, OURS) for each in cluster.history.events}
    assert {f"{first}:3000", f"{second}:3000"} <= seen
    for each in cluster.history.events:
        if annotation(each.pod, "gang-scheduler/slot") and node_of(each.pod):
            assert annotation(each.pod, IDS) in (f"{first},NVIDIA,3000,0:", f"{second},NVIDIA,3000,0:")


def test_shared_gpus_with_numbers(cluster: Cluster) -> None:
    node, = cluster.add_nodes(1, cpu="16", memory="32Gi", extended={V + "gpu-memory": "32", V + "gpu-number": "2"})
    plugin = SharePlugin(cluster.api, node)
    start(cluster)
    ten = create(cluster, "ten", gpu_memory=10)
    assert card(cluster, ten) == "0:10"
    pod = cluster.api.get(ten)
    assert annotation(pod, INDEX) == "0" and re.fullmatch(r"\d{19}", annotation(pod, PREDICATE_TIME))
    assert plugin.allocate(V + "gpu-memory", 10) == ("ten", [0])
    whole = create(cluster, "whole", gpu_number=1)
    assert card(cluster, whole) == "1:16"
    assert plugin.allocate(V + "gpu-number", 1) == ("whole", [1])
    waits(cluster, create(cluster, "seven", gpu_memory=7), f"no single GPU with 7 free {V}gpu-memory, best has 6 on {node}/0")
    waits(cluster, create(cluster, "another", gpu_number=1), "no single GPU with 100 %")


def test_a_register_that_cannot_be_read_is_told_once_and_nobody_is_bound_there(cluster: Cluster) -> None:
    cards = {"GPU-odd": VgpuCard(8000, mode="mig")}
    node, = cluster.add_nodes(1, cpu="16", memory="32Gi", extended=offered(cards), annotations=register(cards))
    start(cluster)
    path = create(cluster, "waiting", vgpu_number=1, vgpu_memory=100)
    waits(cluster, path, "no node says its cards")

    uid = cluster.api.get(f"/api/v1/nodes/{node}")["metadata"]["uid"]

    def node_warnings() -> list[str]:
        return [each["message"] for each in cluster.api.items("/api/v1/namespaces/default/events")
                if each["involvedObject"].get("uid") == uid and each["reason"] == "UnreadableCards"]
    eventually(node_warnings, 10, "a Warning on the node")
    assert len(node_warnings()) == 1 and "mode mig is not supported" in node_warnings()[0]


@pytest.mark.parametrize("name, annotations, limits, saying", [
    ("no-number", {}, {"vgpu_memory": 100}, f"{V}vgpu-number is missing"),
    ("percent", {}, {"vgpu_number": 1, "vgpu_memory_percentage": 101}, f"{V}vgpu-memory-percentage is 101, expected"),
    ("cores", {}, {"vgpu_number": 1, "vgpu_cores": 101}, f"{V}vgpu-cores is 101, expected"),
    ("hami", {}, {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 3000}, "nvidia.com/gpumem is not supported: HAMi's device plugin"),
    ("hami-cores", {}, {"nvidia.com/gpu": 1, "nvidia.com/gpucores": 30}, "nvidia.com/gpucores is not supported"),
    ("kai", {"gpu-fraction": "0.5"}, {}, "annotation gpu-fraction is not supported: KAI's GPU sharing"),
    ("kai-odd", {"gpu-fraction": "many"}, {}, "annotation gpu-fraction is not supported"),
    ("kai-memory", {"gpu-memory": "2000"}, {}, "annotation gpu-memory is not supported"),
    ("kai-many", {"gpu-fraction": "0.5", "gpu-fraction-num-devices": "2"}, {}, "is not supported: KAI's GPU sharing"),
    ("model", {"nvidia.com/use-gputype": "A100"}, {"vgpu_number": 1}, "annotation nvidia.com/use-gputype is not supported")])
def test_what_is_not_served_is_refused_by_name(cluster: Cluster, name: str, annotations: dict[str, str], limits: dict[str, int],
                                               saying: str) -> None:
    add_node(cluster, VgpuCard(16000))
    cluster.add_nodes(1, cpu="16", memory="32Gi", extended={"nvidia.com/gpu": "8"})
    start(cluster)
    path = create(cluster, name, annotations, **limits)
    waits(cluster, path, saying, "[Misconfigured]")
    # Nobody waits behind it.
    card(cluster, create(cluster, "plain"))
    eventually(lambda: warnings(cluster, path), 10, "a Warning")
    assert len(warnings(cluster, path)) == 1 and saying in warnings(cluster, path)[0]


def test_two_containers_with_vgpus_are_refused(cluster: Cluster) -> None:
    add_node(cluster, VgpuCard(16000))
    start(cluster)
    waits(cluster, create(cluster, "two", containers=2, vgpu_number=1, vgpu_memory=10), "more than one container asks")


def test_executors_with_words_of_kai_keep_their_driver_waiting(cluster: Cluster) -> None:
    cluster.add_nodes(1, cpu="16", memory="32Gi")
    start(cluster)
    application = sized(Size(executors=2), cluster.default_namespace)
    application.set_conf(**{"spark__kubernetes__executor__annotation__gpu-fraction": "0.5"})
    cluster.submit(application)
    eventually(lambda: "the executors: annotation gpu-fraction is not supported" in cluster.message(application), 10,
               lambda: f"the refusal, now {cluster.message(application)!r}")
    assert not cluster.is_bound(application)
