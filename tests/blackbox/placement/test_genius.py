"""GPUs by their metrics, as Genius has them: a real Prometheus scrapes a fake ObserverWard exporter, pods carry genius/ labels."""
import json
import re
from pathlib import Path
from typing import Iterator, Optional

import pytest

from support.client.api import Json
from support.plane.certificates import Authority
from support.plane.chart import USER
from support.kube.cluster import Cluster
from support.kube.gpu_metrics import Exporter, Gpu, Prometheus, TokenGate
from support.kube.pods import condition, node_of
from support.process.polling import eventually
from support.process.ports import free_ports
from support.plane.rig import Scheduler
from support.plane.served import ANY_PORT, Served
from support.kube.spark_application import Size, sized

GENIUS = "genius/"


class Genius:
    """A cluster with GPU nodes, their metrics, and the scheduler under Genius' name beside its own."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self.cluster = cluster
        self.folder = folder
        self.exporter = Exporter()
        self.prometheus: Optional[Prometheus] = None
        self.pods = f"/api/v1/namespaces/{cluster.default_namespace}/pods"

    def nodes(self, *gpus: list[Gpu], cpu: str = "8") -> list[str]:
        """One for each list of GPUs; an empty list is a node without an exporter."""
        names = self.cluster.add_nodes(len(gpus), cpu=cpu, memory="32Gi")
        self.exporter.gpus.update({name: each for name, each in zip(names, gpus) if each})
        return names

    def measure(self, labelled: bool = True, address: str = "127.0.0.1") -> Prometheus:
        self.prometheus = Prometheus(
            self.exporter, list(self.exporter.gpus), self.folder / "prometheus", labelled, address)
        return self.prometheus

    def start(self, *flags: str, **keys: object) -> Scheduler:
        path = self.folder / "config.yaml"
        path.write_text(json.dumps({
            "apiVersion": "config.gang-scheduler/v1alpha1", "kind": "SchedulerConfiguration",
            "gpuMetrics": {"url": self.prometheus.url, "interval": "1s", "staleAfter": "4s", **keys}}))
        return self.cluster.start_scheduler("--leader-elect=false", f"--config={path}", "--profile=genius-scheduler", *flags)

    def pod(self, name: str, annotations: Optional[dict[str, str]] = None, **labels: str) -> str:
        """As the seed's example: an image with CUDA, labels without their prefix; the path."""
        self.cluster.api.post(self.pods, {
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "annotations": annotations or {},
                         "labels": {GENIUS + key.replace("_", "-"): value for key, value in labels.items()}},
            "spec": {"schedulerName": "genius-scheduler", "restartPolicy": "Never", "containers": [
                {"name": "cuda-vector-add", "image": "k8s.gcr.io/cuda-vector-add:v0.1", "command": ["sleep", "600"],
                 "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}}}]}})
        return f"{self.pods}/{name}"

    def told(self, path: str) -> str:
        return condition(self.cluster.api.get(path), "PodScheduled").get("message", "")

    def node(self, path: str) -> str:
        """Once it is bound."""
        eventually(lambda: node_of(self.cluster.api.get(path)), 15, lambda: f"{path} on a node: {self.told(path)!r}")
        return node_of(self.cluster.api.get(path))

    def waits(self, path: str, saying: str) -> None:
        eventually(lambda: saying in self.told(path), 15, lambda: f"{saying!r}, now {self.told(path)!r}")
        assert not node_of(self.cluster.api.get(path))

    def events(self, path: str, reason: str) -> list[Json]:
        name = path.rsplit("/", 1)[-1]
        return [each for each in self.cluster.api.items(f"/api/v1/namespaces/{self.cluster.default_namespace}/events")
                if each["involvedObject"]["name"] == name and each["reason"] == reason]

    def close(self) -> None:
        if self.prometheus is not None:
            self.prometheus.stop()
        self.exporter.stop()


@pytest.fixture
def genius(cluster: Cluster, tmp_path: Path) -> Iterator[Genius]:
    made = Genius(cluster, tmp_path)
    yield made
    made.close()


def test_gen_1_to_6_labels_choose_the_nodes(genius: Genius) -> None:
    _, two, one = genius.nodes([], [Gpu(8000), Gpu(3000)], [Gpu(15000, model="Tesla T4")])
    genius.measure()
    genius.start()
    assert genius.node(genius.pod("two-cards", gpu_number="2")) == two
    three = genius.pod("three", gpu_number="3")
    genius.waits(three, f"needs 3 GPUs, 2 on {two} [ExceedsCluster]")
    eventually(lambda: genius.events(three, "FailedScheduling"), 10, "GEN-17: a Warning event")
    event, = genius.events(three, "FailedScheduling")
    assert event["type"] == "Warning" and f"needs 3 GPUs, 2 on {two}" in event["message"]
    assert genius.node(genius.pod("model", gpu_model="tesla.t4")) == one
    genius.waits(genius.pod("joint", gpu_number="1", gpu_memory_each="10000", gpu_model="a100"),
                 f"needs 1 GPU of model a100 with 10000 MiB free, 0 on {two}")
    genius.waits(genius.pod("together", gpu_memory_total="11001", gpu_model="a100"),
                 f"needs 11001 MiB free on all GPUs of model a100 together, 11000 on {two}")
    assert genius.node(genius.pod("each", gpu_memory_each="8000", gpu_model="a100")) == two
    # GEN-18: the same name with another label is another pod.
    genius.cluster.api.delete(three)
    eventually(lambda: genius.cluster.api.find(three) is None, 10, "the pod to be gone")
    assert genius.node(genius.pod("three", gpu_number="1")) in (one, two)


def test_gen_4_what_cannot_be_read_is_told(genius: Genius) -> None:
    genius.nodes([Gpu(8000, model="NVIDIA GeForce RTX 3090")])
    genius.measure()
    genius.start(modelAliases=[{"name": "rtx", "model": "NVIDIA GeForce RTX 3090"}])
    bad = genius.pod("bad", {"genius/gpu-model": "["})
    genius.waits(bad, 'genius/gpu-model is "[": the expression has a [ without ] [Misconfigured]')
    assert all(event["type"] == "Warning" for event in genius.events(bad, "FailedScheduling"))
    genius.waits(genius.pod("worse", gpu_number="two"),
                 'genius/gpu-number is "two", expected a whole number from 1 to 64')
    assert genius.node(genius.pod("alias", gpu_model="rtx"))
    assert genius.node(genius.pod("spaces", {"genius/gpu-model": "geforce rtx 3[0-9]90$"}))


def test_gen_12_a_burst_and_what_samples_show_of_it(genius: Genius) -> None:
    node, = genius.nodes([Gpu(8000)])
    prometheus = genius.measure()
    genius.start()
    paths = [genius.pod(f"six-{i}", gpu_memory_each="6000") for i in range(2)]
    eventually(lambda: any(node_of(genius.cluster.api.get(path)) for path in paths), 15, "one of them on the node")
    first, second = sorted(paths, key=lambda path: not node_of(genius.cluster.api.get(path)))
    genius.waits(second, f"needs 1 GPU with 6000 MiB free, 0 on {node} [WaitingForCapacity]")
    genius.exporter.gpus[node][0].free = 2000
    eventually(lambda: prometheus.free(node) == 2000, 10, "Prometheus to see the first one's memory")
    assert not node_of(genius.cluster.api.get(second))
    genius.cluster.api.delete(second)  # who is first in the line of those who wish GPUs goes first
    two = genius.pod("two", gpu_memory_each="2000")
    assert genius.node(two) == node  # nothing is subtracted twice
    third = genius.pod("six-3", gpu_memory_each="6000")
    genius.waits(third, "needs 1 GPU with 6000 MiB free")
    genius.cluster.api.delete(first)
    genius.cluster.api.delete(two)
    genius.exporter.gpus[node][0].free = 8000
    assert genius.node(third) == node


def test_gen_8_the_best_metrics_win(genius: Genius) -> None:
    busy, idle = genius.nodes([Gpu(20000, watts=300, encoder=90)], [Gpu(30000, watts=40)])
    genius.measure()
    genius.start()
    assert [genius.node(genius.pod(f"pod-{i}", gpu_number="1")) for i in range(3)] == [idle] * 3
    assert busy != idle


def test_gen_10_prometheus_dies_and_comes_back(genius: Genius) -> None:
    node, = genius.nodes([Gpu(8000)])
    prometheus = genius.measure()
    scheduler = genius.start(*ANY_PORT)
    served = Served(scheduler)
    assert genius.node(genius.pod("before", gpu_number="1")) == node
    prometheus.kill()
    waiting = genius.pod("full", gpu_memory_each="9000")
    genius.waits(waiting, "GPU metrics stale: none for longer than 4 s (")
    genius.waits(waiting, "[GpuMetricsStale]")
    late = genius.pod("late", gpu_number="1")
    genius.waits(late, "GPU metrics stale")
    assert genius.node(genius.pod("plain"))  # other pods never notice
    text = served.get("/metrics").text
    assert re.search(r'gang_scheduler_gpu_metrics_polls_total\{result="failed"\} [1-9]', text), text
    prometheus.restart()
    assert genius.node(late) == node
    genius.waits(waiting, f"needs 1 GPU with 9000 MiB free, 0 on {node}")
    text = served.get("/metrics").text
    assert "gang_scheduler_gpu_metrics_gpus 1" in text and "gang_scheduler_gpu_metrics_nodes 1" in text
    assert scheduler.is_running()


def test_gen_11_pods_cost_no_query(genius: Genius) -> None:
    genius.nodes([Gpu(8000)], [Gpu(8000)], cpu="32")
    prometheus = genius.measure()
    before = prometheus.queries_answered()
    served = Served(genius.start(*ANY_PORT))
    for path in [genius.pod(f"pod-{i}", gpu_number="1") for i in range(40)]:
        genius.node(path)
    polls = served.metric("gang_scheduler_gpu_metrics_polls_total")
    queries = prometheus.queries_answered() - before
    assert polls > 0 and 0 <= queries - 2 * polls <= 4, (queries, polls)  # one poll may be under way, and one more


def test_gen_15_a_gang_with_labels_on_its_executors(genius: Genius) -> None:
    first, second = genius.nodes([Gpu(8000), Gpu(8000)], [Gpu(3000)])
    genius.measure()
    genius.start()
    application = sized(Size(executors=3), genius.cluster.default_namespace)
    application.set_conf(**{"spark__kubernetes__executor__label__genius/gpu-memory-each": "6000"})
    application.executor_pattern["metadata"].setdefault("labels", {})["genius/gpu-memory-each"] = "6000"
    genius.cluster.submit(application)
    eventually(lambda: "1 + 2 fit, short of GPUs" in genius.cluster.message(application), 15,
               lambda: f"the refusal, now {genius.cluster.message(application)!r}")
    genius.exporter.gpus[second][0].free = 9000
    genius.cluster.wait_finished(application)
    assert genius.cluster.is_whole(application)
    assert first != second


def test_gen_19_series_without_the_nodes_name(genius: Genius) -> None:
    genius.nodes([Gpu(8000)])
    genius.measure(labelled=False)
    scheduler = genius.start()
    waiting = genius.pod("one", gpu_number="1")
    genius.waits(waiting, "GPU metrics stale: there are none yet")
    eventually(lambda: "series have no label kubernetes_node" in scheduler.output(), 10, "the log to say so")
    assert scheduler.output().count("series have no label kubernetes_node") == 1


def test_nodes_cards_shows_what_is_left_of_each_gpu(genius: Genius) -> None:
    """Of GPUs that are known by their metrics the daemon alone knows: the API server has nothing of them."""
    plain, node = genius.nodes([], [Gpu(8000), Gpu(20000, size=24576)])
    genius.measure()
    control = f"127.0.0.1:{free_ports(1)[0]}"
    genius.start("--control", control)
    assert genius.node(genius.pod("first", gpu_number="1")) == node

    def cards(*of: str, where: str = control) -> list[list[str]]:
        answer = genius.cluster.rig.cli("nodes", *of, "--control", where)
        assert answer.returncode == 0, answer.stderr
        lines = [line.split() for line in answer.stdout.splitlines()]
        return [line for line in lines if GENIUS + "gpu-memory" in line]

    def row(number: str, size: int, free: int) -> list[str]:
        return [node, number, GENIUS + "gpu-memory", str(size), str(free)]
    both = [row("0", 40960, 8000), row("1", 24576, 20000)]
    eventually(lambda: cards("--cards") == both, 15, lambda: f"both GPUs, now {cards('--cards')}")
    # What was promised is gone at once, though no sample shows it yet.
    assert genius.node(genius.pod("taken", gpu_memory_each="15000")) == node
    left = [both[0], row("1", 24576, 5000)]
    eventually(lambda: cards("--cards") == left, 10, lambda: f"15000 MiB less, now {cards('--cards')}")
    assert cards(node) == left and cards(plain) == []
    # The API server alone tells of no GPU.
    alone = genius.cluster.rig.cli("nodes", "--cards", "--control", "none")
    assert alone.returncode == 0 and alone.stdout == "No node says anything of its cards.\n", alone


def test_gen_13_https_and_a_bearer_token(genius: Genius, tmp_path: Path) -> None:
    node, = genius.nodes([Gpu(8000)])
    prometheus = genius.measure()
    authority = Authority(tmp_path / "authority")
    token = tmp_path / "token"
    token.write_text("of-yesterday")
    gate = TokenGate(prometheus.url, authority.server("prometheus"), "of-today")
    try:
        scheduler = genius.start(url=gate.url, caFile=str(authority.ca.certificate), bearerTokenFile=str(token))
        waiting = genius.pod("one", gpu_number="1")
        genius.waits(waiting, "GPU metrics stale: there are none yet (")
        eventually(lambda: "(401)" in genius.told(waiting), 15, lambda: f"a 401, now {genius.told(waiting)!r}")
        token.write_text("of-today")
        assert genius.node(waiting) == node
        assert "of-today" not in scheduler.output()
    finally:
        gate.stop()


def test_gen_13_a_certificate_of_somebody_else(genius: Genius, tmp_path: Path) -> None:
    genius.nodes([Gpu(8000)])
    prometheus = genius.measure()
    gate = TokenGate(prometheus.url, Authority(tmp_path / "theirs").server("prometheus"), "")
    try:
        genius.start(url=gate.url, caFile=str(Authority(tmp_path / "ours").ca.certificate))
        waiting = genius.pod("one", gpu_number="1")
        eventually(lambda: "certificate" in genius.told(waiting), 15, lambda: f"what is wrong, now {genius.told(waiting)!r}")
        assert not node_of(genius.cluster.api.get(waiting))
    finally:
        gate.stop()


@pytest.mark.parametrize("rig_name", ["real"], indirect=True, scope="session")
def test_gen_13_a_service_through_the_api_server(genius: Genius) -> None:
    node, = genius.nodes([Gpu(8000)])
    prometheus = genius.measure(address="0.0.0.0")
    api, namespace = genius.cluster.api, genius.cluster.default_namespace
    service = prometheus.serve(api, namespace)
    # As the chart grants it (config.gpuMetrics.service).
    rights = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
    api.post(f"{rights}/roles", {"metadata": {"name": "gpu-metrics"}, "rules": [
        {"apiGroups": [""], "resources": ["services/proxy"], "resourceNames": ["prometheus:web"], "verbs": ["get"]}]})
    api.post(f"{rights}/rolebindings", {
        "metadata": {"name": "gpu-metrics"}, "subjects": [{"kind": "User", "name": USER}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "gpu-metrics"}})
    asked = {"spec": {"user": USER, "resourceAttributes": {
        "namespace": namespace, "verb": "get", "resource": "services", "subresource": "proxy", "name": "prometheus:web"}}}
    eventually(lambda: api.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", asked)["status"]["allowed"], 10,
               "the right to be known")
    genius.start(url="", service=service)
    assert genius.node(genius.pod("one", gpu_number="1")) == node
