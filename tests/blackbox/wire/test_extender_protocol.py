"""The extender protocol, call by call, on both rigs: what kube-scheduler itself would not send as well."""
import concurrent.futures
import copy
import json
import socket
import time
from typing import Any

import pytest

from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.extended import Endpoint, for_kube_scheduler
from support.kube.pods import node_of
from support.process.polling import eventually
from support.kube.spark_application import Size, SparkApplication, sized

BODY_MAX = 64 * 1024 * 1024


@pytest.fixture
def endpoint(cluster: Cluster) -> Endpoint:
    made = Endpoint(cluster.rig.folder)
    cluster.start_scheduler("--leader-elect=false", "--config", str(made.config))
    eventually(lambda: _answers(made), 20, "the extender to listen")
    return made


def _answers(endpoint: Endpoint) -> bool:
    try:
        return endpoint.get("/healthz").ok
    except OSError:
        return False


def asked(pod: Json, *nodes: str) -> Json:
    return {"Pod": pod, "Nodes": None, "NodeNames": list(nodes)}


def filtered(endpoint: Endpoint, body: object) -> Json:
    """The answer, when the scheduler has seen what there is."""
    def answer() -> Any:
        got = endpoint.post("filter", body)
        assert got.status_code == 200 and got.headers["Content-Type"] == "application/json", got.text
        return got.json() if not got.json()["Error"] else None
    return eventually(answer, 20, "an answer without an error")


def driver_of(cluster: Cluster, application: SparkApplication) -> Json:
    cluster.submit(application)
    return cluster.driver(application)


def lower_keys(body: Json) -> Json:
    return {key.lower(): value for key, value in body.items()}


def test_filter_prioritize_and_bind(cluster: Cluster, endpoint: Endpoint) -> None:
    """EXT-1 to EXT-6, EXT-8, EXT-17."""
    names = cluster.add_nodes(2, cpu="3") + cluster.add_nodes(1, cpu="1")
    nodes = [cluster.api.get(f"/api/v1/nodes/{name}") for name in names]
    driver = driver_of(cluster, for_kube_scheduler(sized(Size(4), cluster.default_namespace)))
    answer = filtered(endpoint, asked(driver, *names))
    chosen, = answer["NodeNames"]
    others = [name for name in names if name != chosen]
    assert answer["Nodes"] is None and answer["FailedAndUnresolvableNodes"] is None and answer["Error"] == ""
    assert answer["FailedNodes"] == {name: f"its gang has its room on {chosen}" for name in others}
    for _ in range(3):
        assert filtered(endpoint, lower_keys(asked(driver, *names))) == answer
    whole = {"Pod": driver, "Nodes": {"metadata": {}, "items": nodes}, "NodeNames": None}
    for body in (whole, lower_keys(whole)):
        by_nodes = filtered(endpoint, body)
        assert by_nodes["Nodes"]["items"] == [node for node in nodes if node["metadata"]["name"] == chosen]
        assert by_nodes["NodeNames"] is None and by_nodes["FailedNodes"] == answer["FailedNodes"]
    scores = endpoint.post("prioritize", asked(driver, *names)).json()
    assert {each["Host"]: each["Score"] for each in scores} == {name: 10 if name == chosen else 0 for name in names}

    # A second gang has no room left, and a pod of no gang only where no gang has any.
    second = driver_of(cluster, for_kube_scheduler(sized(Size(4), cluster.default_namespace)))
    refused = filtered(endpoint, asked(second, *names))
    assert refused["NodeNames"] == [] and set(refused["FailedNodes"]) == set(names)
    assert all(text.endswith("[WaitingForCapacity]") for text in refused["FailedNodes"].values()), refused
    lone = copy.deepcopy(second)
    lone["metadata"].update(name="lone", uid="lone", labels={}, annotations={})
    lone["spec"]["containers"] = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]
    lone["spec"]["volumes"] = []
    passed = filtered(endpoint, asked(lone, *names))
    assert 1 <= len(passed["NodeNames"]) <= 2, passed  # two cpus are left of seven
    assert all("more than gangs leave free" in text for text in passed["FailedNodes"].values()), passed

    # Bind: as decided, and nowhere else.
    binding = {"PodName": driver["metadata"]["name"], "PodNamespace": driver["metadata"]["namespace"],
               "PodUID": driver["metadata"]["uid"], "Node": others[0]}
    wrong = endpoint.post("bind", binding)
    assert wrong.status_code == 200 and f"it was to go to {chosen}" in wrong.json()["Error"]
    assert endpoint.post("bind", {**binding, "Node": chosen}).json() == {"Error": ""}
    path = f"/api/v1/namespaces/{binding['PodNamespace']}/pods/{binding['PodName']}"
    assert node_of(cluster.api.get(path)) == chosen
    again = endpoint.post("bind", {**binding, "Node": chosen})
    assert again.status_code == 200 and again.json()["Error"]
    gone = endpoint.post("bind", {**binding, "PodUID": "no-such-uid", "Node": chosen})
    assert gone.status_code == 200 and "not bound" in gone.json()["Error"], gone.text

    # Preempt: a driver is needed; nobody is evicted for a gang.
    victims = {names[0]: {"Pods": [{"UID": driver["metadata"]["uid"]}], "NumPDBViolations": 0},
               names[1]: {"Pods": [{"UID": "other"}], "NumPDBViolations": 1}}
    for pod, left in ((lone, {names[1]: victims[names[1]]}), (second, {})):
        got = endpoint.post("preempt", {"Pod": pod, "NodeNameToVictims": None, "NodeNameToMetaVictims": victims})
        assert got.json() == {"NodeNameToMetaVictims": left}


