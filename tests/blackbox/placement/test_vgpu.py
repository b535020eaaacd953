"""Shared GPUs as Alnair's vGPU scheduler has them: units of memory on one card, its samples unchanged but for the scheduler."""
import itertools
import re
import time

from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.device_plugin import CHUNKS, OURS, PREFIX, TIMESTAMP, UNITS, DevicePlugin, annotation, words
from support.kube.pods import condition, node_of
from support.process.polling import eventually
from support.kube.spark_application import Size, sized

_serials = itertools.count(1)
PROFILES = ("--profile=alnair-cost-saving", "--profile=alnair-high-performance")


def start(cluster: Cluster) -> None:
    cluster.start_scheduler("--leader-elect=false", *PROFILES)


def add_node(cluster: Cluster, *units: int) -> tuple[str, DevicePlugin]:
    """A node with cards of so many units."""
    cards = {f"GPU-{next(_serials)}": each for each in units}
    node, = cluster.add_nodes(1, cpu="16", memory="32Gi", extended={UNITS: str(sum(units))}, annotations=words(cards))
    return node, DevicePlugin(cluster.api, node, cards)


def create(cluster: Cluster, name: str, *limits: int, scheduler: str = "gang-scheduler", node: str = "") -> str:
    """As the sample pods: an image with CUDA that sleeps, limits alone. Its path."""
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    spec: Json = {
        "schedulerName": scheduler, "restartPolicy": "Never",
        "containers": [{"name": f"cuda-{i}", "image": "nvidia/cuda:9.0-base", "command": ["sleep", "600"],
                        "resources": {"limits": {UNITS: str(units)}}} for i, units in enumerate(limits)]}
    if node:
        spec["nodeName"] = node
    cluster.api.post(path, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})
    return f"{path}/{name}"


def card(cluster: Cluster, path: str) -> str:
    """What the scheduler says, once the pod is bound."""
    eventually(lambda: node_of(cluster.api.get(path)), 10, lambda: f"{path} on a node: {told(cluster, path)}")
    return annotation(cluster.api.get(path), OURS)


def told(cluster: Cluster, path: str) -> str:
    return condition(cluster.api.get(path), "PodScheduled").get("message", "")


def waits(cluster: Cluster, path: str, saying: str) -> None:
    eventually(lambda: saying in told(cluster, path), 10, lambda: f"{saying!r}, now {told(cluster, path)!r}")
    assert not node_of(cluster.api.get(path))


def test_vgpu_4_the_sample_pods_share_a_card(cluster: Cluster) -> None:
    _, plugin = add_node(cluster, 16)
    start(cluster)
    uuid, = plugin.cards
    before = time.time_ns()
    four = create(cluster, "gpu-pod-04", 4)
    assert card(cluster, four) == f"{uuid}:4"  # VGPU-15: before any device plugin says so
    six = create(cluster, "gpu-pod-06", 6, scheduler="alnair-cost-saving")
    assert card(cluster, six) == f"{uuid}:6"
    stamps = [annotation(cluster.api.get(path), TIMESTAMP) for path in (four, six)]
    assert all(re.fullmatch(r"\d{19}", stamp) for stamp in stamps), stamps
    assert before < int(stamps[0]) < int(stamps[1]) < time.time_ns()
    plugin.allocate()
    for path, units in ((four, 4), (six, 6)):
        pod = cluster.api.get(path)
        chunks = annotation(pod, CHUNKS).split(",")
        assert len(chunks) == units and {chunk.rsplit("_", 1)[0] for chunk in chunks} == {uuid}
    # VGPU-10: nothing writes the timestamp again.
    assert [annotation(cluster.api.get(path), TIMESTAMP) for path in (four, six)] == stamps


def test_vgpu_1_units_of_two_cards_do_not_add_up(cluster: Cluster) -> None:
    _, plugin = add_node(cluster, 8, 8)
    first, second = plugin.cards
    start(cluster)
    held = [card(cluster, create(cluster, f"held-{i}", 4, scheduler="alnair-high-performance")) for i in range(2)]
    assert held == [f"{first}:4", f"{second}:4"]
    six = create(cluster, "six", 3, 3)  # VGPU-11: of both containers together
    waits(cluster, six, f"no single GPU with 6 free {UNITS}, best has 4 on {plugin.node}/{first}")
    assert TIMESTAMP not in cluster.api.get(six)["metadata"].get("annotations", {})  # VGPU-10
    node, roomy = add_node(cluster, 8)
    assert card(cluster, six) == f"{next(iter(roomy.cards))}:6"
    assert node_of(cluster.api.get(six)) == node


