"""Extenders of others, called by the scheduler as kube-scheduler would call them; on both rigs."""
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

import pytest
import yaml

from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.pods import annotation, condition, node_of
from support.process.polling import eventually
from support.kube.spark_application import Size, sized

Answer = Callable[[Json], Any]


class Webhook:
    """An extender of somebody's. Each verb is a function from what it was asked to what it answers."""

    def __init__(self, **verbs: Answer) -> None:
        self.verbs = verbs
        self.asked: list[tuple[str, Json]] = []
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                verb = self.path.rsplit("/", 1)[-1]
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                hook.asked.append((verb, asked))
                answer = hook.verbs[verb](asked)
                status = answer if isinstance(answer, int) else 200
                body = b"" if isinstance(answer, int) else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                """Who asked has given up."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hooks"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stanza(self, **more: Any) -> Json:
        named: Json = {f"{verb}Verb": verb for verb in self.verbs}
        weight = {"weight": 1} if "prioritize" in self.verbs else {}
        return {"urlPrefix": self.url, "nodeCacheCapable": True, **named, **weight, **more}

    def about(self, verb: str, name: str) -> list[Json]:
        return [asked for said, asked in self.asked if said == verb and asked["Pod"]["metadata"]["name"] == name]

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def hooks() -> Iterator[list[Webhook]]:
    made: list[Webhook] = []
    yield made
    for hook in made:
        hook.stop()


def keeps(*nodes: str) -> Answer:
    def filter_nodes(asked: Json) -> Json:
        out = [node for node in asked["NodeNames"] if node not in nodes]
        return {"NodeNames": [node for node in asked["NodeNames"] if node in nodes],
                "FailedNodes": {node: "no licence" for node in out}}
    return filter_nodes


def scores(**of: int) -> Answer:
    return lambda asked: [{"Host": node, "Score": of.get(node, 0)} for node in asked["NodeNames"]]


def start(cluster: Cluster, folder: Path, *stanzas: Json) -> None:
    path = folder / "called.yaml"
    path.write_text(yaml.safe_dump({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False}, "profiles": [{"schedulerName": "gang-scheduler"}],
        "extenders": list(stanzas)}))
    cluster.start_scheduler("--config", str(path))


def create(cluster: Cluster, name: str, asked: Optional[Json] = None) -> str:
    """A pod of no gang; its path."""
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    limits: Json = {"cpu": "100m", "memory": "64Mi", **(asked or {})}
    cluster.api.post(path, {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {"schedulerName": "gang-scheduler", "restartPolicy": "Never",
                 "containers": [{"name": "main", "image": "none", "resources": {"limits": limits}}]}})
    return f"{path}/{name}"


def told(cluster: Cluster, path: str) -> str:
    return condition(cluster.api.get(path), "PodScheduled").get("message", "")


def wait_node(cluster: Cluster, path: str, node: str, seconds: float = 30) -> None:
    eventually(lambda: node_of(cluster.api.get(path)) == node, seconds, lambda:
               f"{path} on {node}, now {node_of(cluster.api.get(path))!r}: {told(cluster, path)}")


def test_a_gang_goes_where_two_extenders_let_it(cluster: Cluster, tmp_path: Path, hooks: list[Webhook]) -> None:
    """EXT-11, EXT-19, EXT-20: the first keeps two nodes, the second prefers one of them; one question a kind."""
    n1, n2, n3 = cluster.add_nodes(3, cpu="8")
    first, second = Webhook(filter=keeps(n1, n2)), Webhook(prioritize=scores(**{n2: 10}))
    hooks += [first, second]
    start(cluster, tmp_path, first.stanza(), second.stanza(weight=2))
    application = cluster.submit(sized(Size(4), cluster.default_namespace))
    bound = cluster.wait_bound(application)
    assert node_of(bound) == n2
    cluster.wait_finished(application)
    driver = application.driver_name
    assert len(first.about("filter", driver)) == 1 and len(first.about("filter", f"{driver}-executor")) == 1
    question = first.about("filter", driver)[0]
    assert question["Nodes"] is None and sorted(question["NodeNames"]) == [n1, n2, n3]
    assert question["Pod"]["metadata"]["uid"] == bound["metadata"]["uid"]
    assert f"{n2}:4" in annotation(bound, "gang-scheduler/reservation")
    assert sorted(second.about("prioritize", driver)[0]["NodeNames"]) == sorted([n1, n2])


def test_a_picker_of_twenty_lines_decides(cluster: Cluster, tmp_path: Path, hooks: list[Webhook]) -> None:
    """TOY-14: where a pod goes is what somebody's program says."""
    nodes = cluster.add_nodes(4, cpu="8")
    chosen: list[str] = []
    picker = Webhook(prioritize=lambda asked: scores(**{chosen[-1]: 10})(asked))
    hooks.append(picker)
    chosen.append(nodes[0])
    start(cluster, tmp_path, picker.stanza())
    for turn, node in enumerate((nodes[2], nodes[0], nodes[3])):
        chosen.append(node)
        wait_node(cluster, create(cluster, f"picked-{turn}"), node)