def test_what_is_no_call(cluster: Cluster, endpoint: Endpoint) -> None:
    """EXT-7, EXT-10, EXT-18: everything is answered, and the process lives."""
    names = cluster.add_nodes(1)
    pod = {"metadata": {"name": "p", "namespace": "default", "uid": "u"}, "spec": {"containers": []}}
    for path in ("/", "/version", "/healthz"):
        assert endpoint.get(path).status_code == 200, path
    assert set(endpoint.get("/version").json()) == {"version"}
    assert endpoint.get("/nothing").status_code == 404
    assert endpoint.post("nothing", {}).status_code == 404
    refused = endpoint.get("/filter")
    assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")
    assert endpoint.post("filter", asked(pod, *names), content_type="text/plain").status_code == 415
    for data in (b"", b"{", b"[]", b"null", b'{"Pod": 7}', b"\xff", b"[" * 100_000):
        malformed = endpoint.post("filter", data=data)
        assert malformed.status_code == 200 and malformed.json()["Error"], malformed.text
        for verb in ("prioritize", "bind", "preempt"):
            assert endpoint.post(verb, data=data).status_code == 400, (verb, data)
    padding = json.dumps(asked(pod, *names)).encode()
    most = padding[:-1] + b" " * (BODY_MAX - len(padding)) + b"}"
    assert len(most) == BODY_MAX and filtered_bytes(endpoint, most)["NodeNames"] == names
    assert endpoint.post("filter", data=most + b" ").status_code == 413
    with socket.create_connection(("127.0.0.1", endpoint.port), timeout=20) as slow:
        slow.sendall(b"POST /filter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     b"Content-Length: 100\r\n\r\n{")
        assert slow.recv(4096).startswith(b"HTTP/1.1 408 ")
    with socket.create_connection(("127.0.0.1", endpoint.port), timeout=20) as foreign:
        foreign.sendall(b"POST /filter HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\n"
                        b"Content-Length: 2\r\n\r\n{}")
        assert foreign.recv(4096).startswith(b"HTTP/1.1 403 ")
    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        answers = list(pool.map(lambda _: endpoint.post("filter", asked(pod, *names)).json(), range(100)))
    assert all(answer["NodeNames"] == names for answer in answers), answers


def filtered_bytes(endpoint: Endpoint, data: bytes) -> Json:
    def answer() -> Any:
        got = endpoint.post("filter", data=data).json()
        return got if not got["Error"] else None
    return eventually(answer, 20, "an answer without an error")


def test_a_gang_that_is_not_asked_about_again_gives_its_room_back(cluster: Cluster, endpoint: Endpoint) -> None:
    """EXT-14: fifty questions hold one reservation; an undecided question is answered within moments."""
    names = cluster.add_nodes(1, cpu="4")
    first = driver_of(cluster, for_kube_scheduler(sized(Size(3), cluster.default_namespace)))
    for _ in range(50):
        assert filtered(endpoint, asked(first, *names))["NodeNames"] == names
    without_conf = for_kube_scheduler(sized(Size(1), cluster.default_namespace))
    cluster.submit(without_conf, with_conf=False)
    began = time.monotonic()
    undecided = endpoint.post("filter", asked(cluster.driver(without_conf), *names)).json()
    assert "not decided" in undecided["Error"] and time.monotonic() - began < 4, undecided
    cluster.api.delete(f"/api/v1/namespaces/{first['metadata']['namespace']}/pods/{first['metadata']['name']}",
                       grace_seconds=0)
    second = driver_of(cluster, for_kube_scheduler(sized(Size(3), cluster.default_namespace)))
    eventually(lambda: filtered(endpoint, asked(second, *names))["NodeNames"] == names, 20, "the room of the first")