def test_vgpu_3_cost_saving_and_high_performance(cluster: Cluster) -> None:
    n1, full = add_node(cluster, 16)
    n2, empty = add_node(cluster, 16)
    create(cluster, "eight", 8, scheduler="somebody-else", node=n1)
    create(cluster, "two", 2, scheduler="somebody-else", node=n2)
    full.allocate()
    empty.allocate()
    start(cluster)
    saving = create(cluster, "saving", 4, scheduler="alnair-cost-saving")
    card(cluster, saving)
    assert node_of(cluster.api.get(saving)) == n1
    fast = create(cluster, "fast", 4, scheduler="alnair-high-performance")
    card(cluster, fast)
    assert node_of(cluster.api.get(fast)) == n2


def test_vgpu_16_the_device_plugin_chooses_another_card(cluster: Cluster) -> None:
    _, plugin = add_node(cluster, 16, 16)
    first, second = plugin.cards
    start(cluster)
    assert card(cluster, create(cluster, "ten", 10)) == f"{first}:10"
    plugin.allocate(prefer=second)
    waiting = create(cluster, "waiting", 17)
    waits(cluster, waiting, "no single GPU")
    assert card(cluster, create(cluster, "next", 10)) == f"{first}:10"


def test_vgpu_17_foreign_pods_without_a_word(cluster: Cluster) -> None:
    node, plugin = add_node(cluster, 16, 16)
    first, second = plugin.cards
    create(cluster, "theirs", 8, scheduler="somebody-else", node=node)
    start(cluster)
    twelve = create(cluster, "twelve", 12)
    waits(cluster, twelve, f"no single GPU with 12 free {UNITS}, best has 8")
    plugin.allocate(prefer=first)
    assert card(cluster, twelve) == f"{second}:12"


def test_vgpu_18_after_a_restart_the_card_is_known(cluster: Cluster) -> None:
    _, plugin = add_node(cluster, 16, 16)
    first, second = plugin.cards
    start(cluster)
    assert card(cluster, create(cluster, "six", 6, scheduler="alnair-high-performance")) == f"{first}:6"
    assert card(cluster, create(cluster, "ten", 10, scheduler="alnair-high-performance")) == f"{second}:10"
    cluster.rig.stop_schedulers()
    start(cluster)
    assert card(cluster, create(cluster, "more", 10)) == f"{first}:10"
    assert card(cluster, create(cluster, "rest", 6)) == f"{second}:6"


def test_vgpu_19_a_gang_is_packed_card_by_card(cluster: Cluster) -> None:
    _, plugin = add_node(cluster, 6, 6, 6)
    start(cluster)
    application = sized(Size(executors=4), cluster.default_namespace)
    application.set_conf(**{"spark__executor__resource__vgpu-memory__amount": "4",
                            "spark__executor__resource__vgpu-memory__vendor": "alnair"})
    application.executor_pattern["spec"]["containers"][0]["resources"]["limits"][UNITS] = "4"
    cluster.submit(application)
    eventually(lambda: f"1 + 3 fit, no single GPU with 4 free {UNITS}, best has 2" in cluster.message(application), 10,
               lambda: f"the refusal, now {cluster.message(application)!r}")
    assert not cluster.is_bound(application)
    _, fourth = add_node(cluster, 4)
    cluster.wait_finished(application)
    cards = [annotation(seen.pod, OURS) for seen in cluster.history.events if annotation(seen.pod, OURS)]
    assert set(cards) == {f"{each}:4" for each in (*plugin.cards, *fourth.cards)}


def test_vgpu_20_unreadable_annotations(cluster: Cluster) -> None:
    node, plugin = add_node(cluster, 8, 8)
    plugin.say(vitual_gpu_count="16,abc")
    start(cluster)
    twelve = create(cluster, "twelve", 12)
    assert card(cluster, twelve) == ""  # the sum of the node alone counts
    assert re.fullmatch(r"\d{19}", annotation(cluster.api.get(twelve), TIMESTAMP))

    uid = cluster.api.get(f"/api/v1/nodes/{node}")["metadata"]["uid"]

    def warnings() -> list[str]:
        return [each["message"] for each in cluster.api.items("/api/v1/namespaces/default/events")
                if each["involvedObject"].get("uid") == uid and each["reason"] == "UnreadableCards"]
    eventually(lambda: warnings(), 10, "a Warning on the node")
    assert len(warnings()) == 1 and f'{PREFIX}vitual-gpu-count is "16,abc"' in warnings()[0]