def test_what_errs_keeps_the_gang_waiting_and_nobody_else(
        cluster: Cluster, tmp_path: Path, hooks: list[Webhook]) -> None:
    """EXT-19: a node that was not offered, no list, a status; said to the pod, and mended by itself."""
    n1, = cluster.add_nodes(1, cpu="8", extended={"example.com/licence": "4"})
    answers: list[Any] = [{"NodeNames": ["n9"]}]
    hook = Webhook(filter=lambda asked: answers[-1])
    hooks.append(hook)
    start(cluster, tmp_path, hook.stanza(managedResources=[{"name": "example.com/licence"}]))
    asking = create(cluster, "asking", {"example.com/licence": "1"})
    wrong = 'it names node "n9", which it was not asked about [WaitingForExtender]'
    eventually(lambda: told(cluster, asking).endswith(wrong), 30, lambda: told(cluster, asking))
    wait_node(cluster, create(cluster, "other"), n1)
    assert not hook.about("filter", "other")
    answers.append({"NodeNames": None, "FailedNodes": {n1: "no licence is free"}})
    eventually(lambda: "no licence is free" in told(cluster, asking), 60, lambda: told(cluster, asking))
    answers.append({"NodeNames": [n1]})
    wait_node(cluster, asking, n1, 60)


def test_one_that_is_late_and_ignorable_is_passed_over(
        cluster: Cluster, tmp_path: Path, hooks: list[Webhook]) -> None:
    """EXT-19: as if it was not there."""
    n1, = cluster.add_nodes(1, cpu="8")
    ended = threading.Event()

    def late(asked: Json) -> Json:
        ended.wait(30)
        return {"NodeNames": []}
    hook = Webhook(filter=late)
    hooks.append(hook)
    start(cluster, tmp_path, hook.stanza(ignorable=True, httpTimeout="1s"))
    began = time.monotonic()
    wait_node(cluster, create(cluster, "patient"), n1)
    assert time.monotonic() - began > 0.9
    ended.set()


def test_whole_nodes_are_sent_to_who_knows_none(cluster: Cluster, tmp_path: Path, hooks: list[Webhook]) -> None:
    """EXT-11: nodeCacheCapable false."""
    n1, n2 = cluster.add_nodes(2, cpu="8")
    hook = Webhook(filter=lambda asked: {"Nodes": {"items": [
        node for node in asked["Nodes"]["items"] if node["metadata"]["name"] == n2]}})
    hooks.append(hook)
    start(cluster, tmp_path, hook.stanza(nodeCacheCapable=False))
    wait_node(cluster, create(cluster, "whole"), n2)
    items = hook.about("filter", "whole")[0]["Nodes"]["items"]
    assert {node["metadata"]["name"] for node in items} == {n1, n2}
    assert all(node["status"]["allocatable"]["cpu"] == "8" for node in items)
